// What a host program of CUDA uses of the runtime, over the driver, for a C compiler.
#include <cuda.h>
#include <stdint.h>
#include <stdlib.h>

#define __global__ static __attribute__((unused))

typedef struct { int x, y, z; } dim3;
static const dim3 blockIdx, blockDim = {1, 1, 1}, threadIdx;

static int cudaMalloc(void *pointer, size_t bytes)
{
    static CUcontext context;
    CUdeviceptr memory = 0;
    CUdevice device;
    if (context == NULL) {
        cuInit(0);
        cuDeviceGet(&device, 0);
        cuDevicePrimaryCtxRetain(&context, device);
        cuCtxSetCurrent(context);
    }
    if (cuMemAlloc(&memory, bytes) != 0)
        abort();
    *(void **)pointer = (void *)(uintptr_t)memory;
    return 0;
}

enum { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

static int cudaMemcpy(void *to, const void *from, size_t bytes, int direction)
{
    if (direction == cudaMemcpyHostToDevice)
        return (int)cuMemcpyHtoD((CUdeviceptr)(uintptr_t)to, from, bytes);
    return (int)cuMemcpyDtoH(to, (CUdeviceptr)(uintptr_t)from, bytes);
}
