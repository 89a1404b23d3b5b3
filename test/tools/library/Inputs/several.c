/* Runs a package for one device and one for two on the same cells, and compares. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stencil.h"

enum { PLANES = 66, COLUMNS = 48, CELLS = PLANES * COLUMNS, STEPS = 21 };

static void must(stencil_status status, const char *what)
{
    if (status != STENCIL_OK) {
        fprintf(stderr, "%s: %s\n", what, stencil_last_error());
        exit(1);
    }
}

static void refused(const char *what, stencil_status status)
{
    printf("%s: %d: %s\n", what, (int)status, stencil_last_error());
}

/* The cells of u after all steps; every gap-th cell of a row is one of the array. */
static void run(stencil_module *module, float *result, int gap)
{
    float *cells[2];
    const int64_t extents[] = {PLANES, COLUMNS};
    const int64_t strides[] = {(int64_t)sizeof(float) * COLUMNS * gap,
                               (int64_t)sizeof(float) * gap};
    stencil_array arrays[2];
    stencil_value values[3];
    for (int k = 0; k < 2; ++k) {
        cells[k] = calloc((size_t)CELLS * gap, sizeof(float));
        for (int cell = 0; cell < CELLS; ++cell) {
            cells[k][cell * gap] = (float)((cell * 7919) % 1009) / 16.0f;
        }
        memset(&arrays[k], 0, sizeof arrays[k]);
        arrays[k].data = cells[k];
        arrays[k].extents = extents;
        arrays[k].strides = strides;
        arrays[k].rank = 2;
        arrays[k].flags = STENCIL_ON_HOST;
        values[k] = stencil_field(&arrays[k]);
    }
    values[2] = stencil_bits(STENCIL_INDEX, STEPS);
    must(stencil_run(module, 0, values, 3, NULL), "run");
    must(stencil_synchronize(module, NULL), "synchronize");
    for (int cell = 0; cell < CELLS; ++cell) {
        result[cell] = cells[STEPS % 2][cell * gap];
    }
    for (int cell = 0; cell < CELLS * gap; ++cell) {
        if (cell % gap != 0 && cells[0][cell] != 0.0f) {
            printf("a gap was written\n");
        }
    }
    free(cells[0]);
    free(cells[1]);
}

static void compare(const char *what, stencil_module *module, const float *expected)
{
    static float found[CELLS];
    int differ = 0;
    run(module, found, strstr(what, "gaps") ? 2 : 1);
    for (int cell = 0; cell < CELLS; ++cell) {
        differ += memcmp(&found[cell], &expected[cell], sizeof(float)) != 0;
    }
    printf("%s: %d cells differ\n", what, differ);
}

int main(int argc, char **argv)
{
    static float expected[CELLS];
    const size_t twice[] = {0, 0}, three[] = {0, 0, 0};
    stencil_package *one, *two;
    stencil_module *single, *several, *wrong;
    stencil_function heat[2];
    int64_t lower[2], upper[2];
    stencil_argument u;
    stencil_verified verified;
    double seconds[2];
    stencil_array array;
    stencil_value values[3];
    static float cells[2][CELLS];

    if (argc != 3) {
        return 2;
    }
    must(stencil_package_read(argv[1], &one), "one");
    must(stencil_package_read(argv[2], &two), "two");
    must(stencil_package_function(one, 0, &heat[0]), "function");
    must(stencil_package_function(two, 0, &heat[1]), "function");
    printf("devices %zu %zu\n", heat[0].device_count, heat[1].device_count);
    must(stencil_package_argument(two, 0, 0, &u), "argument");
    must(stencil_package_shape(two, 0, 0, NULL, 0, lower, upper), "shape");
    printf("%s: [%d,%d] [%d,%d]\n", u.description, (int)lower[0], (int)upper[0], (int)lower[1],
           (int)upper[1]);

    must(stencil_module_load(one, 0, &single), "load");
    run(single, expected, 1);
    must(stencil_module_load_shared(two, NULL, 0, &several), "the first ones");
    compare("the first ones", several, expected);
    stencil_module_free(several);
    must(stencil_module_load_shared(two, twice, 2, &several), "one twice");
    compare("one twice, with gaps", several, expected);
    printf("%s\n", stencil_module_report(several));

    memset(&array, 0, sizeof array);
    memset(values, 0, sizeof values);
    values[2] = stencil_bits(STENCIL_INDEX, STEPS);
    must(stencil_verify_shared(two, 0, values, 3, 1, twice, 2, &verified), "verify");
    printf("verified %d fields\n", (int)verified.fields);

    stencil_array both[2];
    for (int k = 0; k < 2; ++k) {
        both[k] = array;
        both[k].data = cells[k];
        both[k].flags = STENCIL_ON_HOST;
        values[k] = stencil_field(&both[k]);
    }
    must(stencil_time(several, 0, values, 3, NULL, 1, 2, seconds), "time");
    printf("timed\n");

    must(stencil_module_load(two, 0, &wrong), "load");
    refused("one device", stencil_run(wrong, 0, values, 3, NULL));
    stencil_module_free(wrong);
    must(stencil_module_load_shared(two, three, 3, &wrong), "load");
    refused("three devices", stencil_run(wrong, 0, values, 3, NULL));
    both[0].flags = 0;
    refused("on a device", stencil_run(several, 0, values, 3, NULL));
    both[0].flags = STENCIL_ON_HOST;
    refused("stream", stencil_run(several, 0, values, 3, (CUstream_st *)16));
    stencil_module_free(wrong);
    stencil_module_free(several);
    stencil_module_free(single);
    stencil_package_free(one);
    stencil_package_free(two);
    return 0;
}
