// Where extents are given at run time, kernels and the host program compute from them what are constants elsewhere: strides, guards, sizes of buffers, grids.
//
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-place-copies --stencil-select-plan=plan=threads=2x32,points=2x1 --convert-stencil-to-gpu-threads --canonicalize --cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=HOST < %t.mlir
//
// The bits of the interpreter, at the reference; other extents are in tools/driver/tests/run_time_sizes.
// RUN: stencilc run %s --on=emulator --function=two_kernels --verify --seed=1
// RUN: stencilc run %s --on=emulator --function=periodic --verify --seed=1

// A row has the domain's columns and a halo of 3; the temp between the kernels the same.
//
// CHECK-LABEL: gpu.func @two_kernels_kernel0
// CHECK-SAME:    %[[IN:[a-z0-9]*]]: memref<?xf32>
// CHECK-SAME:    %[[ROWS:[a-z0-9]*]]: index, %[[COLUMNS:[a-z0-9]*]]: index)
// CHECK-SAME:    stencil.bounds = {lower = array<i64: 0, -1>, upper = array<i64: 40, 42>}
// CHECK-SAME:    stencil.follows = array<i64: 0, 1>
// CHECK-DAG:     %[[R:.*]] = arith.index_cast %[[ROWS]] : index to i32
// CHECK-DAG:     %[[C:.*]] = arith.index_cast %[[COLUMNS]] : index to i32
// The last column is behind the domain's by two.
// CHECK:         %[[END:.*]] = arith.addi %[[C]], %c3_i32 : i32
// CHECK:         arith.cmpi slt, %{{.*}}, %[[END]] : i32
// Both points of a thread are rows of the domain.
// CHECK:         %[[LAST:.*]] = arith.addi %[[R]], %c-1_i32 : i32
// CHECK:         arith.cmpi slt, %{{.*}}, %[[LAST]] : i32
// CHECK:         arith.muli %{{.*}}, %[[END]] : i32
//
// HOST-LABEL: func.func @two_kernels
// HOST-SAME:    %[[U:[a-z0-9]*]]: memref<?xf32> {stencil.bounds = {lower = array<i64: 0, -1>, upper = array<i64: 40, 42>}, stencil.follows = array<i64: 0, 1>}
// HOST-SAME:    %[[ROWS:[a-z0-9]*]]: index {stencil.extent = 0 : i64}, %[[COLUMNS:[a-z0-9]*]]: index {stencil.extent = 1 : i64})
// HOST:         %[[CELLS:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// HOST:         memref.alloc(%[[CELLS]]) : memref<?xf32>
// Blocks of 32 columns and 4 rows cover the points: columns + 3, rounded up.
// HOST:         %[[ROUNDED:.*]] = arith.addi %[[COLUMNS]], %c34 : index
// HOST:         %[[X:.*]] = arith.divui %[[ROUNDED]], %c32 : index
// HOST:         %[[PADDED:.*]] = arith.addi %[[ROWS]], %c3 : index
// HOST:         %[[Y:.*]] = arith.divui %[[PADDED]], %c4 : index
// HOST:         gpu.launch_func @kernels::@two_kernels_kernel0 blocks in (%[[X]], %[[Y]], %c1) threads in (%c32, %c2, %c1) args({{.*}}, %[[ROWS]] : index, %[[COLUMNS]] : index)
func.func @two_kernels(%u: !stencil.field<[0,40]x[-1,42]xf32> {stencil.follows = array<i64: 0, 1>},
                       %v: !stencil.field<[0,40]x[0,40]xf32> {stencil.follows = array<i64: 0, 1>})
    attributes {stencil.run_time_extents = {lower = array<i64: 0, 0>, upper = array<i64: 40, 40>, least = array<i64: 1, 1>}} {
  %t = stencil.load %u : !stencil.field<[0,40]x[-1,42]xf32> -> !stencil.temp<?x?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) {
    %x = stencil.access %a[0, 0] : !stencil.temp<?x?xf32>
    %xx = arith.mulf %x, %x : f32
    stencil.return %xx : f32
  }
  %s = stencil.apply(%a = %r : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) {
    %x = stencil.access %a[0, -1] : !stencil.temp<?x?xf32>
    %y = stencil.access %a[0, 2] : !stencil.temp<?x?xf32>
    %xy = arith.addf %x, %y : f32
    stencil.return %xy : f32
  }
  stencil.store %s to %v(<[0, 0], [40, 40]>) : !stencil.temp<?x?xf32> to !stencil.field<[0,40]x[0,40]xf32>
  return
}

// A ghost cell has the value of the other end: an offset as long as the domain.
//
// CHECK-LABEL: gpu.func @periodic_kernel0
// CHECK-SAME:    %[[U:[a-z0-9]*]]: memref<?xf32>{{.*}}, %[[N:[a-z0-9]*]]: index)
// CHECK-SAME:    stencil.follows = array<i64: -1>
// CHECK:         arith.addi %{{.*}}, %[[N]] : index
func.func @periodic(%u: !stencil.field<[-1,40]xf32> {stencil.follows = array<i64: 0>})
    attributes {stencil.run_time_extents = {lower = array<i64: 0>, upper = array<i64: 40>, least = array<i64: 1>}} {
  %t = stencil.load %u : !stencil.field<[-1,40]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>) {
    %x = stencil.access %a[40] : !stencil.temp<?xf32>
    stencil.return %x : f32
  }
  stencil.store %r to %u(<[-1], [0]>) : !stencil.temp<?xf32> to !stencil.field<[-1,40]xf32>
  return
}
