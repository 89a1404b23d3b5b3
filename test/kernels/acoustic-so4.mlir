// The acoustic wave equation in three dimensions, in a medium of varying velocity.
//
// w' = 2 u - w + m * L(u), L the fourth-order Laplacian with weights -1/12, 4/3, -5/2, 4/3, -1/12
// along each axis, m = (v dt / h)^2 an array [Fornberg, Generation of Finite Difference Formulas on
// Arbitrarily Spaced Grids, Mathematics of Computation 1988]. Three fields change places every
// step, and the new values overwrite those of two steps ago. Radius 2, 20 x 24 x 28 points, f64, nine
// steps. 19 FLOPs per point.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --plan mapping=block,steps=2,points=1x2x1,threads=1x8x32,reads=queue | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: 19 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[-2,22]x[-2,26]x[-2,30]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @acoustic(%older: !field, %old: !field, %new: !field, %medium: !field) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 9 : index
  %m = stencil.load %medium : !field -> !temp
  %end:3 = scf.for %step = %first to %steps step %one
      iter_args(%before = %older, %now = %old, %next = %new) -> (!field, !field, !field) {
    %past = stencil.load %before : !field -> !temp
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%w = %past : !temp, %u = %values : !temp, %k = %m : !temp) -> (!temp) {
      %wide = arith.constant -0.083333333333333329 : f64
      %near = arith.constant 1.3333333333333333 : f64
      %centre = arith.constant -7.5 : f64
      %two = arith.constant 2.0 : f64
      %here = stencil.access %u[0, 0, 0] : !temp
      %zmm = stencil.access %u[-2, 0, 0] : !temp
      %zm = stencil.access %u[-1, 0, 0] : !temp
      %zp = stencil.access %u[1, 0, 0] : !temp
      %zpp = stencil.access %u[2, 0, 0] : !temp
      %ymm = stencil.access %u[0, -2, 0] : !temp
      %ym = stencil.access %u[0, -1, 0] : !temp
      %yp = stencil.access %u[0, 1, 0] : !temp
      %ypp = stencil.access %u[0, 2, 0] : !temp
      %xmm = stencil.access %u[0, 0, -2] : !temp
      %xm = stencil.access %u[0, 0, -1] : !temp
      %xp = stencil.access %u[0, 0, 1] : !temp
      %xpp = stencil.access %u[0, 0, 2] : !temp
      %velocity = stencil.access %k[0, 0, 0] : !temp
      %past_ = stencil.access %w[0, 0, 0] : !temp
      %far_z = arith.addf %zmm, %zpp : f64
      %far_y = arith.addf %ymm, %ypp : f64
      %far_x = arith.addf %xmm, %xpp : f64
      %far_zy = arith.addf %far_z, %far_y : f64
      %far = arith.addf %far_zy, %far_x : f64
      %near_z = arith.addf %zm, %zp : f64
      %near_y = arith.addf %ym, %yp : f64
      %near_x = arith.addf %xm, %xp : f64
      %near_zy = arith.addf %near_z, %near_y : f64
      %close = arith.addf %near_zy, %near_x : f64
      %l0 = arith.mulf %far, %wide fastmath<contract> : f64
      %l1 = arith.mulf %close, %near fastmath<contract> : f64
      %l2 = arith.addf %l1, %l0 fastmath<contract> : f64
      %l3 = arith.mulf %here, %centre fastmath<contract> : f64
      %laplacian = arith.addf %l3, %l2 fastmath<contract> : f64
      %twice = arith.mulf %here, %two fastmath<contract> : f64
      %inertia = arith.subf %twice, %past_ fastmath<contract> : f64
      %force = arith.mulf %velocity, %laplacian fastmath<contract> : f64
      %ahead = arith.addf %force, %inertia fastmath<contract> : f64
      stencil.return %ahead : f64
    }
    stencil.store %stepped to %next(<[0, 0, 0], [20, 24, 28]>) : !temp to !field
    scf.yield %now, %next, %before : !field, !field, !field
  }
  return
}
