// Functions of C's mathematics with one and two arguments, and a return before the region for
// threads outside of the domain; a loop over planes inside of a kernel.
//
// REQUIRES: libdevice
// RUN: stencilc run %s -D nx=40 --arg w=1.5 --on=emulator --verify --seed=7 2>&1 | FileCheck %s
// CHECK: verified
extern "C" __global__ void __launch_bounds__(128) soften(const double *__restrict__ a, double *b,
                                                        int nx, double w)
{
    const double (*u)[16][nx] = (const double (*)[16][nx]) a;
    double (*v)[16][nx] = (double (*)[16][nx]) b;
    double half = w/2;
    const int x = blockIdx.x*blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y*blockDim.y + threadIdx.y;
    if (x > nx - 2 || y < 1 || y >= 15) return;
    for (int z = 0; z <= 5; z++) {
        #pragma begin soften stream z block x=32,y=4
        v[z][y][x] = fmax(exp(-fabs(u[z][y][x])), fmin(half, pow(u[z][y][x-1], 2)))
                   + half*sin(u[z][y-1][x])*(u[z][y][x+1] + u[z][y+1][x]);
        #pragma end soften
    }
}
