// A box of five by five points, two dimensions, nine weights.
//
// out = the sum over the 5 x 5 neighbours; the weight depends on (|dy|, |dx|): (2,2) 0.1, (2,1)
// 0.2, (2,0) 0.3, (1,2) 1.1, (1,1) 1.2, (1,0) 1.3, (0,2) 2.1, (0,1) 2.2, (0,0) 2.3. Kernel 2d25pt
// of the statement-reordering framework [Rawat et al., Register Optimizations for Stencils on
// GPUs, PPoPP 2018]. Radius 2, 8192^2 points in arrays of 8196^2, f64, one step; the outermost two
// cells of the result are not written. FLOPs per point: 33 as the paper counts, 33 as written.
//
// DEFINE: %{size} = --extents 27,31
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 39 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,8196]x[0,8196]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @box_2d25pt(%in: !field, %out: !field) {
  %values = stencil.load %in : !field -> !temp
  %result = stencil.apply(%t = %values : !temp) -> (!temp) {
    %ym2_xm2 = stencil.access %t[-2, -2] : !temp
    %ym2_xp2 = stencil.access %t[-2, 2] : !temp
    %yp2_xm2 = stencil.access %t[2, -2] : !temp
    %yp2_xp2 = stencil.access %t[2, 2] : !temp
    %s22_0 = arith.addf %ym2_xm2, %ym2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %s22_1 = arith.addf %s22_0, %yp2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %s22 = arith.addf %s22_1, %yp2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %ym2_xm1 = stencil.access %t[-2, -1] : !temp
    %ym2_xp1 = stencil.access %t[-2, 1] : !temp
    %yp2_xm1 = stencil.access %t[2, -1] : !temp
    %yp2_xp1 = stencil.access %t[2, 1] : !temp
    %s21_0 = arith.addf %ym2_xm1, %ym2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %s21_1 = arith.addf %s21_0, %yp2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %s21 = arith.addf %s21_1, %yp2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %ym2 = stencil.access %t[-2, 0] : !temp
    %yp2 = stencil.access %t[2, 0] : !temp
    %s20 = arith.addf %ym2, %yp2 fastmath<reassoc,contract,arcp,afn> : f64
    %ym1_xm2 = stencil.access %t[-1, -2] : !temp
    %ym1_xp2 = stencil.access %t[-1, 2] : !temp
    %yp1_xm2 = stencil.access %t[1, -2] : !temp
    %yp1_xp2 = stencil.access %t[1, 2] : !temp
    %s12_0 = arith.addf %ym1_xm2, %ym1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %s12_1 = arith.addf %s12_0, %yp1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %s12 = arith.addf %s12_1, %yp1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %ym1_xm1 = stencil.access %t[-1, -1] : !temp
    %ym1_xp1 = stencil.access %t[-1, 1] : !temp
    %yp1_xm1 = stencil.access %t[1, -1] : !temp
    %yp1_xp1 = stencil.access %t[1, 1] : !temp
    %s11_0 = arith.addf %ym1_xm1, %ym1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %s11_1 = arith.addf %s11_0, %yp1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %s11 = arith.addf %s11_1, %yp1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %ym1 = stencil.access %t[-1, 0] : !temp
    %yp1 = stencil.access %t[1, 0] : !temp
    %s10 = arith.addf %ym1, %yp1 fastmath<reassoc,contract,arcp,afn> : f64
    %xm2 = stencil.access %t[0, -2] : !temp
    %xp2 = stencil.access %t[0, 2] : !temp
    %s02 = arith.addf %xm2, %xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %xm1 = stencil.access %t[0, -1] : !temp
    %xp1 = stencil.access %t[0, 1] : !temp
    %s01 = arith.addf %xm1, %xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %k0_1 = arith.constant 0.1 : f64
    %k0_2 = arith.constant 0.2 : f64
    %k0_3 = arith.constant 0.3 : f64
    %k1_1 = arith.constant 1.1 : f64
    %k1_2 = arith.constant 1.2 : f64
    %k1_3 = arith.constant 1.3 : f64
    %k2_1 = arith.constant 2.1 : f64
    %k2_2 = arith.constant 2.2 : f64
    %k2_3 = arith.constant 2.3 : f64
    %c = stencil.access %t[0, 0] : !temp
    %p_s22 = arith.mulf %k0_1, %s22 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s21 = arith.mulf %k0_2, %s21 fastmath<reassoc,contract,arcp,afn> : f64
    %sum0 = arith.addf %p_s22, %p_s21 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s20 = arith.mulf %k0_3, %s20 fastmath<reassoc,contract,arcp,afn> : f64
    %sum1 = arith.addf %sum0, %p_s20 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s12 = arith.mulf %k1_1, %s12 fastmath<reassoc,contract,arcp,afn> : f64
    %sum2 = arith.addf %sum1, %p_s12 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s11 = arith.mulf %k1_2, %s11 fastmath<reassoc,contract,arcp,afn> : f64
    %sum3 = arith.addf %sum2, %p_s11 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s10 = arith.mulf %k1_3, %s10 fastmath<reassoc,contract,arcp,afn> : f64
    %sum4 = arith.addf %sum3, %p_s10 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s02 = arith.mulf %k2_1, %s02 fastmath<reassoc,contract,arcp,afn> : f64
    %sum5 = arith.addf %sum4, %p_s02 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s01 = arith.mulf %k2_2, %s01 fastmath<reassoc,contract,arcp,afn> : f64
    %sum6 = arith.addf %sum5, %p_s01 fastmath<reassoc,contract,arcp,afn> : f64
    %p_c = arith.mulf %k2_3, %c fastmath<reassoc,contract,arcp,afn> : f64
    %new = arith.addf %sum6, %p_c fastmath<reassoc,contract,arcp,afn> : f64
    stencil.return %new : f64
  }
  stencil.store %result to %out(<[2, 2], [8194, 8194]>) : !temp to !field
  return
}
