// Rows of threads that take a line each: circular arrays in shared memory, one place that goes
// round, and as many barriers as it takes.
//
// RUN: stencil-opt %s --sweep-retime --sweep-place-slots --convert-sweep-to-planes --convert-stencil-to-gpu-threads | FileCheck %s --implicit-check-not=nvvm.shfl

!plane = !stencil.field<[0,42]x[0,70]xf64>

// Two levels of six lines each, four of which arrive in an iteration: the arrays are 384 elements,
// the cells outside of the domain take the others. A thread hands on its place and nothing else. Of
// the three lines that a level reads, the newest is the thread's own: its value is in a register,
// the two before it are found by a minimum without sign. Each level has a barrier between what it
// finds and what it reads, the second at 192 elements behind the places of the first.
// CHECK-LABEL:  gpu.func @tight_tight
// CHECK-SAME:     workgroup({{.*}} : memref<528xf64
// CHECK-SAME:     known_block_size = array<i32: 32, 4, 1>
// CHECK-DAG:      %[[COLUMN:.*]] = arith.index_cast %thread_id_x
// CHECK-DAG:      %[[LINE:.*]] = arith.index_cast %thread_id_y
// CHECK:          arith.muli %[[LINE]], %c32
// CHECK-NEXT:     %[[FIRST:.*]] = arith.addi {{.*}}, %[[COLUMN]]
// Four lines of each level are written before anything is read, the others are zero until then.
// CHECK:          arith.addi %[[FIRST]], %c128_i32
// CHECK-COUNT-2:  memref.store
// CHECK-NOT:      memref.store
// CHECK:          scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]]) -> (i32)
// CHECK:          scf.if
// CHECK:          scf.for {{.*}} step %c4_{{[a-z0-9_]*}} iter_args(%[[PLACE:[a-z0-9]+]] = {{.*}}) -> (i32)
// CHECK:            %[[ARRIVES:.*]] = memref.load %arg0
// CHECK:            memref.store %[[ARRIVES]], %[[LINES:arg2]]
// CHECK-NEXT:       gpu.barrier
// CHECK:            %[[OLDEST:.*]] = arith.addi %[[PLACE]], %c-64_i32
// CHECK:            %[[MOVED:.*]] = arith.addi %[[OLDEST]], %c192_i32
// CHECK:            arith.minui %[[OLDEST]], %[[MOVED]]
// CHECK:            arith.minui
// CHECK:            memref.load %[[LINES]]
// CHECK:            %[[OWN:.*]] = arith.addf {{.*}}, %[[ARRIVES]]
// CHECK:            arith.addi {{.*}}, %c192{{(_.*)?}} : index
// CHECK:            memref.store %[[OWN]], %[[LINES]]
// CHECK-NEXT:       gpu.barrier
// CHECK-COUNT-2:    memref.load %[[LINES]]
// CHECK:            memref.store {{.*}}, %arg1
// CHECK-NOT:        gpu.barrier
// CHECK:            %[[NEXT:.*]] = arith.minui
// CHECK:            scf.yield %[[NEXT]] : i32
// CHECK:          gpu.return
func.func @tight(%a: !plane, %b: !plane) {
  sweep.kernel "tight" steps 2 over <[1, 1], [41, 69]> carried(%u = %a : !plane)
      boundaries(%a : !plane, %b : !plane) outs(%b : !plane)
      plan <{mapping = "block", steps = 2, threads = array<i64: 4, 32>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[0, -1] : !plane
    %2 = stencil.access %u[1, 0] : !plane
    %3 = arith.addf %0, %1 : f64
    %4 = arith.addf %3, %2 : f64
    sweep.yield %4 : f64
  }
  return
}

// Two lines and one on each side: four are a power of two, and 127 is the mask. One level alone has
// a second barrier, behind what it reads.
// CHECK-LABEL:  gpu.func @masked_masked
// CHECK-SAME:     workgroup({{.*}} : memref<128xf64
// CHECK:          scf.for
// CHECK:          scf.for {{.*}} step %c2_{{[a-z0-9_]*}} iter_args(%[[PLACE:[a-z0-9]+]] = {{.*}}) -> (i32)
// CHECK:            %[[OLDEST:.*]] = arith.addi %[[PLACE]], %c-64_i32
// CHECK:            arith.andi %[[OLDEST]], %c127_i32
// CHECK-NOT:        arith.minui
// CHECK:            memref.store {{.*}}, %[[LINES:arg2]]
// CHECK-NEXT:       gpu.barrier
// CHECK:            memref.load %[[LINES]]
// CHECK:            gpu.barrier
// CHECK:            arith.andi
// CHECK-NEXT:       scf.yield
// CHECK:          gpu.return
func.func @masked(%a: !plane, %b: !plane) {
  sweep.kernel "masked" steps 1 over <[1, 1], [41, 69]> carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "block", threads = array<i64: 2, 32>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[1, 0] : !plane
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}

// With a lazy skew four lines more of each level wait for an iteration, and one barrier serves both levels; all
// that is read comes from the arrays.
// CHECK-LABEL:  gpu.func @lazy_lazy
// CHECK-SAME:     workgroup({{.*}} : memref<848xf64
// CHECK:          scf.for
// CHECK:          scf.for
// CHECK:            memref.store {{.*}}, %[[LINES:arg2]]
// CHECK-NOT:        gpu.barrier
// CHECK-COUNT-3:    memref.load %[[LINES]]
// CHECK:            memref.store {{.*}}, %[[LINES]]
// CHECK-NOT:        gpu.barrier
// CHECK-COUNT-3:    memref.load %[[LINES]]
// CHECK:            memref.store {{.*}}, %arg1
// CHECK:            gpu.barrier
// CHECK:            scf.yield
// CHECK:          gpu.return
func.func @lazy(%a: !plane, %b: !plane) {
  sweep.kernel "lazy" steps 2 over <[1, 1], [41, 69]> carried(%u = %a : !plane)
      boundaries(%a : !plane, %b : !plane) outs(%b : !plane)
      plan <{mapping = "block", skew = "lazy", steps = 2, threads = array<i64: 4, 32>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[0, -1] : !plane
    %2 = stencil.access %u[1, 0] : !plane
    %3 = arith.addf %0, %1 : f64
    %4 = arith.addf %3, %2 : f64
    sweep.yield %4 : f64
  }
  return
}
