// Ghost cells that a loop fills for its next iteration were computed there from cells that had been
// copied from the other end of the domain in between: the corner of a wall and a periodic side.
//
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-fold-ghost-cells --remarks-filter-missed=stencil-fold-ghost-cells -o /dev/null 2>&1 | FileCheck %s
// RUN: stencilc run %s --on=interpreter --same-after='builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,stencil-fold-ghost-cells,stencil-infer-bounds))' --seed=1
// CHECK: it fills ghost cells from others that it then copies from the other end; fill those of periodic sides first

!field = !stencil.field<[-2,7]x[-2,9]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @main(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 5 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %for_ring = stencil.load %now : !field -> !temp
    %ring = stencil.apply(%t = %for_ring : !temp) -> (!temp) {
      %far = stencil.access %t[-5, 0] : !temp
      stencil.return %far : f64
    }
    stencil.store %ring to %now(<[5, 0], [6, 8]>) : !temp to !field
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %here = stencil.access %t[0, 0] : !temp
      %corner = stencil.access %t[1, -1] : !temp
      %new = arith.subf %here, %corner : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0, 0], [5, 8]>) : !temp to !field
    %for_low = stencil.load %next : !field -> !temp
    %low = stencil.apply(%t = %for_low : !temp) -> (!temp) {
      %inside = stencil.access %t[0, 1] : !temp
      stencil.return %inside : f64
    }
    stencil.store %low to %next(<[0, -1], [6, 0]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
