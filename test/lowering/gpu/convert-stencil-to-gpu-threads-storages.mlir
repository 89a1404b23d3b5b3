// Whole planes in shared memory: what a kernel stores there, loads from there, and hands on.
//
// RUN: stencil-opt %s --sweep-retime --sweep-place-slots --convert-sweep-to-planes --convert-stencil-to-gpu-threads | FileCheck %s --implicit-check-not=nvvm.shfl

!plane = !stencil.field<[0,22]x[0,70]xf64>
!space = !stencil.field<[0,22]x[0,30]x[0,70]xf64>

// Three rows of 32 columns, one of which is written in each of three iterations. Nothing is handed
// on, and the rows beside and behind the one that arrives are read in an order of the warp's own.
// CHECK-LABEL:  gpu.func @shared_shared
// CHECK-SAME:     workgroup({{.*}} : memref<96xf64
// CHECK-NOT:      gpu.barrier
// CHECK-COUNT-3:  memref.store {{.*}} : memref<96xf64
// CHECK:          nvvm.bar.warp.sync
// CHECK:          scf.for {{.*}} step %c3_{{[a-z0-9_]*}} : i32 {
// CHECK:            memref.store %{{.*}}, %[[PLANES:.*]][{{.*}}] : memref<96xf64
// CHECK-COUNT-2:    memref.load %[[PLANES]]
// CHECK:            nvvm.bar.warp.sync
// CHECK:            memref.store %{{.*}}, %[[PLANES]]
// CHECK-COUNT-2:    memref.load %[[PLANES]]
// CHECK:            nvvm.bar.warp.sync
// CHECK:            memref.store %{{.*}}, %[[PLANES]]
// CHECK-COUNT-2:    memref.load %[[PLANES]]
// CHECK:            nvvm.bar.warp.sync
// CHECK:          gpu.return
func.func @shared(%a: !plane, %b: !plane) {
  sweep.kernel "shared" steps 1 over <[1, 1], [21, 69]> carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", storage = "shared", threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[0, -1] : !plane
    %2 = stencil.access %u[0, 1] : !plane
    %3 = stencil.access %u[1, 0] : !plane
    %4 = arith.addf %0, %1 : f64
    %5 = arith.addf %4, %2 : f64
    %6 = arith.addf %5, %3 : f64
    sweep.yield %6 : f64
  }
  return
}

// Two levels, each with a plane of eight rows, and two values of a thread that it hands on: the plane
// ahead of the middle one. The plane behind it comes out of shared memory before the next one takes
// its place, and neighbours read that after a barrier.
// CHECK-LABEL:  gpu.func @diagonal_free_diagonal_free
// CHECK-SAME:     workgroup({{.*}} : memref<752xf64
// CHECK:          gpu.barrier
// CHECK:          scf.for {{.*}} -> (f64, f64, f64, f64)
// CHECK:          scf.if
// CHECK:          scf.for {{.*}} iter_args(%[[ONE:[a-z0-9]+]] = {{[^,]*}}, %[[TWO:[a-z0-9]+]] = {{[^,]*}}, {{.*}}) -> (f64, f64, f64, f64)
// CHECK-COUNT-2:    memref.load %[[FIELD:arg0]]
// CHECK-COUNT-2:    memref.load %[[PLANE:arg2]]
// CHECK-NEXT:       memref.store %[[ONE]], %[[PLANE]]
// CHECK:            memref.store %[[TWO]], %[[PLANE]]
// CHECK-NEXT:       gpu.barrier
// CHECK-COUNT-3:    memref.load %[[PLANE]]
// CHECK:            gpu.barrier
// CHECK-COUNT-3:    memref.load %[[PLANE]]
// CHECK-NOT:        gpu.barrier
// CHECK:            scf.yield {{.*}} : f64, f64, f64, f64{{$}}
// CHECK:          gpu.return
func.func @diagonal_free(%a: !space, %b: !space) {
  sweep.kernel "diagonal_free" steps 2 over <[1, 1, 1], [21, 29, 69]>
      carried(%u = %a : !space) boundaries(%a : !space, %b : !space) outs(%b : !space)
      plan <{mapping = "block", steps = 2, storage = "diagonal-free",
          threads = array<i64: 1, 4, 32>, points = array<i64: 1, 2, 1>}> {
    %0 = stencil.access %u[-1, 0, 0] : !space
    %1 = stencil.access %u[0, -1, 0] : !space
    %2 = stencil.access %u[0, 0, 0] : !space
    %3 = stencil.access %u[0, 0, 1] : !space
    %4 = stencil.access %u[1, 0, 0] : !space
    %5 = arith.addf %0, %1 : f64
    %6 = arith.addf %5, %2 : f64
    %7 = arith.addf %6, %3 : f64
    %8 = arith.addf %7, %4 : f64
    sweep.yield %8 : f64
  }
  return
}

// The form follows from the storage. Two sums are handed on; one step keeps threads in step by a
// second barrier.
// CHECK-LABEL:  gpu.func @retimed_retimed
// CHECK-SAME:     workgroup({{.*}} : memref<32xf64
// CHECK:          scf.for {{.*}} -> (f64, f64)
// CHECK:            memref.store %{{.*}}, %[[PLANE:arg2]]
// CHECK:            nvvm.bar.warp.sync
// CHECK-COUNT-2:    memref.load %[[PLANE]]
// CHECK:            nvvm.bar.warp.sync
// CHECK:            scf.yield
func.func @retimed(%a: !plane, %b: !plane) {
  sweep.kernel "retimed" steps 1 over <[1, 1], [21, 69]> carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", storage = "retimed", threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[-1, -1] : !plane
    %1 = stencil.access %u[0, 1] : !plane
    %2 = stencil.access %u[1, 1] : !plane
    %3 = arith.addf %0, %1 : f64
    %4 = arith.addf %3, %2 : f64
    sweep.yield %4 : f64
  }
  return
}
