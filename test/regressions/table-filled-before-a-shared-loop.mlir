// Ghost cells of a coefficient of one dimension are filled before a loop that devices share.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg n=25 --devices=2 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg n=25 --devices=3 | FileCheck %s
// CHECK: verified: bit-identical

!field = !stencil.field<[0,40]x[0,34]xf64>
!field1 = !stencil.field<[0,40]xf64>
!field2 = !stencil.field<[0,40]x[-1,34]xf64>
!temp = !stencil.temp<?x?xf64>
!field3 = !stencil.field<[-1,40]xf64>
!temp1 = !stencil.temp<?xf64>

func.func @f(%u: !field, %a: !field1, %n: index) {
  %u_level0 = stencil.alloc : !field2
  %u_level1 = stencil.alloc : !field2
  %u_values = stencil.load %u : !field -> !temp
  %u_level0_copy = stencil.apply(%from = %u_values : !temp)
      -> (!temp) attributes {stencil.stage = "u_in"} {
    %cell = stencil.access %from[0, 0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %u_level0_copy to %u_level0(<[0, 0], [40, 34]>) : !temp to !field2
  %a_cells = stencil.alloc : !field3
  %a_values = stencil.load %a : !field1 -> !temp1
  %a_cells_copy = stencil.apply(%from = %a_values : !temp1)
      -> (!temp1) attributes {stencil.stage = "a_in"} {
    %cell = stencil.access %from[0] : !temp1
    stencil.return %cell : f64
  }
  stencil.store %a_cells_copy to %a_cells(<[0], [40]>) : !temp1 to !field3
  %a_cells_values = stencil.load %a_cells : !field3 -> !temp1
  %a_k_low = stencil.apply(%a_from = %a_cells_values : !temp1)
      -> (!temp1) attributes {stencil.stage = "a_k_low"} {
    %inside = stencil.access %a_from[1] : !temp1
    stencil.return %inside : f64
  }
  stencil.store %a_k_low to %a_cells(<[-1], [0]>) : !temp1 to !field3
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end:2 = scf.for %step = %c0 to %n step %c1 iter_args(%u_now = %u_level0,
      %u_next = %u_level1) -> (!field2, !field2) {
    %u_now_values = stencil.load %u_now : !field2 -> !temp
    %u_i_low = stencil.apply(%u_from = %u_now_values : !temp)
        -> (!temp) attributes {stencil.stage = "u_i_low"} {
      %inside = stencil.access %u_from[0, 34] : !temp
      stencil.return %inside : f64
    }
    stencil.store %u_i_low to %u_now(<[0, -1], [40, 0]>) : !temp to !field2
    %u_now_values_1 = stencil.load %u_now : !field2 -> !temp
    %a_cells_values_1 = stencil.load %a_cells : !field3 -> !temp1
    %u_new = stencil.apply(%u = %u_now_values_1 : !temp, %a = %a_cells_values_1 : !temp1)
        -> (!temp) attributes {stencil.stage = "u"} {
      %u_c = stencil.access %u[0, 0] : !temp
      %a_km1 = stencil.access %a[-1, _] : !temp1
      %u_im1 = stencil.access %u[0, -1] : !temp
      %product = arith.mulf %a_km1, %u_im1 : f64
      %sum = arith.addf %u_c, %product : f64
      stencil.return %sum : f64
    }
    stencil.store %u_new to %u_next(<[0, 0], [40, 34]>) : !temp to !field2
    scf.yield %u_next, %u_now : !field2, !field2
  }
  %end0_values = stencil.load %end#0 : !field2 -> !temp
  %u_copy = stencil.apply(%from = %end0_values : !temp)
      -> (!temp) attributes {stencil.stage = "u_out"} {
    %cell = stencil.access %from[0, 0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %u_copy to %u(<[0, 0], [40, 34]>) : !temp to !field
  return
}
