// A wall whose value depends on a coefficient, computed where a statement reads the wall: what is
// loaded of the coefficient had the bounds of the wall still, and the statement reads it at all of
// its points.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-fold-ghost-cells))' | FileCheck %s
// RUN: stencilc run %s --on=interpreter --same-after='builtin.module(func.func(stencil-infer-bounds,stencil-fold-ghost-cells))' --seed=1

!field = !stencil.field<[-2,14]xf64>
!wide = !stencil.field<[-4,16]xf64>
!temp = !stencil.temp<?xf64>

// CHECK-LABEL: func.func @wall
// CHECK:       scf.for
// CHECK:         stencil.load %[[K:.*]] : {{.*}} -> !stencil.temp<[-1,11]xf64>
// CHECK:         {stencil.continued}
func.func @wall(%f: !field, %g: !field, %k: !wide) {
  %first = arith.constant 0 : index
  %last = arith.constant 5 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %first to %last step %one iter_args(%u = %f, %v = %g) -> (!field, !field) {
    %coefficient = stencil.load %k : !wide -> !temp
    %low = stencil.apply(%x = %coefficient : !temp) -> (!temp) {
      %value = stencil.access %x[0] : !temp
      stencil.return %value : f64
    }
    stencil.store %low to %u(<[-1], [0]>) : !temp to !field
    %now = stencil.load %u : !field -> !temp
    %new = stencil.apply(%x = %now : !temp) -> (!temp) {
      %left = stencil.access %x[-1] : !temp
      %here = stencil.access %x[0] : !temp
      %sum = arith.addf %left, %here : f64
      stencil.return %sum : f64
    }
    stencil.store %new to %v(<[0], [12]>) : !temp to !field
    scf.yield %v, %u : !field, !field
  }
  return
}
