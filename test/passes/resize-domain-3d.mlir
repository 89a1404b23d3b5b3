// Three dimensions: from 64 x 64 x 64 points to 9 x 10 x 11, what the small program computes is what its kernels compute.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(stencil-resize-domain{extents=9,10,11 allow-index=true})' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: stencilc run %t.mlir --on=emulator --function=layers --verify --seed=1
// RUN: stencilc run %t.mlir --on=emulator --function=mirrored --verify --seed=1
// RUN: stencil-opt %s -o %t.before.mlir
// RUN: stencil-opt %s --stencil-resize-domain=extents=64,64,64 | cmp %t.before.mlir -

// A field of each rank: a column of coefficients, a plane, a table that depends on time, and the margins of a stencil of
// radius 2 that reads where it stores.
// CHECK-LABEL: func.func @layers
// CHECK-SAME:    (%{{.*}}: !stencil.field<[-2,11]x[-2,12]x[-2,13]xf64>, %{{.*}}: !stencil.field<[0,9]x[0,10]x[0,11]xf64>, %{{.*}}: !stencil.field<[0,9]xf64>, %{{.*}}: !stencil.field<[0,9]x[0,11]xf64>, %{{.*}}: !stencil.field<[0,100]xf64>)
// CHECK:           stencil.store %{{.*}} to %{{.*}}(<[2, 2, 2], [7, 8, 9]>)
// CHECK:           stencil.store %{{.*}} to %{{.*}}(<[0, 0, 0], [9, 10, 11]>)
func.func @layers(%in: !stencil.field<[-2,66]x[-2,66]x[-2,66]xf64>, %out: !stencil.field<[0,64]x[0,64]x[0,64]xf64>,
                  %column: !stencil.field<[0,64]xf64>, %plane: !stencil.field<[0,64]x[0,64]xf64>,
                  %table: !stencil.field<[0,100]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 3 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %t = stencil.load %in : !stencil.field<[-2,66]x[-2,66]x[-2,66]xf64> -> !stencil.temp<?x?x?xf64>
    %c = stencil.load %column : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    %p = stencil.load %plane : !stencil.field<[0,64]x[0,64]xf64> -> !stencil.temp<?x?xf64>
    %r, %q = stencil.apply(%a = %t : !stencil.temp<?x?x?xf64>, %b = %c : !stencil.temp<?xf64>, %d = %p : !stencil.temp<?x?xf64>,
                           %s = %table : !stencil.field<[0,100]xf64>, %n = %step : index)
        -> (!stencil.temp<?x?x?xf64>, !stencil.temp<?x?x?xf64>) {
      %here = stencil.access %a[0, 0, 0] : !stencil.temp<?x?x?xf64>
      %up = stencil.access %a[-2, 0, 0] : !stencil.temp<?x?x?xf64>
      %down = stencil.access %a[2, 1, -2] : !stencil.temp<?x?x?xf64>
      %v = stencil.access %b[0, _, _] : !stencil.temp<?xf64>
      %w = stencil.access %d[0, _, 0] : !stencil.temp<?x?xf64>
      %k = stencil.dyn_access %s[%n] in <[0]> : <[99]> attributes {absolute} : !stencil.field<[0,100]xf64>
      %s0 = arith.addf %here, %up : f64
      %s1 = arith.addf %s0, %down : f64
      %s2 = arith.mulf %s1, %v : f64
      %s3 = arith.addf %s2, %w : f64
      %s4 = arith.mulf %s3, %k : f64
      stencil.return %s4, %s1 : f64, f64
    }
    stencil.store %r to %in(<[2, 2, 2], [62, 62, 62]>) : !stencil.temp<?x?x?xf64> to !stencil.field<[-2,66]x[-2,66]x[-2,66]xf64>
    stencil.store %q to %out(<[0, 0, 0], [64, 64, 64]>) : !stencil.temp<?x?x?xf64> to !stencil.field<[0,64]x[0,64]x[0,64]xf64>
  }
  return
}

// The neighbour below the first plane is the one above it. That is computed from a coordinate, and means the same on every
// domain, which allow-index says. What is computed from one coordinate follows that dimension. The last plane's number
// comes from outside of the apply.
// CHECK-LABEL: func.func @mirrored
// CHECK-SAME:    (%{{.*}}: !stencil.field<[0,9]x[0,10]x[0,11]xf64>, %{{.*}}: !stencil.field<[0,9]x[0,10]x[0,11]xf64>)
// CHECK:           stencil.dyn_access %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] in <[0, 0, 0]> : <[8, 9, 10]> attributes {absolute}
// CHECK:           %[[LAST:.*]] = arith.constant 8 : index
// CHECK:           stencil.dyn_access %{{.*}}[%[[LAST]], %{{.*}}, %{{.*}}] in <[8, 0, 0]> : <[8, 9, 10]> attributes {absolute}
func.func @mirrored(%in: !stencil.field<[0,64]x[0,64]x[0,64]xf64>, %out: !stencil.field<[0,64]x[0,64]x[0,64]xf64>) {
  %number = arith.constant 63 : index
  %r = stencil.apply(%a = %in : !stencil.field<[0,64]x[0,64]x[0,64]xf64>, %last = %number : index)
      -> (!stencil.temp<?x?x?xf64>) {
    %below = stencil.index 0 <[-1, 0, 0]>
    %j = stencil.index 1 <[0, 0, 0]>
    %k = stencil.index 2 <[0, 0, 0]>
    %zero = arith.constant 0 : index
    %reflected = arith.subi %zero, %below : index
    %i = arith.maxsi %below, %reflected : index
    %v = stencil.dyn_access %a[%i, %j, %k] in <[0, 0, 0]> : <[63, 63, 63]> attributes {absolute}
      : !stencil.field<[0,64]x[0,64]x[0,64]xf64>
    %w = stencil.dyn_access %a[%last, %j, %k] in <[63, 0, 0]> : <[63, 63, 63]> attributes {absolute}
      : !stencil.field<[0,64]x[0,64]x[0,64]xf64>
    %x = arith.addf %v, %w : f64
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0, 0, 0], [64, 64, 64]>) : !stencil.temp<?x?x?xf64> to !stencil.field<[0,64]x[0,64]x[0,64]xf64>
  return
}
