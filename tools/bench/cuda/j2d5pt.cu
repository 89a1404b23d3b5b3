// A star of five points with integer weights, in two dimensions.
#include "sweep.cuh"

KERNEL j2d5pt(const real* __restrict__ in, real* __restrict__ out) {
  sweep([=](long c) {
    out[c] = (real(5) * in[c - row] + real(12) * in[c - 1] + real(15) * in[c]
              + real(12) * in[c + 1] + real(5) * in[c + row]) / real(118);
  });
}
