// A box of 27 points in three dimensions; each plane has its own weights.
#include "sweep.cuh"

// Nine points of one plane; the weights are those of the plane below, and `more`.
__device__ __forceinline__ real nine(const real* at, double more) {
  return real(0.5 + more) * at[-row - 1] + real(0.7 + more) * at[-row]
         + real(0.9 + more) * at[-row + 1] + real(1.2 + more) * at[-1]
         + real(1.5 + more) * at[0] + real(1.2 + more) * at[1]
         + real(0.9 + more) * at[row - 1] + real(0.7 + more) * at[row]
         + real(0.5 + more) * at[row + 1];
}

KERNEL j3d27pt(const real* __restrict__ in, real* __restrict__ out) {
  sweep([=](long c) {
    out[c] = (nine(in + c - plane, 0.0) + nine(in + c, 0.01) + nine(in + c + plane, 0.02))
             / real(159);
  });
}
