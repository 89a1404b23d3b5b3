// The transport of a scalar by a given wind, with fluxes that do not oscillate: WENO5.
//
// ds/dt = -(the differences of w S, v S, u S between the faces of a cell), in units in which the
// mesh width is one. S at a face is a mean of three parabolas through cells on the side where the
// wind comes from, with weights 0.1 / (e + B0)^2, 0.6 / (e + B1)^2, 0.3 / (e + B2)^2 over their
// sum, where B measures how rough each parabola is and e = 10^-6: fifth order [Jiang, Shu,
// Efficient Implementation of Weighted ENO Schemes, Journal of Computational Physics 1996]. One
// apply computes three fluxes, another their divergence. The wind is three arrays, on the faces
// behind each cell. Radius 3, 14 x 18 x 22 points, f32, one pass. 200 FLOPs per point.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: verified: bit-identical

!field = !stencil.field<[-3,17]x[-3,21]x[-3,25]xf32>
!temp = !stencil.temp<?x?x?xf32>

func.func @weno5(%scalar: !field, %w: !field, %v: !field, %u: !field, %tendency: !field) {
  %values = stencil.load %scalar : !field -> !temp
  %w_values = stencil.load %w : !field -> !temp
  %v_values = stencil.load %v : !field -> !temp
  %u_values = stencil.load %u : !field -> !temp
  %fz, %fy, %fx = stencil.apply(%s = %values : !temp, %w = %w_values : !temp,
      %v = %v_values : !temp, %u = %u_values : !temp)
      -> (!temp, !temp, !temp) attributes {stencil.stage = "fluxes"} {
    %zero = arith.constant 0.0e+00 : f32
    %two = arith.constant 2.0 : f32
    %three = arith.constant 3.0 : f32
    %four = arith.constant 4.0 : f32
    %five = arith.constant 5.0 : f32
    %seven = arith.constant 7.0 : f32
    %eleven = arith.constant 11.0 : f32
    %quarter = arith.constant 0.25 : f32
    %sixth = arith.constant 0.16666667 : f32
    %bend = arith.constant 1.0833334 : f32
    %tiny = arith.constant 1.0e-06 : f32
    %weight0 = arith.constant 0.1 : f32
    %weight1 = arith.constant 0.6 : f32
    %weight2 = arith.constant 0.3 : f32
    // The face behind the cell along z, seen from where the wind comes.
    %wind_z = stencil.access %w[0, 0, 0] : !temp
    %along_z = arith.cmpf ogt, %wind_z, %zero : f32
    %s_zm2 = stencil.access %s[-2, 0, 0] : !temp
    %s_zp3 = stencil.access %s[3, 0, 0] : !temp
    %a_z = arith.select %along_z, %s_zm2, %s_zp3 : f32
    %s_zm = stencil.access %s[-1, 0, 0] : !temp
    %s_zp2 = stencil.access %s[2, 0, 0] : !temp
    %b_z = arith.select %along_z, %s_zm, %s_zp2 : f32
    %s_c = stencil.access %s[0, 0, 0] : !temp
    %s_zp = stencil.access %s[1, 0, 0] : !temp
    %c_z = arith.select %along_z, %s_c, %s_zp : f32
    %d_z = arith.select %along_z, %s_zp, %s_c : f32
    %e_z = arith.select %along_z, %s_zp2, %s_zm : f32
    // Parabolas through three cells, at the face.
    %q0_z0 = arith.mulf %two, %a_z fastmath<reassoc,contract,arcp,afn> : f32
    %q0_z1 = arith.mulf %seven, %b_z fastmath<reassoc,contract,arcp,afn> : f32
    %q0_z2 = arith.subf %q0_z0, %q0_z1 fastmath<reassoc,contract,arcp,afn> : f32
    %q0_z3 = arith.mulf %eleven, %c_z fastmath<reassoc,contract,arcp,afn> : f32
    %q0_z = arith.addf %q0_z2, %q0_z3 fastmath<reassoc,contract,arcp,afn> : f32
    %q1_z0 = arith.mulf %five, %c_z fastmath<reassoc,contract,arcp,afn> : f32
    %q1_z1 = arith.subf %q1_z0, %b_z fastmath<reassoc,contract,arcp,afn> : f32
    %q1_z2 = arith.mulf %two, %d_z fastmath<reassoc,contract,arcp,afn> : f32
    %q1_z = arith.addf %q1_z1, %q1_z2 fastmath<reassoc,contract,arcp,afn> : f32
    %q2_z0 = arith.mulf %two, %c_z fastmath<reassoc,contract,arcp,afn> : f32
    %q2_z1 = arith.mulf %five, %d_z fastmath<reassoc,contract,arcp,afn> : f32
    %q2_z2 = arith.addf %q2_z0, %q2_z1 fastmath<reassoc,contract,arcp,afn> : f32
    %q2_z = arith.subf %q2_z2, %e_z fastmath<reassoc,contract,arcp,afn> : f32
    // How smooth each of them is.
    %bent0_z0 = arith.mulf %two, %b_z fastmath<reassoc,contract,arcp,afn> : f32
    %bent0_z1 = arith.subf %a_z, %bent0_z0 fastmath<reassoc,contract,arcp,afn> : f32
    %bent0_z = arith.addf %bent0_z1, %c_z fastmath<reassoc,contract,arcp,afn> : f32
    %bent1_z0 = arith.mulf %two, %c_z fastmath<reassoc,contract,arcp,afn> : f32
    %bent1_z1 = arith.subf %b_z, %bent1_z0 fastmath<reassoc,contract,arcp,afn> : f32
    %bent1_z = arith.addf %bent1_z1, %d_z fastmath<reassoc,contract,arcp,afn> : f32
    %bent2_z0 = arith.mulf %two, %d_z fastmath<reassoc,contract,arcp,afn> : f32
    %bent2_z1 = arith.subf %c_z, %bent2_z0 fastmath<reassoc,contract,arcp,afn> : f32
    %bent2_z = arith.addf %bent2_z1, %e_z fastmath<reassoc,contract,arcp,afn> : f32
    %steep0_z0 = arith.mulf %four, %b_z fastmath<reassoc,contract,arcp,afn> : f32
    %steep0_z1 = arith.subf %a_z, %steep0_z0 fastmath<reassoc,contract,arcp,afn> : f32
    %steep0_z2 = arith.mulf %three, %c_z fastmath<reassoc,contract,arcp,afn> : f32
    %steep0_z = arith.addf %steep0_z1, %steep0_z2 fastmath<reassoc,contract,arcp,afn> : f32
    %steep1_z = arith.subf %b_z, %d_z fastmath<reassoc,contract,arcp,afn> : f32
    %steep2_z0 = arith.mulf %three, %c_z fastmath<reassoc,contract,arcp,afn> : f32
    %steep2_z1 = arith.mulf %four, %d_z fastmath<reassoc,contract,arcp,afn> : f32
    %steep2_z2 = arith.subf %steep2_z0, %steep2_z1 fastmath<reassoc,contract,arcp,afn> : f32
    %steep2_z = arith.addf %steep2_z2, %e_z fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_z0 = arith.mulf %bent0_z, %bent0_z fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_z1 = arith.mulf %bend, %rough0_z0 fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_z2 = arith.mulf %steep0_z, %steep0_z fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_z3 = arith.mulf %quarter, %rough0_z2 fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_z = arith.addf %rough0_z1, %rough0_z3 fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_z0 = arith.mulf %bent1_z, %bent1_z fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_z1 = arith.mulf %bend, %rough1_z0 fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_z2 = arith.mulf %steep1_z, %steep1_z fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_z3 = arith.mulf %quarter, %rough1_z2 fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_z = arith.addf %rough1_z1, %rough1_z3 fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_z0 = arith.mulf %bent2_z, %bent2_z fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_z1 = arith.mulf %bend, %rough2_z0 fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_z2 = arith.mulf %steep2_z, %steep2_z fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_z3 = arith.mulf %quarter, %rough2_z2 fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_z = arith.addf %rough2_z1, %rough2_z3 fastmath<reassoc,contract,arcp,afn> : f32
    %r0_z = arith.addf %tiny, %rough0_z fastmath<reassoc,contract,arcp,afn> : f32
    %r1_z = arith.addf %tiny, %rough1_z fastmath<reassoc,contract,arcp,afn> : f32
    %r2_z = arith.addf %tiny, %rough2_z fastmath<reassoc,contract,arcp,afn> : f32
    %share0_z0 = arith.mulf %r0_z, %r0_z fastmath<reassoc,contract,arcp,afn> : f32
    %share0_z = arith.divf %weight0, %share0_z0 fastmath<reassoc,contract,arcp,afn> : f32
    %share1_z0 = arith.mulf %r1_z, %r1_z fastmath<reassoc,contract,arcp,afn> : f32
    %share1_z = arith.divf %weight1, %share1_z0 fastmath<reassoc,contract,arcp,afn> : f32
    %share2_z0 = arith.mulf %r2_z, %r2_z fastmath<reassoc,contract,arcp,afn> : f32
    %share2_z = arith.divf %weight2, %share2_z0 fastmath<reassoc,contract,arcp,afn> : f32
    %shares_z0 = arith.addf %share0_z, %share1_z fastmath<reassoc,contract,arcp,afn> : f32
    %shares_z = arith.addf %shares_z0, %share2_z fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_z0 = arith.mulf %share0_z, %q0_z fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_z1 = arith.mulf %share1_z, %q1_z fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_z2 = arith.addf %mixed_z0, %mixed_z1 fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_z3 = arith.mulf %share2_z, %q2_z fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_z = arith.addf %mixed_z2, %mixed_z3 fastmath<reassoc,contract,arcp,afn> : f32
    %mean_z = arith.divf %mixed_z, %shares_z fastmath<reassoc,contract,arcp,afn> : f32
    %scaled_z = arith.mulf %sixth, %wind_z fastmath<reassoc,contract,arcp,afn> : f32
    %flux_z = arith.mulf %scaled_z, %mean_z fastmath<reassoc,contract,arcp,afn> : f32
    // The face behind the cell along y, seen from where the wind comes.
    %wind_y = stencil.access %v[0, 0, 0] : !temp
    %along_y = arith.cmpf ogt, %wind_y, %zero : f32
    %s_ym2 = stencil.access %s[0, -2, 0] : !temp
    %s_yp3 = stencil.access %s[0, 3, 0] : !temp
    %a_y = arith.select %along_y, %s_ym2, %s_yp3 : f32
    %s_ym = stencil.access %s[0, -1, 0] : !temp
    %s_yp2 = stencil.access %s[0, 2, 0] : !temp
    %b_y = arith.select %along_y, %s_ym, %s_yp2 : f32
    %s_yp = stencil.access %s[0, 1, 0] : !temp
    %c_y = arith.select %along_y, %s_c, %s_yp : f32
    %d_y = arith.select %along_y, %s_yp, %s_c : f32
    %e_y = arith.select %along_y, %s_yp2, %s_ym : f32
    // Parabolas through three cells, at the face.
    %q0_y0 = arith.mulf %two, %a_y fastmath<reassoc,contract,arcp,afn> : f32
    %q0_y1 = arith.mulf %seven, %b_y fastmath<reassoc,contract,arcp,afn> : f32
    %q0_y2 = arith.subf %q0_y0, %q0_y1 fastmath<reassoc,contract,arcp,afn> : f32
    %q0_y3 = arith.mulf %eleven, %c_y fastmath<reassoc,contract,arcp,afn> : f32
    %q0_y = arith.addf %q0_y2, %q0_y3 fastmath<reassoc,contract,arcp,afn> : f32
    %q1_y0 = arith.mulf %five, %c_y fastmath<reassoc,contract,arcp,afn> : f32
    %q1_y1 = arith.subf %q1_y0, %b_y fastmath<reassoc,contract,arcp,afn> : f32
    %q1_y2 = arith.mulf %two, %d_y fastmath<reassoc,contract,arcp,afn> : f32
    %q1_y = arith.addf %q1_y1, %q1_y2 fastmath<reassoc,contract,arcp,afn> : f32
    %q2_y0 = arith.mulf %two, %c_y fastmath<reassoc,contract,arcp,afn> : f32
    %q2_y1 = arith.mulf %five, %d_y fastmath<reassoc,contract,arcp,afn> : f32
    %q2_y2 = arith.addf %q2_y0, %q2_y1 fastmath<reassoc,contract,arcp,afn> : f32
    %q2_y = arith.subf %q2_y2, %e_y fastmath<reassoc,contract,arcp,afn> : f32
    // How smooth each of them is.
    %bent0_y0 = arith.mulf %two, %b_y fastmath<reassoc,contract,arcp,afn> : f32
    %bent0_y1 = arith.subf %a_y, %bent0_y0 fastmath<reassoc,contract,arcp,afn> : f32
    %bent0_y = arith.addf %bent0_y1, %c_y fastmath<reassoc,contract,arcp,afn> : f32
    %bent1_y0 = arith.mulf %two, %c_y fastmath<reassoc,contract,arcp,afn> : f32
    %bent1_y1 = arith.subf %b_y, %bent1_y0 fastmath<reassoc,contract,arcp,afn> : f32
    %bent1_y = arith.addf %bent1_y1, %d_y fastmath<reassoc,contract,arcp,afn> : f32
    %bent2_y0 = arith.mulf %two, %d_y fastmath<reassoc,contract,arcp,afn> : f32
    %bent2_y1 = arith.subf %c_y, %bent2_y0 fastmath<reassoc,contract,arcp,afn> : f32
    %bent2_y = arith.addf %bent2_y1, %e_y fastmath<reassoc,contract,arcp,afn> : f32
    %steep0_y0 = arith.mulf %four, %b_y fastmath<reassoc,contract,arcp,afn> : f32
    %steep0_y1 = arith.subf %a_y, %steep0_y0 fastmath<reassoc,contract,arcp,afn> : f32
    %steep0_y2 = arith.mulf %three, %c_y fastmath<reassoc,contract,arcp,afn> : f32
    %steep0_y = arith.addf %steep0_y1, %steep0_y2 fastmath<reassoc,contract,arcp,afn> : f32
    %steep1_y = arith.subf %b_y, %d_y fastmath<reassoc,contract,arcp,afn> : f32
    %steep2_y0 = arith.mulf %three, %c_y fastmath<reassoc,contract,arcp,afn> : f32
    %steep2_y1 = arith.mulf %four, %d_y fastmath<reassoc,contract,arcp,afn> : f32
    %steep2_y2 = arith.subf %steep2_y0, %steep2_y1 fastmath<reassoc,contract,arcp,afn> : f32
    %steep2_y = arith.addf %steep2_y2, %e_y fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_y0 = arith.mulf %bent0_y, %bent0_y fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_y1 = arith.mulf %bend, %rough0_y0 fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_y2 = arith.mulf %steep0_y, %steep0_y fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_y3 = arith.mulf %quarter, %rough0_y2 fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_y = arith.addf %rough0_y1, %rough0_y3 fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_y0 = arith.mulf %bent1_y, %bent1_y fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_y1 = arith.mulf %bend, %rough1_y0 fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_y2 = arith.mulf %steep1_y, %steep1_y fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_y3 = arith.mulf %quarter, %rough1_y2 fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_y = arith.addf %rough1_y1, %rough1_y3 fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_y0 = arith.mulf %bent2_y, %bent2_y fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_y1 = arith.mulf %bend, %rough2_y0 fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_y2 = arith.mulf %steep2_y, %steep2_y fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_y3 = arith.mulf %quarter, %rough2_y2 fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_y = arith.addf %rough2_y1, %rough2_y3 fastmath<reassoc,contract,arcp,afn> : f32
    %r0_y = arith.addf %tiny, %rough0_y fastmath<reassoc,contract,arcp,afn> : f32
    %r1_y = arith.addf %tiny, %rough1_y fastmath<reassoc,contract,arcp,afn> : f32
    %r2_y = arith.addf %tiny, %rough2_y fastmath<reassoc,contract,arcp,afn> : f32
    %share0_y0 = arith.mulf %r0_y, %r0_y fastmath<reassoc,contract,arcp,afn> : f32
    %share0_y = arith.divf %weight0, %share0_y0 fastmath<reassoc,contract,arcp,afn> : f32
    %share1_y0 = arith.mulf %r1_y, %r1_y fastmath<reassoc,contract,arcp,afn> : f32
    %share1_y = arith.divf %weight1, %share1_y0 fastmath<reassoc,contract,arcp,afn> : f32
    %share2_y0 = arith.mulf %r2_y, %r2_y fastmath<reassoc,contract,arcp,afn> : f32
    %share2_y = arith.divf %weight2, %share2_y0 fastmath<reassoc,contract,arcp,afn> : f32
    %shares_y0 = arith.addf %share0_y, %share1_y fastmath<reassoc,contract,arcp,afn> : f32
    %shares_y = arith.addf %shares_y0, %share2_y fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_y0 = arith.mulf %share0_y, %q0_y fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_y1 = arith.mulf %share1_y, %q1_y fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_y2 = arith.addf %mixed_y0, %mixed_y1 fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_y3 = arith.mulf %share2_y, %q2_y fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_y = arith.addf %mixed_y2, %mixed_y3 fastmath<reassoc,contract,arcp,afn> : f32
    %mean_y = arith.divf %mixed_y, %shares_y fastmath<reassoc,contract,arcp,afn> : f32
    %scaled_y = arith.mulf %sixth, %wind_y fastmath<reassoc,contract,arcp,afn> : f32
    %flux_y = arith.mulf %scaled_y, %mean_y fastmath<reassoc,contract,arcp,afn> : f32
    // The face behind the cell along x, seen from where the wind comes.
    %wind_x = stencil.access %u[0, 0, 0] : !temp
    %along_x = arith.cmpf ogt, %wind_x, %zero : f32
    %s_xm2 = stencil.access %s[0, 0, -2] : !temp
    %s_xp3 = stencil.access %s[0, 0, 3] : !temp
    %a_x = arith.select %along_x, %s_xm2, %s_xp3 : f32
    %s_xm = stencil.access %s[0, 0, -1] : !temp
    %s_xp2 = stencil.access %s[0, 0, 2] : !temp
    %b_x = arith.select %along_x, %s_xm, %s_xp2 : f32
    %s_xp = stencil.access %s[0, 0, 1] : !temp
    %c_x = arith.select %along_x, %s_c, %s_xp : f32
    %d_x = arith.select %along_x, %s_xp, %s_c : f32
    %e_x = arith.select %along_x, %s_xp2, %s_xm : f32
    // Parabolas through three cells, at the face.
    %q0_x0 = arith.mulf %two, %a_x fastmath<reassoc,contract,arcp,afn> : f32
    %q0_x1 = arith.mulf %seven, %b_x fastmath<reassoc,contract,arcp,afn> : f32
    %q0_x2 = arith.subf %q0_x0, %q0_x1 fastmath<reassoc,contract,arcp,afn> : f32
    %q0_x3 = arith.mulf %eleven, %c_x fastmath<reassoc,contract,arcp,afn> : f32
    %q0_x = arith.addf %q0_x2, %q0_x3 fastmath<reassoc,contract,arcp,afn> : f32
    %q1_x0 = arith.mulf %five, %c_x fastmath<reassoc,contract,arcp,afn> : f32
    %q1_x1 = arith.subf %q1_x0, %b_x fastmath<reassoc,contract,arcp,afn> : f32
    %q1_x2 = arith.mulf %two, %d_x fastmath<reassoc,contract,arcp,afn> : f32
    %q1_x = arith.addf %q1_x1, %q1_x2 fastmath<reassoc,contract,arcp,afn> : f32
    %q2_x0 = arith.mulf %two, %c_x fastmath<reassoc,contract,arcp,afn> : f32
    %q2_x1 = arith.mulf %five, %d_x fastmath<reassoc,contract,arcp,afn> : f32
    %q2_x2 = arith.addf %q2_x0, %q2_x1 fastmath<reassoc,contract,arcp,afn> : f32
    %q2_x = arith.subf %q2_x2, %e_x fastmath<reassoc,contract,arcp,afn> : f32
    // How smooth each of them is.
    %bent0_x0 = arith.mulf %two, %b_x fastmath<reassoc,contract,arcp,afn> : f32
    %bent0_x1 = arith.subf %a_x, %bent0_x0 fastmath<reassoc,contract,arcp,afn> : f32
    %bent0_x = arith.addf %bent0_x1, %c_x fastmath<reassoc,contract,arcp,afn> : f32
    %bent1_x0 = arith.mulf %two, %c_x fastmath<reassoc,contract,arcp,afn> : f32
    %bent1_x1 = arith.subf %b_x, %bent1_x0 fastmath<reassoc,contract,arcp,afn> : f32
    %bent1_x = arith.addf %bent1_x1, %d_x fastmath<reassoc,contract,arcp,afn> : f32
    %bent2_x0 = arith.mulf %two, %d_x fastmath<reassoc,contract,arcp,afn> : f32
    %bent2_x1 = arith.subf %c_x, %bent2_x0 fastmath<reassoc,contract,arcp,afn> : f32
    %bent2_x = arith.addf %bent2_x1, %e_x fastmath<reassoc,contract,arcp,afn> : f32
    %steep0_x0 = arith.mulf %four, %b_x fastmath<reassoc,contract,arcp,afn> : f32
    %steep0_x1 = arith.subf %a_x, %steep0_x0 fastmath<reassoc,contract,arcp,afn> : f32
    %steep0_x2 = arith.mulf %three, %c_x fastmath<reassoc,contract,arcp,afn> : f32
    %steep0_x = arith.addf %steep0_x1, %steep0_x2 fastmath<reassoc,contract,arcp,afn> : f32
    %steep1_x = arith.subf %b_x, %d_x fastmath<reassoc,contract,arcp,afn> : f32
    %steep2_x0 = arith.mulf %three, %c_x fastmath<reassoc,contract,arcp,afn> : f32
    %steep2_x1 = arith.mulf %four, %d_x fastmath<reassoc,contract,arcp,afn> : f32
    %steep2_x2 = arith.subf %steep2_x0, %steep2_x1 fastmath<reassoc,contract,arcp,afn> : f32
    %steep2_x = arith.addf %steep2_x2, %e_x fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_x0 = arith.mulf %bent0_x, %bent0_x fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_x1 = arith.mulf %bend, %rough0_x0 fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_x2 = arith.mulf %steep0_x, %steep0_x fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_x3 = arith.mulf %quarter, %rough0_x2 fastmath<reassoc,contract,arcp,afn> : f32
    %rough0_x = arith.addf %rough0_x1, %rough0_x3 fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_x0 = arith.mulf %bent1_x, %bent1_x fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_x1 = arith.mulf %bend, %rough1_x0 fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_x2 = arith.mulf %steep1_x, %steep1_x fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_x3 = arith.mulf %quarter, %rough1_x2 fastmath<reassoc,contract,arcp,afn> : f32
    %rough1_x = arith.addf %rough1_x1, %rough1_x3 fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_x0 = arith.mulf %bent2_x, %bent2_x fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_x1 = arith.mulf %bend, %rough2_x0 fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_x2 = arith.mulf %steep2_x, %steep2_x fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_x3 = arith.mulf %quarter, %rough2_x2 fastmath<reassoc,contract,arcp,afn> : f32
    %rough2_x = arith.addf %rough2_x1, %rough2_x3 fastmath<reassoc,contract,arcp,afn> : f32
    %r0_x = arith.addf %tiny, %rough0_x fastmath<reassoc,contract,arcp,afn> : f32
    %r1_x = arith.addf %tiny, %rough1_x fastmath<reassoc,contract,arcp,afn> : f32
    %r2_x = arith.addf %tiny, %rough2_x fastmath<reassoc,contract,arcp,afn> : f32
    %share0_x0 = arith.mulf %r0_x, %r0_x fastmath<reassoc,contract,arcp,afn> : f32
    %share0_x = arith.divf %weight0, %share0_x0 fastmath<reassoc,contract,arcp,afn> : f32
    %share1_x0 = arith.mulf %r1_x, %r1_x fastmath<reassoc,contract,arcp,afn> : f32
    %share1_x = arith.divf %weight1, %share1_x0 fastmath<reassoc,contract,arcp,afn> : f32
    %share2_x0 = arith.mulf %r2_x, %r2_x fastmath<reassoc,contract,arcp,afn> : f32
    %share2_x = arith.divf %weight2, %share2_x0 fastmath<reassoc,contract,arcp,afn> : f32
    %shares_x0 = arith.addf %share0_x, %share1_x fastmath<reassoc,contract,arcp,afn> : f32
    %shares_x = arith.addf %shares_x0, %share2_x fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_x0 = arith.mulf %share0_x, %q0_x fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_x1 = arith.mulf %share1_x, %q1_x fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_x2 = arith.addf %mixed_x0, %mixed_x1 fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_x3 = arith.mulf %share2_x, %q2_x fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_x = arith.addf %mixed_x2, %mixed_x3 fastmath<reassoc,contract,arcp,afn> : f32
    %mean_x = arith.divf %mixed_x, %shares_x fastmath<reassoc,contract,arcp,afn> : f32
    %scaled_x = arith.mulf %sixth, %wind_x fastmath<reassoc,contract,arcp,afn> : f32
    %flux_x = arith.mulf %scaled_x, %mean_x fastmath<reassoc,contract,arcp,afn> : f32
    stencil.return %flux_z, %flux_y, %flux_x : f32, f32, f32
  }
  %change = stencil.apply(%fz = %fz : !temp, %fy = %fy : !temp, %fx = %fx : !temp) -> (!temp)
      attributes {stencil.stage = "tendency"} {
    %fz_zm = stencil.access %fz[-1, 0, 0] : !temp
    %fz_c = stencil.access %fz[0, 0, 0] : !temp
    %net_z = arith.subf %fz_zm, %fz_c fastmath<reassoc,contract,arcp,afn> : f32
    %fy_ym = stencil.access %fy[0, -1, 0] : !temp
    %fy_c = stencil.access %fy[0, 0, 0] : !temp
    %net_y = arith.subf %fy_ym, %fy_c fastmath<reassoc,contract,arcp,afn> : f32
    %fx_xm = stencil.access %fx[0, 0, -1] : !temp
    %fx_c = stencil.access %fx[0, 0, 0] : !temp
    %net_x = arith.subf %fx_xm, %fx_c fastmath<reassoc,contract,arcp,afn> : f32
    %net_zy = arith.addf %net_z, %net_y fastmath<reassoc,contract,arcp,afn> : f32
    %net = arith.addf %net_zy, %net_x fastmath<reassoc,contract,arcp,afn> : f32
    stencil.return %net : f32
  }
  stencil.store %change to %tendency(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
  return
}
