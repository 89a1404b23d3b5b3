// The shape of addsgd: damping of order 4 with coefficients in arrays of one dimension, which the
// loops index by one iterator each, a product over the type of the file, comparisons as factors.
//
// RUN: stencilc run %s --on=emulator --verify --seed=6
typedef double real;
enum { unrelated = 3 };
static const int n = 15;

void addsgd(real up[n][n][n], real u[n][n][n], real um[n][n][n], real rho[n][n][n],
            const real *dcx, const real *strx, const real dcy[n], const real stry[n])
{
    const real beta = 1e-2;
    int i, j, k;
    for (k = 2; k < n-2; k++) {
        for (j = 2; j < n-2; j++) {
            for (i = n-3; i >= 2; i--) {
                #pragma begin addsgd
                const real birho = beta/rho[k][j][i];
                up[k][j][i] -= birho*(strx[i]*(rho[k][j][i+1]*dcx[i+1]*(u[k][j][i+2] - 2.0*u[k][j][i+1] + u[k][j][i])
                                              - 2.*rho[k][j][i]*dcx[i]*(u[k][j][i+1] - 2.0*u[k][j][i] + u[k][j][i-1])
                                              - rho[k][j][i+1]*dcx[i+1]*(um[k][j][i+2] - 2.0*um[k][j][i+1] + um[k][j][i])));
                up[k][j][i] -= birho*stry[j]*(rho[k][j+1][i]*dcy[j+1]*(u[k][j+2][i] - 2.0*u[k][j+1][i] + u[k][j][i]));
                up[k][j][i] *= 1.0 - (u[k-2][j][i] > 100.0)*0.5;
                #pragma end addsgd
            }
        }
    }
}
