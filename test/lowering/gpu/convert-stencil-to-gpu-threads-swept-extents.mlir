// Where extents are given at run time, the host computes the tiles and chunks of a sweep, and the kernel takes them with the extents; strides and ends follow from these.
//
// RUN: stencil-opt %s --convert-stencil-to-gpu-threads --canonicalize --cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=HOST < %t.mlir

// CHECK-LABEL: gpu.func @sum_sum_s0
// CHECK-SAME:    %[[U:[a-z0-9]*]]: memref<?xf64>{{.*}}, %[[V:[a-z0-9]*]]: memref<?xf64> {llvm.noalias}, %[[PLANES:[a-z0-9]*]]: index, %[[COLUMNS:[a-z0-9]*]]: index, %[[TILES:[a-z0-9]*]]: index, %[[CHUNKS:[a-z0-9]*]]: index, %[[LENGTH:[a-z0-9]*]]: index
// CHECK-SAME:    stencil.follows = array<i64: 0, 1>
// CHECK-DAG:     %[[P:.*]] = arith.index_cast %[[PLANES]] : index to i32
// CHECK-DAG:     %[[C:.*]] = arith.index_cast %[[COLUMNS]] : index to i32
// CHECK-DAG:     %[[T:.*]] = arith.index_cast %[[TILES]] : index to i32
// A row has the domain's columns and two more.
// CHECK:         %[[ROW:.*]] = arith.addi %[[C]], %c2_i32 : i32
// CHECK:         arith.muli %{{.*}}, %[[ROW]] : i32
//
// HOST-LABEL: func.func @sum
// HOST-SAME:    %[[PLANES:[a-z0-9]*]]: index {stencil.extent = 0 : i64}, %[[COLUMNS:[a-z0-9]*]]: index {stencil.extent = 1 : i64})
// A tile of 32 columns gives 31 and what is left at both ends.
// HOST:         %[[LEFT:.*]] = arith.addi %[[COLUMNS]], %{{.*}} : index
// HOST:         %[[MORE:.*]] = arith.maxsi %[[LEFT]], %c0 : index
// HOST:         arith.divui
// HOST:         gpu.launch_func @kernels::@sum_sum_s0 blocks in (%{{.*}}, %c1, %c1) threads in (%c32, %c1, %c1) args({{.*}}, %[[PLANES]] : index, %[[COLUMNS]] : index
func.func @sum(%now: !stencil.field<[0,64]x[0,64]xf64> {stencil.follows = array<i64: 0, 1>},
               %next: !stencil.field<[0,64]x[0,64]xf64> {stencil.follows = array<i64: 0, 1>})
    attributes {stencil.run_time_extents = {lower = array<i64: 1, 1>, upper = array<i64: 63, 63>, least = array<i64: 1, 1>}} {
  sweep.tiled "sum.s0" steps 1 over <[1, 1], [63, 63]> reach [1, 0, 0, 1]
      fields(%u = %now : !stencil.field<[0,64]x[0,64]xf64>,
             %v = %next : !stencil.field<[0,64]x[0,64]xf64>)
      plan <{mapping = "warp", points = [1, 1], threads = [1, 32]}>
      points 3844 flops 3844 bytes 61504 {
    %zero = arith.constant 0.0 : f64
    %none = sweep.splat %zero : !sweep.tile<f64>
    sweep.planes from -1 to 0 iter_args(%before = %none : !sweep.tile<f64>) {
      %here = sweep.fetch %u[0] : !stencil.field<[0,64]x[0,64]xf64>
      %east = sweep.shift %here by [0, 1] : !sweep.tile<f64>
      %sum = sweep.map plane 0 (%b = %before : !sweep.tile<f64>, %e = %east : !sweep.tile<f64>)
          -> !sweep.tile<f64> {
        %s = arith.addf %b, %e : f64
        sweep.yield %s : f64
      }
      sweep.store %sum to %v[0] : !stencil.field<[0,64]x[0,64]xf64>
      sweep.yield %here : !sweep.tile<f64>
    }
  }
  return
}
