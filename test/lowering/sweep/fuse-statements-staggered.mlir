// Statements on a staggered periodic grid: ghost cells of what the first computes are filled from the
// other end of the domain between the two, and the second reads them at neighbours.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg 4=7 --plan loop:mapping=warp,loop:steps=2,loop:points=1x2,loop:threads=1x64 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg 4=8 --plan loop:mapping=block,loop:steps=3,loop:points=1x1,loop:threads=1x128 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg 4=6 --plan loop:mapping=row,loop:loads=prefetch | FileCheck %s
// RUN: stencilc compile %s --emit=pipeline --plan loop:mapping=warp,loop:steps=2,loop:points=1x2,loop:threads=1x64 | FileCheck %s --check-prefix=DRAWN
//
// CHECK: plan      loop:
// CHECK: verified: bit-identical
//
// DRAWN: sweep "loop", mapping warp, {{.*}}, periodic along 0 1

!field = !stencil.field<[-1,25]x[-1,71]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @leapfrog(%p: !field, %q: !field, %v: !field, %w: !field, %steps: index) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:4 = scf.for %step = %first to %steps step %one
      iter_args(%p_now = %p, %p_next = %q, %v_now = %v, %v_next = %w)
      -> (!field, !field, !field, !field) {
    %p0_from = stencil.load %p_now : !field -> !temp
    %p0 = stencil.apply(%x = %p0_from : !temp) -> (!temp) {
      %cell = stencil.access %x[-24, 0] : !temp
      stencil.return %cell : f64
    }
    stencil.store %p0 to %p_now(<[24, 0], [25, 70]>) : !temp to !field
    %p1_from = stencil.load %p_now : !field -> !temp
    %p1 = stencil.apply(%x = %p1_from : !temp) -> (!temp) {
      %cell = stencil.access %x[0, -70] : !temp
      stencil.return %cell : f64
    }
    stencil.store %p1 to %p_now(<[0, 70], [25, 71]>) : !temp to !field
    %pressure = stencil.load %p_now : !field -> !temp
    %before = stencil.load %v_now : !field -> !temp
    %velocity = stencil.apply(%x = %pressure : !temp, %y = %before : !temp) -> (!temp) {
      %here = stencil.access %x[0, 0] : !temp
      %below = stencil.access %x[1, 0] : !temp
      %right = stencil.access %x[0, 1] : !temp
      %old = stencil.access %y[0, 0] : !temp
      %sum = arith.addf %below, %right : f64
      %difference = arith.subf %sum, %here : f64
      %new = arith.addf %old, %difference : f64
      stencil.return %new : f64
    }
    stencil.store %velocity to %v_next(<[0, 0], [24, 70]>) : !temp to !field
    %v0_from = stencil.load %v_next : !field -> !temp
    %v0 = stencil.apply(%x = %v0_from : !temp) -> (!temp) {
      %cell = stencil.access %x[24, 0] : !temp
      stencil.return %cell : f64
    }
    stencil.store %v0 to %v_next(<[-1, 0], [0, 70]>) : !temp to !field
    %v1_from = stencil.load %v_next : !field -> !temp
    %v1 = stencil.apply(%x = %v1_from : !temp) -> (!temp) {
      %cell = stencil.access %x[0, 70] : !temp
      stencil.return %cell : f64
    }
    stencil.store %v1 to %v_next(<[-1, -1], [24, 0]>) : !temp to !field
    %filled = stencil.load %v_next : !field -> !temp
    %stepped = stencil.apply(%x = %pressure : !temp, %y = %filled : !temp) -> (!temp) {
      %old = stencil.access %x[0, 0] : !temp
      %here = stencil.access %y[0, 0] : !temp
      %corner = stencil.access %y[-1, -1] : !temp
      %quarter = arith.constant 0.25 : f64
      %divergence = arith.subf %here, %corner : f64
      %scaled = arith.mulf %divergence, %quarter : f64
      %new = arith.addf %old, %scaled : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %p_next(<[0, 0], [24, 70]>) : !temp to !field
    scf.yield %p_next, %p_now, %v_next, %v_now : !field, !field, !field, !field
  }
  return
}
