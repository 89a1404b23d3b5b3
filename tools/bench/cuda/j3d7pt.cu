// A star of seven points, all weights different, in three dimensions.
#include "sweep.cuh"

KERNEL j3d7pt(const real* __restrict__ in, real* __restrict__ out) {
  sweep([=](long c) {
    out[c] = real(0.161f) * in[c + 1] + real(0.162f) * in[c - 1]
             + real(0.163f) * in[c + row] + real(0.164f) * in[c - row]
             + real(0.165f) * in[c + plane] + real(0.166f) * in[c - plane]
             - real(1.67f) * in[c];
  });
}
