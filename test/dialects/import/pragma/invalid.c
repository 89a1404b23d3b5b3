// What is refused in a region and around it: location, reason, and the line that says what is
// missing.
//
// RUN: stencil-translate --import-pragma --split-input-file --verify-diagnostics %s

double a[16], b[16], c[16][16];
double *flat, **rows;
void statements(int n, double s)
{
    for (int i = 1; i < 15; i++) {
        #pragma begin statements
        // expected-error @+2 {{a region has no 'if'}}
        // expected-note @+1 {{put the condition around the region}}
        if (s > 0) a[i] = 0;
        // expected-error @+2 {{'?' cannot be computed at a point}}
        // expected-note @+1 {{write it with fmin, fmax, or a product with a comparison}}
        a[i] = s > 0 ? 1 : 2;
        // expected-error @+2 {{casts are not read here}}
        // expected-note @+1 {{remove the cast: an operation takes the wider type of its operands}}
        a[i] = (float) b[i];
        // expected-error @+2 {{a region has no '++'}}
        // expected-note @+1 {{write 'n += 1;'}}
        n++;
        // expected-error @+2 {{'printf' is called, which computes nothing}}
        // expected-note @+1 {{assign its value, or move it out of the region}}
        printf("%f", s);
        // expected-error @+2 {{'^' cannot be computed at a point}}
        // expected-note @+1 {{'^' is C's exclusive or; a power is pow(x, n)}}
        a[i] = b[i]^2;
        // expected-error @+2 {{this is no index and no size}}
        // expected-note @+1 {{an index that is read from memory cannot be analysed; indices are iterators and numbers}}
        a[i] = b[c[i][i]];
        // expected-error @+1 {{expected ')', found ';'}}
        a[i] = (b[i];
        // expected-error @+1 {{expected an assignment: = += -= *= /=, found ';'}}
        a[i];
        // expected-error @+2 {{number '09' is octal}}
        // expected-note @+1 {{write it in decimals}}
        a[i] = 09;
        // expected-error @+2 {{a region has no lines of the preprocessor}}
        // expected-note @+1 {{put it before the region, or end the region before it}}
        #ifdef DEBUG
        #pragma end statements
    }
}

// -----

double a[16], b[16];
// expected-note @+1 {{declared here}}
double *flat, **rows;
void arrays(int n)
{
    for (int i = 1; i < 15; i++)
        for (int j = 1; j < 15; j++) {
            #pragma begin arrays
            // expected-error @+3 {{the extents of 'c' are not known}}
            // expected-note @+2 {{it is not declared here}}
            // expected-note @+1 {{write '// stencil: double c[N0][N1];' with the extents, or --declare it}}
            c[i][j] = b[i];
            // expected-error @+2 {{'flat' is indexed by a sum of several iterators}}
            // expected-note @+1 {{write the cell as flat[k][j][i], with double (*flat)[M][N] for its memory}}
            c[i][j] += flat[16*i + j];
            // expected-error @+2 {{'rows' is made of pointers to rows}}
            // expected-note @+1 {{its cells are not one after the other: declare it as double (*rows)[M][N]}}
            c[i][j] += rows[i][j];
            #pragma end arrays
        }
}

// -----

// expected-error @+3 {{an extent of 'a' has no value: 'n' is not known here}}
// expected-note @+2 {{give -D n=512, or write '// stencil: parameter n = 512;'}}
// expected-error @+1 {{an extent of 'b' has no value: 'n' is not known here}}
void sizes(int n, int m, double a[n][m], double b[n][m])
{
    // expected-error @+2 {{the start of this loop has no value: 'm' is not known here}}
    // expected-note @+1 {{give -D m=512, or write '// stencil: parameter m = 512;'}}
    for (int j = m; j < 15; j++)
        // expected-error @+2 {{this condition has no value: 'n' is not known here}}
        // expected-note @+1 {{give -D n=512, or write '// stencil: parameter n = 512;'}}
        for (int i = 0; i < n - 1; i++) {
            #pragma begin sizes
            a[j][i] = b[j-1][i] + b[j+1][i];
            #pragma end sizes
        }
}

// -----

double a[16][16], b[16][16];
void order(void)
{
    double sum = 0;
    for (int i = 1; i < 15; i++)
        for (int j = 1; j < 15; j++) {
            #pragma begin order
            // expected-error @+3 {{'a' is read at a cell that another point assigns to}}
            // expected-note @+2 {{the result depends on the order of the loops; assign to another array, or end the region and its loops before this statement}}
            // expected-note @+1 {{it is assigned to here}}
            a[i][j] = a[i-1][j] + b[i][j];
            // expected-error @+2 {{'sum' keeps a value from point to point}}
            // expected-note @+1 {{the result depends on the order of the loops; declare it with a value inside of them: double x = 0.0;}}
            sum += a[i][j];
            // expected-error @+3 {{unknown name 'sun'}}
            // expected-note @+2 {{did you mean 'sum'?}}
            // expected-note @+1 {{declare it in C, or write '// stencil: double sun;'}}
            b[i][j] = sun;
            #pragma end order
        }
}

// -----

double a[16][16], b[16][16];
void loops(int n)
{
    // expected-error @+3 {{the loop over 'i' does not step by one}}
    // expected-note @+2 {{write 'k++': every point is computed}}
    // expected-note @+1 {{or write '// stencil: domain [0:Nj-1][0:Ni-1];' in the file, or --declare it}}
    for (int i = 1; i < 15; i += 2)
        // expected-error @+3 {{the loop over 't' is inside of a loop over points}}
        // expected-note @+2 {{it is no index of the region; put it around all of them}}
        // expected-note @+1 {{or write '// stencil: domain [0:Nj-1][0:Ni-1];' in the file, or --declare it}}
        for (int t = 0; t < 4; t++)
            for (int j = 1; j < 15; j++)
                // expected-error @+3 {{this condition is not read}}
                // expected-note @+2 {{a condition compares an iterator with a size: i >= 1 && i < N-1}}
                // expected-note @+1 {{or write '// stencil: domain [0:Nj-1][0:Ni-1];' in the file, or --declare it}}
                if (n) {
                    #pragma begin loops
                    a[j][i] = b[j][i];
                    #pragma end loops
                }
}

// -----

float u[20][20], v[20][20];
__global__ void guards(void)
{
    int i = blockIdx.x*blockDim.x + threadIdx.x;
    int j = blockIdx.y*blockDim.y + threadIdx.y;
    if (i < 19 && j >= 1) {
        #pragma begin guards
        // expected-error @+3 {{the last value of iterator 'j' is not known}}
        // expected-note @+2 {{no loop and no condition around the region says it}}
        // expected-note @+1 {{write the loop, or write '// stencil: domain [1:Nj-2][0:Ni-1];' in the file, or --declare it}}
        u[j][i] = v[j-1][i] + v[j+1][i];
        #pragma end guards
    }
}

// -----

double a[16], b[16];
void outside(void)
{
    // expected-error @+1 {{the region reaches outside the arrays, the part inside is i = 1:14}}
    for (int i = 0; i < 15; i++) {
        #pragma begin outside
        // expected-note @+1 {{this read leaves 'b'}}
        a[i] = b[i-1];
        #pragma end outside
    }
}

// -----

// expected-error @+2 {{this region does not end}}
// expected-note @+1 {{write '#pragma end NAME' after its statements}}
#pragma begin open
x = 1;

// -----

// expected-error @+2 {{unknown clause 'unrol'}}
// expected-note @+1 {{did you mean 'unroll'?}}
#pragma begin clause unrol k=1
a[i] = 1;
#pragma end clause

// -----

double a[16];
// expected-error @+3 {{unknown word 'domian' in a header}}
// expected-note @+2 {{did you mean 'domain'?}}
// expected-note @+1 {{a header is made of 'parameter N = 512;', 'iterator j, i;', 'double a[M][N];', 'domain [1:M-2][1:N-2];' and 'datatype float;'}}
// stencil: domian [0:15];
// expected-error @+2 {{this domain has 2 ranges, region 'one' 1 iterators}}
// expected-note @+1 {{they are i; a domain of one region is 'domain one [..]'}}
// stencil: domain [0:15][0:1];
#pragma begin one
a[i] = 1;
#pragma end one

// -----

double a[16];
// expected-note @+1 {{the first one is here}}
#pragma begin twice
a[i] = 1;
#pragma end twice
// stencil: domain [0:15];
// expected-error @+2 {{region 'twice' is there twice}}
// expected-note @+1 {{each region is a function of its name; rename one of them}}
#pragma begin twice
a[i] = 2;
#pragma end twice

// -----

double a[16], b[16];
// expected-note @+1 {{declared here}}
long wide, many[16];
double x;
void skipped(int n)
{
    for (int i = 1; i < 15; i++) {
        // expected-note @+1 {{declared here}}
        double mine[4];
        // expected-error @+3 {{this condition is not read}}
        // expected-note @+2 {{a condition compares an iterator with a size: i >= 1 && i < N-1}}
        // expected-note @+1 {{or write '// stencil: domain [0:Ni-1];' in the file, or --declare it}}
        if (b[i] > 0) continue;
        // expected-error @+3 {{this skips the region, and when is not read}}
        // expected-note @+2 {{write the condition around the region: if (i >= 1 && i < N-1)}}
        // expected-note @+1 {{or write '// stencil: domain [0:Ni-1];' in the file, or --declare it}}
        if (n) { break; }
        // expected-note @+1 {{move this statement into the region}}
        x = b[i];
        #pragma begin skipped
        // expected-error @+1 {{'x' is assigned to outside of the region, at each point}}
        a[i] = x;
        // expected-error @+2 {{'mine' is an array of one point or one block}}
        // expected-note @+1 {{the caller does not have it; use the arrays that it is made of}}
        a[i] += mine[0];
        // expected-error @+2 {{'wide' is not of double, float or int}}
        // expected-note @+1 {{nothing else is computed exactly; use a variable of one of these}}
        a[i] += wide;
        // expected-error @+1 {{'many' is not of double, float or int}}
        a[i] += many[i];
        #pragma end skipped
    }
}

// -----

float u[20][20], v[20][20];
__global__ void strided(void)
{
    int i = 2*(blockIdx.x*blockDim.x + threadIdx.x);
    int j = threadIdx.y - 1;
    if (i < 19 && j < 19) {
        #pragma begin strided
        // expected-error @+3 {{a thread computes every point 2 of 'i' only}}
        // expected-note @+2 {{write 'unroll i=2' if all points are meant}}
        // expected-note @+1 {{or write '// stencil: domain [0:Nj-1][0:Ni-1];' in the file, or --declare it}}
        u[j][i] = v[j][i];
        #pragma end strided
    }
}
