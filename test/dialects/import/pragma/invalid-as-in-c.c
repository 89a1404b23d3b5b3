// What means in C something that no stencil computes is refused, never taken for something else.
//
// RUN: stencil-translate --import-pragma --split-input-file --verify-diagnostics %s

double a[16][16], b[16][16];
void skipped(int n)
{
    for (int j = 1; j < 15; j++)
        for (int i = 1; i < 15; i++) {
            // expected-error @+3 {{this skips the region, and when is not read}}
            // expected-note @+2 {{write the condition around the region: if (i >= 1 && i < N-1)}}
            // expected-note @+1 {{or write '// stencil: domain [0:Nj-1][0:Ni-1];' in the file, or --declare it}}
            if (j > 10) if (i < 5) continue;
            { if (i < 3) continue; }
            #pragma begin skipped
            a[j][i] = b[j][i];
            #pragma end skipped
        }
}

// -----

double a[16], b[16];
void bare(void)
{
    for (int i = 1; i < 15; i++)
        // expected-error @+2 {{only the first statement of this region is in the loop or the condition}}
        // expected-note @+1 {{write { before '#pragma begin' and } after '#pragma end'}}
        #pragma begin bare
        a[i] = b[i];
        b[i] = 2;
        #pragma end bare
}

// -----

double a[16], b[16];
static double min(double x, double y) { return x + y; }
void functions(void)
{
    for (int i = 1; i < 15; i++) {
        #pragma begin functions
        // expected-error @+2 {{'min' is a function of this file}}
        // expected-note @+1 {{write its expression in the region, or make it a macro}}
        a[i] = min(b[i], 2);
        // expected-error @+2 {{'max' is no function of C}}
        // expected-note @+1 {{write fmax, or define 'max' here: included files are not read}}
        a[i] = max(b[i], 2);
        #pragma end functions
    }
}

// -----

double a[16], b[16];
// expected-note @+1 {{declared here}}
typedef long big; big size;
void types(void)
{
    // expected-note @+1 {{declared here}}
    short small;
    // expected-note @+1 {{declared here}}
    other_t unknown;
    for (unsigned i = 1; i < 15; i++) {
        #pragma begin types
        // expected-error @+2 {{number '0.1L' is a long double}}
        // expected-note @+1 {{write it without l, if 64 bits are enough}}
        a[i] = 0.1L*b[i];
        // expected-error @+2 {{number '1u' is unsigned}}
        // expected-note @+1 {{write it without u: integers are of int here}}
        a[i] = b[i]*(1u - 2);
        // expected-error @+2 {{'s' is not of double, float or int}}
        // expected-note @+1 {{nothing else is computed exactly; declare it as one of these}}
        long s = 1;
        // expected-error @+2 {{'r' keeps its value from point to point}}
        // expected-note @+1 {{write it without 'static'}}
        static double r = 1;
        // expected-error @+2 {{'thing_t' is no type of this file}}
        // expected-note @+1 {{included files are not read: declare it as double, float or int, or write the typedef here}}
        thing_t x = 3;
        #pragma end types
        #pragma begin more_types
        // expected-error @+2 {{'small' is not of double, float or int}}
        // expected-note @+1 {{nothing else is computed exactly; use a variable of one of these}}
        small = 2;
        // expected-error @+2 {{'unknown' is not of double, float or int}}
        // expected-note @+1 {{nothing else is computed exactly; use a variable of one of these}}
        unknown = 2;
        // expected-error @+2 {{'i' is not of int, and this operation is one of its own type}}
        // expected-note @+1 {{declare the variable of the loop as int, or store it in a double first}}
        a[i] = small*b[i] + (i - 5) + unknown;
        // expected-error @+2 {{'size' is not of double, float or int}}
        // expected-note @+1 {{nothing else is computed exactly; use a variable of one of these}}
        a[i] += size;
        #pragma end more_types
    }
}

// -----

double a[16], b[16];
void wrapped(void)
{
    for (unsigned i = 0; i < 15; i++)
        // expected-error @+3 {{this condition compares unsigned numbers}}
        // expected-note @+2 {{an unsigned number is never below zero: write it as i >= 1, or with int i}}
        // expected-note @+1 {{or write '// stencil: domain [0:Ni-1];' in the file, or --declare it}}
        if (i - 1 < 13) {
            #pragma begin wrapped
            a[i] = b[i];
            #pragma end wrapped
        }
}

// -----

double a[16], b[16];
void ends(void)
{
    // expected-error @+3 {{this loop has a condition on its first value}}
    // expected-note @+2 {{write the condition inside of the loop: if (i >= 1)}}
    // expected-note @+1 {{or write '// stencil: domain [0:Ni-1];' in the file, or --declare it}}
    for (int i = 1; i > 5 && i < 15; i++) {
        #pragma begin ends
        a[i] = b[i];
        #pragma end ends
    }
}

// -----

double a[16], b[16];
int unread = ({
    // expected-error @+2 {{this region is in no function that is read}}
    // expected-note @+1 {{put it into a function of the file, outside of classes and expressions}}
    #pragma begin unread
    a[i] = b[i];
    #pragma end unread
});

// -----

double a[2][16], b[16];
struct grid { double (*u)[16]; } g;
void changes(int n)
{
    for (int t = 0; t < n; t++) {
        int old = t % 2;
        for (int i = 1; i < 15; i++) {
            #pragma begin changes
            // expected-error @+2 {{this index has no value: 'old' is not known here}}
            // expected-note @+1 {{'old' changes in a loop around the region: indices and the ends of loops are sizes, and variables of the loops over points}}
            a[old][i] = b[i];
            #pragma end changes
            #pragma begin members
            // expected-error @+2 {{'g' has members, which are not read}}
            // expected-note @+1 {{give its array a name before the loops, as in double (*u)[N] = g.u;}}
            g.u[0][i] = b[i];
            // expected-error @+2 {{expected an operator or ';', found '='}}
            // expected-note @+1 {{a statement has one assignment: write two of them}}
            a[0][i] = a[1][i] = b[i];
            #pragma end members
        }
    }
}

// -----

double a[16], b[16];
void moved(void)
{
    for (int i = 1; i < 15; i++) {
        // expected-error @+2 {{'i' is an iterator of the region, and is changed here}}
        // expected-note @+1 {{its loop, or its declaration in a kernel, gives it all of its values}}
        i += 4;
        #pragma begin moved
        a[i] = b[i];
        #pragma end moved
    }
}

// -----

double a[16], b[16];
// expected-error @+2 {{this condition of the preprocessor is not read}}
// expected-note @+1 {{it is made of integers, macros and 'defined'}}
#if VERSION(2, 3)
#endif
#ifndef SIZE
// expected-error @+2 {{this line of the preprocessor ends the compilation}}
// expected-note @+1 {{give the macros that it asks for, as in -D N=512}}
#error give SIZE
#endif
// expected-error @+2 {{this belongs to no condition of the preprocessor}}
// expected-note @+1 {{write '#if' before it}}
#endif
// expected-error @+2 {{this condition of the preprocessor is open}}
// expected-note @+1 {{end it with '#endif'}}
#if 0
