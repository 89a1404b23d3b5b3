// A program of CUDA whose kernel is computed by the generated launcher: both launches become calls
// on the arrays of the device, on the stream of the launch; the result is that of plain loops.
//
// REQUIRES: cc
// RUN: rm -rf %t && mkdir -p %t
// RUN: stencilc compile %s --strict --emit=package,c-host,header,launcher --keep-ir -o %t/
// RUN: FileCheck %s --input-file=%t/c-host-cuda.host.cu
// RUN: cc -O2 -std=gnu99 -Wall -Werror -Wno-unknown-pragmas -ffp-contract=off -I %S/../launcher/Inputs/cuda/include -I %S/Inputs -I %t -x c %t/c-host-cuda.c %t/c-host-cuda.host.cu -o %t/embedded -x none %library -lstencil -L %emulated-folder -lcuda -lm
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/c-host-cuda.spk %t/embedded | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal
//
// CHECK: void c_host_cuda_run_on_device(const void *in, void *out, float w, struct CUstream_st *stream);
// CHECK: c_host_cuda_run_on_device(a, b, 0.3f, 0);
// CHECK: c_host_cuda_run_on_device(b, a, 0.3f, 0);

#include "cuda-in-c.h"
#include <stdio.h>

#define N 45
#define at(a, j, i) a[(j)*N + (i)]

__global__ void blur(float *d_in, float *d_out, int n, float w)
{
    const int i = blockIdx.x*blockDim.x + threadIdx.x;
    const int j = blockIdx.y*blockDim.y + threadIdx.y;
    float (*in)[N] = (float (*)[N]) d_in;
    float (*out)[N] = (float (*)[N]) d_out;
    if (i >= 1 && i <= N-2 && j >= 1 && j <= N-2) {
        #pragma begin blur unroll j=1,i=1
        out[j][i] = w*in[j][i] + 0.175f*(in[j-1][i] + in[j+1][i] + in[j][i-1] + in[j][i+1]);
        #pragma end blur
    }
}

static float one[N*N], two[N*N], found[N*N];

static void reference(const float *in, float *out, float w)
{
    for (int j = 1; j <= N-2; j++)
        for (int i = 1; i <= N-2; i++)
            at(out, j, i) = w*at(in, j, i)
                          + 0.175f*(at(in, j-1, i) + at(in, j+1, i) + at(in, j, i-1) + at(in, j, i+1));
}

int main(void)
{
    float *a, *b;
    cudaMalloc(&a, sizeof one);
    cudaMalloc(&b, sizeof two);
    for (int cell = 0; cell < N*N; cell++) {
        one[cell] = (float)(cell*7919 % 1009)/64.0f;
        two[cell] = (float)(cell*31 % 77);
    }
    cudaMemcpy(a, one, sizeof one, cudaMemcpyHostToDevice);
    cudaMemcpy(b, two, sizeof two, cudaMemcpyHostToDevice);
    blur<<<dim3(2, 12, 1), dim3(32, 4, 1)>>>(a, b, N, 0.3f);
    blur <<< dim3(2, 12, 1), dim3(32, 4, 1) >>> (b, a, N, 0.3f);
    cudaMemcpy(found, a, sizeof one, cudaMemcpyDeviceToHost);
    reference(one, two, 0.3f);
    reference(two, one, 0.3f);
    for (int cell = 0; cell < N*N; cell++)
        if (found[cell] != one[cell]) {
            printf("cell %d is %a, not %a\n", cell, (double)found[cell], (double)one[cell]);
            return 1;
        }
    puts("equal");
    return 0;
}
