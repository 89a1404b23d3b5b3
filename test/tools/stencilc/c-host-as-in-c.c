// What C says of a program is what its regions compute, bit for bit: macros are text, conditions of
// the preprocessor choose, && and || are of truth values, functions of <math.h> are of double, and
// what may be assigned to is no constant. Where the C compiler has another size than this compiler
// had, by -D, by an included file, or by a variable that a row's length kept, the loops stay.
//
// REQUIRES: cc
// RUN: rm -rf %t && mkdir -p %t
// RUN: stencilc compile %s --strict -D rows=15 --emit=package,c-host,header,launcher --keep-ir -o %t/
// RUN: FileCheck %s --input-file=%t/c-host-as-in-c.host.c
// RUN: cc -O1 -std=c11 -w -ffp-contract=off %s -o %t/original -lm
// RUN: cc -O1 -std=c11 -w -ffp-contract=off -I %t %t/c-host-as-in-c.c %t/c-host-as-in-c.host.c -o %t/embedded %library -lstencil -lm
// RUN: %t/original > %t/expected
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/c-host-as-in-c.spk %t/embedded > %t/found
// RUN: diff %t/expected %t/found
//
// Another size for the C compiler.
// RUN: cc -O1 -std=c11 -w -DN=17 -ffp-contract=off %s -o %t/original -lm
// RUN: cc -O1 -std=c11 -w -DN=17 -ffp-contract=off -I %t %t/c-host-as-in-c.c %t/c-host-as-in-c.host.c -o %t/embedded %library -lstencil -lm
// RUN: %t/original > %t/expected
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/c-host-as-in-c.spk %t/embedded > %t/found
// RUN: diff %t/expected %t/found
//
// Threads of OpenMP, which take C's line of the loops.
// RUN: cc -O1 -std=c11 -w -fopenmp -ffp-contract=off -I %t %t/c-host-as-in-c.host.c -c -o %t/host.o
//
// A type of a header is not named before the program's first line.
// CHECK: void c_host_as_in_c_run_logic_on_host({{.*}}int k);
// CHECK: if ((N) == (( 33 - 0 )){{.*}}) c_host_as_in_c_run_text_on_host(
// CHECK: sizeof x[0] == 120
// CHECK: {{^#line [0-9]+ ".*c-host-as-in-c.c"$}}
// CHECK-NEXT: #pragma omp parallel for private(i)

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef N
#define N (33 - 0)
#endif
#define SUM 1.0+2.0
#define LAST N-2
#define CELL(a, j, i) a[j][i]
#define SET(v) speed = (v)
#ifdef OTHER
typedef float real;
#define SCALE 7
#else
typedef double real;
#define SCALE 0.5
#endif
enum { ZERO, SHIFT = 3, NEXT };
typedef int count;
typedef count steps;

static real a[N][N], b[N][N], c[N][N];
static float f[N][N];
static int m[N][N];
static double speed = 0.5, slow = 1.0, shift;

static double fun(int x) { return 0.25*x; }

static void print(const char *name)
{
    double sum = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            sum = 0.75*sum + a[j][i]*(j + 2*i + 1);
    printf("%s %a\n", name, sum);
}

static void text(void)
{
    int i, j;
    #pragma omp parallel for private(i)
    for (j = 1; j <= 1*LAST; j++)
        #pragma omp simd
        for (i = 1; i < N - 1; i++) {
            #pragma begin text
            CELL(a, j, i) = b[j][i-1]*SUM + SCALE*CELL(b, j-1, i) + NEXT;
            #pragma end text
        }
    print("text");
}

static void logic(int k)
{
    for (int j = 1; j < N - 1; j++) {
        if (j > 5)
#pragma GCC ivdep
            for (int i = 1; i < N - 1; i++)
                #pragma begin logic
                a[j][i] = (m[j][i] && k) + 2*(m[j][i] & k) + 4*(m[j][i] || 0) + 8*!m[j][i-1];
                #pragma end logic
    }
    print("logic");
}

static void mathematics(void)
{
    for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < N - 1; i++) {
            #pragma begin mathematics
            a[j][i] = sqrt(f[j][i]) + sqrtf(f[j][i]) + fmax(f[j][i], 0.3f)/3 + abs(b[j][i]);
            #pragma end mathematics
        }
    print("mathematics");
}

static void scalars(void)
{
    SET(0.75);
    memcpy((void *)&slow, &speed, sizeof slow);
    (shift) = 2;
    steps k = 7;
    k >>= 1;
    const double B = fun(3);
    for (int t = 0; t < 3; t++)
        for (int j = 1; j < N - 1; j++)
            for (int i = 1; i < N - 1; i++) {
                double x = c[j][i]*B;
                #pragma begin scalars
                double dt = slow*t;
                a[j][i] = a[j][i] + speed*b[j][i] + shift*x + k + dt;
                #pragma end scalars
            }
    double dt = 3;
    printf("%a\n", dt);
    print("scalars");
}

static void kept_length(void)
{
    int rows = 14;
    double (*x)[rows] = (void *)a, (*y)[rows] = (void *)b;
    rows = 15;
    for (int j = 1; j < rows - 1; j++)
        for (int i = 1; i < rows - 1; i++) {
            #pragma begin kept_length
            x[j][i] = y[j-1][i];
            #pragma end kept_length
        }
    print("kept_length");
}

static void unsigned_loop(void)
{
    for (size_t j = 1; j < N - 1; j++)
        for (unsigned i = 1; i + 1 < N; i++) {
            #pragma begin unsigned_loop
            a[j][i] = b[j][i]*i + j*0.5;
            #pragma end unsigned_loop
        }
    print("unsigned_loop");
}

int main(void)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            a[j][i] = (double)((j*37 + i*11) % 101)/7.0 - 5.0;
            b[j][i] = (double)((j*53 + i*29) % 97)/9.0 - 4.0;
            c[j][i] = (double)((j*13 + i*7) % 89)/11.0;
            f[j][i] = (float)((j*17 + i*3) % 83)/13.0f;
            m[j][i] = (j*5 + i*3) % 7;
        }
    text();
    logic(2);
    mathematics();
    scalars();
    kept_length();
    unsigned_loop();
    return 0;
}
