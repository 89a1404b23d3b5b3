// A loop with walls reads its counter: what devices that share it do between two exchanges counts on.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg n=13 --devices=2 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg n=13 --devices=3 | FileCheck %s
// CHECK: verified: bit-identical

!field = !stencil.field<[0,37]x[0,53]xf64>
!field1 = !stencil.field<[0,37]x[0,53]xi32>
!field2 = !stencil.field<[-1,38]x[-1,54]xf64>
!temp = !stencil.temp<?x?xf64>
!temp1 = !stencil.temp<?x?xi32>

func.func @cnt(%u: !field, %first: !field1, %n: index) {
  %u_level0 = stencil.alloc : !field2
  %u_level1 = stencil.alloc : !field2
  %u_values = stencil.load %u : !field -> !temp
  %u_level0_copy = stencil.apply(%from = %u_values : !temp)
      -> (!temp) attributes {stencil.stage = "u_in"} {
    %cell = stencil.access %from[0, 0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %u_level0_copy to %u_level0(<[0, 0], [37, 53]>) : !temp to !field2
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end:2 = scf.for %step = %c0 to %n step %c1 iter_args(%u_now = %u_level0,
      %u_next = %u_level1) -> (!field2, !field2) {
    %u_now_values = stencil.load %u_now : !field2 -> !temp
    %u_j_low = stencil.apply(%u_from = %u_now_values : !temp)
        -> (!temp) attributes {stencil.stage = "u_j_low"} {
      %inside = stencil.access %u_from[1, 0] : !temp
      stencil.return %inside : f64
    }
    stencil.store %u_j_low to %u_now(<[-1, 0], [0, 53]>) : !temp to !field2
    %u_now_values_1 = stencil.load %u_now : !field2 -> !temp
    %u_j_high = stencil.apply(%u_from = %u_now_values_1 : !temp)
        -> (!temp) attributes {stencil.stage = "u_j_high"} {
      %inside = stencil.access %u_from[-1, 0] : !temp
      stencil.return %inside : f64
    }
    stencil.store %u_j_high to %u_now(<[37, 0], [38, 53]>) : !temp to !field2
    %u_now_values_2 = stencil.load %u_now : !field2 -> !temp
    %u_i_low = stencil.apply(%u_from = %u_now_values_2 : !temp)
        -> (!temp) attributes {stencil.stage = "u_i_low"} {
      %inside = stencil.access %u_from[0, 1] : !temp
      stencil.return %inside : f64
    }
    stencil.store %u_i_low to %u_now(<[-1, -1], [38, 0]>) : !temp to !field2
    %u_now_values_3 = stencil.load %u_now : !field2 -> !temp
    %u_i_high = stencil.apply(%u_from = %u_now_values_3 : !temp)
        -> (!temp) attributes {stencil.stage = "u_i_high"} {
      %inside = stencil.access %u_from[0, -1] : !temp
      stencil.return %inside : f64
    }
    stencil.store %u_i_high to %u_now(<[-1, 53], [38, 54]>) : !temp to !field2
    %u_now_values_4 = stencil.load %u_now : !field2 -> !temp
    %u_new = stencil.apply(%u = %u_now_values_4 : !temp)
        -> (!temp) attributes {stencil.stage = "u"} {
      %u_c = stencil.access %u[0, 0] : !temp
      %c0p2 = arith.constant 0.2 : f64
      %cm4 = arith.constant -4.0 : f64
      %product = arith.mulf %cm4, %u_c : f64
      %u_jm1 = stencil.access %u[-1, 0] : !temp
      %u_jp1 = stencil.access %u[1, 0] : !temp
      %sum = arith.addf %u_jm1, %u_jp1 : f64
      %u_im1 = stencil.access %u[0, -1] : !temp
      %u_ip1 = stencil.access %u[0, 1] : !temp
      %sum_1 = arith.addf %u_im1, %u_ip1 : f64
      %sum_2 = arith.addf %sum, %sum_1 : f64
      %sum_3 = arith.addf %product, %sum_2 : f64
      %product_1 = arith.mulf %c0p2, %sum_3 : f64
      %sum_4 = arith.addf %u_c, %product_1 : f64
      stencil.return %sum_4 : f64
    }
    stencil.store %u_new to %u_next(<[0, 0], [37, 53]>) : !temp to !field2
    %u_next_values = stencil.load %u_next : !field2 -> !temp
    %first_values = stencil.load %first : !field1 -> !temp1
    %first_new = stencil.apply(%first = %first_values : !temp1, %u_tp1 = %u_next_values : !temp,
        %time = %step : index) -> (!temp1) attributes {stencil.stage = "first"} {
      %u_tp1_c = stencil.access %u_tp1[0, 0] : !temp
      %c0p6 = arith.constant 0.6 : f64
      %is = arith.cmpf ogt, %u_tp1_c, %c0p6 : f64
      %first_c = stencil.access %first[0, 0] : !temp1
      %c0 = arith.constant 0 : i32
      %is_1 = arith.cmpi slt, %first_c, %c0 : i32
      %both = arith.andi %is, %is_1 : i1
      %as_i64 = arith.index_cast %time : index to i64
      %as_i32 = arith.trunci %as_i64 : i64 to i32
      %chosen = arith.select %both, %as_i32, %first_c : i32
      stencil.return %chosen : i32
    }
    stencil.store %first_new to %first(<[0, 0], [37, 53]>) : !temp1 to !field1
    scf.yield %u_next, %u_now : !field2, !field2
  }
  %end0_values = stencil.load %end#0 : !field2 -> !temp
  %u_copy = stencil.apply(%from = %end0_values : !temp)
      -> (!temp) attributes {stencil.stage = "u_out"} {
    %cell = stencil.access %from[0, 0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %u_copy to %u(<[0, 0], [37, 53]>) : !temp to !field
  return
}
