// A loop behind another one is swept: its number of steps is computed after the first loop, and is
// not that of the function.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg n=3 --arg m=7 | FileCheck %s
// CHECK: verified: bit-identical

!field = !stencil.field<[0,20]x[0,30]xf64>
!temp = !stencil.temp<?x?xf64>
!field1 = !stencil.field<[0,20]x[-1,30]xf64>

func.func @split(%u: !field, %v: !field, %n: index, %m: index) {
  %u_level0 = stencil.alloc : !field
  %u_level1 = stencil.alloc : !field
  %u_values = stencil.load %u : !field -> !temp
  %u_level0_copy = stencil.apply(%from = %u_values : !temp)
      -> (!temp) attributes {stencil.stage = "u_in"} {
    %cell = stencil.access %from[0, 0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %u_level0_copy to %u_level0(<[0, 0], [20, 30]>) : !temp to !field
  %v_level0 = stencil.alloc : !field1
  %v_level1 = stencil.alloc : !field1
  %v_values = stencil.load %v : !field -> !temp
  %v_level0_copy = stencil.apply(%from = %v_values : !temp)
      -> (!temp) attributes {stencil.stage = "v_in"} {
    %cell = stencil.access %from[0, 0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %v_level0_copy to %v_level0(<[0, 0], [20, 30]>) : !temp to !field1
  %v_level0_values = stencil.load %v_level0 : !field1 -> !temp
  %v_i_low = stencil.apply(%v_from = %v_level0_values : !temp)
      -> (!temp) attributes {stencil.stage = "v_i_low"} {
    %inside = stencil.access %v_from[0, 1] : !temp
    stencil.return %inside : f64
  }
  stencil.store %v_i_low to %v_level0(<[0, -1], [20, 0]>) : !temp to !field1
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end:2 = scf.for %step = %c0 to %n step %c1 iter_args(%u_now = %u_level0,
      %u_next = %u_level1) -> (!field, !field) {
    %u_now_values = stencil.load %u_now : !field -> !temp
    %v_level0_values_1 = stencil.load %v_level0 : !field1 -> !temp
    %u_new = stencil.apply(%u = %u_now_values : !temp, %v = %v_level0_values_1 : !temp)
        -> (!temp) attributes {stencil.stage = "u"} {
      %u_c = stencil.access %u[0, 0] : !temp
      %v_im1 = stencil.access %v[0, -1] : !temp
      %sum = arith.addf %u_c, %v_im1 : f64
      stencil.return %sum : f64
    }
    stencil.store %u_new to %u_next(<[0, 0], [20, 30]>) : !temp to !field
    scf.yield %u_next, %u_now : !field, !field
  }
  %v_level0_values_2 = stencil.load %v_level0 : !field1 -> !temp
  %end0_values = stencil.load %end#0 : !field -> !temp
  %v_new = stencil.apply(%v = %v_level0_values_2 : !temp, %u = %end0_values : !temp)
      -> (!temp) attributes {stencil.stage = "v"} {
    %v_c = stencil.access %v[0, 0] : !temp
    %u_c = stencil.access %u[0, 0] : !temp
    %sum = arith.addf %v_c, %u_c : f64
    stencil.return %sum : f64
  }
  stencil.store %v_new to %v_level0(<[0, 0], [20, 30]>) : !temp to !field1
  %end_1:2 = scf.for %step_1 = %c0 to %m step %c1 iter_args(%v_now = %v_level0,
      %v_next = %v_level1) -> (!field1, !field1) {
    %v_now_values = stencil.load %v_now : !field1 -> !temp
    %v_i_low_1 = stencil.apply(%v_from = %v_now_values : !temp)
        -> (!temp) attributes {stencil.stage = "v_i_low_2"} {
      %inside = stencil.access %v_from[0, 1] : !temp
      stencil.return %inside : f64
    }
    stencil.store %v_i_low_1 to %v_now(<[0, -1], [20, 0]>) : !temp to !field1
    %v_now_values_1 = stencil.load %v_now : !field1 -> !temp
    %v_new_1 = stencil.apply(%v = %v_now_values_1 : !temp, %u = %end0_values : !temp)
        -> (!temp) attributes {stencil.stage = "v_2"} {
      %v_c = stencil.access %v[0, 0] : !temp
      %u_c = stencil.access %u[0, 0] : !temp
      %v_im1 = stencil.access %v[0, -1] : !temp
      %product = arith.mulf %u_c, %v_im1 : f64
      %sum = arith.addf %v_c, %product : f64
      stencil.return %sum : f64
    }
    stencil.store %v_new_1 to %v_next(<[0, 0], [20, 30]>) : !temp to !field1
    scf.yield %v_next, %v_now : !field1, !field1
  }
  %u_copy = stencil.apply(%from = %end0_values : !temp)
      -> (!temp) attributes {stencil.stage = "u_out"} {
    %cell = stencil.access %from[0, 0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %u_copy to %u(<[0, 0], [20, 30]>) : !temp to !field
  %end_10_values = stencil.load %end_1#0 : !field1 -> !temp
  %v_copy = stencil.apply(%from = %end_10_values : !temp)
      -> (!temp) attributes {stencil.stage = "v_out"} {
    %cell = stencil.access %from[0, 0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %v_copy to %v(<[0, 0], [20, 30]>) : !temp to !field
  return
}
