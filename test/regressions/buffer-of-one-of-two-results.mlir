// A buffer has the points of the temp it passes on, also where another result made that temp grow.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// CHECK: verified: bit-identical

// The combine asks each result for one side; the apply computes both sides of both.
func.func @main(%out: !stencil.field<[0,1]x[0,1]x[0,2]xf64>) {
  %one, %two = stencil.apply() -> (!stencil.temp<?x?x?xf64>, !stencil.temp<?x?x?xf64>) {
    %value = arith.constant 1.0 : f64
    stencil.return %value, %value : f64, f64
  }
  %kept = stencil.buffer %one : !stencil.temp<?x?x?xf64> -> !stencil.temp<?x?x?xf64>
  %whole = stencil.combine 2 at 1 lower = (%kept : !stencil.temp<?x?x?xf64>) upper = (%two : !stencil.temp<?x?x?xf64>) : !stencil.temp<?x?x?xf64>
  stencil.store %whole to %out(<[0, 0, 0], [1, 1, 2]>) : !stencil.temp<?x?x?xf64> to !stencil.field<[0,1]x[0,1]x[0,2]xf64>
  return
}
