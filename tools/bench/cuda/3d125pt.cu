// A box of 125 points in three dimensions with five weights, by the distances along the axes.
#include "sweep.cuh"

// The class of a point, by its distances along the axes, slowest first.
__device__ constexpr int classes[3][3][3] = {
    {{3, 0, 1}, {0, 4, 3}, {1, 3, 2}},
    {{4, 2, 3}, {2, 0, 4}, {3, 4, 1}},
    {{1, 3, 2}, {3, 4, 1}, {2, 1, 0}},
};

__device__ constexpr int distance(int offset) { return offset < 0 ? -offset : offset; }

KERNEL box_3d125pt(const real* __restrict__ in, real* __restrict__ out) {
  sweep([=](long c) {
    real sums[5] = {};
#pragma unroll
    for (int z = -2; z <= 2; ++z)
#pragma unroll
      for (int y = -2; y <= 2; ++y)
#pragma unroll
        for (int x = -2; x <= 2; ++x)
          sums[classes[distance(z)][distance(y)][distance(x)]] += in[c + z * plane + y * row + x];
    out[c] = real(0.75) * sums[0] + real(1.132) * sums[1] + real(0.217) * sums[2]
             + real(2.13) * sums[3] + real(0.331) * sums[4];
  });
}
