// What the compiler chooses for whole programs: wide boxes are swept also without a loop, cubes share
// rows, and large bodies are ordered by their trees.
//
// DEFINE: %{plan} = stencilc compile --target=sm_90a --no-verification --emit=gpu -o -
// RUN: %{plan} %S/../../kernels/2d64pt.mlir | FileCheck %s --check-prefix=WIDE
// RUN: %{plan} %S/../../kernels/2d81pt.mlir --element-type=f32 | FileCheck %s --check-prefix=WINDOW
// RUN: %{plan} %S/../../kernels/2d25pt.mlir | FileCheck %s --check-prefix=NARROW
// RUN: %{plan} %S/../../kernels/3d27pt.mlir | FileCheck %s --check-prefix=CUBE
// RUN: %{plan} %S/../../kernels/hypterm-ppopp.mlir | FileCheck %s --check-prefix=RESULTS
// RUN: %{plan} %S/../../kernels/rhs4th3fort.mlir | FileCheck %s --check-prefix=LARGEST

// WIDE: mapping = "warp", max_registers = 128 : i64, points = array<i64: 1, 2>, ring = 9
// Its window begins at the point: what matters is how wide it is.
// WINDOW: mapping = "warp", max_registers = 128 : i64, points = array<i64: 1, 4>, ring = 9
// NARROW-NOT: mapping
// NARROW: points = array<i64: 8, 1>, threads = array<i64: 4, 64>
// CUBE: max_registers = 64 : i64, points = array<i64: 4, 3, 1>, schedule = "trees"
// RESULTS: max_registers = 128 : i64, points = array<i64: 4, 1, 1>, schedule = "trees", threads = array<i64: 4, 2, 32>
// LARGEST: max_registers = 168 : i64, points = array<i64: 1, 1, 1>, schedule = "trees", threads = array<i64: 1, 4, 32>
