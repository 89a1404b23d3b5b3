// Threads of a program call a region's function at once: they share one module, and the result is
// that of the loops.
//
// REQUIRES: cc
// RUN: rm -rf %t && mkdir -p %t
// RUN: stencilc compile %s --strict --emit=package,c-host,header,launcher --keep-ir -o %t/
// RUN: FileCheck %s --input-file=%t/c-host-threads.c
// RUN: cc -O1 -std=c11 -w -ffp-contract=off %s -o %t/original -lpthread
// RUN: cc -O1 -std=c11 -w -ffp-contract=off -I %t %t/c-host-threads.c %t/c-host-threads.host.c -o %t/embedded %library -lstencil -lpthread
// RUN: %t/original > %t/expected
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/c-host-threads.spk %t/embedded > %t/found
// RUN: diff %t/expected %t/found
//
// CHECK: __atomic_compare_exchange_n(&c_host_threads_the_module, &none, module

#include <pthread.h>
#include <stdio.h>

#define N 21
#define THREADS 6

static double from[THREADS][N], to[THREADS][N];

static void *smooth(void *of)
{
    double *out = to[*(int *)of], *in = from[*(int *)of];
    for (int i = 1; i < N - 1; i++) {
        #pragma begin smooth
        out[i] = in[i-1]*0.25 + in[i]*0.5 + in[i+1]*0.25;
        #pragma end smooth
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int k = 0; k < THREADS; k++)
        for (int i = 0; i < N; i++)
            from[k][i] = (double)((k*31 + i*17) % 23)/7.0;
    for (int k = 0; k < THREADS; k++) {
        numbers[k] = k;
        pthread_create(&threads[k], NULL, smooth, &numbers[k]);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    for (int k = 0; k < THREADS; k++)
        for (int i = 0; i < N; i++)
            printf("%a\n", to[k][i]);
    return 0;
}
