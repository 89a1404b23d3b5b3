// A fluid between two plates: nineteen distributions that stream and collide (lattice Boltzmann).
//
// f_c'(x) = (1 - r) g_c + r w_c d (1 + 3 c.u + 4.5 (c.u)^2 - 1.5 u.u) with g_c = f_c(x - c) for the
// nineteen velocities c of at most two non-zero components, d the sum of all g and u the sum of c g
// over d; w = 1/3, 1/18, 1/36 for the cell at rest, axes and edges, r = 0.6 [Bhatnagar, Gross,
// Krook, A Model for Collision Processes in Gases, Physical Review 1954; Qian, d'Humieres,
// Lallemand, Lattice BGK Models for Navier-Stokes Equation, Europhysics Letters 1992]. Directions
// are east, north and top along x, y and z. Along x and y the fluid is periodic, along z it is
// between two plates that lie half a cell outside. Before each step ghost cells take, of the
// directions that point inwards, the values at the other end, and at the plates what the cell next
// to them has sent there (bounce-back). Two fields for each direction change places every step.
// Radius 1, 14 x 18 x 22 points, f32, three steps. 177 FLOPs per point and step.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: verified: bit-identical

!field = !stencil.field<[-1,15]x[-2,20]x[-2,24]xf32>
!temp = !stencil.temp<?x?x?xf32>

func.func @lbm_d3q19(%rest0: !field, %e0: !field, %w0: !field, %n0: !field, %s0: !field,
    %t0: !field, %b0: !field, %ne0: !field, %nw0: !field, %se0: !field, %sw0: !field, %te0: !field,
    %tw0: !field, %be0: !field, %bw0: !field, %tn0: !field, %ts0: !field, %bn0: !field,
    %bs0: !field, %rest1: !field, %e1: !field, %w1: !field, %n1: !field, %s1: !field, %t1: !field,
    %b1: !field, %ne1: !field, %nw1: !field, %se1: !field, %sw1: !field, %te1: !field, %tw1: !field,
    %be1: !field, %bw1: !field, %tn1: !field, %ts1: !field, %bn1: !field, %bs1: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 3 : index
  %one = arith.constant 1 : index
  %end:38 = scf.for %step = %first to %steps step %one
      iter_args(%rest_now = %rest0, %e_now = %e0, %w_now = %w0, %n_now = %n0, %s_now = %s0,
        %t_now = %t0, %b_now = %b0, %ne_now = %ne0, %nw_now = %nw0, %se_now = %se0, %sw_now = %sw0,
        %te_now = %te0, %tw_now = %tw0, %be_now = %be0, %bw_now = %bw0, %tn_now = %tn0,
        %ts_now = %ts0, %bn_now = %bn0, %bs_now = %bs0, %rest_next = %rest1, %e_next = %e1,
        %w_next = %w1, %n_next = %n1, %s_next = %s1, %t_next = %t1, %b_next = %b1, %ne_next = %ne1,
        %nw_next = %nw1, %se_next = %se1, %sw_next = %sw1, %te_next = %te1, %tw_next = %tw1,
        %be_next = %be1, %bw_next = %bw1, %tn_next = %tn1, %ts_next = %ts1, %bn_next = %bn1,
        %bs_next = %bs1)
      -> (!field, !field, !field, !field, !field, !field, !field, !field, !field, !field, !field,
        !field, !field, !field, !field, !field, !field, !field, !field, !field, !field, !field,
        !field, !field, !field, !field, !field, !field, !field, !field, !field, !field, !field,
        !field, !field, !field, !field, !field) {
    // What comes in from the west is what leaves at the other end.
    %e_x_low = stencil.load %e_now : !field -> !temp
    %ne_x_low = stencil.load %ne_now : !field -> !temp
    %se_x_low = stencil.load %se_now : !field -> !temp
    %te_x_low = stencil.load %te_now : !field -> !temp
    %be_x_low = stencil.load %be_now : !field -> !temp
    %e_from_west, %ne_from_west, %se_from_west, %te_from_west,
        %be_from_west = stencil.apply(%e = %e_x_low : !temp, %ne = %ne_x_low : !temp,
        %se = %se_x_low : !temp, %te = %te_x_low : !temp, %be = %be_x_low : !temp)
        -> (!temp, !temp, !temp, !temp, !temp) attributes {stencil.stage = "x_low"} {
      %e_there = stencil.access %e[0, 0, 22] : !temp
      %ne_there = stencil.access %ne[0, 0, 22] : !temp
      %se_there = stencil.access %se[0, 0, 22] : !temp
      %te_there = stencil.access %te[0, 0, 22] : !temp
      %be_there = stencil.access %be[0, 0, 22] : !temp
      stencil.return %e_there, %ne_there, %se_there, %te_there, %be_there : f32, f32, f32, f32, f32
    }
    stencil.store %e_from_west to %e_now(<[0, 0, -1], [14, 18, 0]>) : !temp to !field
    stencil.store %ne_from_west to %ne_now(<[0, 0, -1], [14, 18, 0]>) : !temp to !field
    stencil.store %se_from_west to %se_now(<[0, 0, -1], [14, 18, 0]>) : !temp to !field
    stencil.store %te_from_west to %te_now(<[0, 0, -1], [14, 18, 0]>) : !temp to !field
    stencil.store %be_from_west to %be_now(<[0, 0, -1], [14, 18, 0]>) : !temp to !field
    // What comes in from the east is what leaves at the other end.
    %w_x_high = stencil.load %w_now : !field -> !temp
    %nw_x_high = stencil.load %nw_now : !field -> !temp
    %sw_x_high = stencil.load %sw_now : !field -> !temp
    %tw_x_high = stencil.load %tw_now : !field -> !temp
    %bw_x_high = stencil.load %bw_now : !field -> !temp
    %w_from_east, %nw_from_east, %sw_from_east, %tw_from_east,
        %bw_from_east = stencil.apply(%w = %w_x_high : !temp, %nw = %nw_x_high : !temp,
        %sw = %sw_x_high : !temp, %tw = %tw_x_high : !temp, %bw = %bw_x_high : !temp)
        -> (!temp, !temp, !temp, !temp, !temp) attributes {stencil.stage = "x_high"} {
      %w_there = stencil.access %w[0, 0, -22] : !temp
      %nw_there = stencil.access %nw[0, 0, -22] : !temp
      %sw_there = stencil.access %sw[0, 0, -22] : !temp
      %tw_there = stencil.access %tw[0, 0, -22] : !temp
      %bw_there = stencil.access %bw[0, 0, -22] : !temp
      stencil.return %w_there, %nw_there, %sw_there, %tw_there, %bw_there : f32, f32, f32, f32, f32
    }
    stencil.store %w_from_east to %w_now(<[0, 0, 22], [14, 18, 23]>) : !temp to !field
    stencil.store %nw_from_east to %nw_now(<[0, 0, 22], [14, 18, 23]>) : !temp to !field
    stencil.store %sw_from_east to %sw_now(<[0, 0, 22], [14, 18, 23]>) : !temp to !field
    stencil.store %tw_from_east to %tw_now(<[0, 0, 22], [14, 18, 23]>) : !temp to !field
    stencil.store %bw_from_east to %bw_now(<[0, 0, 22], [14, 18, 23]>) : !temp to !field
    // What comes in from the south is what leaves at the other end.
    %n_y_low = stencil.load %n_now : !field -> !temp
    %ne_y_low = stencil.load %ne_now : !field -> !temp
    %nw_y_low = stencil.load %nw_now : !field -> !temp
    %tn_y_low = stencil.load %tn_now : !field -> !temp
    %bn_y_low = stencil.load %bn_now : !field -> !temp
    %n_from_south, %ne_from_south, %nw_from_south, %tn_from_south,
        %bn_from_south = stencil.apply(%n = %n_y_low : !temp, %ne = %ne_y_low : !temp,
        %nw = %nw_y_low : !temp, %tn = %tn_y_low : !temp, %bn = %bn_y_low : !temp)
        -> (!temp, !temp, !temp, !temp, !temp) attributes {stencil.stage = "y_low"} {
      %n_there = stencil.access %n[0, 18, 0] : !temp
      %ne_there = stencil.access %ne[0, 18, 0] : !temp
      %nw_there = stencil.access %nw[0, 18, 0] : !temp
      %tn_there = stencil.access %tn[0, 18, 0] : !temp
      %bn_there = stencil.access %bn[0, 18, 0] : !temp
      stencil.return %n_there, %ne_there, %nw_there, %tn_there, %bn_there : f32, f32, f32, f32, f32
    }
    stencil.store %n_from_south to %n_now(<[0, -1, -1], [14, 0, 23]>) : !temp to !field
    stencil.store %ne_from_south to %ne_now(<[0, -1, -1], [14, 0, 23]>) : !temp to !field
    stencil.store %nw_from_south to %nw_now(<[0, -1, -1], [14, 0, 23]>) : !temp to !field
    stencil.store %tn_from_south to %tn_now(<[0, -1, -1], [14, 0, 23]>) : !temp to !field
    stencil.store %bn_from_south to %bn_now(<[0, -1, -1], [14, 0, 23]>) : !temp to !field
    // What comes in from the north is what leaves at the other end.
    %s_y_high = stencil.load %s_now : !field -> !temp
    %se_y_high = stencil.load %se_now : !field -> !temp
    %sw_y_high = stencil.load %sw_now : !field -> !temp
    %ts_y_high = stencil.load %ts_now : !field -> !temp
    %bs_y_high = stencil.load %bs_now : !field -> !temp
    %s_from_north, %se_from_north, %sw_from_north, %ts_from_north,
        %bs_from_north = stencil.apply(%s = %s_y_high : !temp, %se = %se_y_high : !temp,
        %sw = %sw_y_high : !temp, %ts = %ts_y_high : !temp, %bs = %bs_y_high : !temp)
        -> (!temp, !temp, !temp, !temp, !temp) attributes {stencil.stage = "y_high"} {
      %s_there = stencil.access %s[0, -18, 0] : !temp
      %se_there = stencil.access %se[0, -18, 0] : !temp
      %sw_there = stencil.access %sw[0, -18, 0] : !temp
      %ts_there = stencil.access %ts[0, -18, 0] : !temp
      %bs_there = stencil.access %bs[0, -18, 0] : !temp
      stencil.return %s_there, %se_there, %sw_there, %ts_there, %bs_there : f32, f32, f32, f32, f32
    }
    stencil.store %s_from_north to %s_now(<[0, 18, -1], [14, 19, 23]>) : !temp to !field
    stencil.store %se_from_north to %se_now(<[0, 18, -1], [14, 19, 23]>) : !temp to !field
    stencil.store %sw_from_north to %sw_now(<[0, 18, -1], [14, 19, 23]>) : !temp to !field
    stencil.store %ts_from_north to %ts_now(<[0, 18, -1], [14, 19, 23]>) : !temp to !field
    stencil.store %bs_from_north to %bs_now(<[0, 18, -1], [14, 19, 23]>) : !temp to !field
    // What comes in from the floor is what the cell there has sent to it.
    %b_z_low = stencil.load %b_now : !field -> !temp
    %bw_z_low = stencil.load %bw_now : !field -> !temp
    %be_z_low = stencil.load %be_now : !field -> !temp
    %bs_z_low = stencil.load %bs_now : !field -> !temp
    %bn_z_low = stencil.load %bn_now : !field -> !temp
    %t_from_floor, %te_from_floor, %tw_from_floor, %tn_from_floor,
        %ts_from_floor = stencil.apply(%b = %b_z_low : !temp, %bw = %bw_z_low : !temp,
        %be = %be_z_low : !temp, %bs = %bs_z_low : !temp, %bn = %bn_z_low : !temp)
        -> (!temp, !temp, !temp, !temp, !temp) attributes {stencil.stage = "z_low"} {
      %t_back = stencil.access %b[1, 0, 0] : !temp
      %te_back = stencil.access %bw[1, 0, 1] : !temp
      %tw_back = stencil.access %be[1, 0, -1] : !temp
      %tn_back = stencil.access %bs[1, 1, 0] : !temp
      %ts_back = stencil.access %bn[1, -1, 0] : !temp
      stencil.return %t_back, %te_back, %tw_back, %tn_back, %ts_back : f32, f32, f32, f32, f32
    }
    stencil.store %t_from_floor to %t_now(<[-1, 0, 0], [0, 18, 22]>) : !temp to !field
    stencil.store %te_from_floor to %te_now(<[-1, 0, -1], [0, 18, 21]>) : !temp to !field
    stencil.store %tw_from_floor to %tw_now(<[-1, 0, 1], [0, 18, 23]>) : !temp to !field
    stencil.store %tn_from_floor to %tn_now(<[-1, -1, 0], [0, 17, 22]>) : !temp to !field
    stencil.store %ts_from_floor to %ts_now(<[-1, 1, 0], [0, 19, 22]>) : !temp to !field
    // What comes in from the ceiling is what the cell there has sent to it.
    %t_z_high = stencil.load %t_now : !field -> !temp
    %tw_z_high = stencil.load %tw_now : !field -> !temp
    %te_z_high = stencil.load %te_now : !field -> !temp
    %ts_z_high = stencil.load %ts_now : !field -> !temp
    %tn_z_high = stencil.load %tn_now : !field -> !temp
    %b_from_ceiling, %be_from_ceiling, %bw_from_ceiling, %bn_from_ceiling,
        %bs_from_ceiling = stencil.apply(%t = %t_z_high : !temp, %tw = %tw_z_high : !temp,
        %te = %te_z_high : !temp, %ts = %ts_z_high : !temp, %tn = %tn_z_high : !temp)
        -> (!temp, !temp, !temp, !temp, !temp) attributes {stencil.stage = "z_high"} {
      %b_back = stencil.access %t[-1, 0, 0] : !temp
      %be_back = stencil.access %tw[-1, 0, 1] : !temp
      %bw_back = stencil.access %te[-1, 0, -1] : !temp
      %bn_back = stencil.access %ts[-1, 1, 0] : !temp
      %bs_back = stencil.access %tn[-1, -1, 0] : !temp
      stencil.return %b_back, %be_back, %bw_back, %bn_back, %bs_back : f32, f32, f32, f32, f32
    }
    stencil.store %b_from_ceiling to %b_now(<[14, 0, 0], [15, 18, 22]>) : !temp to !field
    stencil.store %be_from_ceiling to %be_now(<[14, 0, -1], [15, 18, 21]>) : !temp to !field
    stencil.store %bw_from_ceiling to %bw_now(<[14, 0, 1], [15, 18, 23]>) : !temp to !field
    stencil.store %bn_from_ceiling to %bn_now(<[14, -1, 0], [15, 17, 22]>) : !temp to !field
    stencil.store %bs_from_ceiling to %bs_now(<[14, 1, 0], [15, 19, 22]>) : !temp to !field
    %rest_values = stencil.load %rest_now : !field -> !temp
    %e_values = stencil.load %e_now : !field -> !temp
    %w_values = stencil.load %w_now : !field -> !temp
    %n_values = stencil.load %n_now : !field -> !temp
    %s_values = stencil.load %s_now : !field -> !temp
    %t_values = stencil.load %t_now : !field -> !temp
    %b_values = stencil.load %b_now : !field -> !temp
    %ne_values = stencil.load %ne_now : !field -> !temp
    %nw_values = stencil.load %nw_now : !field -> !temp
    %se_values = stencil.load %se_now : !field -> !temp
    %sw_values = stencil.load %sw_now : !field -> !temp
    %te_values = stencil.load %te_now : !field -> !temp
    %tw_values = stencil.load %tw_now : !field -> !temp
    %be_values = stencil.load %be_now : !field -> !temp
    %bw_values = stencil.load %bw_now : !field -> !temp
    %tn_values = stencil.load %tn_now : !field -> !temp
    %ts_values = stencil.load %ts_now : !field -> !temp
    %bn_values = stencil.load %bn_now : !field -> !temp
    %bs_values = stencil.load %bs_now : !field -> !temp
    %rest_stepped, %e_stepped, %w_stepped, %n_stepped, %s_stepped, %t_stepped, %b_stepped,
        %ne_stepped, %nw_stepped, %se_stepped, %sw_stepped, %te_stepped, %tw_stepped, %be_stepped,
        %bw_stepped, %tn_stepped, %ts_stepped, %bn_stepped,
        %bs_stepped = stencil.apply(%rest = %rest_values : !temp, %e = %e_values : !temp,
        %w = %w_values : !temp, %n = %n_values : !temp, %s = %s_values : !temp,
        %t = %t_values : !temp, %b = %b_values : !temp, %ne = %ne_values : !temp,
        %nw = %nw_values : !temp, %se = %se_values : !temp, %sw = %sw_values : !temp,
        %te = %te_values : !temp, %tw = %tw_values : !temp, %be = %be_values : !temp,
        %bw = %bw_values : !temp, %tn = %tn_values : !temp, %ts = %ts_values : !temp,
        %bn = %bn_values : !temp, %bs = %bs_values : !temp)
        -> (!temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp, !temp,
          !temp, !temp, !temp, !temp, !temp, !temp, !temp) attributes {stencil.stage = "collide"} {
      // What arrives from the neighbours.
      %rest_in = stencil.access %rest[0, 0, 0] : !temp
      %e_in = stencil.access %e[0, 0, -1] : !temp
      %w_in = stencil.access %w[0, 0, 1] : !temp
      %n_in = stencil.access %n[0, -1, 0] : !temp
      %s_in = stencil.access %s[0, 1, 0] : !temp
      %t_in = stencil.access %t[-1, 0, 0] : !temp
      %b_in = stencil.access %b[1, 0, 0] : !temp
      %ne_in = stencil.access %ne[0, -1, -1] : !temp
      %nw_in = stencil.access %nw[0, -1, 1] : !temp
      %se_in = stencil.access %se[0, 1, -1] : !temp
      %sw_in = stencil.access %sw[0, 1, 1] : !temp
      %te_in = stencil.access %te[-1, 0, -1] : !temp
      %tw_in = stencil.access %tw[-1, 0, 1] : !temp
      %be_in = stencil.access %be[1, 0, -1] : !temp
      %bw_in = stencil.access %bw[1, 0, 1] : !temp
      %tn_in = stencil.access %tn[-1, -1, 0] : !temp
      %ts_in = stencil.access %ts[-1, 1, 0] : !temp
      %bn_in = stencil.access %bn[1, -1, 0] : !temp
      %bs_in = stencil.access %bs[1, 1, 0] : !temp
      // Density and velocity.
      %density0 = arith.addf %rest_in, %e_in fastmath<reassoc,contract,arcp,afn> : f32
      %density1 = arith.addf %density0, %w_in fastmath<reassoc,contract,arcp,afn> : f32
      %density2 = arith.addf %density1, %n_in fastmath<reassoc,contract,arcp,afn> : f32
      %density3 = arith.addf %density2, %s_in fastmath<reassoc,contract,arcp,afn> : f32
      %density4 = arith.addf %density3, %t_in fastmath<reassoc,contract,arcp,afn> : f32
      %density5 = arith.addf %density4, %b_in fastmath<reassoc,contract,arcp,afn> : f32
      %density6 = arith.addf %density5, %ne_in fastmath<reassoc,contract,arcp,afn> : f32
      %density7 = arith.addf %density6, %nw_in fastmath<reassoc,contract,arcp,afn> : f32
      %density8 = arith.addf %density7, %se_in fastmath<reassoc,contract,arcp,afn> : f32
      %density9 = arith.addf %density8, %sw_in fastmath<reassoc,contract,arcp,afn> : f32
      %density10 = arith.addf %density9, %te_in fastmath<reassoc,contract,arcp,afn> : f32
      %density11 = arith.addf %density10, %tw_in fastmath<reassoc,contract,arcp,afn> : f32
      %density12 = arith.addf %density11, %be_in fastmath<reassoc,contract,arcp,afn> : f32
      %density13 = arith.addf %density12, %bw_in fastmath<reassoc,contract,arcp,afn> : f32
      %density14 = arith.addf %density13, %tn_in fastmath<reassoc,contract,arcp,afn> : f32
      %density15 = arith.addf %density14, %ts_in fastmath<reassoc,contract,arcp,afn> : f32
      %density16 = arith.addf %density15, %bn_in fastmath<reassoc,contract,arcp,afn> : f32
      %density = arith.addf %density16, %bs_in fastmath<reassoc,contract,arcp,afn> : f32
      %ux_ahead0 = arith.addf %e_in, %ne_in fastmath<reassoc,contract,arcp,afn> : f32
      %ux_ahead1 = arith.addf %ux_ahead0, %se_in fastmath<reassoc,contract,arcp,afn> : f32
      %ux_ahead2 = arith.addf %ux_ahead1, %te_in fastmath<reassoc,contract,arcp,afn> : f32
      %ux_ahead = arith.addf %ux_ahead2, %be_in fastmath<reassoc,contract,arcp,afn> : f32
      %ux_back0 = arith.addf %w_in, %nw_in fastmath<reassoc,contract,arcp,afn> : f32
      %ux_back1 = arith.addf %ux_back0, %sw_in fastmath<reassoc,contract,arcp,afn> : f32
      %ux_back2 = arith.addf %ux_back1, %tw_in fastmath<reassoc,contract,arcp,afn> : f32
      %ux_back = arith.addf %ux_back2, %bw_in fastmath<reassoc,contract,arcp,afn> : f32
      %ux_momentum = arith.subf %ux_ahead, %ux_back fastmath<reassoc,contract,arcp,afn> : f32
      %uy_ahead0 = arith.addf %n_in, %ne_in fastmath<reassoc,contract,arcp,afn> : f32
      %uy_ahead1 = arith.addf %uy_ahead0, %nw_in fastmath<reassoc,contract,arcp,afn> : f32
      %uy_ahead2 = arith.addf %uy_ahead1, %tn_in fastmath<reassoc,contract,arcp,afn> : f32
      %uy_ahead = arith.addf %uy_ahead2, %bn_in fastmath<reassoc,contract,arcp,afn> : f32
      %uy_back0 = arith.addf %s_in, %se_in fastmath<reassoc,contract,arcp,afn> : f32
      %uy_back1 = arith.addf %uy_back0, %sw_in fastmath<reassoc,contract,arcp,afn> : f32
      %uy_back2 = arith.addf %uy_back1, %ts_in fastmath<reassoc,contract,arcp,afn> : f32
      %uy_back = arith.addf %uy_back2, %bs_in fastmath<reassoc,contract,arcp,afn> : f32
      %uy_momentum = arith.subf %uy_ahead, %uy_back fastmath<reassoc,contract,arcp,afn> : f32
      %uz_ahead0 = arith.addf %t_in, %te_in fastmath<reassoc,contract,arcp,afn> : f32
      %uz_ahead1 = arith.addf %uz_ahead0, %tw_in fastmath<reassoc,contract,arcp,afn> : f32
      %uz_ahead2 = arith.addf %uz_ahead1, %tn_in fastmath<reassoc,contract,arcp,afn> : f32
      %uz_ahead = arith.addf %uz_ahead2, %ts_in fastmath<reassoc,contract,arcp,afn> : f32
      %uz_back0 = arith.addf %b_in, %be_in fastmath<reassoc,contract,arcp,afn> : f32
      %uz_back1 = arith.addf %uz_back0, %bw_in fastmath<reassoc,contract,arcp,afn> : f32
      %uz_back2 = arith.addf %uz_back1, %bn_in fastmath<reassoc,contract,arcp,afn> : f32
      %uz_back = arith.addf %uz_back2, %bs_in fastmath<reassoc,contract,arcp,afn> : f32
      %uz_momentum = arith.subf %uz_ahead, %uz_back fastmath<reassoc,contract,arcp,afn> : f32
      %one = arith.constant 1.0 : f32
      %volume = arith.divf %one, %density fastmath<reassoc,contract,arcp,afn> : f32
      %ux = arith.mulf %ux_momentum, %volume fastmath<reassoc,contract,arcp,afn> : f32
      %uy = arith.mulf %uy_momentum, %volume fastmath<reassoc,contract,arcp,afn> : f32
      %uz = arith.mulf %uz_momentum, %volume fastmath<reassoc,contract,arcp,afn> : f32
      // The equilibrium of each direction, towards which it relaxes.
      %three = arith.constant 3.0 : f32
      %half_of_nine = arith.constant 4.5 : f32
      %half_of_three = arith.constant 1.5 : f32
      %xx = arith.mulf %ux, %ux fastmath<reassoc,contract,arcp,afn> : f32
      %yy = arith.mulf %uy, %uy fastmath<reassoc,contract,arcp,afn> : f32
      %zz = arith.mulf %uz, %uz fastmath<reassoc,contract,arcp,afn> : f32
      %xy = arith.addf %xx, %yy fastmath<reassoc,contract,arcp,afn> : f32
      %speed = arith.addf %xy, %zz fastmath<reassoc,contract,arcp,afn> : f32
      %slowed = arith.mulf %half_of_three, %speed fastmath<reassoc,contract,arcp,afn> : f32
      %still = arith.subf %one, %slowed fastmath<reassoc,contract,arcp,afn> : f32
      %kept = arith.constant 0.4 : f32
      %relaxed = arith.constant 0.6 : f32
      %weight_rest = arith.constant 0.33333334 : f32
      %weight_axis = arith.constant 0.055555556 : f32
      %weight_edge = arith.constant 0.027777778 : f32
      %part = arith.mulf %relaxed, %density fastmath<reassoc,contract,arcp,afn> : f32
      %scale_rest = arith.mulf %weight_rest, %part fastmath<reassoc,contract,arcp,afn> : f32
      %scale_axis = arith.mulf %weight_axis, %part fastmath<reassoc,contract,arcp,afn> : f32
      %scale_edge = arith.mulf %weight_edge, %part fastmath<reassoc,contract,arcp,afn> : f32
      %rest_share = arith.mulf %scale_rest, %still fastmath<reassoc,contract,arcp,afn> : f32
      %rest_kept = arith.mulf %kept, %rest_in fastmath<reassoc,contract,arcp,afn> : f32
      %rest_out = arith.addf %rest_kept, %rest_share fastmath<reassoc,contract,arcp,afn> : f32
      // Directions e and w.
      %e_squared = arith.mulf %ux, %ux fastmath<reassoc,contract,arcp,afn> : f32
      %e_bend = arith.mulf %half_of_nine, %e_squared fastmath<reassoc,contract,arcp,afn> : f32
      %e_even = arith.addf %still, %e_bend fastmath<reassoc,contract,arcp,afn> : f32
      %e_odd = arith.mulf %three, %ux fastmath<reassoc,contract,arcp,afn> : f32
      %e_form = arith.addf %e_even, %e_odd fastmath<reassoc,contract,arcp,afn> : f32
      %e_share = arith.mulf %scale_axis, %e_form fastmath<reassoc,contract,arcp,afn> : f32
      %e_kept = arith.mulf %kept, %e_in fastmath<reassoc,contract,arcp,afn> : f32
      %e_out = arith.addf %e_kept, %e_share fastmath<reassoc,contract,arcp,afn> : f32
      %w_form = arith.subf %e_even, %e_odd fastmath<reassoc,contract,arcp,afn> : f32
      %w_share = arith.mulf %scale_axis, %w_form fastmath<reassoc,contract,arcp,afn> : f32
      %w_kept = arith.mulf %kept, %w_in fastmath<reassoc,contract,arcp,afn> : f32
      %w_out = arith.addf %w_kept, %w_share fastmath<reassoc,contract,arcp,afn> : f32
      // Directions n and s.
      %n_squared = arith.mulf %uy, %uy fastmath<reassoc,contract,arcp,afn> : f32
      %n_bend = arith.mulf %half_of_nine, %n_squared fastmath<reassoc,contract,arcp,afn> : f32
      %n_even = arith.addf %still, %n_bend fastmath<reassoc,contract,arcp,afn> : f32
      %n_odd = arith.mulf %three, %uy fastmath<reassoc,contract,arcp,afn> : f32
      %n_form = arith.addf %n_even, %n_odd fastmath<reassoc,contract,arcp,afn> : f32
      %n_share = arith.mulf %scale_axis, %n_form fastmath<reassoc,contract,arcp,afn> : f32
      %n_kept = arith.mulf %kept, %n_in fastmath<reassoc,contract,arcp,afn> : f32
      %n_out = arith.addf %n_kept, %n_share fastmath<reassoc,contract,arcp,afn> : f32
      %s_form = arith.subf %n_even, %n_odd fastmath<reassoc,contract,arcp,afn> : f32
      %s_share = arith.mulf %scale_axis, %s_form fastmath<reassoc,contract,arcp,afn> : f32
      %s_kept = arith.mulf %kept, %s_in fastmath<reassoc,contract,arcp,afn> : f32
      %s_out = arith.addf %s_kept, %s_share fastmath<reassoc,contract,arcp,afn> : f32
      // Directions t and b.
      %t_squared = arith.mulf %uz, %uz fastmath<reassoc,contract,arcp,afn> : f32
      %t_bend = arith.mulf %half_of_nine, %t_squared fastmath<reassoc,contract,arcp,afn> : f32
      %t_even = arith.addf %still, %t_bend fastmath<reassoc,contract,arcp,afn> : f32
      %t_odd = arith.mulf %three, %uz fastmath<reassoc,contract,arcp,afn> : f32
      %t_form = arith.addf %t_even, %t_odd fastmath<reassoc,contract,arcp,afn> : f32
      %t_share = arith.mulf %scale_axis, %t_form fastmath<reassoc,contract,arcp,afn> : f32
      %t_kept = arith.mulf %kept, %t_in fastmath<reassoc,contract,arcp,afn> : f32
      %t_out = arith.addf %t_kept, %t_share fastmath<reassoc,contract,arcp,afn> : f32
      %b_form = arith.subf %t_even, %t_odd fastmath<reassoc,contract,arcp,afn> : f32
      %b_share = arith.mulf %scale_axis, %b_form fastmath<reassoc,contract,arcp,afn> : f32
      %b_kept = arith.mulf %kept, %b_in fastmath<reassoc,contract,arcp,afn> : f32
      %b_out = arith.addf %b_kept, %b_share fastmath<reassoc,contract,arcp,afn> : f32
      // Directions ne and sw.
      %ne_speed = arith.addf %ux, %uy fastmath<reassoc,contract,arcp,afn> : f32
      %ne_squared = arith.mulf %ne_speed, %ne_speed fastmath<reassoc,contract,arcp,afn> : f32
      %ne_bend = arith.mulf %half_of_nine, %ne_squared fastmath<reassoc,contract,arcp,afn> : f32
      %ne_even = arith.addf %still, %ne_bend fastmath<reassoc,contract,arcp,afn> : f32
      %ne_odd = arith.mulf %three, %ne_speed fastmath<reassoc,contract,arcp,afn> : f32
      %ne_form = arith.addf %ne_even, %ne_odd fastmath<reassoc,contract,arcp,afn> : f32
      %ne_share = arith.mulf %scale_edge, %ne_form fastmath<reassoc,contract,arcp,afn> : f32
      %ne_kept = arith.mulf %kept, %ne_in fastmath<reassoc,contract,arcp,afn> : f32
      %ne_out = arith.addf %ne_kept, %ne_share fastmath<reassoc,contract,arcp,afn> : f32
      %sw_form = arith.subf %ne_even, %ne_odd fastmath<reassoc,contract,arcp,afn> : f32
      %sw_share = arith.mulf %scale_edge, %sw_form fastmath<reassoc,contract,arcp,afn> : f32
      %sw_kept = arith.mulf %kept, %sw_in fastmath<reassoc,contract,arcp,afn> : f32
      %sw_out = arith.addf %sw_kept, %sw_share fastmath<reassoc,contract,arcp,afn> : f32
      // Directions nw and se.
      %nw_speed = arith.subf %uy, %ux fastmath<reassoc,contract,arcp,afn> : f32
      %nw_squared = arith.mulf %nw_speed, %nw_speed fastmath<reassoc,contract,arcp,afn> : f32
      %nw_bend = arith.mulf %half_of_nine, %nw_squared fastmath<reassoc,contract,arcp,afn> : f32
      %nw_even = arith.addf %still, %nw_bend fastmath<reassoc,contract,arcp,afn> : f32
      %nw_odd = arith.mulf %three, %nw_speed fastmath<reassoc,contract,arcp,afn> : f32
      %nw_form = arith.addf %nw_even, %nw_odd fastmath<reassoc,contract,arcp,afn> : f32
      %nw_share = arith.mulf %scale_edge, %nw_form fastmath<reassoc,contract,arcp,afn> : f32
      %nw_kept = arith.mulf %kept, %nw_in fastmath<reassoc,contract,arcp,afn> : f32
      %nw_out = arith.addf %nw_kept, %nw_share fastmath<reassoc,contract,arcp,afn> : f32
      %se_form = arith.subf %nw_even, %nw_odd fastmath<reassoc,contract,arcp,afn> : f32
      %se_share = arith.mulf %scale_edge, %se_form fastmath<reassoc,contract,arcp,afn> : f32
      %se_kept = arith.mulf %kept, %se_in fastmath<reassoc,contract,arcp,afn> : f32
      %se_out = arith.addf %se_kept, %se_share fastmath<reassoc,contract,arcp,afn> : f32
      // Directions te and bw.
      %te_speed = arith.addf %ux, %uz fastmath<reassoc,contract,arcp,afn> : f32
      %te_squared = arith.mulf %te_speed, %te_speed fastmath<reassoc,contract,arcp,afn> : f32
      %te_bend = arith.mulf %half_of_nine, %te_squared fastmath<reassoc,contract,arcp,afn> : f32
      %te_even = arith.addf %still, %te_bend fastmath<reassoc,contract,arcp,afn> : f32
      %te_odd = arith.mulf %three, %te_speed fastmath<reassoc,contract,arcp,afn> : f32
      %te_form = arith.addf %te_even, %te_odd fastmath<reassoc,contract,arcp,afn> : f32
      %te_share = arith.mulf %scale_edge, %te_form fastmath<reassoc,contract,arcp,afn> : f32
      %te_kept = arith.mulf %kept, %te_in fastmath<reassoc,contract,arcp,afn> : f32
      %te_out = arith.addf %te_kept, %te_share fastmath<reassoc,contract,arcp,afn> : f32
      %bw_form = arith.subf %te_even, %te_odd fastmath<reassoc,contract,arcp,afn> : f32
      %bw_share = arith.mulf %scale_edge, %bw_form fastmath<reassoc,contract,arcp,afn> : f32
      %bw_kept = arith.mulf %kept, %bw_in fastmath<reassoc,contract,arcp,afn> : f32
      %bw_out = arith.addf %bw_kept, %bw_share fastmath<reassoc,contract,arcp,afn> : f32
      // Directions tw and be.
      %tw_speed = arith.subf %uz, %ux fastmath<reassoc,contract,arcp,afn> : f32
      %tw_squared = arith.mulf %tw_speed, %tw_speed fastmath<reassoc,contract,arcp,afn> : f32
      %tw_bend = arith.mulf %half_of_nine, %tw_squared fastmath<reassoc,contract,arcp,afn> : f32
      %tw_even = arith.addf %still, %tw_bend fastmath<reassoc,contract,arcp,afn> : f32
      %tw_odd = arith.mulf %three, %tw_speed fastmath<reassoc,contract,arcp,afn> : f32
      %tw_form = arith.addf %tw_even, %tw_odd fastmath<reassoc,contract,arcp,afn> : f32
      %tw_share = arith.mulf %scale_edge, %tw_form fastmath<reassoc,contract,arcp,afn> : f32
      %tw_kept = arith.mulf %kept, %tw_in fastmath<reassoc,contract,arcp,afn> : f32
      %tw_out = arith.addf %tw_kept, %tw_share fastmath<reassoc,contract,arcp,afn> : f32
      %be_form = arith.subf %tw_even, %tw_odd fastmath<reassoc,contract,arcp,afn> : f32
      %be_share = arith.mulf %scale_edge, %be_form fastmath<reassoc,contract,arcp,afn> : f32
      %be_kept = arith.mulf %kept, %be_in fastmath<reassoc,contract,arcp,afn> : f32
      %be_out = arith.addf %be_kept, %be_share fastmath<reassoc,contract,arcp,afn> : f32
      // Directions tn and bs.
      %tn_speed = arith.addf %uy, %uz fastmath<reassoc,contract,arcp,afn> : f32
      %tn_squared = arith.mulf %tn_speed, %tn_speed fastmath<reassoc,contract,arcp,afn> : f32
      %tn_bend = arith.mulf %half_of_nine, %tn_squared fastmath<reassoc,contract,arcp,afn> : f32
      %tn_even = arith.addf %still, %tn_bend fastmath<reassoc,contract,arcp,afn> : f32
      %tn_odd = arith.mulf %three, %tn_speed fastmath<reassoc,contract,arcp,afn> : f32
      %tn_form = arith.addf %tn_even, %tn_odd fastmath<reassoc,contract,arcp,afn> : f32
      %tn_share = arith.mulf %scale_edge, %tn_form fastmath<reassoc,contract,arcp,afn> : f32
      %tn_kept = arith.mulf %kept, %tn_in fastmath<reassoc,contract,arcp,afn> : f32
      %tn_out = arith.addf %tn_kept, %tn_share fastmath<reassoc,contract,arcp,afn> : f32
      %bs_form = arith.subf %tn_even, %tn_odd fastmath<reassoc,contract,arcp,afn> : f32
      %bs_share = arith.mulf %scale_edge, %bs_form fastmath<reassoc,contract,arcp,afn> : f32
      %bs_kept = arith.mulf %kept, %bs_in fastmath<reassoc,contract,arcp,afn> : f32
      %bs_out = arith.addf %bs_kept, %bs_share fastmath<reassoc,contract,arcp,afn> : f32
      // Directions ts and bn.
      %ts_speed = arith.subf %uz, %uy fastmath<reassoc,contract,arcp,afn> : f32
      %ts_squared = arith.mulf %ts_speed, %ts_speed fastmath<reassoc,contract,arcp,afn> : f32
      %ts_bend = arith.mulf %half_of_nine, %ts_squared fastmath<reassoc,contract,arcp,afn> : f32
      %ts_even = arith.addf %still, %ts_bend fastmath<reassoc,contract,arcp,afn> : f32
      %ts_odd = arith.mulf %three, %ts_speed fastmath<reassoc,contract,arcp,afn> : f32
      %ts_form = arith.addf %ts_even, %ts_odd fastmath<reassoc,contract,arcp,afn> : f32
      %ts_share = arith.mulf %scale_edge, %ts_form fastmath<reassoc,contract,arcp,afn> : f32
      %ts_kept = arith.mulf %kept, %ts_in fastmath<reassoc,contract,arcp,afn> : f32
      %ts_out = arith.addf %ts_kept, %ts_share fastmath<reassoc,contract,arcp,afn> : f32
      %bn_form = arith.subf %ts_even, %ts_odd fastmath<reassoc,contract,arcp,afn> : f32
      %bn_share = arith.mulf %scale_edge, %bn_form fastmath<reassoc,contract,arcp,afn> : f32
      %bn_kept = arith.mulf %kept, %bn_in fastmath<reassoc,contract,arcp,afn> : f32
      %bn_out = arith.addf %bn_kept, %bn_share fastmath<reassoc,contract,arcp,afn> : f32
      stencil.return %rest_out, %e_out, %w_out, %n_out, %s_out, %t_out, %b_out, %ne_out, %nw_out,
          %se_out, %sw_out, %te_out, %tw_out, %be_out, %bw_out, %tn_out, %ts_out, %bn_out,
          %bs_out : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32,
          f32, f32, f32
    }
    stencil.store %rest_stepped to %rest_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %e_stepped to %e_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %w_stepped to %w_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %n_stepped to %n_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %s_stepped to %s_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %t_stepped to %t_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %b_stepped to %b_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %ne_stepped to %ne_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %nw_stepped to %nw_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %se_stepped to %se_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %sw_stepped to %sw_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %te_stepped to %te_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %tw_stepped to %tw_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %be_stepped to %be_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %bw_stepped to %bw_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %tn_stepped to %tn_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %ts_stepped to %ts_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %bn_stepped to %bn_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    stencil.store %bs_stepped to %bs_next(<[0, 0, 0], [14, 18, 22]>) : !temp to !field
    scf.yield %rest_next, %e_next, %w_next, %n_next, %s_next, %t_next, %b_next, %ne_next, %nw_next,
        %se_next, %sw_next, %te_next, %tw_next, %be_next, %bw_next, %tn_next, %ts_next, %bn_next,
        %bs_next, %rest_now, %e_now, %w_now, %n_now, %s_now, %t_now, %b_now, %ne_now, %nw_now,
        %se_now, %sw_now, %te_now, %tw_now, %be_now, %bw_now, %tn_now, %ts_now, %bn_now,
        %bs_now : !field, !field, !field, !field, !field, !field, !field, !field, !field, !field,
        !field, !field, !field, !field, !field, !field, !field, !field, !field, !field, !field,
        !field, !field, !field, !field, !field, !field, !field, !field, !field, !field, !field,
        !field, !field, !field, !field, !field, !field
  }
  return
}
