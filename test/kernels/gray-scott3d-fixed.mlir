// The Gray-Scott model: two substances that react and spread, held fixed at the sides.
//
// u' = u + Du L(u) - u v^2 + F (1 - u), v' = v + Dv L(v) + u v^2 - (F + k) v, L the sum of the six
// face neighbours less six times the centre, Du = 0.16, Dv = 0.08, F = 0.035, k = 0.06, forward
// Euler with steps of one [Pearson, Complex Patterns in a Simple System, Science 1993]. The cells
// outside the domain hold what u and v are at the sides, and are never stored. One apply computes
// both unknowns; two fields of each change places every step, in one loop. Radius 1, 20 x 24 x 28
// points, f64, six steps. 27 FLOPs per point and step.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: verified: bit-identical

!field = !stencil.field<[-1,21]x[-1,25]x[-1,29]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @gray_scott3d_fixed(%u0: !field, %v0: !field, %u1: !field, %v1: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 6 : index
  %one = arith.constant 1 : index
  %end:4 = scf.for %step = %first to %steps step %one
      iter_args(%u_now = %u0, %v_now = %v0, %u_next = %u1, %v_next = %v1)
      -> (!field, !field, !field, !field) {
    %u_values = stencil.load %u_now : !field -> !temp
    %v_values = stencil.load %v_now : !field -> !temp
    %u_stepped, %v_stepped = stencil.apply(%u = %u_values : !temp, %v = %v_values : !temp)
        -> (!temp, !temp) attributes {stencil.stage = "react"} {
      // The reaction consumes u and makes v.
      %u_here = stencil.access %u[0, 0, 0] : !temp
      %v_here = stencil.access %v[0, 0, 0] : !temp
      %v_squared = arith.mulf %v_here, %v_here fastmath<reassoc,contract,arcp,afn> : f64
      %reaction = arith.mulf %u_here, %v_squared fastmath<reassoc,contract,arcp,afn> : f64
      // The sum over the faces, less six times the centre.
      %u_zm = stencil.access %u[-1, 0, 0] : !temp
      %u_zp = stencil.access %u[1, 0, 0] : !temp
      %u_z = arith.addf %u_zm, %u_zp fastmath<reassoc,contract,arcp,afn> : f64
      %u_ym = stencil.access %u[0, -1, 0] : !temp
      %u_yp = stencil.access %u[0, 1, 0] : !temp
      %u_y = arith.addf %u_ym, %u_yp fastmath<reassoc,contract,arcp,afn> : f64
      %u_xm = stencil.access %u[0, 0, -1] : !temp
      %u_xp = stencil.access %u[0, 0, 1] : !temp
      %u_x = arith.addf %u_xm, %u_xp fastmath<reassoc,contract,arcp,afn> : f64
      %u_zy = arith.addf %u_z, %u_y fastmath<reassoc,contract,arcp,afn> : f64
      %u_faces = arith.addf %u_zy, %u_x fastmath<reassoc,contract,arcp,afn> : f64
      %six = arith.constant 6.0 : f64
      %u_six = arith.mulf %six, %u_here fastmath<reassoc,contract,arcp,afn> : f64
      %u_laplacian = arith.subf %u_faces, %u_six fastmath<reassoc,contract,arcp,afn> : f64
      %u_diffusivity = arith.constant 0.16 : f64
      %feed = arith.constant 0.035 : f64
      %one = arith.constant 1.0 : f64
      %u_spread = arith.mulf %u_diffusivity, %u_laplacian fastmath<reassoc,contract,arcp,afn> : f64
      %u_missing = arith.subf %one, %u_here fastmath<reassoc,contract,arcp,afn> : f64
      %u_fed = arith.mulf %feed, %u_missing fastmath<reassoc,contract,arcp,afn> : f64
      %u_change = arith.subf %u_spread, %reaction fastmath<reassoc,contract,arcp,afn> : f64
      %u_kept = arith.addf %u_here, %u_change fastmath<reassoc,contract,arcp,afn> : f64
      %u_new = arith.addf %u_kept, %u_fed fastmath<reassoc,contract,arcp,afn> : f64
      // The sum over the faces, less six times the centre.
      %v_zm = stencil.access %v[-1, 0, 0] : !temp
      %v_zp = stencil.access %v[1, 0, 0] : !temp
      %v_z = arith.addf %v_zm, %v_zp fastmath<reassoc,contract,arcp,afn> : f64
      %v_ym = stencil.access %v[0, -1, 0] : !temp
      %v_yp = stencil.access %v[0, 1, 0] : !temp
      %v_y = arith.addf %v_ym, %v_yp fastmath<reassoc,contract,arcp,afn> : f64
      %v_xm = stencil.access %v[0, 0, -1] : !temp
      %v_xp = stencil.access %v[0, 0, 1] : !temp
      %v_x = arith.addf %v_xm, %v_xp fastmath<reassoc,contract,arcp,afn> : f64
      %v_zy = arith.addf %v_z, %v_y fastmath<reassoc,contract,arcp,afn> : f64
      %v_faces = arith.addf %v_zy, %v_x fastmath<reassoc,contract,arcp,afn> : f64
      %v_six = arith.mulf %six, %v_here fastmath<reassoc,contract,arcp,afn> : f64
      %v_laplacian = arith.subf %v_faces, %v_six fastmath<reassoc,contract,arcp,afn> : f64
      %v_diffusivity = arith.constant 0.08 : f64
      %loss = arith.constant 0.095 : f64
      %v_spread = arith.mulf %v_diffusivity, %v_laplacian fastmath<reassoc,contract,arcp,afn> : f64
      %v_lost = arith.mulf %loss, %v_here fastmath<reassoc,contract,arcp,afn> : f64
      %v_change = arith.addf %v_spread, %reaction fastmath<reassoc,contract,arcp,afn> : f64
      %v_kept = arith.addf %v_here, %v_change fastmath<reassoc,contract,arcp,afn> : f64
      %v_new = arith.subf %v_kept, %v_lost fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %u_new, %v_new : f64, f64
    }
    stencil.store %u_stepped to %u_next(<[0, 0, 0], [20, 24, 28]>) : !temp to !field
    stencil.store %v_stepped to %v_next(<[0, 0, 0], [20, 24, 28]>) : !temp to !field
    scf.yield %u_next, %v_next, %u_now, %v_now : !field, !field, !field, !field
  }
  return
}
