// The shape of hypterm: several arrays written, eighth-order differences of several components, a
// product of each with a scalar of the host, loops over sizes that -D binds, array parameters of
// variable length, and a time loop around the nest that is no part of it.
//
// RUN: stencilc run %s -D n=17 -D m=18 --arg dxinv0=0.5 --arg dxinv1=0.25 --on=emulator --verify --seed=5
// RUN: stencil-translate --import-pragma -D n=17 -D m=18 %s | FileCheck %s

// CHECK-LABEL: func.func @hypterm(
// CHECK-COUNT-2: stencil.store %{{.*}} to %{{.*}}(<[4, 4, 4], [13, 13, 14]>)
void hypterm(int n, int m, int steps, double flux0[n][n][m], double flux1[n][n][m],
             double cons1[restrict n][n][m], double cons2[n][n][m], double q[n][n][m],
             const double dxinv[3])
{
    double dxinv0 = dxinv[0], dxinv1 = dxinv[1];
    for (int t = 0; t < steps; t++) {
        for (int k = 4; k < n - 4; k++)
            for (int j = 4; j < n - 4; j++)
                for (int i = 4; i < m - 4; i++) {
#pragma begin hypterm unroll k=1,j=1,i=1
                    flux0[k][j][i] = -((0.8*(cons1[k][j][i+1] - cons1[k][j][i-1])
                                        - 0.2*(cons1[k][j][i+2] - cons1[k][j][i-2])
                                        + 0.038*(cons1[k][j][i+3] - cons1[k][j][i-3])
                                        - 0.0035*(cons1[k][j][i+4] - cons1[k][j][i-4]))*dxinv0);
                    flux1[k][j][i] = -((0.8*(cons1[k][j][i+1]*q[k][j][i+1] - cons1[k][j][i-1]*q[k][j][i-1])
                                        - 0.2*(cons1[k][j][i+2]*q[k][j][i+2] - cons1[k][j][i-2]*q[k][j][i-2]))*dxinv0);
                    flux0[k][j][i] -= (0.8*(cons2[k][j+1][i] - cons2[k][j-1][i])
                                       - 0.2*(cons2[k][j+2][i] - cons2[k][j-2][i])
                                       + 0.038*(cons2[k][j+3][i] - cons2[k][j-3][i])
                                       - 0.0035*(cons2[k][j+4][i] - cons2[k][j-4][i]))*dxinv1;
                    flux1[k][j][i] -= 0.8*(cons2[k+1][j][i]*q[k+1][j][i] - cons2[k-4][j][i]*q[k-4][j][i])*dxinv1;
#pragma end hypterm
                }
    }
}
