// A box of 25 points, order 2, in a kernel of CUDA: iterators from threads, a guard, flat parameters
// that become arrays, floats, macros of numbers. The slowest extent is what the region reaches.
//
// RUN: stencil-translate --import-pragma %s 2>&1 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=2
// RUN: stencilc run %s --strict --same-as %S/Inputs/box2d.idsl --seed=2
// RUN: stencilc compile %s --emit=ptx -o %t.c.ptx && stencilc compile %S/Inputs/box2d.idsl --emit=ptx -o %t.ptx
// RUN: diff %t.c.ptx %t.ptx

#include <cuda_runtime.h>
#define REAL float
#define N 37
#define C0 0.1f
#define C1 (C0/4.0f)

// CHECK: region 'box2d' is a function of in[37][37] (line 23), out[35][37] (line 24) at j = 2:34 (line 26), i = 2:34
// CHECK-LABEL: func.func @box2d(
__global__ void box2d_kernel(REAL *d_in, REAL *d_out, int n)
{
    int i = (int)(blockIdx.x) * (int)(blockDim.x) + (int)(threadIdx.x);
    int j0 = (int)(blockIdx.y) * 4 * (int)(blockDim.y);
    int j = max(j0, 0) + 4 * (int)(threadIdx.y);
    REAL (*in)[N] = (REAL (*)[N]) d_in;
    REAL (*out)[N] = (REAL (*)[N]) d_out;

    if (i >= 2 && j >= 2 && i <= N-3 && j < N-2) {
        #pragma begin box2d unroll j=4,i=1
        out[j][i]  = C1*(in[j-2][i-2] + in[j-2][i-1] + in[j-2][i] + in[j-2][i+1] + in[j-2][i+2]);
        out[j][i] += C1*(in[j-1][i-2] + in[j-1][i-1] + in[j-1][i] + in[j-1][i+1] + in[j-1][i+2]);
        out[j][i] += C0*(in[j][i-2] + in[j][i-1] + in[j][i] + in[j][i+1] + in[j][i+2]);
        out[j][i] += C1*(in[j+1][i-2] + in[j+1][i-1] + in[j+1][i] + in[j+1][i+1] + in[j+1][i+2]);
        out[j][i] += C1*(in[j+2][i-2] + in[j+2][i-1] + in[j+2][i] + in[j+2][i+1] + in[j+2][i+2]);
        #pragma end box2d
    }
}

// CHECK: points = array<i64: 4, 1>
