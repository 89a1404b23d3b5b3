// A periodic loop reads a coefficient of fewer dimensions: a point outside of the domain, which a
// sweep computes, takes the coefficient of the point at the other end.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg n=9 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg n=9 --plan loop:steps=2 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg n=9 --devices=2 | FileCheck %s
// CHECK: verified: bit-identical

!field = !stencil.field<[0,20]x[0,30]xf64>
!field1 = !stencil.field<[0,20]xf64>
!field2 = !stencil.field<[0,20]x[-1,30]xf64>
!temp = !stencil.temp<?x?xf64>
!temp1 = !stencil.temp<?xf64>

func.func @advect(%u: !field, %c: !field1, %n: index) {
  %u_level0 = stencil.alloc : !field2
  %u_level1 = stencil.alloc : !field2
  %u_values = stencil.load %u : !field -> !temp
  %u_level0_copy = stencil.apply(%from = %u_values : !temp)
      -> (!temp) attributes {stencil.stage = "u_in"} {
    %cell = stencil.access %from[0, 0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %u_level0_copy to %u_level0(<[0, 0], [20, 30]>) : !temp to !field2
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end:2 = scf.for %step = %c0 to %n step %c1 iter_args(%u_now = %u_level0,
      %u_next = %u_level1) -> (!field2, !field2) {
    %u_now_values = stencil.load %u_now : !field2 -> !temp
    %u_i_low = stencil.apply(%u_from = %u_now_values : !temp)
        -> (!temp) attributes {stencil.stage = "u_i_low"} {
      %inside = stencil.access %u_from[0, 30] : !temp
      stencil.return %inside : f64
    }
    stencil.store %u_i_low to %u_now(<[0, -1], [20, 0]>) : !temp to !field2
    %u_now_values_1 = stencil.load %u_now : !field2 -> !temp
    %c_values = stencil.load %c : !field1 -> !temp1
    %u_new = stencil.apply(%u = %u_now_values_1 : !temp, %c = %c_values : !temp1)
        -> (!temp) attributes {stencil.stage = "u"} {
      %u_c = stencil.access %u[0, 0] : !temp
      %c_c = stencil.access %c[0, _] : !temp1
      %u_im1 = stencil.access %u[0, -1] : !temp
      %difference = arith.subf %u_c, %u_im1 : f64
      %product = arith.mulf %c_c, %difference : f64
      %difference_1 = arith.subf %u_c, %product : f64
      stencil.return %difference_1 : f64
    }
    stencil.store %u_new to %u_next(<[0, 0], [20, 30]>) : !temp to !field2
    scf.yield %u_next, %u_now : !field2, !field2
  }
  %end0_values = stencil.load %end#0 : !field2 -> !temp
  %u_copy = stencil.apply(%from = %end0_values : !temp)
      -> (!temp) attributes {stencil.stage = "u_out"} {
    %cell = stencil.access %from[0, 0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %u_copy to %u(<[0, 0], [20, 30]>) : !temp to !field
  return
}
