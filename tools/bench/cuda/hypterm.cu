// The hyperbolic terms of a compressible flow: eighth-order differences of 8 fields, 5 results.
#include "sweep.cuh"

// The difference along an axis of what f gives at each cell.
template <typename Field>
__device__ __forceinline__ real along(long c, long axis, Field f) {
  return real(0.8f) * (f(c + axis) - f(c - axis))
         - real(0.2f) * (f(c + 2 * axis) - f(c - 2 * axis))
         + real(0.038f) * (f(c + 3 * axis) - f(c - 3 * axis))
         - real(0.0035f) * (f(c + 4 * axis) - f(c - 4 * axis));
}

__device__ __forceinline__ real total(real x, real y, real z) {
  return -(real(0.01f) * x + real(0.02f) * y + real(0.03f) * z);
}

KERNEL hypterm(const real* __restrict__ c1, const real* __restrict__ c2,
               const real* __restrict__ c3, const real* __restrict__ c4,
               const real* __restrict__ q1, const real* __restrict__ q2,
               const real* __restrict__ q3, const real* __restrict__ q4,
               real* __restrict__ f0, real* __restrict__ f1, real* __restrict__ f2,
               real* __restrict__ f3, real* __restrict__ f4) {
  sweep([=](long c) {
    auto one = [](const real* a) { return [=](long p) { return a[p]; }; };
    auto carried = [](const real* a, const real* q) {
      return [=](long p) { return a[p] * q[p]; };
    };
    auto pushed = [=](const real* a, const real* q) {
      return [=](long p) { return a[p] * q[p] + q4[p]; };
    };
    auto energy = [=](const real* q) {
      return [=](long p) { return (c4[p] + q4[p]) * q[p]; };
    };
    const long x = 1, y = row, z = plane;
    f0[c] = total(along(c, x, one(c1)), along(c, y, one(c2)), along(c, z, one(c3)));
    f1[c] = total(along(c, x, pushed(c1, q1)), along(c, y, carried(c1, q2)),
                  along(c, z, carried(c1, q3)));
    f2[c] = total(along(c, x, carried(c2, q1)), along(c, y, pushed(c2, q2)),
                  along(c, z, carried(c2, q3)));
    f3[c] = total(along(c, x, carried(c3, q1)), along(c, y, carried(c3, q2)),
                  along(c, z, pushed(c3, q3)));
    f4[c] = total(along(c, x, energy(q1)), along(c, y, energy(q2)), along(c, z, energy(q3)));
  });
}
