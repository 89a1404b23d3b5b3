// A statement reads a field as it was before a row was copied from the other end, and as it is
// behind the copy: where it computes the ghost cells of the walls, it still reads both.
//
// RUN: stencilc run %s --on=interpreter --seed=14 --same-after='func.func(stencil-infer-bounds,stencil-fold-ghost-cells)' | FileCheck %s
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-fold-ghost-cells))' | FileCheck %s --check-prefix=FOLDED
//
// CHECK: same after the pipeline: bit-identical
// FOLDED: stencil.continued

!field = !stencil.field<[-1,9]x[-1,9]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @channel(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 5 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!field, !field) {
    %before = stencil.load %now : !field -> !temp
    %copied_from = stencil.load %now : !field -> !temp
    %copied = stencil.apply(%x = %copied_from : !temp) -> (!temp) {
      %cell = stencil.access %x[-8, 0] : !temp
      stencil.return %cell : f32
    }
    stencil.store %copied to %now(<[8, 0], [9, 8]>) : !temp to !field
    %wall_from = stencil.load %now : !field -> !temp
    %wall = stencil.apply(%x = %wall_from : !temp) -> (!temp) {
      %cell = stencil.access %x[0, -1] : !temp
      stencil.return %cell : f32
    }
    stencil.store %wall to %now(<[0, 8], [8, 9]>) : !temp to !field
    %behind = stencil.load %now : !field -> !temp
    %new = stencil.apply(%x = %behind : !temp, %y = %before : !temp) -> (!temp) {
      %right = stencil.access %x[0, 1] : !temp
      %below = stencil.access %x[1, 0] : !temp
      %below_before = stencil.access %y[1, 0] : !temp
      %sum = arith.addf %right, %below : f32
      %difference = arith.subf %sum, %below_before : f32
      stencil.return %difference : f32
    }
    stencil.store %new to %next(<[0, 0], [8, 8]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
