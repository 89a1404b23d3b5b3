// What the compiler chooses for whole programs: wide boxes of doubles are swept also without a loop,
// sums are computed with neighbours as vectors, and large bodies go along planes, ordered by their
// trees.
//
// DEFINE: %{plan} = stencilc compile --target=sm_90a --no-verification --emit=gpu -o -
// RUN: %{plan} %S/../../kernels/2d64pt.mlir | FileCheck %s --check-prefix=WIDE
// RUN: %{plan} %S/../../kernels/2d81pt.mlir | FileCheck %s --check-prefix=WINDOW
// RUN: %{plan} %S/../../kernels/2d81pt.mlir --element-type=f32 | FileCheck %s --check-prefix=SINGLES
// RUN: %{plan} %S/../../kernels/2d25pt.mlir | FileCheck %s --check-prefix=NARROW
// RUN: %{plan} %S/../../kernels/3d27pt.mlir | FileCheck %s --check-prefix=CUBE
// RUN: %{plan} %S/../../kernels/hypterm-ppopp.mlir | FileCheck %s --check-prefix=RESULTS
// RUN: %{plan} %S/../../kernels/rhs4th3fort.mlir | FileCheck %s --check-prefix=LARGEST
//
// Two steps over four fields and 27 points need more registers than a thread has.
// RUN: %{plan} %S/../../kernels/cheby.mlir | FileCheck %s --check-prefix=FIELDS --implicit-check-not='mapping = "block"'
// FIELDS: mapping = "thread"
//
// Runge-Kutta stages in a loop are a sweep: computed again by their readers they take 1.65 times as
// long (512^3 points in single precision, NVIDIA H200).
// RUN: %{plan} %S/../../kernels/rk3-advection.mlir --element-type=f32 --extents=512,512,512 | FileCheck %s --check-prefix=STAGES
// STAGES: mapping = "block"{{.*}}points = array<i64: 1, 6, 2>
//
// Asynchronous copies move 4 bytes at least: numbers of two are copied in pairs, and where rows do not
// consist of pairs, planes go through registers. A plan that asks for them then is refused.
// RUN: %{plan} %S/../../kernels/j2d5pt.mlir --element-type=f16 --extents=2048,2046 | FileCheck %s --check-prefix=PAIRS
// RUN: %{plan} %S/../../kernels/j2d5pt.mlir --element-type=bf16 --extents=4096,4097 | FileCheck %s --check-prefix=ODD
// RUN: %{plan} %S/../../kernels/heat3d.mlir --element-type=f16 --extents=512,512,513 | FileCheck %s --check-prefix=ODD
// RUN: not stencilc compile %S/../../kernels/j2d5pt.mlir --element-type=f16 --extents=2048,2047 --plan mapping=warp,loads=ring,ring=3 --emit=gpu -o - 2>&1 | FileCheck %s --check-prefix=REFUSED
//
// What is fastest may need more shared memory than another target has: the fastest that is predicted
// to fit is taken.
// RUN: stencilc compile %S/../../kernels/heat3d.mlir --extents=512,512,512 --target=sm_89 --no-verification --emit=ptx,report -o %t/ | FileCheck %s --check-prefix=LESS
// RUN: stencilc compile %S/../../kernels/heat3d.mlir --extents=512,512,512 --target=sm_80 --no-verification --emit=ptx,report -o %t/ | FileCheck %s --check-prefix=ENOUGH
// LESS: plan {{.*}}mapping=block
// LESS-NEXT: swept, 2 time steps per sweep: {{.*}} us predicted for a step
// ENOUGH: plan {{.*}}mapping=block
//
// PAIRS: loads = "ring", mapping = "warp", max_registers = 168 : i64, points = array<i64: 1, 2>, ring = 3
// ODD-NOT: loads = "ring"
// ODD: mapping = "{{warp|block}}"
// ODD-NOT: ring =
// REFUSED: error: 'sweep.kernel' op needs asynchronous copies of 2 bytes, which do not exist
// REFUSED: note: take loads = "prefetch" and leave 'ring' out of the plan

// WIDE: mapping = "warp", max_registers = 128 : i64, points = array<i64: 1, 2>, ring = 9
// Its window begins at the point: what matters is how wide it is.
// WINDOW: mapping = "warp", max_registers = 128 : i64, points = array<i64: 1, 2>, ring = 9
// SINGLES: mapping = "thread"{{.*}} points = array<i64: 4, 4>, threads = array<i64: 4, 64>, vector = 4
// NARROW: mapping = "thread"{{.*}} points = array<i64: 4, 2>, threads = array<i64: 4, 64>, vector = 2
// CUBE: alignment_offset = 0 : i64, mapping = "thread", max_registers = 128 : i64, points = array<i64: 4, 4, 2>, schedule = "trees", threads = array<i64: 1, 4, 32>, vector = 2
// RESULTS: max_registers = 128 : i64, points = array<i64: 4, 1, 1>, schedule = "trees", threads = array<i64: 4, 2, 32>
// LARGEST: alignment_offset = 2 : i64, block_steps = 50 : i64, mapping = "thread", max_registers = 255 : i64, points = array<i64: 1, 1, 2>, prefetch = 1 : i64, schedule = "trees", threads = array<i64: 2, 4, 32>, vector = 2
