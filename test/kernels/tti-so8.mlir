// Seismic waves in a medium of layers that are tilted: two coupled fields, two stages.
//
// p'' = m (e (L p - H p) + d H q), q'' = m (d (L p - H p) + H q), L the Laplacian, H f = div (n (n
// . grad f)) the second derivative along the axis of symmetry n, a unit vector that varies [Zhang,
// Zhang, Zhang, A Stable TTI Reverse Time Migration and Its Implementation, Geophysics 2011].
// Arrays: the medium m = (v dt / h)^2, across e = 1 + 2 epsilon, coupling d = the root of 1 + 2
// delta, and the components of n along x and y. All derivatives are of eighth order, weights 4/5,
// -1/5, 4/105, -1/280 for the first, -1/560, 8/315, -1/5, 8/5, -205/72 for the second. One apply
// computes n (n . grad f) of both fields, six temporaries, another what follows. Three fields each
// of p and q change places every step; eight cells outside each side are never stored. Radius 4 of
// each stage, 16 x 18 x 20 points, f32, four steps. 200 FLOPs per point and step.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: verified: bit-identical

!field = !stencil.field<[-8,24]x[-8,26]x[-8,28]xf32>
!temp = !stencil.temp<?x?x?xf32>

func.func @tti_so8(%p0: !field, %p1: !field, %p2: !field, %q0: !field, %q1: !field, %q2: !field,
    %medium: !field, %across: !field, %coupling: !field, %nx: !field, %ny: !field) {
  %medium_values = stencil.load %medium : !field -> !temp
  %across_values = stencil.load %across : !field -> !temp
  %coupling_values = stencil.load %coupling : !field -> !temp
  %nx_values = stencil.load %nx : !field -> !temp
  %ny_values = stencil.load %ny : !field -> !temp
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:6 = scf.for %step = %first to %steps step %one
      iter_args(%p_before = %p0, %p_now = %p1, %p_next = %p2, %q_before = %q0, %q_now = %q1,
        %q_next = %q2)
      -> (!field, !field, !field, !field, !field, !field) {
    %p_now_values = stencil.load %p_now : !field -> !temp
    %q_now_values = stencil.load %q_now : !field -> !temp
    %p_before_values = stencil.load %p_before : !field -> !temp
    %q_before_values = stencil.load %q_before : !field -> !temp
    %pz_flow, %py_flow, %px_flow, %qz_flow, %qy_flow,
        %qx_flow = stencil.apply(%p = %p_now_values : !temp, %q = %q_now_values : !temp,
        %nx = %nx_values : !temp, %ny = %ny_values : !temp)
        -> (!temp, !temp, !temp, !temp, !temp, !temp) attributes {stencil.stage = "slopes"} {
      // The axis of symmetry, a unit vector.
      %one = arith.constant 1.0 : f32
      %x = stencil.access %nx[0, 0, 0] : !temp
      %y = stencil.access %ny[0, 0, 0] : !temp
      %xx = arith.mulf %x, %x fastmath<reassoc,contract,arcp,afn> : f32
      %yy = arith.mulf %y, %y fastmath<reassoc,contract,arcp,afn> : f32
      %rest0 = arith.subf %one, %xx fastmath<reassoc,contract,arcp,afn> : f32
      %rest = arith.subf %rest0, %yy fastmath<reassoc,contract,arcp,afn> : f32
      %z = math.sqrt %rest fastmath<reassoc,contract,arcp,afn> : f32
      // Weights of the four pairs of cells, the nearest first.
      %near = arith.constant 0.8 : f32
      %next = arith.constant -0.2 : f32
      %further = arith.constant 0.03809524 : f32
      %far = arith.constant -0.0035714286 : f32
      // The slope of p along the axis, as a vector.
      %p_zp = stencil.access %p[1, 0, 0] : !temp
      %p_zm = stencil.access %p[-1, 0, 0] : !temp
      %p_z_d1 = arith.subf %p_zp, %p_zm fastmath<reassoc,contract,arcp,afn> : f32
      %p_zp2 = stencil.access %p[2, 0, 0] : !temp
      %p_zm2 = stencil.access %p[-2, 0, 0] : !temp
      %p_z_d2 = arith.subf %p_zp2, %p_zm2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_zp3 = stencil.access %p[3, 0, 0] : !temp
      %p_zm3 = stencil.access %p[-3, 0, 0] : !temp
      %p_z_d3 = arith.subf %p_zp3, %p_zm3 fastmath<reassoc,contract,arcp,afn> : f32
      %p_zp4 = stencil.access %p[4, 0, 0] : !temp
      %p_zm4 = stencil.access %p[-4, 0, 0] : !temp
      %p_z_d4 = arith.subf %p_zp4, %p_zm4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z_w1 = arith.mulf %near, %p_z_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z_w2 = arith.mulf %next, %p_z_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z_w3 = arith.mulf %further, %p_z_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z_w4 = arith.mulf %far, %p_z_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z_w12 = arith.addf %p_z_w1, %p_z_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z_w34 = arith.addf %p_z_w3, %p_z_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z = arith.addf %p_z_w12, %p_z_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %p_along_z = arith.mulf %z, %p_z fastmath<reassoc,contract,arcp,afn> : f32
      %p_yp = stencil.access %p[0, 1, 0] : !temp
      %p_ym = stencil.access %p[0, -1, 0] : !temp
      %p_y_d1 = arith.subf %p_yp, %p_ym fastmath<reassoc,contract,arcp,afn> : f32
      %p_yp2 = stencil.access %p[0, 2, 0] : !temp
      %p_ym2 = stencil.access %p[0, -2, 0] : !temp
      %p_y_d2 = arith.subf %p_yp2, %p_ym2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_yp3 = stencil.access %p[0, 3, 0] : !temp
      %p_ym3 = stencil.access %p[0, -3, 0] : !temp
      %p_y_d3 = arith.subf %p_yp3, %p_ym3 fastmath<reassoc,contract,arcp,afn> : f32
      %p_yp4 = stencil.access %p[0, 4, 0] : !temp
      %p_ym4 = stencil.access %p[0, -4, 0] : !temp
      %p_y_d4 = arith.subf %p_yp4, %p_ym4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y_w1 = arith.mulf %near, %p_y_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y_w2 = arith.mulf %next, %p_y_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y_w3 = arith.mulf %further, %p_y_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y_w4 = arith.mulf %far, %p_y_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y_w12 = arith.addf %p_y_w1, %p_y_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y_w34 = arith.addf %p_y_w3, %p_y_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y = arith.addf %p_y_w12, %p_y_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %p_along_y = arith.mulf %y, %p_y fastmath<reassoc,contract,arcp,afn> : f32
      %p_xp = stencil.access %p[0, 0, 1] : !temp
      %p_xm = stencil.access %p[0, 0, -1] : !temp
      %p_x_d1 = arith.subf %p_xp, %p_xm fastmath<reassoc,contract,arcp,afn> : f32
      %p_xp2 = stencil.access %p[0, 0, 2] : !temp
      %p_xm2 = stencil.access %p[0, 0, -2] : !temp
      %p_x_d2 = arith.subf %p_xp2, %p_xm2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_xp3 = stencil.access %p[0, 0, 3] : !temp
      %p_xm3 = stencil.access %p[0, 0, -3] : !temp
      %p_x_d3 = arith.subf %p_xp3, %p_xm3 fastmath<reassoc,contract,arcp,afn> : f32
      %p_xp4 = stencil.access %p[0, 0, 4] : !temp
      %p_xm4 = stencil.access %p[0, 0, -4] : !temp
      %p_x_d4 = arith.subf %p_xp4, %p_xm4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x_w1 = arith.mulf %near, %p_x_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x_w2 = arith.mulf %next, %p_x_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x_w3 = arith.mulf %further, %p_x_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x_w4 = arith.mulf %far, %p_x_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x_w12 = arith.addf %p_x_w1, %p_x_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x_w34 = arith.addf %p_x_w3, %p_x_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x = arith.addf %p_x_w12, %p_x_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %p_along_x = arith.mulf %x, %p_x fastmath<reassoc,contract,arcp,afn> : f32
      %p_along_zy = arith.addf %p_along_z, %p_along_y fastmath<reassoc,contract,arcp,afn> : f32
      %p_along = arith.addf %p_along_zy, %p_along_x fastmath<reassoc,contract,arcp,afn> : f32
      %p_flow_z = arith.mulf %z, %p_along fastmath<reassoc,contract,arcp,afn> : f32
      %p_flow_y = arith.mulf %y, %p_along fastmath<reassoc,contract,arcp,afn> : f32
      %p_flow_x = arith.mulf %x, %p_along fastmath<reassoc,contract,arcp,afn> : f32
      // The slope of q along the axis, as a vector.
      %q_zp = stencil.access %q[1, 0, 0] : !temp
      %q_zm = stencil.access %q[-1, 0, 0] : !temp
      %q_z_d1 = arith.subf %q_zp, %q_zm fastmath<reassoc,contract,arcp,afn> : f32
      %q_zp2 = stencil.access %q[2, 0, 0] : !temp
      %q_zm2 = stencil.access %q[-2, 0, 0] : !temp
      %q_z_d2 = arith.subf %q_zp2, %q_zm2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_zp3 = stencil.access %q[3, 0, 0] : !temp
      %q_zm3 = stencil.access %q[-3, 0, 0] : !temp
      %q_z_d3 = arith.subf %q_zp3, %q_zm3 fastmath<reassoc,contract,arcp,afn> : f32
      %q_zp4 = stencil.access %q[4, 0, 0] : !temp
      %q_zm4 = stencil.access %q[-4, 0, 0] : !temp
      %q_z_d4 = arith.subf %q_zp4, %q_zm4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z_w1 = arith.mulf %near, %q_z_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z_w2 = arith.mulf %next, %q_z_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z_w3 = arith.mulf %further, %q_z_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z_w4 = arith.mulf %far, %q_z_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z_w12 = arith.addf %q_z_w1, %q_z_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z_w34 = arith.addf %q_z_w3, %q_z_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z = arith.addf %q_z_w12, %q_z_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %q_along_z = arith.mulf %z, %q_z fastmath<reassoc,contract,arcp,afn> : f32
      %q_yp = stencil.access %q[0, 1, 0] : !temp
      %q_ym = stencil.access %q[0, -1, 0] : !temp
      %q_y_d1 = arith.subf %q_yp, %q_ym fastmath<reassoc,contract,arcp,afn> : f32
      %q_yp2 = stencil.access %q[0, 2, 0] : !temp
      %q_ym2 = stencil.access %q[0, -2, 0] : !temp
      %q_y_d2 = arith.subf %q_yp2, %q_ym2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_yp3 = stencil.access %q[0, 3, 0] : !temp
      %q_ym3 = stencil.access %q[0, -3, 0] : !temp
      %q_y_d3 = arith.subf %q_yp3, %q_ym3 fastmath<reassoc,contract,arcp,afn> : f32
      %q_yp4 = stencil.access %q[0, 4, 0] : !temp
      %q_ym4 = stencil.access %q[0, -4, 0] : !temp
      %q_y_d4 = arith.subf %q_yp4, %q_ym4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y_w1 = arith.mulf %near, %q_y_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y_w2 = arith.mulf %next, %q_y_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y_w3 = arith.mulf %further, %q_y_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y_w4 = arith.mulf %far, %q_y_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y_w12 = arith.addf %q_y_w1, %q_y_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y_w34 = arith.addf %q_y_w3, %q_y_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y = arith.addf %q_y_w12, %q_y_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %q_along_y = arith.mulf %y, %q_y fastmath<reassoc,contract,arcp,afn> : f32
      %q_xp = stencil.access %q[0, 0, 1] : !temp
      %q_xm = stencil.access %q[0, 0, -1] : !temp
      %q_x_d1 = arith.subf %q_xp, %q_xm fastmath<reassoc,contract,arcp,afn> : f32
      %q_xp2 = stencil.access %q[0, 0, 2] : !temp
      %q_xm2 = stencil.access %q[0, 0, -2] : !temp
      %q_x_d2 = arith.subf %q_xp2, %q_xm2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_xp3 = stencil.access %q[0, 0, 3] : !temp
      %q_xm3 = stencil.access %q[0, 0, -3] : !temp
      %q_x_d3 = arith.subf %q_xp3, %q_xm3 fastmath<reassoc,contract,arcp,afn> : f32
      %q_xp4 = stencil.access %q[0, 0, 4] : !temp
      %q_xm4 = stencil.access %q[0, 0, -4] : !temp
      %q_x_d4 = arith.subf %q_xp4, %q_xm4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x_w1 = arith.mulf %near, %q_x_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x_w2 = arith.mulf %next, %q_x_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x_w3 = arith.mulf %further, %q_x_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x_w4 = arith.mulf %far, %q_x_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x_w12 = arith.addf %q_x_w1, %q_x_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x_w34 = arith.addf %q_x_w3, %q_x_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x = arith.addf %q_x_w12, %q_x_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %q_along_x = arith.mulf %x, %q_x fastmath<reassoc,contract,arcp,afn> : f32
      %q_along_zy = arith.addf %q_along_z, %q_along_y fastmath<reassoc,contract,arcp,afn> : f32
      %q_along = arith.addf %q_along_zy, %q_along_x fastmath<reassoc,contract,arcp,afn> : f32
      %q_flow_z = arith.mulf %z, %q_along fastmath<reassoc,contract,arcp,afn> : f32
      %q_flow_y = arith.mulf %y, %q_along fastmath<reassoc,contract,arcp,afn> : f32
      %q_flow_x = arith.mulf %x, %q_along fastmath<reassoc,contract,arcp,afn> : f32
      stencil.return %p_flow_z, %p_flow_y, %p_flow_x, %q_flow_z, %q_flow_y, %q_flow_x : f32, f32,
          f32, f32, f32, f32
    }
    %p_stepped, %q_stepped = stencil.apply(%pz = %pz_flow : !temp, %py = %py_flow : !temp,
        %px = %px_flow : !temp, %qz = %qz_flow : !temp, %qy = %qy_flow : !temp,
        %qx = %qx_flow : !temp, %p = %p_now_values : !temp, %q = %q_now_values : !temp,
        %p_past = %p_before_values : !temp, %q_past = %q_before_values : !temp,
        %medium = %medium_values : !temp, %across = %across_values : !temp,
        %coupling = %coupling_values : !temp)
        -> (!temp, !temp) attributes {stencil.stage = "wave"} {
      // Weights of the four pairs of cells, the nearest first.
      %near = arith.constant 0.8 : f32
      %next = arith.constant -0.2 : f32
      %further = arith.constant 0.03809524 : f32
      %far = arith.constant -0.0035714286 : f32
      // The second derivative of p along the axis of symmetry.
      %pz_zp = stencil.access %pz[1, 0, 0] : !temp
      %pz_zm = stencil.access %pz[-1, 0, 0] : !temp
      %p_z_d1 = arith.subf %pz_zp, %pz_zm fastmath<reassoc,contract,arcp,afn> : f32
      %pz_zp2 = stencil.access %pz[2, 0, 0] : !temp
      %pz_zm2 = stencil.access %pz[-2, 0, 0] : !temp
      %p_z_d2 = arith.subf %pz_zp2, %pz_zm2 fastmath<reassoc,contract,arcp,afn> : f32
      %pz_zp3 = stencil.access %pz[3, 0, 0] : !temp
      %pz_zm3 = stencil.access %pz[-3, 0, 0] : !temp
      %p_z_d3 = arith.subf %pz_zp3, %pz_zm3 fastmath<reassoc,contract,arcp,afn> : f32
      %pz_zp4 = stencil.access %pz[4, 0, 0] : !temp
      %pz_zm4 = stencil.access %pz[-4, 0, 0] : !temp
      %p_z_d4 = arith.subf %pz_zp4, %pz_zm4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z_w1 = arith.mulf %near, %p_z_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z_w2 = arith.mulf %next, %p_z_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z_w3 = arith.mulf %further, %p_z_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z_w4 = arith.mulf %far, %p_z_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z_w12 = arith.addf %p_z_w1, %p_z_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z_w34 = arith.addf %p_z_w3, %p_z_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_z = arith.addf %p_z_w12, %p_z_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %py_yp = stencil.access %py[0, 1, 0] : !temp
      %py_ym = stencil.access %py[0, -1, 0] : !temp
      %p_y_d1 = arith.subf %py_yp, %py_ym fastmath<reassoc,contract,arcp,afn> : f32
      %py_yp2 = stencil.access %py[0, 2, 0] : !temp
      %py_ym2 = stencil.access %py[0, -2, 0] : !temp
      %p_y_d2 = arith.subf %py_yp2, %py_ym2 fastmath<reassoc,contract,arcp,afn> : f32
      %py_yp3 = stencil.access %py[0, 3, 0] : !temp
      %py_ym3 = stencil.access %py[0, -3, 0] : !temp
      %p_y_d3 = arith.subf %py_yp3, %py_ym3 fastmath<reassoc,contract,arcp,afn> : f32
      %py_yp4 = stencil.access %py[0, 4, 0] : !temp
      %py_ym4 = stencil.access %py[0, -4, 0] : !temp
      %p_y_d4 = arith.subf %py_yp4, %py_ym4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y_w1 = arith.mulf %near, %p_y_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y_w2 = arith.mulf %next, %p_y_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y_w3 = arith.mulf %further, %p_y_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y_w4 = arith.mulf %far, %p_y_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y_w12 = arith.addf %p_y_w1, %p_y_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y_w34 = arith.addf %p_y_w3, %p_y_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_y = arith.addf %p_y_w12, %p_y_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %px_xp = stencil.access %px[0, 0, 1] : !temp
      %px_xm = stencil.access %px[0, 0, -1] : !temp
      %p_x_d1 = arith.subf %px_xp, %px_xm fastmath<reassoc,contract,arcp,afn> : f32
      %px_xp2 = stencil.access %px[0, 0, 2] : !temp
      %px_xm2 = stencil.access %px[0, 0, -2] : !temp
      %p_x_d2 = arith.subf %px_xp2, %px_xm2 fastmath<reassoc,contract,arcp,afn> : f32
      %px_xp3 = stencil.access %px[0, 0, 3] : !temp
      %px_xm3 = stencil.access %px[0, 0, -3] : !temp
      %p_x_d3 = arith.subf %px_xp3, %px_xm3 fastmath<reassoc,contract,arcp,afn> : f32
      %px_xp4 = stencil.access %px[0, 0, 4] : !temp
      %px_xm4 = stencil.access %px[0, 0, -4] : !temp
      %p_x_d4 = arith.subf %px_xp4, %px_xm4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x_w1 = arith.mulf %near, %p_x_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x_w2 = arith.mulf %next, %p_x_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x_w3 = arith.mulf %further, %p_x_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x_w4 = arith.mulf %far, %p_x_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x_w12 = arith.addf %p_x_w1, %p_x_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x_w34 = arith.addf %p_x_w3, %p_x_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_x = arith.addf %p_x_w12, %p_x_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %p_zy = arith.addf %p_z, %p_y fastmath<reassoc,contract,arcp,afn> : f32
      %p_axial = arith.addf %p_zy, %p_x fastmath<reassoc,contract,arcp,afn> : f32
      // The second derivative of q along the axis of symmetry.
      %qz_zp = stencil.access %qz[1, 0, 0] : !temp
      %qz_zm = stencil.access %qz[-1, 0, 0] : !temp
      %q_z_d1 = arith.subf %qz_zp, %qz_zm fastmath<reassoc,contract,arcp,afn> : f32
      %qz_zp2 = stencil.access %qz[2, 0, 0] : !temp
      %qz_zm2 = stencil.access %qz[-2, 0, 0] : !temp
      %q_z_d2 = arith.subf %qz_zp2, %qz_zm2 fastmath<reassoc,contract,arcp,afn> : f32
      %qz_zp3 = stencil.access %qz[3, 0, 0] : !temp
      %qz_zm3 = stencil.access %qz[-3, 0, 0] : !temp
      %q_z_d3 = arith.subf %qz_zp3, %qz_zm3 fastmath<reassoc,contract,arcp,afn> : f32
      %qz_zp4 = stencil.access %qz[4, 0, 0] : !temp
      %qz_zm4 = stencil.access %qz[-4, 0, 0] : !temp
      %q_z_d4 = arith.subf %qz_zp4, %qz_zm4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z_w1 = arith.mulf %near, %q_z_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z_w2 = arith.mulf %next, %q_z_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z_w3 = arith.mulf %further, %q_z_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z_w4 = arith.mulf %far, %q_z_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z_w12 = arith.addf %q_z_w1, %q_z_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z_w34 = arith.addf %q_z_w3, %q_z_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_z = arith.addf %q_z_w12, %q_z_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %qy_yp = stencil.access %qy[0, 1, 0] : !temp
      %qy_ym = stencil.access %qy[0, -1, 0] : !temp
      %q_y_d1 = arith.subf %qy_yp, %qy_ym fastmath<reassoc,contract,arcp,afn> : f32
      %qy_yp2 = stencil.access %qy[0, 2, 0] : !temp
      %qy_ym2 = stencil.access %qy[0, -2, 0] : !temp
      %q_y_d2 = arith.subf %qy_yp2, %qy_ym2 fastmath<reassoc,contract,arcp,afn> : f32
      %qy_yp3 = stencil.access %qy[0, 3, 0] : !temp
      %qy_ym3 = stencil.access %qy[0, -3, 0] : !temp
      %q_y_d3 = arith.subf %qy_yp3, %qy_ym3 fastmath<reassoc,contract,arcp,afn> : f32
      %qy_yp4 = stencil.access %qy[0, 4, 0] : !temp
      %qy_ym4 = stencil.access %qy[0, -4, 0] : !temp
      %q_y_d4 = arith.subf %qy_yp4, %qy_ym4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y_w1 = arith.mulf %near, %q_y_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y_w2 = arith.mulf %next, %q_y_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y_w3 = arith.mulf %further, %q_y_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y_w4 = arith.mulf %far, %q_y_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y_w12 = arith.addf %q_y_w1, %q_y_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y_w34 = arith.addf %q_y_w3, %q_y_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_y = arith.addf %q_y_w12, %q_y_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %qx_xp = stencil.access %qx[0, 0, 1] : !temp
      %qx_xm = stencil.access %qx[0, 0, -1] : !temp
      %q_x_d1 = arith.subf %qx_xp, %qx_xm fastmath<reassoc,contract,arcp,afn> : f32
      %qx_xp2 = stencil.access %qx[0, 0, 2] : !temp
      %qx_xm2 = stencil.access %qx[0, 0, -2] : !temp
      %q_x_d2 = arith.subf %qx_xp2, %qx_xm2 fastmath<reassoc,contract,arcp,afn> : f32
      %qx_xp3 = stencil.access %qx[0, 0, 3] : !temp
      %qx_xm3 = stencil.access %qx[0, 0, -3] : !temp
      %q_x_d3 = arith.subf %qx_xp3, %qx_xm3 fastmath<reassoc,contract,arcp,afn> : f32
      %qx_xp4 = stencil.access %qx[0, 0, 4] : !temp
      %qx_xm4 = stencil.access %qx[0, 0, -4] : !temp
      %q_x_d4 = arith.subf %qx_xp4, %qx_xm4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x_w1 = arith.mulf %near, %q_x_d1 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x_w2 = arith.mulf %next, %q_x_d2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x_w3 = arith.mulf %further, %q_x_d3 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x_w4 = arith.mulf %far, %q_x_d4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x_w12 = arith.addf %q_x_w1, %q_x_w2 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x_w34 = arith.addf %q_x_w3, %q_x_w4 fastmath<reassoc,contract,arcp,afn> : f32
      %q_x = arith.addf %q_x_w12, %q_x_w34 fastmath<reassoc,contract,arcp,afn> : f32
      %q_zy = arith.addf %q_z, %q_y fastmath<reassoc,contract,arcp,afn> : f32
      %q_axial = arith.addf %q_zy, %q_x fastmath<reassoc,contract,arcp,afn> : f32
      // The Laplacian of p: sums of the six cells at each distance, the farthest first.
      %p_zm4 = stencil.access %p[-4, 0, 0] : !temp
      %p_zp4 = stencil.access %p[4, 0, 0] : !temp
      %z4 = arith.addf %p_zm4, %p_zp4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_ym4 = stencil.access %p[0, -4, 0] : !temp
      %p_yp4 = stencil.access %p[0, 4, 0] : !temp
      %y4 = arith.addf %p_ym4, %p_yp4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_xm4 = stencil.access %p[0, 0, -4] : !temp
      %p_xp4 = stencil.access %p[0, 0, 4] : !temp
      %x4 = arith.addf %p_xm4, %p_xp4 fastmath<reassoc,contract,arcp,afn> : f32
      %zy4 = arith.addf %z4, %y4 fastmath<reassoc,contract,arcp,afn> : f32
      %shell4 = arith.addf %zy4, %x4 fastmath<reassoc,contract,arcp,afn> : f32
      %p_zm3 = stencil.access %p[-3, 0, 0] : !temp
      %p_zp3 = stencil.access %p[3, 0, 0] : !temp
      %z3 = arith.addf %p_zm3, %p_zp3 fastmath<reassoc,contract,arcp,afn> : f32
      %p_ym3 = stencil.access %p[0, -3, 0] : !temp
      %p_yp3 = stencil.access %p[0, 3, 0] : !temp
      %y3 = arith.addf %p_ym3, %p_yp3 fastmath<reassoc,contract,arcp,afn> : f32
      %p_xm3 = stencil.access %p[0, 0, -3] : !temp
      %p_xp3 = stencil.access %p[0, 0, 3] : !temp
      %x3 = arith.addf %p_xm3, %p_xp3 fastmath<reassoc,contract,arcp,afn> : f32
      %zy3 = arith.addf %z3, %y3 fastmath<reassoc,contract,arcp,afn> : f32
      %shell3 = arith.addf %zy3, %x3 fastmath<reassoc,contract,arcp,afn> : f32
      %p_zm2 = stencil.access %p[-2, 0, 0] : !temp
      %p_zp2 = stencil.access %p[2, 0, 0] : !temp
      %z2 = arith.addf %p_zm2, %p_zp2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_ym2 = stencil.access %p[0, -2, 0] : !temp
      %p_yp2 = stencil.access %p[0, 2, 0] : !temp
      %y2 = arith.addf %p_ym2, %p_yp2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_xm2 = stencil.access %p[0, 0, -2] : !temp
      %p_xp2 = stencil.access %p[0, 0, 2] : !temp
      %x2 = arith.addf %p_xm2, %p_xp2 fastmath<reassoc,contract,arcp,afn> : f32
      %zy2 = arith.addf %z2, %y2 fastmath<reassoc,contract,arcp,afn> : f32
      %shell2 = arith.addf %zy2, %x2 fastmath<reassoc,contract,arcp,afn> : f32
      %p_zm = stencil.access %p[-1, 0, 0] : !temp
      %p_zp = stencil.access %p[1, 0, 0] : !temp
      %z1 = arith.addf %p_zm, %p_zp fastmath<reassoc,contract,arcp,afn> : f32
      %p_ym = stencil.access %p[0, -1, 0] : !temp
      %p_yp = stencil.access %p[0, 1, 0] : !temp
      %y1 = arith.addf %p_ym, %p_yp fastmath<reassoc,contract,arcp,afn> : f32
      %p_xm = stencil.access %p[0, 0, -1] : !temp
      %p_xp = stencil.access %p[0, 0, 1] : !temp
      %x1 = arith.addf %p_xm, %p_xp fastmath<reassoc,contract,arcp,afn> : f32
      %zy1 = arith.addf %z1, %y1 fastmath<reassoc,contract,arcp,afn> : f32
      %shell1 = arith.addf %zy1, %x1 fastmath<reassoc,contract,arcp,afn> : f32
      %weight4 = arith.constant -0.0017857143 : f32
      %weight3 = arith.constant 0.025396826 : f32
      %weight2 = arith.constant -0.2 : f32
      %weight1 = arith.constant 1.6 : f32
      %weight0 = arith.constant -8.541667 : f32
      %here = stencil.access %p[0, 0, 0] : !temp
      %term4 = arith.mulf %weight4, %shell4 fastmath<reassoc,contract,arcp,afn> : f32
      %term3 = arith.mulf %weight3, %shell3 fastmath<reassoc,contract,arcp,afn> : f32
      %term2 = arith.mulf %weight2, %shell2 fastmath<reassoc,contract,arcp,afn> : f32
      %term1 = arith.mulf %weight1, %shell1 fastmath<reassoc,contract,arcp,afn> : f32
      %term0 = arith.mulf %weight0, %here fastmath<reassoc,contract,arcp,afn> : f32
      %outer = arith.addf %term4, %term3 fastmath<reassoc,contract,arcp,afn> : f32
      %inner = arith.addf %term2, %term1 fastmath<reassoc,contract,arcp,afn> : f32
      %shells = arith.addf %outer, %inner fastmath<reassoc,contract,arcp,afn> : f32
      %laplacian = arith.addf %shells, %term0 fastmath<reassoc,contract,arcp,afn> : f32
      // Both fields, two steps of time.
      %two = arith.constant 2.0 : f32
      %m = stencil.access %medium[0, 0, 0] : !temp
      %e = stencil.access %across[0, 0, 0] : !temp
      %d = stencil.access %coupling[0, 0, 0] : !temp
      %flat = arith.subf %laplacian, %p_axial fastmath<reassoc,contract,arcp,afn> : f32
      %p_flat = arith.mulf %e, %flat fastmath<reassoc,contract,arcp,afn> : f32
      %p_tilted = arith.mulf %d, %q_axial fastmath<reassoc,contract,arcp,afn> : f32
      %p_sum = arith.addf %p_flat, %p_tilted fastmath<reassoc,contract,arcp,afn> : f32
      %p_force = arith.mulf %m, %p_sum fastmath<reassoc,contract,arcp,afn> : f32
      %p_twice = arith.mulf %two, %here fastmath<reassoc,contract,arcp,afn> : f32
      %p_past_c = stencil.access %p_past[0, 0, 0] : !temp
      %p_inertia = arith.subf %p_twice, %p_past_c fastmath<reassoc,contract,arcp,afn> : f32
      %p_new = arith.addf %p_inertia, %p_force fastmath<reassoc,contract,arcp,afn> : f32
      %q_flat = arith.mulf %d, %flat fastmath<reassoc,contract,arcp,afn> : f32
      %q_sum = arith.addf %q_flat, %q_axial fastmath<reassoc,contract,arcp,afn> : f32
      %q_force = arith.mulf %m, %q_sum fastmath<reassoc,contract,arcp,afn> : f32
      %q_c = stencil.access %q[0, 0, 0] : !temp
      %q_twice = arith.mulf %two, %q_c fastmath<reassoc,contract,arcp,afn> : f32
      %q_past_c = stencil.access %q_past[0, 0, 0] : !temp
      %q_inertia = arith.subf %q_twice, %q_past_c fastmath<reassoc,contract,arcp,afn> : f32
      %q_new = arith.addf %q_inertia, %q_force fastmath<reassoc,contract,arcp,afn> : f32
      stencil.return %p_new, %q_new : f32, f32
    }
    stencil.store %p_stepped to %p_next(<[0, 0, 0], [16, 18, 20]>) : !temp to !field
    stencil.store %q_stepped to %q_next(<[0, 0, 0], [16, 18, 20]>) : !temp to !field
    scf.yield %p_now, %p_next, %p_before, %q_now, %q_next, %q_before : !field, !field, !field,
        !field, !field, !field
  }
  return
}
