// A region alone, cut out of its file: arrays, points and the type of scalars come from a header
// comment, sizes from -D; --declare says the same, and wins.
//
// RUN: stencilc run %s -D L=11 -D M=9 -D N=33 --arg h=0.75 --function=derivative --on=emulator --verify --seed=3
// RUN: stencilc run %s -D L=11 -D M=9 -D N=33 --arg h=0.75 --function=second --on=emulator --verify --seed=4
// RUN: stencil-translate --import-pragma -D L=11,M=9,N=33 %s | FileCheck %s
// RUN: stencil-translate --import-pragma -D L=11,M=9,N=33 --declare="domain [4:L-5][4:M-5][5:N-5]" %s | FileCheck %s --check-prefix=SMALLER
//
// stencil: iterator k, j, i; datatype float; float u[L][M][N], v[L][M][N], w[L][M][N], h;
/* stencil: domain derivative [4:L-5][4:M-5][4:N-5];
 *          domain second [0:L-1][1:M-2][1:N-2]; */

#pragma begin derivative unroll k=1,j=1,i=1
ux = (u[k][j][i+1] - u[k][j][i-1])*(1.f/2.f) + 1e-1f*(u[k][j][i+4] - u[k][j][i-4]);
vy = v[k][j+4][i] - v[k][j-4][i];
w[k][j][i] = h*ux*ux + sqrtf(fabsf(vy)) + u[k-4][j][i]/(u[k+4][j][i] + 2.f);
#pragma end derivative
// CHECK-LABEL: func.func @derivative(
// CHECK: stencil.store %{{.*}} to %{{.*}}(<[4, 4, 4], [7, 5, 29]>)
// SMALLER-LABEL: func.func @derivative(
// SMALLER: stencil.store %{{.*}} to %{{.*}}(<[4, 4, 5], [7, 5, 29]>)

#pragma begin second
v[k][j][i] += h*(u[k][j][i+1] + u[k][j-1][i]);
#pragma end second
// CHECK-LABEL: func.func @second(
// CHECK: stencil.store %{{.*}} to %{{.*}}(<[0, 1, 1], [11, 8, 32]>)
