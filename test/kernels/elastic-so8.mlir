// Elastic waves: three velocities and six stresses on a staggered grid, in place.
//
// v' = v + b div T, then T' = T + l (div v') I + m (grad v' + its transpose), with eighth-order
// differences between half cells, weights 1225/1024, -245/3072, 49/5120, -5/7168, and arrays b = dt
// / (h density), l and m = dt / h times Lame's parameters [Virieux, P-SV Wave Propagation in
// Heterogeneous Media, Geophysics 1986; Levander, Fourth-Order Finite-Difference P-SV Seismograms,
// Geophysics 1988]. Cell (k, j, i) holds vx at (k, j, i + 1/2), txy at (k, j + 1/2, i + 1/2), the
// stresses along the axes at (k, j, i), and so on. Two stages a step, of three and six results; the
// four cells outside each side are never stored. Radius 4, 18 x 20 x 22 points, f32, three steps.
// 232 FLOPs per point and step.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: verified: bit-identical

!field = !stencil.field<[-4,22]x[-4,24]x[-4,26]xf32>
!temp = !stencil.temp<?x?x?xf32>

func.func @elastic_so8(%vx: !field, %vy: !field, %vz: !field, %txx: !field, %tyy: !field,
    %tzz: !field, %txy: !field, %txz: !field, %tyz: !field, %buoyancy: !field, %lambda: !field,
    %mu: !field) {
  %lightness = stencil.load %buoyancy : !field -> !temp
  %lambda_values = stencil.load %lambda : !field -> !temp
  %mu_values = stencil.load %mu : !field -> !temp
  %first = arith.constant 0 : index
  %steps = arith.constant 3 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    // The velocities, from the stresses around them.
    %vx_old = stencil.load %vx : !field -> !temp
    %vy_old = stencil.load %vy : !field -> !temp
    %vz_old = stencil.load %vz : !field -> !temp
    %txx_old = stencil.load %txx : !field -> !temp
    %tyy_old = stencil.load %tyy : !field -> !temp
    %tzz_old = stencil.load %tzz : !field -> !temp
    %txy_old = stencil.load %txy : !field -> !temp
    %txz_old = stencil.load %txz : !field -> !temp
    %tyz_old = stencil.load %tyz : !field -> !temp
    %vx_stepped, %vy_stepped, %vz_stepped = stencil.apply(%vx = %vx_old : !temp,
        %vy = %vy_old : !temp, %vz = %vz_old : !temp, %txx = %txx_old : !temp,
        %tyy = %tyy_old : !temp, %tzz = %tzz_old : !temp, %txy = %txy_old : !temp,
        %txz = %txz_old : !temp, %tyz = %tyz_old : !temp, %b = %lightness : !temp)
        -> (!temp, !temp, !temp) attributes {stencil.stage = "velocity"} {
      // Weights of the four pairs of cells, the nearest first.
      %near = arith.constant 1.1962891 : f32
      %next = arith.constant -0.0797526 : f32
      %further = arith.constant 0.009570313 : f32
      %far = arith.constant -6.9754466e-04 : f32
      %lightness = stencil.access %b[0, 0, 0] : !temp
      // The velocity along x.
      %txx_xp = stencil.access %txx[0, 0, 1] : !temp
      %txx_c = stencil.access %txx[0, 0, 0] : !temp
      %txx_x_d1 = arith.subf %txx_xp, %txx_c fastmath<reassoc,contract,arcp,afn> : f32
      %txx_xp2 = stencil.access %txx[0, 0, 2] : !temp
      %txx_xm = stencil.access %txx[0, 0, -1] : !temp
      %txx_x_d2 = arith.subf %txx_xp2, %txx_xm fastmath<reassoc,contract,arcp,afn> : f32
      %txx_xp3 = stencil.access %txx[0, 0, 3] : !temp
      %txx_xm2 = stencil.access %txx[0, 0, -2] : !temp
      %txx_x_d3 = arith.subf %txx_xp3, %txx_xm2 fastmath<reassoc,contract,arcp,afn> : f32
      %txx_xp4 = stencil.access %txx[0, 0, 4] : !temp
      %txx_xm3 = stencil.access %txx[0, 0, -3] : !temp
      %txx_x_d4 = arith.subf %txx_xp4, %txx_xm3 fastmath<reassoc,contract,arcp,afn> : f32
      %txx_x_w1 = arith.mulf %near, %txx_x_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %txx_x_w2 = arith.mulf %next, %txx_x_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %txx_x_w3 = arith.mulf %further, %txx_x_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %txx_x_w4 = arith.mulf %far, %txx_x_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %txx_x_w12 = arith.addf %txx_x_w1, %txx_x_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %txx_x_w34 = arith.addf %txx_x_w3, %txx_x_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %txx_x = arith.addf %txx_x_w12, %txx_x_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_c = stencil.access %txy[0, 0, 0] : !temp
      %txy_ym = stencil.access %txy[0, -1, 0] : !temp
      %txy_y_d1 = arith.subf %txy_c, %txy_ym fastmath<reassoc,contract,arcp,afn> : f32
      %txy_yp = stencil.access %txy[0, 1, 0] : !temp
      %txy_ym2 = stencil.access %txy[0, -2, 0] : !temp
      %txy_y_d2 = arith.subf %txy_yp, %txy_ym2 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_yp2 = stencil.access %txy[0, 2, 0] : !temp
      %txy_ym3 = stencil.access %txy[0, -3, 0] : !temp
      %txy_y_d3 = arith.subf %txy_yp2, %txy_ym3 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_yp3 = stencil.access %txy[0, 3, 0] : !temp
      %txy_ym4 = stencil.access %txy[0, -4, 0] : !temp
      %txy_y_d4 = arith.subf %txy_yp3, %txy_ym4 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_y_w1 = arith.mulf %near, %txy_y_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_y_w2 = arith.mulf %next, %txy_y_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_y_w3 = arith.mulf %further, %txy_y_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_y_w4 = arith.mulf %far, %txy_y_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_y_w12 = arith.addf %txy_y_w1, %txy_y_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_y_w34 = arith.addf %txy_y_w3, %txy_y_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_y = arith.addf %txy_y_w12, %txy_y_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_c = stencil.access %txz[0, 0, 0] : !temp
      %txz_zm = stencil.access %txz[-1, 0, 0] : !temp
      %txz_z_d1 = arith.subf %txz_c, %txz_zm fastmath<reassoc,contract,arcp,afn> : f32
      %txz_zp = stencil.access %txz[1, 0, 0] : !temp
      %txz_zm2 = stencil.access %txz[-2, 0, 0] : !temp
      %txz_z_d2 = arith.subf %txz_zp, %txz_zm2 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_zp2 = stencil.access %txz[2, 0, 0] : !temp
      %txz_zm3 = stencil.access %txz[-3, 0, 0] : !temp
      %txz_z_d3 = arith.subf %txz_zp2, %txz_zm3 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_zp3 = stencil.access %txz[3, 0, 0] : !temp
      %txz_zm4 = stencil.access %txz[-4, 0, 0] : !temp
      %txz_z_d4 = arith.subf %txz_zp3, %txz_zm4 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_z_w1 = arith.mulf %near, %txz_z_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_z_w2 = arith.mulf %next, %txz_z_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_z_w3 = arith.mulf %further, %txz_z_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_z_w4 = arith.mulf %far, %txz_z_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_z_w12 = arith.addf %txz_z_w1, %txz_z_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_z_w34 = arith.addf %txz_z_w3, %txz_z_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_z = arith.addf %txz_z_w12, %txz_z_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %fx0 = arith.addf %txx_x, %txy_y fastmath<reassoc,contract,arcp,afn> : f32
      %force_x = arith.addf %fx0, %txz_z fastmath<reassoc,contract,arcp,afn> : f32
      %kick_x = arith.mulf %lightness, %force_x fastmath<reassoc,contract,arcp,afn> : f32
      %vx_c = stencil.access %vx[0, 0, 0] : !temp
      %vx_new = arith.addf %vx_c, %kick_x fastmath<reassoc,contract,arcp,afn> : f32
      // The velocity along y.
      %txy_xm = stencil.access %txy[0, 0, -1] : !temp
      %txy_x_d1 = arith.subf %txy_c, %txy_xm fastmath<reassoc,contract,arcp,afn> : f32
      %txy_xp = stencil.access %txy[0, 0, 1] : !temp
      %txy_xm2 = stencil.access %txy[0, 0, -2] : !temp
      %txy_x_d2 = arith.subf %txy_xp, %txy_xm2 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_xp2 = stencil.access %txy[0, 0, 2] : !temp
      %txy_xm3 = stencil.access %txy[0, 0, -3] : !temp
      %txy_x_d3 = arith.subf %txy_xp2, %txy_xm3 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_xp3 = stencil.access %txy[0, 0, 3] : !temp
      %txy_xm4 = stencil.access %txy[0, 0, -4] : !temp
      %txy_x_d4 = arith.subf %txy_xp3, %txy_xm4 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_x_w1 = arith.mulf %near, %txy_x_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_x_w2 = arith.mulf %next, %txy_x_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_x_w3 = arith.mulf %further, %txy_x_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_x_w4 = arith.mulf %far, %txy_x_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_x_w12 = arith.addf %txy_x_w1, %txy_x_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_x_w34 = arith.addf %txy_x_w3, %txy_x_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_x = arith.addf %txy_x_w12, %txy_x_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %tyy_yp = stencil.access %tyy[0, 1, 0] : !temp
      %tyy_c = stencil.access %tyy[0, 0, 0] : !temp
      %tyy_y_d1 = arith.subf %tyy_yp, %tyy_c fastmath<reassoc,contract,arcp,afn> : f32
      %tyy_yp2 = stencil.access %tyy[0, 2, 0] : !temp
      %tyy_ym = stencil.access %tyy[0, -1, 0] : !temp
      %tyy_y_d2 = arith.subf %tyy_yp2, %tyy_ym fastmath<reassoc,contract,arcp,afn> : f32
      %tyy_yp3 = stencil.access %tyy[0, 3, 0] : !temp
      %tyy_ym2 = stencil.access %tyy[0, -2, 0] : !temp
      %tyy_y_d3 = arith.subf %tyy_yp3, %tyy_ym2 fastmath<reassoc,contract,arcp,afn> : f32
      %tyy_yp4 = stencil.access %tyy[0, 4, 0] : !temp
      %tyy_ym3 = stencil.access %tyy[0, -3, 0] : !temp
      %tyy_y_d4 = arith.subf %tyy_yp4, %tyy_ym3 fastmath<reassoc,contract,arcp,afn> : f32
      %tyy_y_w1 = arith.mulf %near, %tyy_y_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %tyy_y_w2 = arith.mulf %next, %tyy_y_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %tyy_y_w3 = arith.mulf %further, %tyy_y_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %tyy_y_w4 = arith.mulf %far, %tyy_y_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %tyy_y_w12 = arith.addf %tyy_y_w1, %tyy_y_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %tyy_y_w34 = arith.addf %tyy_y_w3, %tyy_y_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %tyy_y = arith.addf %tyy_y_w12, %tyy_y_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_c = stencil.access %tyz[0, 0, 0] : !temp
      %tyz_zm = stencil.access %tyz[-1, 0, 0] : !temp
      %tyz_z_d1 = arith.subf %tyz_c, %tyz_zm fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_zp = stencil.access %tyz[1, 0, 0] : !temp
      %tyz_zm2 = stencil.access %tyz[-2, 0, 0] : !temp
      %tyz_z_d2 = arith.subf %tyz_zp, %tyz_zm2 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_zp2 = stencil.access %tyz[2, 0, 0] : !temp
      %tyz_zm3 = stencil.access %tyz[-3, 0, 0] : !temp
      %tyz_z_d3 = arith.subf %tyz_zp2, %tyz_zm3 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_zp3 = stencil.access %tyz[3, 0, 0] : !temp
      %tyz_zm4 = stencil.access %tyz[-4, 0, 0] : !temp
      %tyz_z_d4 = arith.subf %tyz_zp3, %tyz_zm4 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_z_w1 = arith.mulf %near, %tyz_z_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_z_w2 = arith.mulf %next, %tyz_z_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_z_w3 = arith.mulf %further, %tyz_z_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_z_w4 = arith.mulf %far, %tyz_z_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_z_w12 = arith.addf %tyz_z_w1, %tyz_z_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_z_w34 = arith.addf %tyz_z_w3, %tyz_z_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_z = arith.addf %tyz_z_w12, %tyz_z_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %fy0 = arith.addf %txy_x, %tyy_y fastmath<reassoc,contract,arcp,afn> : f32
      %force_y = arith.addf %fy0, %tyz_z fastmath<reassoc,contract,arcp,afn> : f32
      %kick_y = arith.mulf %lightness, %force_y fastmath<reassoc,contract,arcp,afn> : f32
      %vy_c = stencil.access %vy[0, 0, 0] : !temp
      %vy_new = arith.addf %vy_c, %kick_y fastmath<reassoc,contract,arcp,afn> : f32
      // The velocity along z.
      %txz_xm = stencil.access %txz[0, 0, -1] : !temp
      %txz_x_d1 = arith.subf %txz_c, %txz_xm fastmath<reassoc,contract,arcp,afn> : f32
      %txz_xp = stencil.access %txz[0, 0, 1] : !temp
      %txz_xm2 = stencil.access %txz[0, 0, -2] : !temp
      %txz_x_d2 = arith.subf %txz_xp, %txz_xm2 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_xp2 = stencil.access %txz[0, 0, 2] : !temp
      %txz_xm3 = stencil.access %txz[0, 0, -3] : !temp
      %txz_x_d3 = arith.subf %txz_xp2, %txz_xm3 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_xp3 = stencil.access %txz[0, 0, 3] : !temp
      %txz_xm4 = stencil.access %txz[0, 0, -4] : !temp
      %txz_x_d4 = arith.subf %txz_xp3, %txz_xm4 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_x_w1 = arith.mulf %near, %txz_x_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_x_w2 = arith.mulf %next, %txz_x_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_x_w3 = arith.mulf %further, %txz_x_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_x_w4 = arith.mulf %far, %txz_x_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_x_w12 = arith.addf %txz_x_w1, %txz_x_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_x_w34 = arith.addf %txz_x_w3, %txz_x_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_x = arith.addf %txz_x_w12, %txz_x_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_ym = stencil.access %tyz[0, -1, 0] : !temp
      %tyz_y_d1 = arith.subf %tyz_c, %tyz_ym fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_yp = stencil.access %tyz[0, 1, 0] : !temp
      %tyz_ym2 = stencil.access %tyz[0, -2, 0] : !temp
      %tyz_y_d2 = arith.subf %tyz_yp, %tyz_ym2 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_yp2 = stencil.access %tyz[0, 2, 0] : !temp
      %tyz_ym3 = stencil.access %tyz[0, -3, 0] : !temp
      %tyz_y_d3 = arith.subf %tyz_yp2, %tyz_ym3 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_yp3 = stencil.access %tyz[0, 3, 0] : !temp
      %tyz_ym4 = stencil.access %tyz[0, -4, 0] : !temp
      %tyz_y_d4 = arith.subf %tyz_yp3, %tyz_ym4 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_y_w1 = arith.mulf %near, %tyz_y_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_y_w2 = arith.mulf %next, %tyz_y_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_y_w3 = arith.mulf %further, %tyz_y_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_y_w4 = arith.mulf %far, %tyz_y_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_y_w12 = arith.addf %tyz_y_w1, %tyz_y_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_y_w34 = arith.addf %tyz_y_w3, %tyz_y_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_y = arith.addf %tyz_y_w12, %tyz_y_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %tzz_zp = stencil.access %tzz[1, 0, 0] : !temp
      %tzz_c = stencil.access %tzz[0, 0, 0] : !temp
      %tzz_z_d1 = arith.subf %tzz_zp, %tzz_c fastmath<reassoc,contract,arcp,afn> : f32
      %tzz_zp2 = stencil.access %tzz[2, 0, 0] : !temp
      %tzz_zm = stencil.access %tzz[-1, 0, 0] : !temp
      %tzz_z_d2 = arith.subf %tzz_zp2, %tzz_zm fastmath<reassoc,contract,arcp,afn> : f32
      %tzz_zp3 = stencil.access %tzz[3, 0, 0] : !temp
      %tzz_zm2 = stencil.access %tzz[-2, 0, 0] : !temp
      %tzz_z_d3 = arith.subf %tzz_zp3, %tzz_zm2 fastmath<reassoc,contract,arcp,afn> : f32
      %tzz_zp4 = stencil.access %tzz[4, 0, 0] : !temp
      %tzz_zm3 = stencil.access %tzz[-3, 0, 0] : !temp
      %tzz_z_d4 = arith.subf %tzz_zp4, %tzz_zm3 fastmath<reassoc,contract,arcp,afn> : f32
      %tzz_z_w1 = arith.mulf %near, %tzz_z_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %tzz_z_w2 = arith.mulf %next, %tzz_z_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %tzz_z_w3 = arith.mulf %further, %tzz_z_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %tzz_z_w4 = arith.mulf %far, %tzz_z_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %tzz_z_w12 = arith.addf %tzz_z_w1, %tzz_z_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %tzz_z_w34 = arith.addf %tzz_z_w3, %tzz_z_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %tzz_z = arith.addf %tzz_z_w12, %tzz_z_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %fz0 = arith.addf %txz_x, %tyz_y fastmath<reassoc,contract,arcp,afn> : f32
      %force_z = arith.addf %fz0, %tzz_z fastmath<reassoc,contract,arcp,afn> : f32
      %kick_z = arith.mulf %lightness, %force_z fastmath<reassoc,contract,arcp,afn> : f32
      %vz_c = stencil.access %vz[0, 0, 0] : !temp
      %vz_new = arith.addf %vz_c, %kick_z fastmath<reassoc,contract,arcp,afn> : f32
      stencil.return %vx_new, %vy_new, %vz_new : f32, f32, f32
    }
    stencil.store %vx_stepped to %vx(<[0, 0, 0], [18, 20, 22]>) : !temp to !field
    stencil.store %vy_stepped to %vy(<[0, 0, 0], [18, 20, 22]>) : !temp to !field
    stencil.store %vz_stepped to %vz(<[0, 0, 0], [18, 20, 22]>) : !temp to !field
    // The stresses, from the new velocities.
    %vx_new = stencil.load %vx : !field -> !temp
    %vy_new = stencil.load %vy : !field -> !temp
    %vz_new = stencil.load %vz : !field -> !temp
    %txx_now = stencil.load %txx : !field -> !temp
    %tyy_now = stencil.load %tyy : !field -> !temp
    %tzz_now = stencil.load %tzz : !field -> !temp
    %txy_now = stencil.load %txy : !field -> !temp
    %txz_now = stencil.load %txz : !field -> !temp
    %tyz_now = stencil.load %tyz : !field -> !temp
    %txx_stepped, %tyy_stepped, %tzz_stepped, %txy_stepped, %txz_stepped,
        %tyz_stepped = stencil.apply(%vx = %vx_new : !temp, %vy = %vy_new : !temp,
        %vz = %vz_new : !temp, %txx = %txx_now : !temp, %tyy = %tyy_now : !temp,
        %tzz = %tzz_now : !temp, %txy = %txy_now : !temp, %txz = %txz_now : !temp,
        %tyz = %tyz_now : !temp, %la = %lambda_values : !temp, %mu = %mu_values : !temp)
        -> (!temp, !temp, !temp, !temp, !temp, !temp) attributes {stencil.stage = "stress"} {
      // Weights of the four pairs of cells, the nearest first.
      %near = arith.constant 1.1962891 : f32
      %next = arith.constant -0.0797526 : f32
      %further = arith.constant 0.009570313 : f32
      %far = arith.constant -6.9754466e-04 : f32
      // The strain along x.
      %vx_c = stencil.access %vx[0, 0, 0] : !temp
      %vx_xm = stencil.access %vx[0, 0, -1] : !temp
      %vx_x_d1 = arith.subf %vx_c, %vx_xm fastmath<reassoc,contract,arcp,afn> : f32
      %vx_xp = stencil.access %vx[0, 0, 1] : !temp
      %vx_xm2 = stencil.access %vx[0, 0, -2] : !temp
      %vx_x_d2 = arith.subf %vx_xp, %vx_xm2 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_xp2 = stencil.access %vx[0, 0, 2] : !temp
      %vx_xm3 = stencil.access %vx[0, 0, -3] : !temp
      %vx_x_d3 = arith.subf %vx_xp2, %vx_xm3 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_xp3 = stencil.access %vx[0, 0, 3] : !temp
      %vx_xm4 = stencil.access %vx[0, 0, -4] : !temp
      %vx_x_d4 = arith.subf %vx_xp3, %vx_xm4 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_x_w1 = arith.mulf %near, %vx_x_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_x_w2 = arith.mulf %next, %vx_x_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_x_w3 = arith.mulf %further, %vx_x_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_x_w4 = arith.mulf %far, %vx_x_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_x_w12 = arith.addf %vx_x_w1, %vx_x_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_x_w34 = arith.addf %vx_x_w3, %vx_x_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_x = arith.addf %vx_x_w12, %vx_x_w34 fastmath<reassoc,contract,arcp,afn> : f32
      // The strain along y.
      %vy_c = stencil.access %vy[0, 0, 0] : !temp
      %vy_ym = stencil.access %vy[0, -1, 0] : !temp
      %vy_y_d1 = arith.subf %vy_c, %vy_ym fastmath<reassoc,contract,arcp,afn> : f32
      %vy_yp = stencil.access %vy[0, 1, 0] : !temp
      %vy_ym2 = stencil.access %vy[0, -2, 0] : !temp
      %vy_y_d2 = arith.subf %vy_yp, %vy_ym2 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_yp2 = stencil.access %vy[0, 2, 0] : !temp
      %vy_ym3 = stencil.access %vy[0, -3, 0] : !temp
      %vy_y_d3 = arith.subf %vy_yp2, %vy_ym3 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_yp3 = stencil.access %vy[0, 3, 0] : !temp
      %vy_ym4 = stencil.access %vy[0, -4, 0] : !temp
      %vy_y_d4 = arith.subf %vy_yp3, %vy_ym4 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_y_w1 = arith.mulf %near, %vy_y_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_y_w2 = arith.mulf %next, %vy_y_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_y_w3 = arith.mulf %further, %vy_y_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_y_w4 = arith.mulf %far, %vy_y_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_y_w12 = arith.addf %vy_y_w1, %vy_y_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_y_w34 = arith.addf %vy_y_w3, %vy_y_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_y = arith.addf %vy_y_w12, %vy_y_w34 fastmath<reassoc,contract,arcp,afn> : f32
      // The strain along z.
      %vz_c = stencil.access %vz[0, 0, 0] : !temp
      %vz_zm = stencil.access %vz[-1, 0, 0] : !temp
      %vz_z_d1 = arith.subf %vz_c, %vz_zm fastmath<reassoc,contract,arcp,afn> : f32
      %vz_zp = stencil.access %vz[1, 0, 0] : !temp
      %vz_zm2 = stencil.access %vz[-2, 0, 0] : !temp
      %vz_z_d2 = arith.subf %vz_zp, %vz_zm2 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_zp2 = stencil.access %vz[2, 0, 0] : !temp
      %vz_zm3 = stencil.access %vz[-3, 0, 0] : !temp
      %vz_z_d3 = arith.subf %vz_zp2, %vz_zm3 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_zp3 = stencil.access %vz[3, 0, 0] : !temp
      %vz_zm4 = stencil.access %vz[-4, 0, 0] : !temp
      %vz_z_d4 = arith.subf %vz_zp3, %vz_zm4 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_z_w1 = arith.mulf %near, %vz_z_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_z_w2 = arith.mulf %next, %vz_z_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_z_w3 = arith.mulf %further, %vz_z_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_z_w4 = arith.mulf %far, %vz_z_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_z_w12 = arith.addf %vz_z_w1, %vz_z_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_z_w34 = arith.addf %vz_z_w3, %vz_z_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_z = arith.addf %vz_z_w12, %vz_z_w34 fastmath<reassoc,contract,arcp,afn> : f32
      // Stresses along the axes.
      %first = stencil.access %la[0, 0, 0] : !temp
      %second = stencil.access %mu[0, 0, 0] : !temp
      %divergence_xy = arith.addf %vx_x, %vy_y fastmath<reassoc,contract,arcp,afn> : f32
      %divergence = arith.addf %divergence_xy, %vz_z fastmath<reassoc,contract,arcp,afn> : f32
      %pressure = arith.mulf %first, %divergence fastmath<reassoc,contract,arcp,afn> : f32
      %twice = arith.addf %second, %second fastmath<reassoc,contract,arcp,afn> : f32
      %along_x = arith.mulf %twice, %vx_x fastmath<reassoc,contract,arcp,afn> : f32
      %txx_change = arith.addf %pressure, %along_x fastmath<reassoc,contract,arcp,afn> : f32
      %txx_c = stencil.access %txx[0, 0, 0] : !temp
      %txx_new = arith.addf %txx_c, %txx_change fastmath<reassoc,contract,arcp,afn> : f32
      %along_y = arith.mulf %twice, %vy_y fastmath<reassoc,contract,arcp,afn> : f32
      %tyy_change = arith.addf %pressure, %along_y fastmath<reassoc,contract,arcp,afn> : f32
      %tyy_c = stencil.access %tyy[0, 0, 0] : !temp
      %tyy_new = arith.addf %tyy_c, %tyy_change fastmath<reassoc,contract,arcp,afn> : f32
      %along_z = arith.mulf %twice, %vz_z fastmath<reassoc,contract,arcp,afn> : f32
      %tzz_change = arith.addf %pressure, %along_z fastmath<reassoc,contract,arcp,afn> : f32
      %tzz_c = stencil.access %tzz[0, 0, 0] : !temp
      %tzz_new = arith.addf %tzz_c, %tzz_change fastmath<reassoc,contract,arcp,afn> : f32
      // The shear of x and y.
      %vx_yp = stencil.access %vx[0, 1, 0] : !temp
      %vx_y_d1 = arith.subf %vx_yp, %vx_c fastmath<reassoc,contract,arcp,afn> : f32
      %vx_yp2 = stencil.access %vx[0, 2, 0] : !temp
      %vx_ym = stencil.access %vx[0, -1, 0] : !temp
      %vx_y_d2 = arith.subf %vx_yp2, %vx_ym fastmath<reassoc,contract,arcp,afn> : f32
      %vx_yp3 = stencil.access %vx[0, 3, 0] : !temp
      %vx_ym2 = stencil.access %vx[0, -2, 0] : !temp
      %vx_y_d3 = arith.subf %vx_yp3, %vx_ym2 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_yp4 = stencil.access %vx[0, 4, 0] : !temp
      %vx_ym3 = stencil.access %vx[0, -3, 0] : !temp
      %vx_y_d4 = arith.subf %vx_yp4, %vx_ym3 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_y_w1 = arith.mulf %near, %vx_y_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_y_w2 = arith.mulf %next, %vx_y_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_y_w3 = arith.mulf %further, %vx_y_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_y_w4 = arith.mulf %far, %vx_y_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_y_w12 = arith.addf %vx_y_w1, %vx_y_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_y_w34 = arith.addf %vx_y_w3, %vx_y_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_y = arith.addf %vx_y_w12, %vx_y_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_xp = stencil.access %vy[0, 0, 1] : !temp
      %vy_x_d1 = arith.subf %vy_xp, %vy_c fastmath<reassoc,contract,arcp,afn> : f32
      %vy_xp2 = stencil.access %vy[0, 0, 2] : !temp
      %vy_xm = stencil.access %vy[0, 0, -1] : !temp
      %vy_x_d2 = arith.subf %vy_xp2, %vy_xm fastmath<reassoc,contract,arcp,afn> : f32
      %vy_xp3 = stencil.access %vy[0, 0, 3] : !temp
      %vy_xm2 = stencil.access %vy[0, 0, -2] : !temp
      %vy_x_d3 = arith.subf %vy_xp3, %vy_xm2 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_xp4 = stencil.access %vy[0, 0, 4] : !temp
      %vy_xm3 = stencil.access %vy[0, 0, -3] : !temp
      %vy_x_d4 = arith.subf %vy_xp4, %vy_xm3 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_x_w1 = arith.mulf %near, %vy_x_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_x_w2 = arith.mulf %next, %vy_x_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_x_w3 = arith.mulf %further, %vy_x_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_x_w4 = arith.mulf %far, %vy_x_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_x_w12 = arith.addf %vy_x_w1, %vy_x_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_x_w34 = arith.addf %vy_x_w3, %vy_x_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_x = arith.addf %vy_x_w12, %vy_x_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %txy_strain = arith.addf %vx_y, %vy_x fastmath<reassoc,contract,arcp,afn> : f32
      %txy_change = arith.mulf %second, %txy_strain fastmath<reassoc,contract,arcp,afn> : f32
      %txy_c = stencil.access %txy[0, 0, 0] : !temp
      %txy_new = arith.addf %txy_c, %txy_change fastmath<reassoc,contract,arcp,afn> : f32
      // The shear of x and z.
      %vx_zp = stencil.access %vx[1, 0, 0] : !temp
      %vx_z_d1 = arith.subf %vx_zp, %vx_c fastmath<reassoc,contract,arcp,afn> : f32
      %vx_zp2 = stencil.access %vx[2, 0, 0] : !temp
      %vx_zm = stencil.access %vx[-1, 0, 0] : !temp
      %vx_z_d2 = arith.subf %vx_zp2, %vx_zm fastmath<reassoc,contract,arcp,afn> : f32
      %vx_zp3 = stencil.access %vx[3, 0, 0] : !temp
      %vx_zm2 = stencil.access %vx[-2, 0, 0] : !temp
      %vx_z_d3 = arith.subf %vx_zp3, %vx_zm2 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_zp4 = stencil.access %vx[4, 0, 0] : !temp
      %vx_zm3 = stencil.access %vx[-3, 0, 0] : !temp
      %vx_z_d4 = arith.subf %vx_zp4, %vx_zm3 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_z_w1 = arith.mulf %near, %vx_z_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_z_w2 = arith.mulf %next, %vx_z_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_z_w3 = arith.mulf %further, %vx_z_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_z_w4 = arith.mulf %far, %vx_z_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_z_w12 = arith.addf %vx_z_w1, %vx_z_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_z_w34 = arith.addf %vx_z_w3, %vx_z_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %vx_z = arith.addf %vx_z_w12, %vx_z_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_xp = stencil.access %vz[0, 0, 1] : !temp
      %vz_x_d1 = arith.subf %vz_xp, %vz_c fastmath<reassoc,contract,arcp,afn> : f32
      %vz_xp2 = stencil.access %vz[0, 0, 2] : !temp
      %vz_xm = stencil.access %vz[0, 0, -1] : !temp
      %vz_x_d2 = arith.subf %vz_xp2, %vz_xm fastmath<reassoc,contract,arcp,afn> : f32
      %vz_xp3 = stencil.access %vz[0, 0, 3] : !temp
      %vz_xm2 = stencil.access %vz[0, 0, -2] : !temp
      %vz_x_d3 = arith.subf %vz_xp3, %vz_xm2 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_xp4 = stencil.access %vz[0, 0, 4] : !temp
      %vz_xm3 = stencil.access %vz[0, 0, -3] : !temp
      %vz_x_d4 = arith.subf %vz_xp4, %vz_xm3 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_x_w1 = arith.mulf %near, %vz_x_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_x_w2 = arith.mulf %next, %vz_x_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_x_w3 = arith.mulf %further, %vz_x_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_x_w4 = arith.mulf %far, %vz_x_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_x_w12 = arith.addf %vz_x_w1, %vz_x_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_x_w34 = arith.addf %vz_x_w3, %vz_x_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_x = arith.addf %vz_x_w12, %vz_x_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %txz_strain = arith.addf %vx_z, %vz_x fastmath<reassoc,contract,arcp,afn> : f32
      %txz_change = arith.mulf %second, %txz_strain fastmath<reassoc,contract,arcp,afn> : f32
      %txz_c = stencil.access %txz[0, 0, 0] : !temp
      %txz_new = arith.addf %txz_c, %txz_change fastmath<reassoc,contract,arcp,afn> : f32
      // The shear of y and z.
      %vy_zp = stencil.access %vy[1, 0, 0] : !temp
      %vy_z_d1 = arith.subf %vy_zp, %vy_c fastmath<reassoc,contract,arcp,afn> : f32
      %vy_zp2 = stencil.access %vy[2, 0, 0] : !temp
      %vy_zm = stencil.access %vy[-1, 0, 0] : !temp
      %vy_z_d2 = arith.subf %vy_zp2, %vy_zm fastmath<reassoc,contract,arcp,afn> : f32
      %vy_zp3 = stencil.access %vy[3, 0, 0] : !temp
      %vy_zm2 = stencil.access %vy[-2, 0, 0] : !temp
      %vy_z_d3 = arith.subf %vy_zp3, %vy_zm2 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_zp4 = stencil.access %vy[4, 0, 0] : !temp
      %vy_zm3 = stencil.access %vy[-3, 0, 0] : !temp
      %vy_z_d4 = arith.subf %vy_zp4, %vy_zm3 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_z_w1 = arith.mulf %near, %vy_z_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_z_w2 = arith.mulf %next, %vy_z_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_z_w3 = arith.mulf %further, %vy_z_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_z_w4 = arith.mulf %far, %vy_z_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_z_w12 = arith.addf %vy_z_w1, %vy_z_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_z_w34 = arith.addf %vy_z_w3, %vy_z_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %vy_z = arith.addf %vy_z_w12, %vy_z_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_yp = stencil.access %vz[0, 1, 0] : !temp
      %vz_y_d1 = arith.subf %vz_yp, %vz_c fastmath<reassoc,contract,arcp,afn> : f32
      %vz_yp2 = stencil.access %vz[0, 2, 0] : !temp
      %vz_ym = stencil.access %vz[0, -1, 0] : !temp
      %vz_y_d2 = arith.subf %vz_yp2, %vz_ym fastmath<reassoc,contract,arcp,afn> : f32
      %vz_yp3 = stencil.access %vz[0, 3, 0] : !temp
      %vz_ym2 = stencil.access %vz[0, -2, 0] : !temp
      %vz_y_d3 = arith.subf %vz_yp3, %vz_ym2 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_yp4 = stencil.access %vz[0, 4, 0] : !temp
      %vz_ym3 = stencil.access %vz[0, -3, 0] : !temp
      %vz_y_d4 = arith.subf %vz_yp4, %vz_ym3 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_y_w1 = arith.mulf %near, %vz_y_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_y_w2 = arith.mulf %next, %vz_y_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_y_w3 = arith.mulf %further, %vz_y_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_y_w4 = arith.mulf %far, %vz_y_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_y_w12 = arith.addf %vz_y_w1, %vz_y_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_y_w34 = arith.addf %vz_y_w3, %vz_y_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %vz_y = arith.addf %vz_y_w12, %vz_y_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_strain = arith.addf %vy_z, %vz_y fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_change = arith.mulf %second, %tyz_strain fastmath<reassoc,contract,arcp,afn> : f32
      %tyz_c = stencil.access %tyz[0, 0, 0] : !temp
      %tyz_new = arith.addf %tyz_c, %tyz_change fastmath<reassoc,contract,arcp,afn> : f32
      stencil.return %txx_new, %tyy_new, %tzz_new, %txy_new, %txz_new, %tyz_new : f32, f32, f32,
          f32, f32, f32
    }
    stencil.store %txx_stepped to %txx(<[0, 0, 0], [18, 20, 22]>) : !temp to !field
    stencil.store %tyy_stepped to %tyy(<[0, 0, 0], [18, 20, 22]>) : !temp to !field
    stencil.store %tzz_stepped to %tzz(<[0, 0, 0], [18, 20, 22]>) : !temp to !field
    stencil.store %txy_stepped to %txy(<[0, 0, 0], [18, 20, 22]>) : !temp to !field
    stencil.store %txz_stepped to %txz(<[0, 0, 0], [18, 20, 22]>) : !temp to !field
    stencil.store %tyz_stepped to %tyz(<[0, 0, 0], [18, 20, 22]>) : !temp to !field
  }
  return
}
