// Shallow water in a basin: the depth and the flow in conservative form, with reflecting walls.
//
// (h, p, q)' = the mean of the four neighbours - r (F(east) - F(west) + G(north) - G(south)), with
// depth h and flow (p, q) = (h u, h v), F = (p, p^2 / h + h^2 / 2, p q / h), G = (q, p q / h, q^2 /
// h + h^2 / 2) in units in which gravity is one, r = dt / (2 dx) = 0.05: the scheme of Lax and
// Friedrichs [LeVeque, Finite Volume Methods for Hyperbolic Problems, Cambridge 2002, chapters 4
// and 13]. Before each step the ghost cells outside each wall mirror the cells next to them, where
// the flow through the wall changes its sign. One apply computes the three unknowns; two fields of
// each change places every step. Radius 1, 46 x 52 points, f64, six steps. 51 FLOPs per point and
// step, four of them divisions.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --plan loop:mapping=warp,loop:steps=2,loop:threads=1x32,loop:points=1x2 | FileCheck %s --check-prefix=SWEPT
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: verified: bit-identical
// SWEPT: kernel    shallow2d_loop:
// SWEPT: verified: bit-identical

!field = !stencil.field<[-1,47]x[-1,53]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @shallow2d(%h0: !field, %p0: !field, %q0: !field, %h1: !field, %p1: !field, %q1: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 6 : index
  %one = arith.constant 1 : index
  %end:6 = scf.for %step = %first to %steps step %one
      iter_args(%h_now = %h0, %p_now = %p0, %q_now = %q0, %h_next = %h1, %p_next = %p1,
        %q_next = %q1)
      -> (!field, !field, !field, !field, !field, !field) {
    // The ghost cells at the low end of y.
    %h_y_low = stencil.load %h_now : !field -> !temp
    %p_y_low = stencil.load %p_now : !field -> !temp
    %q_y_low = stencil.load %q_now : !field -> !temp
    %h_y_low_ghost, %p_y_low_ghost, %q_y_low_ghost = stencil.apply(%h = %h_y_low : !temp,
        %p = %p_y_low : !temp, %q = %q_y_low : !temp)
        -> (!temp, !temp, !temp) attributes {stencil.stage = "y_low"} {
      %h_inside = stencil.access %h[1, 0] : !temp
      %p_inside = stencil.access %p[1, 0] : !temp
      %q_inside = stencil.access %q[1, 0] : !temp
      %q_mirrored = arith.negf %q_inside fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %h_inside, %p_inside, %q_mirrored : f64, f64, f64
    }
    stencil.store %h_y_low_ghost to %h_now(<[-1, -1], [0, 53]>) : !temp to !field
    stencil.store %p_y_low_ghost to %p_now(<[-1, -1], [0, 53]>) : !temp to !field
    stencil.store %q_y_low_ghost to %q_now(<[-1, -1], [0, 53]>) : !temp to !field
    // The ghost cells at the high end of y.
    %h_y_high = stencil.load %h_now : !field -> !temp
    %p_y_high = stencil.load %p_now : !field -> !temp
    %q_y_high = stencil.load %q_now : !field -> !temp
    %h_y_high_ghost, %p_y_high_ghost, %q_y_high_ghost = stencil.apply(%h = %h_y_high : !temp,
        %p = %p_y_high : !temp, %q = %q_y_high : !temp)
        -> (!temp, !temp, !temp) attributes {stencil.stage = "y_high"} {
      %h_inside = stencil.access %h[-1, 0] : !temp
      %p_inside = stencil.access %p[-1, 0] : !temp
      %q_inside = stencil.access %q[-1, 0] : !temp
      %q_mirrored = arith.negf %q_inside fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %h_inside, %p_inside, %q_mirrored : f64, f64, f64
    }
    stencil.store %h_y_high_ghost to %h_now(<[46, -1], [47, 53]>) : !temp to !field
    stencil.store %p_y_high_ghost to %p_now(<[46, -1], [47, 53]>) : !temp to !field
    stencil.store %q_y_high_ghost to %q_now(<[46, -1], [47, 53]>) : !temp to !field
    // The ghost cells at the low end of x.
    %h_x_low = stencil.load %h_now : !field -> !temp
    %p_x_low = stencil.load %p_now : !field -> !temp
    %q_x_low = stencil.load %q_now : !field -> !temp
    %h_x_low_ghost, %p_x_low_ghost, %q_x_low_ghost = stencil.apply(%h = %h_x_low : !temp,
        %p = %p_x_low : !temp, %q = %q_x_low : !temp)
        -> (!temp, !temp, !temp) attributes {stencil.stage = "x_low"} {
      %h_inside = stencil.access %h[0, 1] : !temp
      %p_inside = stencil.access %p[0, 1] : !temp
      %q_inside = stencil.access %q[0, 1] : !temp
      %p_mirrored = arith.negf %p_inside fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %h_inside, %p_mirrored, %q_inside : f64, f64, f64
    }
    stencil.store %h_x_low_ghost to %h_now(<[-1, -1], [47, 0]>) : !temp to !field
    stencil.store %p_x_low_ghost to %p_now(<[-1, -1], [47, 0]>) : !temp to !field
    stencil.store %q_x_low_ghost to %q_now(<[-1, -1], [47, 0]>) : !temp to !field
    // The ghost cells at the high end of x.
    %h_x_high = stencil.load %h_now : !field -> !temp
    %p_x_high = stencil.load %p_now : !field -> !temp
    %q_x_high = stencil.load %q_now : !field -> !temp
    %h_x_high_ghost, %p_x_high_ghost, %q_x_high_ghost = stencil.apply(%h = %h_x_high : !temp,
        %p = %p_x_high : !temp, %q = %q_x_high : !temp)
        -> (!temp, !temp, !temp) attributes {stencil.stage = "x_high"} {
      %h_inside = stencil.access %h[0, -1] : !temp
      %p_inside = stencil.access %p[0, -1] : !temp
      %q_inside = stencil.access %q[0, -1] : !temp
      %p_mirrored = arith.negf %p_inside fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %h_inside, %p_mirrored, %q_inside : f64, f64, f64
    }
    stencil.store %h_x_high_ghost to %h_now(<[-1, 52], [47, 53]>) : !temp to !field
    stencil.store %p_x_high_ghost to %p_now(<[-1, 52], [47, 53]>) : !temp to !field
    stencil.store %q_x_high_ghost to %q_now(<[-1, 52], [47, 53]>) : !temp to !field
    %h_values = stencil.load %h_now : !field -> !temp
    %p_values = stencil.load %p_now : !field -> !temp
    %q_values = stencil.load %q_now : !field -> !temp
    %h_stepped, %p_stepped, %q_stepped = stencil.apply(%h = %h_values : !temp,
        %p = %p_values : !temp, %q = %q_values : !temp)
        -> (!temp, !temp, !temp) attributes {stencil.stage = "step"} {
      %half_gravity = arith.constant 0.5 : f64
      %quarter = arith.constant 0.25 : f64
      // Half the ratio of time step and mesh width.
      %ratio = arith.constant 0.05 : f64
      // Flows along x through the cell to the west.
      %h_w = stencil.access %h[0, -1] : !temp
      %p_w = stencil.access %p[0, -1] : !temp
      %q_w = stencil.access %q[0, -1] : !temp
      %u_w = arith.divf %p_w, %h_w fastmath<reassoc,contract,arcp,afn> : f64
      %squared_w = arith.mulf %h_w, %h_w fastmath<reassoc,contract,arcp,afn> : f64
      %pressure_w = arith.mulf %half_gravity, %squared_w fastmath<reassoc,contract,arcp,afn> : f64
      %carried_w = arith.mulf %p_w, %u_w fastmath<reassoc,contract,arcp,afn> : f64
      %along_w = arith.addf %carried_w, %pressure_w fastmath<reassoc,contract,arcp,afn> : f64
      %across_w = arith.mulf %q_w, %u_w fastmath<reassoc,contract,arcp,afn> : f64
      // Flows along x through the cell to the east.
      %h_e = stencil.access %h[0, 1] : !temp
      %p_e = stencil.access %p[0, 1] : !temp
      %q_e = stencil.access %q[0, 1] : !temp
      %u_e = arith.divf %p_e, %h_e fastmath<reassoc,contract,arcp,afn> : f64
      %squared_e = arith.mulf %h_e, %h_e fastmath<reassoc,contract,arcp,afn> : f64
      %pressure_e = arith.mulf %half_gravity, %squared_e fastmath<reassoc,contract,arcp,afn> : f64
      %carried_e = arith.mulf %p_e, %u_e fastmath<reassoc,contract,arcp,afn> : f64
      %along_e = arith.addf %carried_e, %pressure_e fastmath<reassoc,contract,arcp,afn> : f64
      %across_e = arith.mulf %q_e, %u_e fastmath<reassoc,contract,arcp,afn> : f64
      // Flows along y through the cell to the south.
      %h_s = stencil.access %h[-1, 0] : !temp
      %p_s = stencil.access %p[-1, 0] : !temp
      %q_s = stencil.access %q[-1, 0] : !temp
      %v_s = arith.divf %q_s, %h_s fastmath<reassoc,contract,arcp,afn> : f64
      %squared_s = arith.mulf %h_s, %h_s fastmath<reassoc,contract,arcp,afn> : f64
      %pressure_s = arith.mulf %half_gravity, %squared_s fastmath<reassoc,contract,arcp,afn> : f64
      %carried_s = arith.mulf %q_s, %v_s fastmath<reassoc,contract,arcp,afn> : f64
      %along_s = arith.addf %carried_s, %pressure_s fastmath<reassoc,contract,arcp,afn> : f64
      %across_s = arith.mulf %p_s, %v_s fastmath<reassoc,contract,arcp,afn> : f64
      // Flows along y through the cell to the north.
      %h_n = stencil.access %h[1, 0] : !temp
      %p_n = stencil.access %p[1, 0] : !temp
      %q_n = stencil.access %q[1, 0] : !temp
      %v_n = arith.divf %q_n, %h_n fastmath<reassoc,contract,arcp,afn> : f64
      %squared_n = arith.mulf %h_n, %h_n fastmath<reassoc,contract,arcp,afn> : f64
      %pressure_n = arith.mulf %half_gravity, %squared_n fastmath<reassoc,contract,arcp,afn> : f64
      %carried_n = arith.mulf %q_n, %v_n fastmath<reassoc,contract,arcp,afn> : f64
      %along_n = arith.addf %carried_n, %pressure_n fastmath<reassoc,contract,arcp,afn> : f64
      %across_n = arith.mulf %p_n, %v_n fastmath<reassoc,contract,arcp,afn> : f64
      // The mean of the neighbours, less what flows out.
      %h_x = arith.addf %h_w, %h_e fastmath<reassoc,contract,arcp,afn> : f64
      %h_y = arith.addf %h_s, %h_n fastmath<reassoc,contract,arcp,afn> : f64
      %h_sum = arith.addf %h_x, %h_y fastmath<reassoc,contract,arcp,afn> : f64
      %h_mean = arith.mulf %quarter, %h_sum fastmath<reassoc,contract,arcp,afn> : f64
      %h_net_x = arith.subf %p_e, %p_w fastmath<reassoc,contract,arcp,afn> : f64
      %h_net_y = arith.subf %q_n, %q_s fastmath<reassoc,contract,arcp,afn> : f64
      %h_net = arith.addf %h_net_x, %h_net_y fastmath<reassoc,contract,arcp,afn> : f64
      %h_out = arith.mulf %ratio, %h_net fastmath<reassoc,contract,arcp,afn> : f64
      %h_new = arith.subf %h_mean, %h_out fastmath<reassoc,contract,arcp,afn> : f64
      %p_x = arith.addf %p_w, %p_e fastmath<reassoc,contract,arcp,afn> : f64
      %p_y = arith.addf %p_s, %p_n fastmath<reassoc,contract,arcp,afn> : f64
      %p_sum = arith.addf %p_x, %p_y fastmath<reassoc,contract,arcp,afn> : f64
      %p_mean = arith.mulf %quarter, %p_sum fastmath<reassoc,contract,arcp,afn> : f64
      %p_net_x = arith.subf %along_e, %along_w fastmath<reassoc,contract,arcp,afn> : f64
      %p_net_y = arith.subf %across_n, %across_s fastmath<reassoc,contract,arcp,afn> : f64
      %p_net = arith.addf %p_net_x, %p_net_y fastmath<reassoc,contract,arcp,afn> : f64
      %p_out = arith.mulf %ratio, %p_net fastmath<reassoc,contract,arcp,afn> : f64
      %p_new = arith.subf %p_mean, %p_out fastmath<reassoc,contract,arcp,afn> : f64
      %q_x = arith.addf %q_w, %q_e fastmath<reassoc,contract,arcp,afn> : f64
      %q_y = arith.addf %q_s, %q_n fastmath<reassoc,contract,arcp,afn> : f64
      %q_sum = arith.addf %q_x, %q_y fastmath<reassoc,contract,arcp,afn> : f64
      %q_mean = arith.mulf %quarter, %q_sum fastmath<reassoc,contract,arcp,afn> : f64
      %q_net_x = arith.subf %across_e, %across_w fastmath<reassoc,contract,arcp,afn> : f64
      %q_net_y = arith.subf %along_n, %along_s fastmath<reassoc,contract,arcp,afn> : f64
      %q_net = arith.addf %q_net_x, %q_net_y fastmath<reassoc,contract,arcp,afn> : f64
      %q_out = arith.mulf %ratio, %q_net fastmath<reassoc,contract,arcp,afn> : f64
      %q_new = arith.subf %q_mean, %q_out fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %h_new, %p_new, %q_new : f64, f64, f64
    }
    stencil.store %h_stepped to %h_next(<[0, 0], [46, 52]>) : !temp to !field
    stencil.store %p_stepped to %p_next(<[0, 0], [46, 52]>) : !temp to !field
    stencil.store %q_stepped to %q_next(<[0, 0], [46, 52]>) : !temp to !field
    scf.yield %h_next, %p_next, %q_next, %h_now, %p_now, %q_now : !field, !field, !field, !field,
        !field, !field
  }
  return
}
