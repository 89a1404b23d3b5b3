// Ghost cells of what one statement has stored are filled before the next statement reads them.
//
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-fold-ghost-cells | FileCheck %s
//
// DEFINE: %{steps} = 5
// DEFINE: %{run} = stencilc run %s --on=interpreter --same-after='builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,stencil-fold-ghost-cells,stencil-infer-bounds))' --seed=1 --arg 4=%{steps}
// DEFINE: %{kernels} = stencilc run %s --on=emulator --verify --seed=1 --arg 4=%{steps} --plan loop:mapping=warp,loop:steps=2,loop:points=1x2,loop:threads=1x64
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=SWEPT
// REDEFINE: %{steps} = 0
// RUN: %{run}
// REDEFINE: %{steps} = 1
// RUN: %{run}
// REDEFINE: %{steps} = 8
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=SWEPT
// SWEPT: plan      loop:
// SWEPT: verified: bit-identical

!field = !stencil.field<[-1,25]x[-1,71]xf64>
!temp = !stencil.temp<?x?xf64>

// The velocity's cell before the first is the negative of it; the pressure's behind the last is the
// last one.
//
// CHECK-LABEL: func.func @leapfrog(
// CHECK:         scf.for
// CHECK-NOT:       stencil.store {{.*}}(<[24, 0], [25, 70]>)
// CHECK-NOT:       stencil.store {{.*}}(<[-1, 0], [0, 70]>)
// CHECK:           arith.select
// CHECK:           stencil.store %{{.*}} to %[[NEW:.*]](<[0, 0], [24, 70]>)
// CHECK-NEXT:      stencil.load %[[NEW]]
// CHECK-NOT:       stencil.store {{.*}}(<[-1, 0], [0, 70]>)
// CHECK:           arith.negf
// CHECK:           arith.select
// CHECK:         } {stencil.continued}
// CHECK:         scf.for
// CHECK:           stencil.store {{.*}}(<[24, 0], [25, 70]>)
// CHECK:           stencil.store {{.*}}(<[-1, 0], [0, 70]>)
func.func @leapfrog(%p: !field, %q: !field, %v: !field, %w: !field, %steps: index) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:4 = scf.for %step = %first to %steps step %one
      iter_args(%p_now = %p, %p_next = %q, %v_now = %v, %v_next = %w)
      -> (!field, !field, !field, !field) {
    %p_from = stencil.load %p_now : !field -> !temp
    %p_high = stencil.apply(%x = %p_from : !temp) -> (!temp) {
      %cell = stencil.access %x[-1, 0] : !temp
      stencil.return %cell : f64
    }
    stencil.store %p_high to %p_now(<[24, 0], [25, 70]>) : !temp to !field
    %pressure = stencil.load %p_now : !field -> !temp
    %before = stencil.load %v_now : !field -> !temp
    %velocity = stencil.apply(%x = %pressure : !temp, %y = %before : !temp) -> (!temp) {
      %here = stencil.access %x[0, 0] : !temp
      %below = stencil.access %x[1, 0] : !temp
      %old = stencil.access %y[0, 0] : !temp
      %difference = arith.subf %below, %here : f64
      %new = arith.addf %old, %difference : f64
      stencil.return %new : f64
    }
    stencil.store %velocity to %v_next(<[0, 0], [24, 70]>) : !temp to !field
    %v_from = stencil.load %v_next : !field -> !temp
    %v_low = stencil.apply(%x = %v_from : !temp) -> (!temp) {
      %cell = stencil.access %x[1, 0] : !temp
      %minus = arith.negf %cell : f64
      stencil.return %minus : f64
    }
    stencil.store %v_low to %v_next(<[-1, 0], [0, 70]>) : !temp to !field
    %filled = stencil.load %v_next : !field -> !temp
    %stepped = stencil.apply(%x = %pressure : !temp, %y = %filled : !temp) -> (!temp) {
      %old = stencil.access %x[0, 0] : !temp
      %here = stencil.access %y[0, 0] : !temp
      %above = stencil.access %y[-1, 0] : !temp
      %quarter = arith.constant 0.25 : f64
      %divergence = arith.subf %here, %above : f64
      %scaled = arith.mulf %divergence, %quarter : f64
      %new = arith.addf %old, %scaled : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %p_next(<[0, 0], [24, 70]>) : !temp to !field
    scf.yield %p_next, %p_now, %v_next, %v_now : !field, !field, !field, !field
  }
  return
}
