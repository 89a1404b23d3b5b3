// A star of seven points in C with the array types of C99: order 1, both spellings of indices, a
// temporary, a constant, a scalar argument, and sums that are written in pieces. The same program in
// the language of STENCILGEN gives the same PTX.
//
// RUN: stencil-translate --import-pragma %s 2>&1 | FileCheck %s
// RUN: stencilc run %s --arg dt=0.05 --on=emulator --verify --seed=1
// RUN: stencilc run %s --strict --same-as %S/Inputs/star3d.idsl --seed=1 --arg dt=0.05
// RUN: stencilc compile %s --emit=ptx -o %t.c.ptx && stencilc compile %S/Inputs/star3d.idsl --emit=ptx -o %t.ptx
// RUN: diff %t.c.ptx %t.ptx

#include <stdio.h>
#define L 12
#define M (L + 2)
#define N 20

// CHECK: star3d.c:[[#@LINE+9]]:31: remark: region 'star3d' is a function of in[12][14][20] (line [[#@LINE+3]]), out[12][14][20]
// CHECK-SAME: dt (line [[#@LINE+2]]) at k = 1:10 (line [[#@LINE+5]]), j = 1:12 (line [[#@LINE+6]]), i = 1:18
// CHECK-LABEL: func.func @star3d(%{{.*}}: !stencil.field<[0,12]x[0,14]x[0,20]xf64> {stencil.name = "in"}
void step(double (*restrict in)[M][N], double out[L][M][N], double dt)
{
    const double c0 = .5;
    for (int k = 1; k < L - 1; k++)
        for (int j = 1; j <= M - 2; ++j)
            for (int i = 1; i < N - 1; i += 1) {
                #pragma begin star3d unroll k=1,j=2,i=1 print-intrinsics false acc-size 1
                double s = in[k+1][j][i] + in[k-1][j][i] + in[k,j+1,i] + in[k,j-1,i];
                s += in[k][j][i+2-1] + in[k][j][-1+i]; /* canonical: i+1 and i-1 */
                out[k][j][i] = c0*in[k][j][i] + dt*(s - 6.*in[k][j][i]);
                #pragma end star3d
            }
}

// CHECK: points = array<i64: 1, 2, 1>
