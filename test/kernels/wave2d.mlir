// The acoustic wave equation in two dimensions: three fields change places every step.
//
// w' = 2 u - w + c2 * L(u), L the fourth-order Laplacian with weights -1/12, 4/3, -5/2, 4/3, -1/12
// along each axis, c2 = (c dt / h)^2 [Fornberg, Generation of Finite Difference Formulas on
// Arbitrarily Spaced Grids, Mathematics of Computation 1988]. The new values overwrite those of two
// steps ago; how many steps is known at launch only. Radius 2, 40 x 50 points, f64. 15 FLOPs per
// point.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg c2=0.1 --arg steps=7 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg c2=0.1 --arg steps=0 | FileCheck %s
//
// CHECK: 15 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[-2,42]x[-2,52]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @wave2d(%older: !field, %old: !field, %new: !field, %c2: f64, %steps: index) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:3 = scf.for %step = %first to %steps step %one
      iter_args(%before = %older, %now = %old, %next = %new) -> (!field, !field, !field) {
    %past = stencil.load %before : !field -> !temp
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%w = %past : !temp, %u = %values : !temp, %k = %c2 : f64) -> (!temp) {
      %wide = arith.constant -0.083333333333333329 : f64
      %near = arith.constant 1.3333333333333333 : f64
      %centre = arith.constant -5.0 : f64
      %two = arith.constant 2.0 : f64
      %here = stencil.access %u[0, 0] : !temp
      %ymm = stencil.access %u[-2, 0] : !temp
      %ypp = stencil.access %u[2, 0] : !temp
      %xmm = stencil.access %u[0, -2] : !temp
      %xpp = stencil.access %u[0, 2] : !temp
      %ym = stencil.access %u[-1, 0] : !temp
      %yp = stencil.access %u[1, 0] : !temp
      %xm = stencil.access %u[0, -1] : !temp
      %xp = stencil.access %u[0, 1] : !temp
      %far_y = arith.addf %ymm, %ypp : f64
      %far_x = arith.addf %xmm, %xpp : f64
      %far = arith.addf %far_y, %far_x : f64
      %near_y = arith.addf %ym, %yp : f64
      %near_x = arith.addf %xm, %xp : f64
      %close = arith.addf %near_y, %near_x : f64
      %l0 = arith.mulf %far, %wide fastmath<contract> : f64
      %l1 = arith.mulf %close, %near fastmath<contract> : f64
      %l2 = arith.addf %l1, %l0 fastmath<contract> : f64
      %l3 = arith.mulf %here, %centre fastmath<contract> : f64
      %laplacian = arith.addf %l3, %l2 fastmath<contract> : f64
      %before_ = stencil.access %w[0, 0] : !temp
      %twice = arith.mulf %here, %two fastmath<contract> : f64
      %inertia = arith.subf %twice, %before_ fastmath<contract> : f64
      %force = arith.mulf %k, %laplacian fastmath<contract> : f64
      %ahead = arith.addf %force, %inertia fastmath<contract> : f64
      stencil.return %ahead : f64
    }
    stencil.store %stepped to %next(<[0, 0], [40, 50]>) : !temp to !field
    scf.yield %now, %next, %before : !field, !field, !field
  }
  return
}
