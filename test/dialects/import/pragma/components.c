// Arrays of four dimensions, whose first index is a number: components. The same program in the
// language of STENCILGEN gives the same PTX.
//
// RUN: stencil-translate --import-pragma %s 2>&1 | FileCheck %s
// RUN: stencilc run %s --arg c=0.5 --on=emulator --verify --seed=1
// RUN: stencilc run %s --strict --same-as %S/Inputs/components.idsl --seed=1 --arg c=0.5
// RUN: stencilc compile %s --emit=ptx -o %t.c.ptx && stencilc compile %S/Inputs/components.idsl --emit=ptx -o %t.ptx
// RUN: diff %t.c.ptx %t.ptx

#define L 12
#define M 14
#define N 21

// CHECK-LABEL: func.func @components(%{{.*}}: !stencil.field<[0,36]x[0,14]x[0,21]xf64> {stencil.name = "q"}, %{{.*}}: !stencil.field<[0,36]x[0,14]x[0,21]xf64> {stencil.name = "f"}
// CHECK:         stencil.store %{{.*}}(<[1, 1, 1], [11, 13, 20]>)
// CHECK:         stencil.store %{{.*}}(<[13, 1, 1], [23, 13, 20]>)
// CHECK:         stencil.store %{{.*}}(<[25, 1, 1], [35, 13, 20]>)
void fluxes(double q[3][L][M][N], double f[3][L][M][N], double c)
{
    for (int k = 1; k < L - 1; k++)
        for (int j = 1; j < M - 1; ++j)
            for (int i = 1; i < N - 1; i++) {
                #pragma begin components unroll k=1,j=2,i=1
                f[0][k][j][i] = q[1][k][j][i+1] - q[1][k][j][i-1] + c*q[2][k+1][j][i];
                f[1][k][j][i] = q[0][k][j+1][i] - q[2][k][j-1][i];
                f[2][k][j][i] = 0.5*(q[0][k-1][j][i] + q[1][k][j][i]);
                #pragma end components
            }
}
