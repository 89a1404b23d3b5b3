// What the kernels of this folder share: which points a thread computes.
//
// Defined on the command line: TYPE (double or float), N0, N1 and in three dimensions N2 (cells of
// an array, slowest dimension first), LOW (the first cell that is updated, along each dimension),
// POINTS (points of a thread along the slowest dimension), BX and BY (threads of a block along the
// fastest dimension and the next).
#pragma once

typedef TYPE real;

#ifdef N2
constexpr long row = N2, plane = (long)N1 * N2;
#else
constexpr long row = N1, plane = row;
#endif

// Calls point(cell) for each point of this thread. Away from the last block nothing is compared
// between points, so that the loads of neighbouring points can be shared.
template <typename Point>
__device__ __forceinline__ void sweep(Point point) {
  const int i = LOW + blockIdx.x * BX + threadIdx.x;
#ifdef N2
  const int j = LOW + blockIdx.y * BY + threadIdx.y;
  const int k = LOW + blockIdx.z * POINTS;
  if (i >= N2 - LOW || j >= N1 - LOW) return;
  const long cell = k * plane + j * row + i;
#else
  const int k = LOW + (blockIdx.y * BY + threadIdx.y) * POINTS;
  if (i >= N1 - LOW) return;
  const long cell = k * plane + i;
#endif
  if (k + POINTS <= N0 - LOW) {
#pragma unroll
    for (int p = 0; p < POINTS; ++p) point(cell + p * plane);
  } else {
    for (int p = 0; k + p < N0 - LOW; ++p) point(cell + p * plane);
  }
}

#define KERNEL extern "C" __global__ void __launch_bounds__(BX * BY)
