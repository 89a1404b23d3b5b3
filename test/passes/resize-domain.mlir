// A program for 8 x 9 points becomes the same one for 16 x 17: halos, strips and margins keep their widths.
//
// RUN: stencil-opt %s --stencil-resize-domain=extents=16,17 -o %t.mlir
// RUN: stencil-opt %t.mlir | FileCheck %s
// RUN: stencil-opt %t.mlir --stencil-resize-domain=extents=16,17 | FileCheck %s
//
// The extents that a program has change nothing, and the way there and back neither.
// RUN: stencil-opt %s -o %t.before.mlir
// RUN: stencil-opt %s --stencil-resize-domain=extents=8,9 | cmp %t.before.mlir -
// RUN: stencil-opt %t.mlir --stencil-resize-domain=extents=8,9 --canonicalize -o %t.back.mlir
// RUN: stencil-opt %s --canonicalize | cmp %t.back.mlir -
//
// The smallest domain that has room for all margins.
// RUN: stencil-opt %s --stencil-resize-domain=extents=3,3 -o %t.small.mlir
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %t.mlir --on=emulator --function=%{function} --verify --seed=1
// DEFINE: %{small} = stencilc run %t.small.mlir --on=emulator --function=%{function} --verify --seed=1
// REDEFINE: %{function} = halo
// RUN: %{run}
// RUN: %{small}
// REDEFINE: %{function} = strips
// RUN: %{run}
// RUN: %{small}
// REDEFINE: %{function} = combined
// RUN: %{run}
// RUN: %{small}
// REDEFINE: %{function} = rotated
// RUN: %{run}
// RUN: %{small}
// REDEFINE: %{function} = buffers
// RUN: %{run}
// RUN: %{small}
// REDEFINE: %{function} = rows_and_columns
// RUN: %{run}
// RUN: %{small}
// REDEFINE: %{function} = planes
// RUN: %{run}
// RUN: %{small}
// REDEFINE: %{function} = transposed
// RUN: %{run}
// RUN: %{small}
// REDEFINE: %{function} = periodic
// RUN: %{run}
// RUN: %{small}

// CHECK-LABEL: func.func @halo
// CHECK-SAME:    (%{{.*}}: !stencil.field<[-1,17]x[-2,19]xf64>, %{{.*}}: !stencil.field<[0,16]x[0,17]xf64>)
// CHECK:         stencil.load %{{.*}} : !stencil.field<[-1,17]x[-2,19]xf64> -> !stencil.temp<[-1,17]x[-2,19]xf64>
// CHECK-NEXT:    stencil.apply({{.*}} : !stencil.temp<[-1,17]x[-2,19]xf64>) -> (!stencil.temp<[0,16]x[0,17]xf64>)
// CHECK:           stencil.access %{{.*}}[-1, 2] : !stencil.temp<[-1,17]x[-2,19]xf64>
// CHECK:         stencil.store %{{.*}} to %{{.*}}(<[0, 0], [16, 17]>)
func.func @halo(%in: !stencil.field<[-1,9]x[-2,11]xf64>, %out: !stencil.field<[0,8]x[0,9]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,9]x[-2,11]xf64> -> !stencil.temp<[-1,9]x[-2,11]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[-1,9]x[-2,11]xf64>) -> (!stencil.temp<[0,8]x[0,9]xf64>) {
    %v = stencil.access %a[-1, 2] : !stencil.temp<[-1,9]x[-2,11]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 9]>) : !stencil.temp<[0,8]x[0,9]xf64> to !stencil.field<[0,8]x[0,9]xf64>
  return
}

// The domain is what all stores fill together: the inner points keep their distance from the strips, and a field that
// holds a strip only moves as a whole.
// CHECK-LABEL: func.func @strips
// CHECK-SAME:    (%{{.*}}: !stencil.field<[0,16]x[0,17]xf64>, %{{.*}}: !stencil.field<[0,16]x[16,17]xf64>)
// CHECK:         stencil.store %{{.*}} to %{{.*}}(<[1, 0], [16, 16]>)
// CHECK:         stencil.store %{{.*}} to %{{.*}}(<[0, 0], [1, 17]>)
// CHECK:         stencil.store %{{.*}} to %{{.*}}(<[0, 16], [16, 17]>)
func.func @strips(%f: !stencil.field<[0,8]x[0,9]xf64>, %last: !stencil.field<[0,8]x[8,9]xf64>) {
  %inside = stencil.apply() -> (!stencil.temp<?x?xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v : f64
  }
  stencil.store %inside to %f(<[1, 0], [8, 8]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,8]x[0,9]xf64>
  %row = stencil.apply() -> (!stencil.temp<?x?xf64>) {
    %v = arith.constant 2.0 : f64
    stencil.return %v : f64
  }
  stencil.store %row to %f(<[0, 0], [1, 9]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,8]x[0,9]xf64>
  %t = stencil.load %last : !stencil.field<[0,8]x[8,9]xf64> -> !stencil.temp<?x?xf64>
  %column = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
    stencil.return %v : f64
  }
  stencil.store %column to %f(<[0, 8], [8, 9]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,8]x[0,9]xf64>
  return
}

// The sides of a combine meet at a distance from the nearer end.
// CHECK-LABEL: func.func @combined
// CHECK:         stencil.combine 0 at 1
// CHECK:         stencil.combine 1 at 16
func.func @combined(%f: !stencil.field<[0,8]x[0,9]xf64>) {
  %a, %b, %c = stencil.apply() -> (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>) {
    %v = arith.constant 1.0 : f64
    %w = arith.constant 2.0 : f64
    %x = arith.constant 3.0 : f64
    stencil.return %v, %w, %x : f64, f64, f64
  }
  %d = stencil.combine 0 at 1 lower = (%a : !stencil.temp<?x?xf64>) upper = (%b : !stencil.temp<?x?xf64>) : !stencil.temp<?x?xf64>
  %e = stencil.combine 1 at 8 lower = (%d : !stencil.temp<?x?xf64>) upper = (%c : !stencil.temp<?x?xf64>) : !stencil.temp<?x?xf64>
  stencil.store %e to %f(<[0, 0], [8, 9]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,8]x[0,9]xf64>
  return
}

// A loop carries fields: what goes in, the slots, what is yielded and what comes out have one type. A branch gives one.
// CHECK-LABEL: func.func @rotated
// CHECK-SAME:    (%{{.*}}: !stencil.field<[-1,17]x[0,17]xf64>, %{{.*}}: !stencil.field<[-1,17]x[0,17]xf64>)
// CHECK:         scf.for {{.*}} -> (!stencil.field<[-1,17]x[0,17]xf64>, !stencil.field<[-1,17]x[0,17]xf64>)
// CHECK:           stencil.store %{{.*}} to %{{.*}}(<[0, 0], [16, 17]>)
// CHECK:           scf.yield %{{.*}}, %{{.*}} : !stencil.field<[-1,17]x[0,17]xf64>, !stencil.field<[-1,17]x[0,17]xf64>
// CHECK:         stencil.load %{{.*}} : !stencil.field<[-1,17]x[0,17]xf64> -> !stencil.temp<?x?xf64>
func.func @rotated(%f: !stencil.field<[-1,9]x[0,9]xf64>, %g: !stencil.field<[-1,9]x[0,9]xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %end:2 = scf.for %i = %zero to %three step %one iter_args(%now = %f, %next = %g)
      -> (!stencil.field<[-1,9]x[0,9]xf64>, !stencil.field<[-1,9]x[0,9]xf64>) {
    %t = stencil.load %now : !stencil.field<[-1,9]x[0,9]xf64> -> !stencil.temp<?x?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
      %v = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
      %w = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
      %sum = arith.addf %v, %w : f64
      stencil.return %sum : f64
    }
    stencil.store %r to %next(<[0, 0], [8, 9]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,9]x[0,9]xf64>
    scf.yield %next, %now : !stencil.field<[-1,9]x[0,9]xf64>, !stencil.field<[-1,9]x[0,9]xf64>
  }
  %t = stencil.load %end#0 : !stencil.field<[-1,9]x[0,9]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %end#1(<[0, 0], [8, 9]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,9]x[0,9]xf64>
  return
}

// CHECK-LABEL: func.func @branch
// CHECK:         scf.if %{{.*}} -> (!stencil.field<[-1,17]x[0,17]xf64>)
func.func @branch(%f: !stencil.field<[-1,9]x[0,9]xf64>, %g: !stencil.field<[-1,9]x[0,9]xf64>, %first: i1) {
  %h = scf.if %first -> (!stencil.field<[-1,9]x[0,9]xf64>) {
    scf.yield %f : !stencil.field<[-1,9]x[0,9]xf64>
  } else {
    scf.yield %g : !stencil.field<[-1,9]x[0,9]xf64>
  }
  stencil.apply() outs (%h : !stencil.field<[-1,9]x[0,9]xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v : f64
  } to <[0, 0], [8, 9]>
  return
}

// Applies that write fields, memory of the function's own, a cast. Only the cast says what the bounds of the argument are.
// CHECK-LABEL: func.func @buffers
// CHECK-SAME:    (%{{.*}}: !stencil.field<?x?xf64>, %{{.*}}: !stencil.field<[0,16]x[0,17]xf64>)
// CHECK:         stencil.cast %{{.*}} : !stencil.field<?x?xf64> -> !stencil.field<[-1,17]x[0,17]xf64>
// CHECK:         stencil.alloc : !stencil.field<[0,16]x[0,18]xf64>
// CHECK:         } to <[0, 0], [16, 17]>
// CHECK:         stencil.load %{{.*}} : !stencil.field<[0,16]x[0,18]xf64> -> !stencil.temp<[0,16]x[0,17]xf64>
// CHECK:         stencil.buffer %{{.*}} : !stencil.temp<[0,16]x[0,17]xf64> -> !stencil.temp<[0,16]x[0,17]xf64>
// CHECK:         stencil.store %{{.*}} to %{{.*}}(<[0, 0], [16, 17]>)
func.func @buffers(%f: !stencil.field<?x?xf64>, %out: !stencil.field<[0,8]x[0,9]xf64>) {
  %in = stencil.cast %f : !stencil.field<?x?xf64> -> !stencil.field<[-1,9]x[0,9]xf64>
  %m = stencil.alloc : !stencil.field<[0,8]x[0,10]xf64>
  stencil.apply(%a = %in : !stencil.field<[-1,9]x[0,9]xf64>) outs (%m : !stencil.field<[0,8]x[0,10]xf64>) {
    %v = stencil.access %a[-1, 0] : !stencil.field<[-1,9]x[0,9]xf64>
    %w = stencil.access %a[1, 0] : !stencil.field<[-1,9]x[0,9]xf64>
    %x = arith.addf %v, %w : f64
    stencil.return %x : f64
  } to <[0, 0], [8, 9]>
  %t = stencil.load %m : !stencil.field<[0,8]x[0,10]xf64> -> !stencil.temp<[0,8]x[0,9]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,8]x[0,9]xf64>) -> (!stencil.temp<[0,8]x[0,9]xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<[0,8]x[0,9]xf64>
    stencil.return %v : f64
  }
  %b = stencil.buffer %r : !stencil.temp<[0,8]x[0,9]xf64> -> !stencil.temp<[0,8]x[0,9]xf64>
  stencil.store %b to %out(<[0, 0], [8, 9]>) : !stencil.temp<[0,8]x[0,9]xf64> to !stencil.field<[0,8]x[0,9]xf64>
  return
}

// Functions that hand fields to each other have one domain, also where one of them stores a strip only. A function of
// scalars ties nobody together: the next one stores to other bounds, and calls it too.
// CHECK-LABEL: func.func @caller
// CHECK:         call @first_row(%{{.*}}) : (!stencil.field<[0,16]x[0,17]xf64>) -> !stencil.field<[0,16]x[0,17]xf64>
// CHECK-LABEL: func.func private @first_row
// CHECK-SAME:    (%{{.*}}: !stencil.field<[0,16]x[0,17]xf64>) -> !stencil.field<[0,16]x[0,17]xf64>
// CHECK:         stencil.store %{{.*}} to %{{.*}}(<[0, 0], [1, 17]>)
// CHECK-LABEL: func.func @elsewhere
// CHECK:         stencil.store %{{.*}} to %{{.*}}(<[100, -100], [116, -83]>)
func.func @caller(%f: !stencil.field<[0,8]x[0,9]xf64>) {
  %c = arith.constant 3.0 : f64
  %s = func.call @scalar(%c) : (f64) -> f64
  %g = func.call @first_row(%f) : (!stencil.field<[0,8]x[0,9]xf64>) -> !stencil.field<[0,8]x[0,9]xf64>
  %r = stencil.apply(%k = %s : f64) -> (!stencil.temp<?x?xf64>) {
    stencil.return %k : f64
  }
  stencil.store %r to %g(<[1, 0], [8, 9]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,8]x[0,9]xf64>
  return
}
func.func private @first_row(%f: !stencil.field<[0,8]x[0,9]xf64>) -> !stencil.field<[0,8]x[0,9]xf64> {
  %r = stencil.apply() -> (!stencil.temp<?x?xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v : f64
  }
  stencil.store %r to %f(<[0, 0], [1, 9]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,8]x[0,9]xf64>
  return %f : !stencil.field<[0,8]x[0,9]xf64>
}
func.func private @scalar(%x: f64) -> f64 {
  %y = arith.addf %x, %x : f64
  return %y : f64
}
func.func @elsewhere(%f: !stencil.field<[100,108]x[-100,-91]xf64>) {
  %c = arith.constant 3.0 : f64
  %s = func.call @scalar(%c) : (f64) -> f64
  %r = stencil.apply(%k = %s : f64) -> (!stencil.temp<?x?xf64>) {
    stencil.return %k : f64
  }
  stencil.store %r to %f(<[100, -100], [108, -91]>) : !stencil.temp<?x?xf64> to !stencil.field<[100,108]x[-100,-91]xf64>
  return
}

// Accesses say which dimension an operand of lower rank follows. A table that is read at a step's index follows none,
// and a temp of lower rank that is computed here follows what reads it.
// CHECK-LABEL: func.func @rows_and_columns
// CHECK-SAME:    (%{{.*}}: !stencil.field<[-1,16]xf64>, %{{.*}}: !stencil.field<[0,17]xf64>, %{{.*}}: !stencil.field<[0,3]xf64>, %{{.*}}: !stencil.field<[0,16]x[0,17]xf64>)
// CHECK:           stencil.dyn_access %{{.*}}[%{{.*}}] in <[0]> : <[2]> attributes {absolute} : !stencil.field<[0,3]xf64>
func.func @rows_and_columns(%row: !stencil.field<[-1,8]xf64>, %column: !stencil.field<[0,9]xf64>,
                            %table: !stencil.field<[0,3]xf64>, %out: !stencil.field<[0,8]x[0,9]xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %t = stencil.load %row : !stencil.field<[-1,8]xf64> -> !stencil.temp<?xf64>
  %means = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[-1] : !stencil.temp<?xf64>
    %w = stencil.access %a[0] : !stencil.temp<?xf64>
    %x = arith.addf %v, %w : f64
    stencil.return %x : f64
  }
  scf.for %step = %zero to %three step %one {
    %r = stencil.apply(%a = %means : !stencil.temp<?xf64>, %b = %column : !stencil.field<[0,9]xf64>,
                       %c = %table : !stencil.field<[0,3]xf64>, %n = %step : index) -> (!stencil.temp<?x?xf64>) {
      %v = stencil.access %a[0, _] : !stencil.temp<?xf64>
      %w = stencil.access %b[_, 0] : !stencil.field<[0,9]xf64>
      %k = stencil.dyn_access %c[%n] in <[0]> : <[2]> attributes {absolute} : !stencil.field<[0,3]xf64>
      %x = arith.mulf %v, %w : f64
      %y = arith.mulf %x, %k : f64
      stencil.return %y : f64
    }
    stencil.store %r to %out(<[0, 0], [8, 9]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,8]x[0,9]xf64>
  }
  return
}

// Planes at constant coordinates stay at their end of the domain.
// CHECK-LABEL: func.func @planes
// CHECK:           stencil.dyn_access %{{.*}}[%{{.*}}, %{{.*}}] in <[0, 0]> : <[0, 16]> attributes {absolute} : !stencil.field<[0,16]x[0,17]xf64>
// CHECK:           %[[LAST:.*]] = arith.constant 15 : index
// CHECK:           stencil.dyn_access %{{.*}}[%[[LAST]], %{{.*}}] in <[15, 0]> : <[15, 16]> attributes {absolute} : !stencil.field<[0,16]x[0,17]xf64>
func.func @planes(%in: !stencil.field<[0,8]x[0,9]xf64>, %out: !stencil.field<[0,8]x[0,9]xf64>) {
  %r = stencil.apply(%a = %in : !stencil.field<[0,8]x[0,9]xf64>) -> (!stencil.temp<?x?xf64>) {
    %first = arith.constant 0 : index
    %last = arith.constant 7 : index
    %j = stencil.index 1 <[0, 0]>
    %h = stencil.access %a[0, 0] : !stencil.field<[0,8]x[0,9]xf64>
    %v = stencil.dyn_access %a[%first, %j] in <[0, 0]> : <[0, 8]> attributes {absolute} : !stencil.field<[0,8]x[0,9]xf64>
    %w = stencil.dyn_access %a[%last, %j] in <[7, 0]> : <[7, 8]> attributes {absolute} : !stencil.field<[0,8]x[0,9]xf64>
    %x = arith.addf %v, %w : f64
    %y = arith.addf %x, %h : f64
    stencil.return %y : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 9]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,8]x[0,9]xf64>
  return
}

// Coordinates of the point say which dimensions an array follows that is read by coordinate.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME:    (%{{.*}}: !stencil.field<[-1,18]x[0,4]x[0,16]xf64>, %{{.*}}: !stencil.field<[0,16]x[0,17]xf64>)
// CHECK:           stencil.dyn_access %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] in <[0, 2, 0]> : <[17, 2, 15]> attributes {absolute}
func.func @transposed(%in: !stencil.field<[-1,10]x[0,4]x[0,8]xf64>, %out: !stencil.field<[0,8]x[0,9]xf64>) {
  %r = stencil.apply(%a = %in : !stencil.field<[-1,10]x[0,4]x[0,8]xf64>) -> (!stencil.temp<?x?xf64>) {
    %i = stencil.index 0 <[0, 0]>
    %j = stencil.index 1 <[0, 1]>
    %two = arith.constant 2 : index
    %v = stencil.dyn_access %a[%j, %two, %i] in <[0, 2, 0]> : <[9, 2, 7]> attributes {absolute}
      : !stencil.field<[-1,10]x[0,4]x[0,8]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 9]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,8]x[0,9]xf64>
  return
}

// Ghost cells that copy from the other end do so in a larger domain: offsets of more than its half are distances of
// both ends.
// CHECK-LABEL: func.func @periodic
// CHECK:           stencil.access %{{.*}}[14, 0] : !stencil.temp<?x?xf64>
// CHECK:         stencil.store %{{.*}} to %{{.*}}(<[-1, 0], [0, 17]>)
// CHECK:           stencil.access %{{.*}}[-14, 0] : !stencil.temp<?x?xf64>
// CHECK:         stencil.store %{{.*}} to %{{.*}}(<[14, 0], [15, 17]>)
func.func @periodic(%u: !stencil.field<[-1,7]x[0,9]xf64>) {
  %below = stencil.load %u : !stencil.field<[-1,7]x[0,9]xf64> -> !stencil.temp<?x?xf64>
  %low = stencil.apply(%t = %below : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %v = stencil.access %t[6, 0] : !stencil.temp<?x?xf64>
    stencil.return %v : f64
  }
  stencil.store %low to %u(<[-1, 0], [0, 9]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,7]x[0,9]xf64>
  %above = stencil.load %u : !stencil.field<[-1,7]x[0,9]xf64> -> !stencil.temp<?x?xf64>
  %high = stencil.apply(%t = %above : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %v = stencil.access %t[-6, 0] : !stencil.temp<?x?xf64>
    stencil.return %v : f64
  }
  stencil.store %high to %u(<[6, 0], [7, 9]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,7]x[0,9]xf64>
  return
}
