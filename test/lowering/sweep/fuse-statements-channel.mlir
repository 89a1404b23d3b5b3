// A grid that is periodic along one dimension, between walls along the other: what statements read
// beyond the walls they leave out, by the coordinates of their points.
//
// RUN: stencilc run %s --function=channel --on=emulator --verify --seed=1 --plan loop:mapping=warp,loop:steps=2,loop:points=1x2,loop:threads=1x64 | FileCheck %s
// RUN: stencilc compile %s --emit=pipeline --plan loop:mapping=warp,loop:steps=2,loop:points=1x2,loop:threads=1x64 | FileCheck %s --check-prefix=DRAWN
// RUN: not stencilc compile %S/Inputs/open-channel.mlir --emit=gpu -o %t --plan loop:mapping=warp 2>&1 | FileCheck %s --check-prefix=OPEN
//
// CHECK: plan      loop:
// CHECK: verified: bit-identical
//
// Columns beyond the walls are mirrored by the statement; rows come from the other end.
// DRAWN:      sweep "loop", mapping warp, {{.*}}, periodic along 0
// DRAWN-NEXT: 2 steps of 1 statement over the planes 0 to 21, tight skew
// DRAWN:      step {{.*}} from a[p-2 p-1 p]
//
// Cells beyond a side that nothing fills are read as they are: a grid that is periodic has no place
// for them.
// OPEN: error: {{.*}} has keys for 'loop', which is no kernel
// OPEN: note: {{.*}} a loop cannot be one sweep: it copies cells of a field that it also computes from, not from the other end of the domain

!field = !stencil.field<[-1,23]x[-1,41]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @channel(%a: !field, %b: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 9 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %a, %next = %b) -> (!field, !field) {
    %t0 = stencil.load %now : !field -> !temp
    %y_low = stencil.apply(%u = %t0 : !temp) -> (!temp) attributes {stencil.stage = "y_low"} {
      %0 = stencil.access %u[22, 0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %y_low to %now(<[-1, 0], [0, 40]>) : !temp to !field
    %t1 = stencil.load %now : !field -> !temp
    %y_high = stencil.apply(%u = %t1 : !temp) -> (!temp) attributes {stencil.stage = "y_high"} {
      %0 = stencil.access %u[-22, 0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %y_high to %now(<[22, 0], [23, 40]>) : !temp to !field
    %t2 = stencil.load %now : !field -> !temp
    %x_low = stencil.apply(%u = %t2 : !temp) -> (!temp)
        attributes {stencil.stage = "x_low"} {
      %0 = stencil.access %u[0, 1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %x_low to %now(<[-1, -1], [23, 0]>) : !temp to !field
    %t3 = stencil.load %now : !field -> !temp
    %x_high = stencil.apply(%u = %t3 : !temp) -> (!temp)
        attributes {stencil.stage = "x_high"} {
      %0 = stencil.access %u[0, -1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %x_high to %now(<[-1, 40], [23, 41]>) : !temp to !field
    %t4 = stencil.load %now : !field -> !temp
    %new = stencil.apply(%u = %t4 : !temp) -> (!temp) attributes {stencil.stage = "step"} {
      %0 = stencil.access %u[-1, 0] : !temp
      %1 = stencil.access %u[1, 0] : !temp
      %2 = stencil.access %u[0, -1] : !temp
      %3 = stencil.access %u[0, 1] : !temp
      %4 = arith.addf %0, %1 : f64
      %5 = arith.subf %4, %2 : f64
      %6 = arith.subf %5, %3 : f64
      stencil.return %6 : f64
    }
    stencil.store %new to %next(<[0, 0], [22, 40]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
