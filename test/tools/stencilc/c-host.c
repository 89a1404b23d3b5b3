// A C program whose regions are computed by the generated launcher gives what it gave before, bit
// for bit: two functions, one of them in a loop over time that swaps pointers, one with a size that
// -D binds and the program checks. All other bytes of the file are kept.
//
// REQUIRES: cc
// RUN: rm -rf %t && mkdir -p %t
// RUN: stencilc compile %s --strict -D n=21 --emit=package,c-host,header,launcher --keep-ir -o %t/
// RUN: FileCheck %s --input-file=%t/c-host.host.c
// RUN: cc -O2 -std=c99 -ffp-contract=off %s -o %t/original -lm
// RUN: cc -O2 -std=c99 -Wall -Wextra -Wpedantic -Werror -Wno-unknown-pragmas -Wno-unused-variable -ffp-contract=off -I %t %t/c-host.c %t/c-host.host.c -o %t/embedded %library -lstencil -lm
// RUN: %t/original > %t/expected
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/c-host.spk %t/embedded > %t/found
// RUN: diff %t/expected %t/found
//
// Without its loops, each region is a call; with its own text where a size might differ.
// CHECK: void c_host_run_heat_on_host(const void *u, void *v, double dt);
// CHECK: #line 1 "{{.*}}c-host.c"
// CHECK: { c_host_run_heat_on_host(
// CHECK: { if ((n) == 21) c_host_run_sharpen_on_host({{.*}}); else for (i = 2
// CHECK: printf("%a
//
// What else would be lost is refused.
// RUN: not stencilc compile %S/Inputs/c-host-invalid.c --emit=c-host -o %t/ 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: c-host-invalid.c:7:13: error: these loops do more than the region
// INVALID: note: move this statement out of them, or into the region
// INVALID: c-host-invalid.c:22:12: error: 'i' is used after the loops, where a call leaves no value in it
// INVALID: c-host-invalid.c:28:1: error: this region has no loops that a call could replace
// RUN: not stencilc compile %S/../../kernels/j2d5pt.idsl --emit=c-host -o %t/ 2>&1 | FileCheck %s --check-prefix=LANGUAGE
// LANGUAGE: error: --emit=c-host rewrites C and CUDA, '{{.*}}j2d5pt.idsl' is neither; give the C file with '#pragma begin'

#include <stdio.h>
#include <stdlib.h>

#define L 10
#define M 13
#define N 18

static double first[L][M][N], second[L][M][N];
static float line[21], sharp[21];

static void heat(double (*u)[M][N], double (*v)[M][N], double dt)
{
    const double centre = -6.0;
    for (int k = 1; k < L - 1; k++)
        for (int j = 1; j < M - 1; j++)
            for (int i = 1; i < N - 1; i++) {
                #pragma begin heat unroll i=2
                double sum = u[k-1][j][i] + u[k+1][j][i] + u[k][j-1][i] + u[k][j+1][i];
                sum = sum + u[k][j][i-1] + u[k][j][i+1];
                v[k][j][i] = u[k][j][i] + dt*(sum + centre*u[k][j][i])/(1.0 + u[k][j][i]*u[k][j][i]);
                #pragma end heat
            }
}

static void sharpen(int n, const float *from, float *to)
{
    int i;
    for (i = 2; i < n - 2; i++) {
        #pragma begin sharpen
        to[i] = 1.5f*from[i] - 0.125f*(from[i-2] + from[i-1] + from[i+1] + from[i+2]);
        #pragma end sharpen
    }
    i = 0;
    printf("%a\n", (double)to[i + 2]); /* "for (" in a text, and a comment */
}

int main(void)
{
    double (*now)[M][N] = first, (*next)[M][N] = second;
    for (int cell = 0; cell < L*M*N; cell++) {
        (&first[0][0][0])[cell] = (double)(cell*7919 % 1009)/100.0;
        (&second[0][0][0])[cell] = (double)(cell*31 % 77);
    }
    for (int step = 0; step < 3; step++) {
        double (*swap)[M][N] = now;
        heat(now, next, 0.0625);
        now = next;
        next = swap;
    }
    for (int i = 0; i < 21; i++)
        line[i] = (float)(i*i % 17);
    sharpen(21, line, sharp);
    /* Another size: computed by the loops as they are. */
    sharpen(9, line, sharp);
    for (int cell = 0; cell < L*M*N; cell++)
        printf("%a %a\n", (&first[0][0][0])[cell], (&second[0][0][0])[cell]);
    for (int i = 0; i < 21; i++)
        printf("%a\n", (double)sharp[i]);
    return 0;
}
