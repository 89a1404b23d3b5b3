// A mixed derivative of high order: sixty-four points, none of them on an axis.
//
// out = the sum over dy and dx in +-1 ... +-4 of sgn(dy) sgn(dx) w(|dy|, |dx|) in[dy,dx], w
// symmetric: (4,4) 1.274495, (4,3) -0.000136017, (4,2) 0.000714, (4,1) -0.002856, (3,3)
// 0.00145161, (3,2) -0.00762, (3,1) 0.03048, (2,2) 0.04, (2,1) -0.16, (1,1) 0.64. Kernel 2d64pt of
// the statement-reordering framework [Rawat et al., Register Optimizations for Stencils on GPUs,
// PPoPP 2018]. Radius 4, 8192^2 points in arrays of 8200^2, f64, one step; the outermost four
// cells of the result are not written. FLOPs per point: 73 as the paper counts, 73 as written.
//
// DEFINE: %{size} = --extents 23,25
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 95 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,8200]x[0,8200]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @diagonal_2d64pt(%in: !field, %out: !field) {
  %values = stencil.load %in : !field -> !temp
  %result = stencil.apply(%t = %values : !temp) -> (!temp) {
    %ym4_xm4 = stencil.access %t[-4, -4] : !temp
    %yp4_xp4 = stencil.access %t[4, 4] : !temp
    %ym4_xp4 = stencil.access %t[-4, 4] : !temp
    %yp4_xm4 = stencil.access %t[4, -4] : !temp
    %s44_0 = arith.addf %ym4_xm4, %yp4_xp4 fastmath<reassoc,contract,arcp,afn> : f64
    %s44_1 = arith.subf %s44_0, %ym4_xp4 fastmath<reassoc,contract,arcp,afn> : f64
    %s44 = arith.subf %s44_1, %yp4_xm4 fastmath<reassoc,contract,arcp,afn> : f64
    %ym4_xm3 = stencil.access %t[-4, -3] : !temp
    %yp4_xp3 = stencil.access %t[4, 3] : !temp
    %ym3_xm4 = stencil.access %t[-3, -4] : !temp
    %yp3_xp4 = stencil.access %t[3, 4] : !temp
    %ym4_xp3 = stencil.access %t[-4, 3] : !temp
    %yp4_xm3 = stencil.access %t[4, -3] : !temp
    %ym3_xp4 = stencil.access %t[-3, 4] : !temp
    %yp3_xm4 = stencil.access %t[3, -4] : !temp
    %s43_0 = arith.addf %ym4_xm3, %yp4_xp3 fastmath<reassoc,contract,arcp,afn> : f64
    %s43_1 = arith.addf %s43_0, %ym3_xm4 fastmath<reassoc,contract,arcp,afn> : f64
    %s43_2 = arith.addf %s43_1, %yp3_xp4 fastmath<reassoc,contract,arcp,afn> : f64
    %s43_3 = arith.subf %s43_2, %ym4_xp3 fastmath<reassoc,contract,arcp,afn> : f64
    %s43_4 = arith.subf %s43_3, %yp4_xm3 fastmath<reassoc,contract,arcp,afn> : f64
    %s43_5 = arith.subf %s43_4, %ym3_xp4 fastmath<reassoc,contract,arcp,afn> : f64
    %s43 = arith.subf %s43_5, %yp3_xm4 fastmath<reassoc,contract,arcp,afn> : f64
    %ym4_xm2 = stencil.access %t[-4, -2] : !temp
    %yp4_xp2 = stencil.access %t[4, 2] : !temp
    %ym2_xm4 = stencil.access %t[-2, -4] : !temp
    %yp2_xp4 = stencil.access %t[2, 4] : !temp
    %ym4_xp2 = stencil.access %t[-4, 2] : !temp
    %yp4_xm2 = stencil.access %t[4, -2] : !temp
    %ym2_xp4 = stencil.access %t[-2, 4] : !temp
    %yp2_xm4 = stencil.access %t[2, -4] : !temp
    %s42_0 = arith.addf %ym4_xm2, %yp4_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %s42_1 = arith.addf %s42_0, %ym2_xm4 fastmath<reassoc,contract,arcp,afn> : f64
    %s42_2 = arith.addf %s42_1, %yp2_xp4 fastmath<reassoc,contract,arcp,afn> : f64
    %s42_3 = arith.subf %s42_2, %ym4_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %s42_4 = arith.subf %s42_3, %yp4_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %s42_5 = arith.subf %s42_4, %ym2_xp4 fastmath<reassoc,contract,arcp,afn> : f64
    %s42 = arith.subf %s42_5, %yp2_xm4 fastmath<reassoc,contract,arcp,afn> : f64
    %ym4_xm1 = stencil.access %t[-4, -1] : !temp
    %yp4_xp1 = stencil.access %t[4, 1] : !temp
    %ym1_xm4 = stencil.access %t[-1, -4] : !temp
    %yp1_xp4 = stencil.access %t[1, 4] : !temp
    %ym4_xp1 = stencil.access %t[-4, 1] : !temp
    %yp4_xm1 = stencil.access %t[4, -1] : !temp
    %ym1_xp4 = stencil.access %t[-1, 4] : !temp
    %yp1_xm4 = stencil.access %t[1, -4] : !temp
    %s41_0 = arith.addf %ym4_xm1, %yp4_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %s41_1 = arith.addf %s41_0, %ym1_xm4 fastmath<reassoc,contract,arcp,afn> : f64
    %s41_2 = arith.addf %s41_1, %yp1_xp4 fastmath<reassoc,contract,arcp,afn> : f64
    %s41_3 = arith.subf %s41_2, %ym4_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %s41_4 = arith.subf %s41_3, %yp4_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %s41_5 = arith.subf %s41_4, %ym1_xp4 fastmath<reassoc,contract,arcp,afn> : f64
    %s41 = arith.subf %s41_5, %yp1_xm4 fastmath<reassoc,contract,arcp,afn> : f64
    %ym3_xm3 = stencil.access %t[-3, -3] : !temp
    %yp3_xp3 = stencil.access %t[3, 3] : !temp
    %ym3_xp3 = stencil.access %t[-3, 3] : !temp
    %yp3_xm3 = stencil.access %t[3, -3] : !temp
    %s33_0 = arith.addf %ym3_xm3, %yp3_xp3 fastmath<reassoc,contract,arcp,afn> : f64
    %s33_1 = arith.subf %s33_0, %ym3_xp3 fastmath<reassoc,contract,arcp,afn> : f64
    %s33 = arith.subf %s33_1, %yp3_xm3 fastmath<reassoc,contract,arcp,afn> : f64
    %ym3_xm2 = stencil.access %t[-3, -2] : !temp
    %yp3_xp2 = stencil.access %t[3, 2] : !temp
    %ym2_xm3 = stencil.access %t[-2, -3] : !temp
    %yp2_xp3 = stencil.access %t[2, 3] : !temp
    %ym3_xp2 = stencil.access %t[-3, 2] : !temp
    %yp3_xm2 = stencil.access %t[3, -2] : !temp
    %ym2_xp3 = stencil.access %t[-2, 3] : !temp
    %yp2_xm3 = stencil.access %t[2, -3] : !temp
    %s32_0 = arith.addf %ym3_xm2, %yp3_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %s32_1 = arith.addf %s32_0, %ym2_xm3 fastmath<reassoc,contract,arcp,afn> : f64
    %s32_2 = arith.addf %s32_1, %yp2_xp3 fastmath<reassoc,contract,arcp,afn> : f64
    %s32_3 = arith.subf %s32_2, %ym3_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %s32_4 = arith.subf %s32_3, %yp3_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %s32_5 = arith.subf %s32_4, %ym2_xp3 fastmath<reassoc,contract,arcp,afn> : f64
    %s32 = arith.subf %s32_5, %yp2_xm3 fastmath<reassoc,contract,arcp,afn> : f64
    %ym3_xm1 = stencil.access %t[-3, -1] : !temp
    %yp3_xp1 = stencil.access %t[3, 1] : !temp
    %ym1_xm3 = stencil.access %t[-1, -3] : !temp
    %yp1_xp3 = stencil.access %t[1, 3] : !temp
    %ym3_xp1 = stencil.access %t[-3, 1] : !temp
    %yp3_xm1 = stencil.access %t[3, -1] : !temp
    %ym1_xp3 = stencil.access %t[-1, 3] : !temp
    %yp1_xm3 = stencil.access %t[1, -3] : !temp
    %s31_0 = arith.addf %ym3_xm1, %yp3_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %s31_1 = arith.addf %s31_0, %ym1_xm3 fastmath<reassoc,contract,arcp,afn> : f64
    %s31_2 = arith.addf %s31_1, %yp1_xp3 fastmath<reassoc,contract,arcp,afn> : f64
    %s31_3 = arith.subf %s31_2, %ym3_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %s31_4 = arith.subf %s31_3, %yp3_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %s31_5 = arith.subf %s31_4, %ym1_xp3 fastmath<reassoc,contract,arcp,afn> : f64
    %s31 = arith.subf %s31_5, %yp1_xm3 fastmath<reassoc,contract,arcp,afn> : f64
    %ym2_xm2 = stencil.access %t[-2, -2] : !temp
    %yp2_xp2 = stencil.access %t[2, 2] : !temp
    %ym2_xp2 = stencil.access %t[-2, 2] : !temp
    %yp2_xm2 = stencil.access %t[2, -2] : !temp
    %s22_0 = arith.addf %ym2_xm2, %yp2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %s22_1 = arith.subf %s22_0, %ym2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %s22 = arith.subf %s22_1, %yp2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %ym2_xm1 = stencil.access %t[-2, -1] : !temp
    %yp2_xp1 = stencil.access %t[2, 1] : !temp
    %ym1_xm2 = stencil.access %t[-1, -2] : !temp
    %yp1_xp2 = stencil.access %t[1, 2] : !temp
    %ym2_xp1 = stencil.access %t[-2, 1] : !temp
    %yp2_xm1 = stencil.access %t[2, -1] : !temp
    %ym1_xp2 = stencil.access %t[-1, 2] : !temp
    %yp1_xm2 = stencil.access %t[1, -2] : !temp
    %s21_0 = arith.addf %ym2_xm1, %yp2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %s21_1 = arith.addf %s21_0, %ym1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %s21_2 = arith.addf %s21_1, %yp1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %s21_3 = arith.subf %s21_2, %ym2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %s21_4 = arith.subf %s21_3, %yp2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %s21_5 = arith.subf %s21_4, %ym1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %s21 = arith.subf %s21_5, %yp1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %ym1_xm1 = stencil.access %t[-1, -1] : !temp
    %yp1_xp1 = stencil.access %t[1, 1] : !temp
    %ym1_xp1 = stencil.access %t[-1, 1] : !temp
    %yp1_xm1 = stencil.access %t[1, -1] : !temp
    %s11_0 = arith.addf %ym1_xm1, %yp1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %s11_1 = arith.subf %s11_0, %ym1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %s11 = arith.subf %s11_1, %yp1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %k1_274495 = arith.constant 1.274495 : f64
    %k0_000136017 = arith.constant 0.000136017 : f64
    %k0_000714 = arith.constant 0.000714 : f64
    %k0_002856 = arith.constant 0.002856 : f64
    %k0_00145161 = arith.constant 0.00145161 : f64
    %k0_00762 = arith.constant 0.00762 : f64
    %k0_03048 = arith.constant 0.03048 : f64
    %k0_04 = arith.constant 0.04 : f64
    %k0_16 = arith.constant 0.16 : f64
    %k0_64 = arith.constant 0.64 : f64
    %p_s44 = arith.mulf %k1_274495, %s44 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s43 = arith.mulf %k0_000136017, %s43 fastmath<reassoc,contract,arcp,afn> : f64
    %sum0 = arith.subf %p_s44, %p_s43 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s42 = arith.mulf %k0_000714, %s42 fastmath<reassoc,contract,arcp,afn> : f64
    %sum1 = arith.addf %sum0, %p_s42 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s41 = arith.mulf %k0_002856, %s41 fastmath<reassoc,contract,arcp,afn> : f64
    %sum2 = arith.subf %sum1, %p_s41 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s33 = arith.mulf %k0_00145161, %s33 fastmath<reassoc,contract,arcp,afn> : f64
    %sum3 = arith.addf %sum2, %p_s33 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s32 = arith.mulf %k0_00762, %s32 fastmath<reassoc,contract,arcp,afn> : f64
    %sum4 = arith.subf %sum3, %p_s32 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s31 = arith.mulf %k0_03048, %s31 fastmath<reassoc,contract,arcp,afn> : f64
    %sum5 = arith.addf %sum4, %p_s31 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s22 = arith.mulf %k0_04, %s22 fastmath<reassoc,contract,arcp,afn> : f64
    %sum6 = arith.addf %sum5, %p_s22 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s21 = arith.mulf %k0_16, %s21 fastmath<reassoc,contract,arcp,afn> : f64
    %sum7 = arith.subf %sum6, %p_s21 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s11 = arith.mulf %k0_64, %s11 fastmath<reassoc,contract,arcp,afn> : f64
    %new = arith.addf %sum7, %p_s11 fastmath<reassoc,contract,arcp,afn> : f64
    stencil.return %new : f64
  }
  stencil.store %result to %out(<[4, 4], [8196, 8196]>) : !temp to !field
  return
}
