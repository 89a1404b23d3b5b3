// Where operations bound a kernel, points of a thread that share some of them are a tile.
//
// RUN: stencil-opt %s --stencil-select-plan | FileCheck %s
// RUN: stencil-opt %s --stencil-select-plan=plan=points=1 | FileCheck %s --check-prefix=ASKED
// RUN: stencilc run %s --on=emulator --function=faces --verify --seed=1 --extents 33,35,37 | FileCheck %s --check-prefix=SHARED

!field = !stencil.field<[-1,129]x[-1,129]x[-1,257]xf64>
!temp = !stencil.temp<[-1,129]x[-1,129]x[-1,257]xf64>
!result = !stencil.temp<[0,128]x[0,128]x[0,256]xf64>

// What goes through a face is computed once for the points on both sides of it.
// CHECK-LABEL: func.func @faces
// CHECK:         #stencil.plan<{mapping = "thread", max_registers = 128 : i64, points = array<i64: 2, 2, 1>, schedule = "trees", threads = array<i64: 1, 4, 32>}>
// SHARED:        points=2x2x1,schedule=trees
// SHARED:        4 points per thread share operations
// SHARED:        verified: bit-identical
// Points that are asked for stay.
// ASKED-LABEL: func.func @faces
// ASKED:         points = array<i64: 1, 1, 1>
func.func @faces(%in: !field, %out: !field) {
  %t = stencil.load %in : !field -> !temp
  %r = stencil.apply(%u = %t : !temp) -> (!result) {
    %c = stencil.access %u[0, 0, 0] : !temp
    %zp = stencil.access %u[1, 0, 0] : !temp
    %zm = stencil.access %u[-1, 0, 0] : !temp
    %yp = stencil.access %u[0, 1, 0] : !temp
    %ym = stencil.access %u[0, -1, 0] : !temp
    %above = arith.subf %zp, %c : f64
    %above1 = math.exp %above : f64
    %above2 = math.exp %above1 : f64
    %below = arith.subf %c, %zm : f64
    %below1 = math.exp %below : f64
    %below2 = math.exp %below1 : f64
    %north = arith.subf %yp, %c : f64
    %north1 = math.exp %north : f64
    %north2 = math.exp %north1 : f64
    %south = arith.subf %c, %ym : f64
    %south1 = math.exp %south : f64
    %south2 = math.exp %south1 : f64
    %0 = arith.subf %above2, %below2 : f64
    %1 = arith.subf %north2, %south2 : f64
    %2 = arith.addf %0, %1 : f64
    stencil.return %2 : f64
  }
  stencil.store %r to %out(<[0, 0, 0], [128, 128, 256]>) : !result to !field
  return
}

// The same number of operations, none of which a neighbour needs.
// CHECK-LABEL: func.func @apart
// CHECK:         points = array<i64: 4, 1, 1>, threads
func.func @apart(%in: !field, %out: !field) {
  %t = stencil.load %in : !field -> !temp
  %r = stencil.apply(%u = %t : !temp) -> (!result) {
    %c = stencil.access %u[0, 0, 0] : !temp
    %zp = stencil.access %u[1, 0, 0] : !temp
    %zm = stencil.access %u[-1, 0, 0] : !temp
    %0 = arith.addf %zp, %zm : f64
    %1 = arith.subf %0, %c : f64
    %2 = math.exp %1 : f64
    %3 = math.exp %2 : f64
    %4 = math.exp %3 : f64
    %5 = math.exp %4 : f64
    %6 = math.exp %5 : f64
    %7 = math.exp %6 : f64
    %8 = math.exp %7 : f64
    stencil.return %8 : f64
  }
  stencil.store %r to %out(<[0, 0, 0], [128, 128, 256]>) : !result to !field
  return
}
