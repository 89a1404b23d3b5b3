// Advection at a constant velocity: third order in space, three stages of Runge-Kutta in time.
//
// A(u) = u - the sum over the axes of c (2 u[+1] + 3 u - 6 u[-1] + u[-2]) / 6, differences that
// lean against the wind, with the Courant numbers c = 1/8, 3/16, 1/4 along z, y, x. Stages a =
// A(u), b = 3/4 u + 1/4 A(a), u' = 1/3 u + 2/3 A(b): strong-stability-preserving [Shu, Osher,
// Efficient Implementation of Essentially Non-Oscillatory Shock-Capturing Schemes, Journal of
// Computational Physics 1988]. The stages are temporaries of one step; two fields change places
// every step, and the cells outside the domain, six before it and three after it, are never stored.
// 22 x 24 x 26 points, f32, three steps. 23 FLOPs per stage and 6 to join them: 75 per point and
// step.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: verified: bit-identical

!field = !stencil.field<[-6,25]x[-6,27]x[-6,29]xf32>
!temp = !stencil.temp<?x?x?xf32>

func.func @rk3_advection(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 3 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %first_stage = stencil.apply(%u = %values : !temp) -> (!temp)
        attributes {stencil.stage = "first"} {
      // Slopes along the axes, times six.
      %two = arith.constant 2.0 : f32
      %three = arith.constant 3.0 : f32
      %six = arith.constant 6.0 : f32
      %here = stencil.access %u[0, 0, 0] : !temp
      %thrice = arith.mulf %three, %here fastmath<reassoc,contract,arcp,afn> : f32
      %u_zp = stencil.access %u[1, 0, 0] : !temp
      %ahead_z = arith.mulf %two, %u_zp fastmath<reassoc,contract,arcp,afn> : f32
      %u_zm = stencil.access %u[-1, 0, 0] : !temp
      %behind_z = arith.mulf %six, %u_zm fastmath<reassoc,contract,arcp,afn> : f32
      %near_z = arith.subf %ahead_z, %behind_z fastmath<reassoc,contract,arcp,afn> : f32
      %u_zm2 = stencil.access %u[-2, 0, 0] : !temp
      %wide_z = arith.addf %near_z, %u_zm2 fastmath<reassoc,contract,arcp,afn> : f32
      %slope_z = arith.addf %wide_z, %thrice fastmath<reassoc,contract,arcp,afn> : f32
      %u_yp = stencil.access %u[0, 1, 0] : !temp
      %ahead_y = arith.mulf %two, %u_yp fastmath<reassoc,contract,arcp,afn> : f32
      %u_ym = stencil.access %u[0, -1, 0] : !temp
      %behind_y = arith.mulf %six, %u_ym fastmath<reassoc,contract,arcp,afn> : f32
      %near_y = arith.subf %ahead_y, %behind_y fastmath<reassoc,contract,arcp,afn> : f32
      %u_ym2 = stencil.access %u[0, -2, 0] : !temp
      %wide_y = arith.addf %near_y, %u_ym2 fastmath<reassoc,contract,arcp,afn> : f32
      %slope_y = arith.addf %wide_y, %thrice fastmath<reassoc,contract,arcp,afn> : f32
      %u_xp = stencil.access %u[0, 0, 1] : !temp
      %ahead_x = arith.mulf %two, %u_xp fastmath<reassoc,contract,arcp,afn> : f32
      %u_xm = stencil.access %u[0, 0, -1] : !temp
      %behind_x = arith.mulf %six, %u_xm fastmath<reassoc,contract,arcp,afn> : f32
      %near_x = arith.subf %ahead_x, %behind_x fastmath<reassoc,contract,arcp,afn> : f32
      %u_xm2 = stencil.access %u[0, 0, -2] : !temp
      %wide_x = arith.addf %near_x, %u_xm2 fastmath<reassoc,contract,arcp,afn> : f32
      %slope_x = arith.addf %wide_x, %thrice fastmath<reassoc,contract,arcp,afn> : f32
      // Courant numbers over six.
      %courant_z = arith.constant 0.125 : f32
      %flow_z = arith.mulf %courant_z, %slope_z fastmath<reassoc,contract,arcp,afn> : f32
      %courant_y = arith.constant 0.1875 : f32
      %flow_y = arith.mulf %courant_y, %slope_y fastmath<reassoc,contract,arcp,afn> : f32
      %courant_x = arith.constant 0.25 : f32
      %flow_x = arith.mulf %courant_x, %slope_x fastmath<reassoc,contract,arcp,afn> : f32
      %flow_zy = arith.addf %flow_z, %flow_y fastmath<reassoc,contract,arcp,afn> : f32
      %sum = arith.addf %flow_zy, %flow_x fastmath<reassoc,contract,arcp,afn> : f32
      %sixth = arith.constant 0.16666667 : f32
      %flow = arith.mulf %sum, %sixth fastmath<reassoc,contract,arcp,afn> : f32
      %stepped = arith.subf %here, %flow fastmath<reassoc,contract,arcp,afn> : f32
      stencil.return %stepped : f32
    }
    %second_stage = stencil.apply(%u = %first_stage : !temp, %start = %values : !temp) -> (!temp)
        attributes {stencil.stage = "second"} {
      // Slopes along the axes, times six.
      %two = arith.constant 2.0 : f32
      %three = arith.constant 3.0 : f32
      %six = arith.constant 6.0 : f32
      %here = stencil.access %u[0, 0, 0] : !temp
      %thrice = arith.mulf %three, %here fastmath<reassoc,contract,arcp,afn> : f32
      %u_zp = stencil.access %u[1, 0, 0] : !temp
      %ahead_z = arith.mulf %two, %u_zp fastmath<reassoc,contract,arcp,afn> : f32
      %u_zm = stencil.access %u[-1, 0, 0] : !temp
      %behind_z = arith.mulf %six, %u_zm fastmath<reassoc,contract,arcp,afn> : f32
      %near_z = arith.subf %ahead_z, %behind_z fastmath<reassoc,contract,arcp,afn> : f32
      %u_zm2 = stencil.access %u[-2, 0, 0] : !temp
      %wide_z = arith.addf %near_z, %u_zm2 fastmath<reassoc,contract,arcp,afn> : f32
      %slope_z = arith.addf %wide_z, %thrice fastmath<reassoc,contract,arcp,afn> : f32
      %u_yp = stencil.access %u[0, 1, 0] : !temp
      %ahead_y = arith.mulf %two, %u_yp fastmath<reassoc,contract,arcp,afn> : f32
      %u_ym = stencil.access %u[0, -1, 0] : !temp
      %behind_y = arith.mulf %six, %u_ym fastmath<reassoc,contract,arcp,afn> : f32
      %near_y = arith.subf %ahead_y, %behind_y fastmath<reassoc,contract,arcp,afn> : f32
      %u_ym2 = stencil.access %u[0, -2, 0] : !temp
      %wide_y = arith.addf %near_y, %u_ym2 fastmath<reassoc,contract,arcp,afn> : f32
      %slope_y = arith.addf %wide_y, %thrice fastmath<reassoc,contract,arcp,afn> : f32
      %u_xp = stencil.access %u[0, 0, 1] : !temp
      %ahead_x = arith.mulf %two, %u_xp fastmath<reassoc,contract,arcp,afn> : f32
      %u_xm = stencil.access %u[0, 0, -1] : !temp
      %behind_x = arith.mulf %six, %u_xm fastmath<reassoc,contract,arcp,afn> : f32
      %near_x = arith.subf %ahead_x, %behind_x fastmath<reassoc,contract,arcp,afn> : f32
      %u_xm2 = stencil.access %u[0, 0, -2] : !temp
      %wide_x = arith.addf %near_x, %u_xm2 fastmath<reassoc,contract,arcp,afn> : f32
      %slope_x = arith.addf %wide_x, %thrice fastmath<reassoc,contract,arcp,afn> : f32
      // Courant numbers over six.
      %courant_z = arith.constant 0.125 : f32
      %flow_z = arith.mulf %courant_z, %slope_z fastmath<reassoc,contract,arcp,afn> : f32
      %courant_y = arith.constant 0.1875 : f32
      %flow_y = arith.mulf %courant_y, %slope_y fastmath<reassoc,contract,arcp,afn> : f32
      %courant_x = arith.constant 0.25 : f32
      %flow_x = arith.mulf %courant_x, %slope_x fastmath<reassoc,contract,arcp,afn> : f32
      %flow_zy = arith.addf %flow_z, %flow_y fastmath<reassoc,contract,arcp,afn> : f32
      %sum = arith.addf %flow_zy, %flow_x fastmath<reassoc,contract,arcp,afn> : f32
      %sixth = arith.constant 0.16666667 : f32
      %flow = arith.mulf %sum, %sixth fastmath<reassoc,contract,arcp,afn> : f32
      %stepped = arith.subf %here, %flow fastmath<reassoc,contract,arcp,afn> : f32
      %quarter = arith.constant 0.25 : f32
      %three_quarters = arith.constant 0.75 : f32
      %start_c = stencil.access %start[0, 0, 0] : !temp
      %kept = arith.mulf %three_quarters, %start_c fastmath<reassoc,contract,arcp,afn> : f32
      %moved = arith.mulf %quarter, %stepped fastmath<reassoc,contract,arcp,afn> : f32
      %new = arith.addf %kept, %moved fastmath<reassoc,contract,arcp,afn> : f32
      stencil.return %new : f32
    }
    %third_stage = stencil.apply(%u = %second_stage : !temp, %start = %values : !temp) -> (!temp)
        attributes {stencil.stage = "third"} {
      // Slopes along the axes, times six.
      %two = arith.constant 2.0 : f32
      %three = arith.constant 3.0 : f32
      %six = arith.constant 6.0 : f32
      %here = stencil.access %u[0, 0, 0] : !temp
      %thrice = arith.mulf %three, %here fastmath<reassoc,contract,arcp,afn> : f32
      %u_zp = stencil.access %u[1, 0, 0] : !temp
      %ahead_z = arith.mulf %two, %u_zp fastmath<reassoc,contract,arcp,afn> : f32
      %u_zm = stencil.access %u[-1, 0, 0] : !temp
      %behind_z = arith.mulf %six, %u_zm fastmath<reassoc,contract,arcp,afn> : f32
      %near_z = arith.subf %ahead_z, %behind_z fastmath<reassoc,contract,arcp,afn> : f32
      %u_zm2 = stencil.access %u[-2, 0, 0] : !temp
      %wide_z = arith.addf %near_z, %u_zm2 fastmath<reassoc,contract,arcp,afn> : f32
      %slope_z = arith.addf %wide_z, %thrice fastmath<reassoc,contract,arcp,afn> : f32
      %u_yp = stencil.access %u[0, 1, 0] : !temp
      %ahead_y = arith.mulf %two, %u_yp fastmath<reassoc,contract,arcp,afn> : f32
      %u_ym = stencil.access %u[0, -1, 0] : !temp
      %behind_y = arith.mulf %six, %u_ym fastmath<reassoc,contract,arcp,afn> : f32
      %near_y = arith.subf %ahead_y, %behind_y fastmath<reassoc,contract,arcp,afn> : f32
      %u_ym2 = stencil.access %u[0, -2, 0] : !temp
      %wide_y = arith.addf %near_y, %u_ym2 fastmath<reassoc,contract,arcp,afn> : f32
      %slope_y = arith.addf %wide_y, %thrice fastmath<reassoc,contract,arcp,afn> : f32
      %u_xp = stencil.access %u[0, 0, 1] : !temp
      %ahead_x = arith.mulf %two, %u_xp fastmath<reassoc,contract,arcp,afn> : f32
      %u_xm = stencil.access %u[0, 0, -1] : !temp
      %behind_x = arith.mulf %six, %u_xm fastmath<reassoc,contract,arcp,afn> : f32
      %near_x = arith.subf %ahead_x, %behind_x fastmath<reassoc,contract,arcp,afn> : f32
      %u_xm2 = stencil.access %u[0, 0, -2] : !temp
      %wide_x = arith.addf %near_x, %u_xm2 fastmath<reassoc,contract,arcp,afn> : f32
      %slope_x = arith.addf %wide_x, %thrice fastmath<reassoc,contract,arcp,afn> : f32
      // Courant numbers over six.
      %courant_z = arith.constant 0.125 : f32
      %flow_z = arith.mulf %courant_z, %slope_z fastmath<reassoc,contract,arcp,afn> : f32
      %courant_y = arith.constant 0.1875 : f32
      %flow_y = arith.mulf %courant_y, %slope_y fastmath<reassoc,contract,arcp,afn> : f32
      %courant_x = arith.constant 0.25 : f32
      %flow_x = arith.mulf %courant_x, %slope_x fastmath<reassoc,contract,arcp,afn> : f32
      %flow_zy = arith.addf %flow_z, %flow_y fastmath<reassoc,contract,arcp,afn> : f32
      %sum = arith.addf %flow_zy, %flow_x fastmath<reassoc,contract,arcp,afn> : f32
      %sixth = arith.constant 0.16666667 : f32
      %flow = arith.mulf %sum, %sixth fastmath<reassoc,contract,arcp,afn> : f32
      %stepped = arith.subf %here, %flow fastmath<reassoc,contract,arcp,afn> : f32
      %third = arith.constant 0.33333334 : f32
      %two_thirds = arith.constant 0.6666667 : f32
      %start_c = stencil.access %start[0, 0, 0] : !temp
      %kept = arith.mulf %third, %start_c fastmath<reassoc,contract,arcp,afn> : f32
      %moved = arith.mulf %two_thirds, %stepped fastmath<reassoc,contract,arcp,afn> : f32
      %new = arith.addf %kept, %moved fastmath<reassoc,contract,arcp,afn> : f32
      stencil.return %new : f32
    }
    stencil.store %third_stage to %next(<[0, 0, 0], [22, 24, 26]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
