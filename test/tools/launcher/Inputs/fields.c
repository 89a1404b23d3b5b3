/*
 * Runs the functions of c.mlir on fields from .npy files and compares with what others computed.
 *
 *     fields write FOLDER                     writes u.npy, v.npy, w.npy
 *     fields MODE FOLDER STEPS EXPECTED       reads them, runs, compares with the files of EXPECTED;
 *                                             'host' with padding, on arrays of the host
 */
#include "c.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NZ = C_HEAT_U_EXTENT_0,
    NY = C_HEAT_U_EXTENT_1,
    NX = C_HEAT_U_EXTENT_2,
    CELLS = NZ * NY * NX,
    /* Padding of a row and of a plane, in cells, and room for a field with it. */
    ROW = NX + 3,
    PLANE = (NY + 2) * ROW,
    ROOM = NZ * PLANE + 8
};

static const double PADDING = -77.0;
/* Whether the run is on arrays of the host. */
static int is_on_host;

static FILE *open_field(const char *folder, int number, const char *mode)
{
    char path[4096];
    FILE *file;
    snprintf(path, sizeof path, "%s/%c.npy", folder, "uvw"[number]);
    file = fopen(path, mode);
    if (file == NULL) {
        printf("no file %s\n", path);
        exit(3);
    }
    return file;
}

static void write_field(const char *folder, int number)
{
    char header[128];
    FILE *file = open_field(folder, number, "wb");
    int length, cell;
    memcpy(header, "\223NUMPY\1\0\166\0", 10);
    length = snprintf(header + 10, 118,
                      "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d, %d), }", NZ, NY,
                      NX);
    memset(header + 10 + length, ' ', (size_t)(118 - length));
    header[127] = '\n';
    fwrite(header, sizeof header, 1, file);
    for (cell = 0; cell < CELLS; cell++) {
        const double value = (double)((cell * 7919 + number * 104729) % 10007) / 1000.0 - 3.0;
        fwrite(&value, sizeof value, 1, file);
    }
    fclose(file);
}

static void read_field(const char *folder, int number, double *cells)
{
    unsigned char head[10];
    FILE *file = open_field(folder, number, "rb");
    if (fread(head, sizeof head, 1, file) != 1 || fseek(file, 10 + head[8] + 256 * head[9], 0) != 0
        || fread(cells, sizeof *cells, CELLS, file) != CELLS) {
        printf("%c.npy in %s cannot be read\n", "uvw"[number], folder);
        exit(3);
    }
    fclose(file);
}

/* Where the cells of a field lie in its memory. */
struct layout {
    int64_t strides[3];
    int first;
};

static size_t place(const struct layout *layout, int cell)
{
    const int z = cell / (NY * NX), y = cell / NX % NY, x = cell % NX;
    const int64_t bytes =
        z * layout->strides[0] + y * layout->strides[1] + x * layout->strides[2];
    return (size_t)layout->first + (size_t)bytes / sizeof(double);
}

static struct layout layout_of(const char *mode, int number)
{
    struct layout layout = {{NY * NX * 8, NX * 8, 8}, 0};
    if (strcmp(mode, "padded") == 0 || is_on_host) {
        /* Rows, planes, or both have padding. */
        layout.strides[1] = number == 1 ? NX * 8 : ROW * 8;
        layout.strides[0] = number == 0 ? NY * ROW * 8 : PLANE * 8;
    }
    if (strcmp(mode, "shifted") == 0) {
        layout.first = number + 1;
    }
    return layout;
}

static void check(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS) {
        printf("%s failed: %d\n", what, (int)result);
        exit(3);
    }
}

/* Ends with the launcher's error, if it is one. */
static void check_run(stencil_status code)
{
    if (code != STENCIL_OK) {
        printf("error %d: %s\n", (int)code, stencil_last_error());
        exit(1);
    }
}

static double host[3][ROOM];
static double results[3][ROOM];

static void upload(const char *folder, int number, const struct layout *layout, CUdeviceptr to)
{
    double cells[CELLS];
    int cell;
    read_field(folder, number, cells);
    for (cell = 0; cell < ROOM; cell++) {
        host[number][cell] = PADDING;
    }
    for (cell = 0; cell < CELLS; cell++) {
        host[number][place(layout, cell)] = cells[cell];
    }
    if (!is_on_host) {
        check(cuMemcpyHtoD(to, host[number], sizeof host[number]), "upload");
    }
}

/* Compares all bytes of a field's memory; returns how many cells differ. */
static int compare(const char *folder, int number, const struct layout *layout, CUdeviceptr from)
{
    double cells[CELLS], expected[ROOM], found[ROOM];
    int cell, differences = 0;
    read_field(folder, number, cells);
    memcpy(expected, host[number], sizeof expected);
    for (cell = 0; cell < CELLS; cell++) {
        expected[place(layout, cell)] = cells[cell];
    }
    if (is_on_host) {
        memcpy(found, results[number], sizeof found);
    } else {
        check(cuMemcpyDtoH(found, from, sizeof found), "download");
    }
    for (cell = 0; cell < ROOM; cell++) {
        if (memcmp(&expected[cell], &found[cell], sizeof(double)) != 0) {
            printf("field %d differs at %d: %.17g, not %.17g\n", number, cell, found[cell],
                   expected[cell]);
            differences++;
        }
    }
    return differences;
}

static stencil_status run(const char *mode, stencil_module *module, const stencil_array *fields,
                          int64_t steps)
{
    if (strcmp(mode, "smooth") == 0) {
        return c_run_smooth(module, &fields[0], &fields[1], &fields[2], -3, NULL);
    }
    if (strcmp(mode, "zero") == 0) {
        return c_run_smooth(module, &fields[0], &fields[1], &fields[2], 0, NULL);
    }
    if (strcmp(mode, "overlap") == 0) {
        stencil_array inside = fields[0];
        inside.data = (char *)inside.data + (CELLS - 1) * sizeof(double);
        return c_run_heat(module, &fields[0], &inside, steps, 0.3, NULL);
    }
    return c_run_heat(module, &fields[0], &fields[1], steps, 0.3, NULL);
}

int main(int argc, char **argv)
{
    struct layout layouts[3];
    CUdeviceptr memory[3];
    stencil_array fields[3] = {{NULL, NULL, NULL, 0, 0, 0}};
    stencil_module *module = NULL;
    CUcontext context;
    CUdevice device;
    int number, differences = 0;
    if (argc == 3 && strcmp(argv[1], "write") == 0) {
        for (number = 0; number < 3; number++) {
            write_field(argv[2], number);
        }
        return 0;
    }
    if (argc != 5) {
        return 3;
    }
    is_on_host = strcmp(argv[1], "host") == 0;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    for (number = 0; number < 3; number++) {
        layouts[number] = layout_of(argv[1], number);
        check(cuMemAlloc(&memory[number], ROOM * sizeof(double)), "cuMemAlloc");
        upload(argv[2], number, &layouts[number], memory[number]);
        fields[number].data =
            (void *)(uintptr_t)(memory[number] + (unsigned)layouts[number].first * sizeof(double));
        fields[number].strides =
            strcmp(argv[1], "padded") == 0 || is_on_host ? layouts[number].strides : NULL;
        if (is_on_host) {
            memcpy(results[number], host[number], sizeof results[number]);
            fields[number].data = results[number];
            fields[number].flags = STENCIL_ON_HOST;
        }
    }
    check_run(c_create(&module));
    check_run(run(argv[1], module, fields, atoi(argv[3])));
    check_run(stencil_synchronize(module, NULL));
    for (number = 0; number < (strcmp(argv[1], "smooth") == 0 ? 3 : 2); number++) {
        differences += compare(argv[4], number, &layouts[number], memory[number]);
        check(cuMemFree(memory[number]), "cuMemFree");
    }
    stencil_module_free(module);
    if (differences != 0) {
        return 1;
    }
    printf("all cells are equal, all padding is as before\n");
    return 0;
}
