// The kernel of what is before a loop comes before that of what follows it, for the loop needs the one and is needed by the other.
//
// RUN: stencilc run %s --target=sm_90a --arg n=2 --on=emulator --seed=1 --verify | FileCheck %s
// CHECK: verified: bit-identical

!field = !stencil.field<[0,70]xf64>
!temp = !stencil.temp<?xf64>
!field1 = !stencil.field<[-2,70]xf64>

func.func @prog(%u: !field, %v: !field, %w: !field, %n: index) {
  %u_level0 = stencil.alloc : !field
  %u_level1 = stencil.alloc : !field
  %u_values = stencil.load %u : !field -> !temp
  %u_level0_copy = stencil.apply(%from = %u_values : !temp)
      -> (!temp) attributes {stencil.stage = "u_in"} {
    %cell = stencil.access %from[0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %u_level0_copy to %u_level0(<[0], [70]>) : !temp to !field
  %w_cells = stencil.alloc : !field1
  %w_values = stencil.load %w : !field -> !temp
  %w_cells_copy = stencil.apply(%from = %w_values : !temp)
      -> (!temp) attributes {stencil.stage = "w_in"} {
    %cell = stencil.access %from[0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %w_cells_copy to %w_cells(<[0], [70]>) : !temp to !field1
  %w_cells_values = stencil.load %w_cells : !field1 -> !temp
  %v_new = stencil.apply(%w = %w_cells_values : !temp) -> (!temp) attributes {stencil.stage = "v"} {
    %w_c = stencil.access %w[0] : !temp
    stencil.return %w_c : f64
  }
  stencil.store %v_new to %v(<[0], [70]>) : !temp to !field
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end:2 = scf.for %step = %c0 to %n step %c1 iter_args(%u_now = %u_level0,
      %u_next = %u_level1) -> (!field, !field) {
    %w_cells_values_1 = stencil.load %w_cells : !field1 -> !temp
    %w_i_low = stencil.apply(%w_from = %w_cells_values_1 : !temp)
        -> (!temp) attributes {stencil.stage = "w_i_low"} {
      %inside = stencil.access %w_from[1] : !temp
      stencil.return %inside : f64
    }
    stencil.store %w_i_low to %w_cells(<[-1], [0]>) : !temp to !field1
    %w_cells_values_2 = stencil.load %w_cells : !field1 -> !temp
    %w_i_low_1 = stencil.apply(%w_from = %w_cells_values_2 : !temp)
        -> (!temp) attributes {stencil.stage = "w_i_low_2"} {
      %inside = stencil.access %w_from[3] : !temp
      stencil.return %inside : f64
    }
    stencil.store %w_i_low_1 to %w_cells(<[-2], [-1]>) : !temp to !field1
    %w_cells_values_3 = stencil.load %w_cells : !field1 -> !temp
    %u_now_values = stencil.load %u_now : !field -> !temp
    %w_new, %u_new = stencil.apply(%u = %u_now_values : !temp,
        %w = %w_cells_values_3 : !temp) -> (!temp, !temp) attributes {stencil.stage = "w_u"} {
      %c0p5 = arith.constant 0.5 : f64
      %w_im2 = stencil.access %w[-2] : !temp
      %product = arith.mulf %c0p5, %w_im2 : f64
      %c0p1 = arith.constant 0.1 : f64
      %c0 = arith.constant 0.0 : f64
      %u_c = stencil.access %u[0] : !temp
      %product_1 = arith.mulf %c0, %u_c : f64
      %sum = arith.addf %c0p1, %product_1 : f64
      stencil.return %product, %sum : f64, f64
    }
    stencil.store %w_new to %w_cells(<[0], [70]>) : !temp to !field1
    stencil.store %u_new to %u_next(<[0], [70]>) : !temp to !field
    scf.yield %u_next, %u_now : !field, !field
  }
  %end0_values = stencil.load %end#0 : !field -> !temp
  %u_copy = stencil.apply(%from = %end0_values : !temp)
      -> (!temp) attributes {stencil.stage = "u_out"} {
    %cell = stencil.access %from[0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %u_copy to %u(<[0], [70]>) : !temp to !field
  %w_cells_values_4 = stencil.load %w_cells : !field1 -> !temp
  %w_copy = stencil.apply(%from = %w_cells_values_4 : !temp)
      -> (!temp) attributes {stencil.stage = "w_out"} {
    %cell = stencil.access %from[0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %w_copy to %w(<[0], [70]>) : !temp to !field
  return
}
