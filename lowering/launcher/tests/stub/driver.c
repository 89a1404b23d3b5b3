/*
 * A CUDA driver without a device: memory is the host's, and a launch is a line on standard output
 * that says the kernel and what it was given. Buffers are numbered in the order of allocation, a
 * NaN is "nan". Beside it, driver_kernels[] says what each kernel takes: 'p' for a pointer, 'f' and
 * 'd' for float and double, 'h' and 'b' for 16 bits of f16 and bf16, '1', '2', '4', '8' for bytes.
 */
#include "driver.h"

#include <cuda.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS_MAX = 1 << 16, WORDS_MAX = 16, OPERATIONS_MAX = 1 << 10, GRAPHS_MAX = 1 << 8 };

/* A launch, or a copy if it has no kernel; what a graph repeats. */
struct operation {
    CUfunction function;
    unsigned grid[3], block[3], shared_bytes;
    uint64_t words[WORDS_MAX];
    size_t bytes;
};
static struct graph {
    struct operation operations[OPERATIONS_MAX];
    int count;
} graphs[GRAPHS_MAX];
static int graph_count, is_captured;

static struct {
    char *memory;
    size_t bytes;
} buffers[BUFFERS_MAX];
static int buffer_count;
static int launches_until_fault = -1;
static CUresult sticky = CUDA_SUCCESS;
static CUcontext current;
size_t driver_free_bytes = (size_t)1 << 40;
int driver_loaded_cubin;

void driver_fault_after(int launches)
{
    launches_until_fault = launches;
}

void driver_forget_buffers(void)
{
    buffer_count = 0;
}

int driver_live_buffers(void)
{
    int index, live = 0;
    for (index = 0; index < buffer_count; index++) {
        live += buffers[index].memory != NULL;
    }
    return live;
}

static int number_of(CUdeviceptr address)
{
    int index;
    for (index = 0; index < buffer_count; index++) {
        const CUdeviceptr begin = (CUdeviceptr)(uintptr_t)buffers[index].memory;
        if (begin != 0 && address >= begin && address < begin + buffers[index].bytes) {
            return index;
        }
    }
    printf("no buffer at %llx\n", address);
    exit(1);
}

/* Whether memory of this size lies in one buffer. */
static void *cells(CUdeviceptr address, size_t bytes)
{
    const int number = number_of(address);
    char *begin = buffers[number].memory;
    if ((size_t)((char *)(uintptr_t)address - begin) + bytes > buffers[number].bytes) {
        printf("%zu bytes at buffer %d are too many\n", bytes, number);
        exit(1);
    }
    return (void *)(uintptr_t)address;
}

CUresult cuInit(unsigned flags)
{
    return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDriverGetVersion(int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **text)
{
    *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_X";
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "a wild access" : "some error";
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    snprintf(name, (size_t)length, "stub %d", device);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    (void)device;
    *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
             : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                         : 4096;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    current = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    *context = current;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    (void)device;
    *bytes = (size_t)1 << 40;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    (void)device;
    *context = (CUcontext)(uintptr_t)2;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    (void)device;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    return sticky;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    (void)stream;
    return sticky;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    (void)flags;
    *stream = (CUstream)(uintptr_t)16;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    (void)stream;
    return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, int *status)
{
    (void)stream;
    *status = 0;
    return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, int mode)
{
    (void)stream, (void)mode;
    if (graph_count == GRAPHS_MAX) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    is_captured = 1;
    graphs[graph_count++].count = 0;
    return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, struct graph **graph)
{
    (void)stream;
    is_captured = 0;
    *graph = &graphs[graph_count - 1];
    return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(struct graph **executable, struct graph *graph, uint64_t flags)
{
    (void)flags;
    *executable = graph;
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(struct graph *graph)
{
    (void)graph;
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(struct graph *executable)
{
    (void)executable;
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    *event = graphs;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(void *event)
{
    (void)event;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values)
{
    const char *text = image;
    driver_loaded_cubin = memcmp(text, "\177ELF", 4) == 0;
    if (strstr(text, "refuse") != NULL) {
        if (count == 2 && options[0] == CU_JIT_ERROR_LOG_BUFFER) {
            snprintf(values[0], (size_t)(uintptr_t)values[1], "line 1: refused");
        }
        return CUDA_ERROR_INVALID_PTX;
    }
    *module = (CUmodule)(uintptr_t)1;
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module)
{
    return module != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    uintptr_t index;
    (void)module;
    for (index = 0; driver_kernels[index].name != NULL; index++) {
        if (strcmp(driver_kernels[index].name, name) == 0) {
            *function = (CUfunction)(index + 1);
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    (void)function;
    *value = attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? 16 : 0;
    return CUDA_SUCCESS;
}

static size_t bytes_of(char kind)
{
    return kind == 'p' || kind == 'd' || kind == '8'   ? 8
           : kind == 'f' || kind == '4'                ? 4
           : kind == 'h' || kind == 'b' || kind == '2' ? 2
                                                       : 1;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
    const char *kinds = driver_kernels[(uintptr_t)function - 1].parameters;
    if (index >= strlen(kinds)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *offset = 8 * index;
    *bytes = bytes_of(kinds[index]);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared_bytes)
{
    (void)function, (void)threads, (void)shared_bytes;
    *blocks = 1;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    (void)function, (void)attribute, (void)value;
    return CUDA_SUCCESS;
}

/* One parameter, as the Rust side of the tests writes it. */
static void print_parameter(char kind, const void *parameter)
{
    uint64_t bits = 0;
    float single = 0;
    double wide = 0;
    const size_t bytes = bytes_of(kind);
    memcpy(&bits, parameter, bytes);
    memcpy(&single, &bits, sizeof single);
    memcpy(&wide, &bits, sizeof wide);
    if (kind == 'p') {
        printf(" #%d", number_of(bits));
    } else if ((kind == 'f' && isnan(single)) || (kind == 'd' && isnan(wide))
               || (kind == 'h' && (bits & 0x7fff) > 0x7c00)
               || (kind == 'b' && (bits & 0x7fff) > 0x7f80)) {
        printf(" nan");
    } else {
        printf(" %0*" PRIx64, (int)(2 * bytes), bits);
    }
}

static CUresult launch(const struct operation *one)
{
    const uintptr_t index = (uintptr_t)one->function - 1;
    const char *kinds = driver_kernels[index].parameters;
    void *parameters[WORDS_MAX];
    size_t parameter;
    if (launches_until_fault == 0) {
        sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    launches_until_fault--;
    printf("launch %s %u,%u,%u %u,%u,%u %u", driver_kernels[index].name, one->grid[0],
           one->grid[1], one->grid[2], one->block[0], one->block[1], one->block[2],
           one->shared_bytes);
    for (parameter = 0; kinds[parameter] != '\0'; parameter++) {
        parameters[parameter] = (void *)(uintptr_t)&one->words[parameter];
        print_parameter(kinds[parameter], parameters[parameter]);
    }
    printf("\n");
    if (driver_on_launch != NULL) {
        driver_on_launch(driver_kernels[index].name, parameters);
    }
    return CUDA_SUCCESS;
}

static CUresult copy(const struct operation *one)
{
    if (driver_log_copies) {
        printf("copy #%d #%d %zu\n", number_of(one->words[0]), number_of(one->words[1]),
               one->bytes);
    }
    memcpy(cells(one->words[1], one->bytes), cells(one->words[0], one->bytes), one->bytes);
    return CUDA_SUCCESS;
}

/* Does an operation, or adds it to the graph that is being made. */
static CUresult do_or_record(const struct operation *one)
{
    struct graph *graph = &graphs[is_captured ? graph_count - 1 : 0];
    if (!is_captured) {
        return one->function != NULL ? launch(one) : copy(one);
    }
    if (graph->count == OPERATIONS_MAX) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    graph->operations[graph->count++] = *one;
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(const struct graph *graph, CUstream stream)
{
    int index;
    (void)stream;
    for (index = 0; index < graph->count; index++) {
        const CUresult result = do_or_record(&graph->operations[index]);
        if (result != CUDA_SUCCESS) {
            return result;
        }
    }
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z,
                        unsigned shared_bytes, CUstream stream, void **parameters, void **extra)
{
    const char *kinds = driver_kernels[(uintptr_t)function - 1].parameters;
    struct operation one = {function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z},
                            shared_bytes, {0}, 0};
    size_t parameter;
    (void)stream, (void)extra;
    for (parameter = 0; kinds[parameter] != '\0' && parameter < WORDS_MAX; parameter++) {
        memcpy(&one.words[parameter], parameters[parameter], bytes_of(kinds[parameter]));
    }
    return do_or_record(&one);
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    *free_bytes = *total_bytes = driver_free_bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    char *memory = malloc(bytes);
    buffers[buffer_count].memory = memory;
    buffers[buffer_count++].bytes = bytes;
    *address = (CUdeviceptr)(uintptr_t)memory;
    return memory != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFree(CUdeviceptr address)
{
    const int number = number_of(address);
    free(buffers[number].memory);
    buffers[number].memory = NULL;
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    const struct operation one = {NULL, {0, 0, 0}, {0, 0, 0}, 0, {from, to}, bytes};
    (void)stream;
    return do_or_record(&one);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    size_t row;
    (void)stream;
    if (copy->WidthInBytes > copy->srcPitch || copy->WidthInBytes > copy->dstPitch) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (row = 0; row < copy->Height; row++) {
        memcpy(cells(copy->dstDevice + row * copy->dstPitch, copy->WidthInBytes),
               cells(copy->srcDevice + row * copy->srcPitch, copy->WidthInBytes),
               copy->WidthInBytes);
    }
    return CUDA_SUCCESS;
}
