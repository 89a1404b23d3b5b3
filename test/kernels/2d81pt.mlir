// A box of nine by nine points, two dimensions, fifteen weights.
//
// out = the sum over the 9 x 9 points of a window with the weights w(|a|, |b|) for the distance
// (a, b) from its middle, w symmetric: (4,4) 3.1862206, (4,3) 4.5339005, (4,2) -0.000357, (4,1)
// 0.002856, (4,0) -0.00508225, (3,3) 0.00064516, (3,2) -0.00508, (3,1) 0.04064, (3,0) -0.0723189,
// (2,2) 0.04, (2,1) -0.32, (2,0) 0.56944, (1,1) 2.56, (1,0) -4.55552, (0,0) 8.10655. Kernel 2d81pt
// of the statement-reordering framework [Rawat et al., Register Optimizations for Stencils on
// GPUs, PPoPP 2018]. Radius 4, 8192^2 points in arrays of 8200^2, f64, one step. The result stands
// at the window's low corner: out[j,i] is from in[j ... j+8, i ... i+8]. FLOPs per point: 95 as
// the paper counts, 95 as written.
//
// DEFINE: %{size} = --extents 23,25
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 125 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,8200]x[0,8200]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @box_2d81pt(%in: !field, %out: !field) {
  %values = stencil.load %in : !field -> !temp
  %result = stencil.apply(%t = %values : !temp) -> (!temp) {
    %at_0_0 = stencil.access %t[0, 0] : !temp
    %at_0_8 = stencil.access %t[0, 8] : !temp
    %at_8_0 = stencil.access %t[8, 0] : !temp
    %at_8_8 = stencil.access %t[8, 8] : !temp
    %s44_0 = arith.addf %at_0_0, %at_0_8 fastmath<reassoc,contract,arcp,afn> : f64
    %s44_1 = arith.addf %s44_0, %at_8_0 fastmath<reassoc,contract,arcp,afn> : f64
    %s44 = arith.addf %s44_1, %at_8_8 fastmath<reassoc,contract,arcp,afn> : f64
    %at_0_1 = stencil.access %t[0, 1] : !temp
    %at_0_7 = stencil.access %t[0, 7] : !temp
    %at_8_1 = stencil.access %t[8, 1] : !temp
    %at_8_7 = stencil.access %t[8, 7] : !temp
    %at_1_0 = stencil.access %t[1, 0] : !temp
    %at_1_8 = stencil.access %t[1, 8] : !temp
    %at_7_0 = stencil.access %t[7, 0] : !temp
    %at_7_8 = stencil.access %t[7, 8] : !temp
    %s43_0 = arith.addf %at_0_1, %at_0_7 fastmath<reassoc,contract,arcp,afn> : f64
    %s43_1 = arith.addf %s43_0, %at_8_1 fastmath<reassoc,contract,arcp,afn> : f64
    %s43_2 = arith.addf %s43_1, %at_8_7 fastmath<reassoc,contract,arcp,afn> : f64
    %s43_3 = arith.addf %s43_2, %at_1_0 fastmath<reassoc,contract,arcp,afn> : f64
    %s43_4 = arith.addf %s43_3, %at_1_8 fastmath<reassoc,contract,arcp,afn> : f64
    %s43_5 = arith.addf %s43_4, %at_7_0 fastmath<reassoc,contract,arcp,afn> : f64
    %s43 = arith.addf %s43_5, %at_7_8 fastmath<reassoc,contract,arcp,afn> : f64
    %at_0_2 = stencil.access %t[0, 2] : !temp
    %at_0_6 = stencil.access %t[0, 6] : !temp
    %at_8_2 = stencil.access %t[8, 2] : !temp
    %at_8_6 = stencil.access %t[8, 6] : !temp
    %at_2_0 = stencil.access %t[2, 0] : !temp
    %at_2_8 = stencil.access %t[2, 8] : !temp
    %at_6_0 = stencil.access %t[6, 0] : !temp
    %at_6_8 = stencil.access %t[6, 8] : !temp
    %s42_0 = arith.addf %at_0_2, %at_0_6 fastmath<reassoc,contract,arcp,afn> : f64
    %s42_1 = arith.addf %s42_0, %at_8_2 fastmath<reassoc,contract,arcp,afn> : f64
    %s42_2 = arith.addf %s42_1, %at_8_6 fastmath<reassoc,contract,arcp,afn> : f64
    %s42_3 = arith.addf %s42_2, %at_2_0 fastmath<reassoc,contract,arcp,afn> : f64
    %s42_4 = arith.addf %s42_3, %at_2_8 fastmath<reassoc,contract,arcp,afn> : f64
    %s42_5 = arith.addf %s42_4, %at_6_0 fastmath<reassoc,contract,arcp,afn> : f64
    %s42 = arith.addf %s42_5, %at_6_8 fastmath<reassoc,contract,arcp,afn> : f64
    %at_0_3 = stencil.access %t[0, 3] : !temp
    %at_0_5 = stencil.access %t[0, 5] : !temp
    %at_8_3 = stencil.access %t[8, 3] : !temp
    %at_8_5 = stencil.access %t[8, 5] : !temp
    %at_3_0 = stencil.access %t[3, 0] : !temp
    %at_3_8 = stencil.access %t[3, 8] : !temp
    %at_5_0 = stencil.access %t[5, 0] : !temp
    %at_5_8 = stencil.access %t[5, 8] : !temp
    %s41_0 = arith.addf %at_0_3, %at_0_5 fastmath<reassoc,contract,arcp,afn> : f64
    %s41_1 = arith.addf %s41_0, %at_8_3 fastmath<reassoc,contract,arcp,afn> : f64
    %s41_2 = arith.addf %s41_1, %at_8_5 fastmath<reassoc,contract,arcp,afn> : f64
    %s41_3 = arith.addf %s41_2, %at_3_0 fastmath<reassoc,contract,arcp,afn> : f64
    %s41_4 = arith.addf %s41_3, %at_3_8 fastmath<reassoc,contract,arcp,afn> : f64
    %s41_5 = arith.addf %s41_4, %at_5_0 fastmath<reassoc,contract,arcp,afn> : f64
    %s41 = arith.addf %s41_5, %at_5_8 fastmath<reassoc,contract,arcp,afn> : f64
    %at_0_4 = stencil.access %t[0, 4] : !temp
    %at_8_4 = stencil.access %t[8, 4] : !temp
    %at_4_0 = stencil.access %t[4, 0] : !temp
    %at_4_8 = stencil.access %t[4, 8] : !temp
    %s40_0 = arith.addf %at_0_4, %at_8_4 fastmath<reassoc,contract,arcp,afn> : f64
    %s40_1 = arith.addf %s40_0, %at_4_0 fastmath<reassoc,contract,arcp,afn> : f64
    %s40 = arith.addf %s40_1, %at_4_8 fastmath<reassoc,contract,arcp,afn> : f64
    %at_1_1 = stencil.access %t[1, 1] : !temp
    %at_1_7 = stencil.access %t[1, 7] : !temp
    %at_7_1 = stencil.access %t[7, 1] : !temp
    %at_7_7 = stencil.access %t[7, 7] : !temp
    %s33_0 = arith.addf %at_1_1, %at_1_7 fastmath<reassoc,contract,arcp,afn> : f64
    %s33_1 = arith.addf %s33_0, %at_7_1 fastmath<reassoc,contract,arcp,afn> : f64
    %s33 = arith.addf %s33_1, %at_7_7 fastmath<reassoc,contract,arcp,afn> : f64
    %at_1_2 = stencil.access %t[1, 2] : !temp
    %at_1_6 = stencil.access %t[1, 6] : !temp
    %at_7_2 = stencil.access %t[7, 2] : !temp
    %at_7_6 = stencil.access %t[7, 6] : !temp
    %at_2_1 = stencil.access %t[2, 1] : !temp
    %at_2_7 = stencil.access %t[2, 7] : !temp
    %at_6_1 = stencil.access %t[6, 1] : !temp
    %at_6_7 = stencil.access %t[6, 7] : !temp
    %s32_0 = arith.addf %at_1_2, %at_1_6 fastmath<reassoc,contract,arcp,afn> : f64
    %s32_1 = arith.addf %s32_0, %at_7_2 fastmath<reassoc,contract,arcp,afn> : f64
    %s32_2 = arith.addf %s32_1, %at_7_6 fastmath<reassoc,contract,arcp,afn> : f64
    %s32_3 = arith.addf %s32_2, %at_2_1 fastmath<reassoc,contract,arcp,afn> : f64
    %s32_4 = arith.addf %s32_3, %at_2_7 fastmath<reassoc,contract,arcp,afn> : f64
    %s32_5 = arith.addf %s32_4, %at_6_1 fastmath<reassoc,contract,arcp,afn> : f64
    %s32 = arith.addf %s32_5, %at_6_7 fastmath<reassoc,contract,arcp,afn> : f64
    %at_1_3 = stencil.access %t[1, 3] : !temp
    %at_1_5 = stencil.access %t[1, 5] : !temp
    %at_7_3 = stencil.access %t[7, 3] : !temp
    %at_7_5 = stencil.access %t[7, 5] : !temp
    %at_3_1 = stencil.access %t[3, 1] : !temp
    %at_3_7 = stencil.access %t[3, 7] : !temp
    %at_5_1 = stencil.access %t[5, 1] : !temp
    %at_5_7 = stencil.access %t[5, 7] : !temp
    %s31_0 = arith.addf %at_1_3, %at_1_5 fastmath<reassoc,contract,arcp,afn> : f64
    %s31_1 = arith.addf %s31_0, %at_7_3 fastmath<reassoc,contract,arcp,afn> : f64
    %s31_2 = arith.addf %s31_1, %at_7_5 fastmath<reassoc,contract,arcp,afn> : f64
    %s31_3 = arith.addf %s31_2, %at_3_1 fastmath<reassoc,contract,arcp,afn> : f64
    %s31_4 = arith.addf %s31_3, %at_3_7 fastmath<reassoc,contract,arcp,afn> : f64
    %s31_5 = arith.addf %s31_4, %at_5_1 fastmath<reassoc,contract,arcp,afn> : f64
    %s31 = arith.addf %s31_5, %at_5_7 fastmath<reassoc,contract,arcp,afn> : f64
    %at_1_4 = stencil.access %t[1, 4] : !temp
    %at_7_4 = stencil.access %t[7, 4] : !temp
    %at_4_1 = stencil.access %t[4, 1] : !temp
    %at_4_7 = stencil.access %t[4, 7] : !temp
    %s30_0 = arith.addf %at_1_4, %at_7_4 fastmath<reassoc,contract,arcp,afn> : f64
    %s30_1 = arith.addf %s30_0, %at_4_1 fastmath<reassoc,contract,arcp,afn> : f64
    %s30 = arith.addf %s30_1, %at_4_7 fastmath<reassoc,contract,arcp,afn> : f64
    %at_2_2 = stencil.access %t[2, 2] : !temp
    %at_2_6 = stencil.access %t[2, 6] : !temp
    %at_6_2 = stencil.access %t[6, 2] : !temp
    %at_6_6 = stencil.access %t[6, 6] : !temp
    %s22_0 = arith.addf %at_2_2, %at_2_6 fastmath<reassoc,contract,arcp,afn> : f64
    %s22_1 = arith.addf %s22_0, %at_6_2 fastmath<reassoc,contract,arcp,afn> : f64
    %s22 = arith.addf %s22_1, %at_6_6 fastmath<reassoc,contract,arcp,afn> : f64
    %at_2_3 = stencil.access %t[2, 3] : !temp
    %at_2_5 = stencil.access %t[2, 5] : !temp
    %at_6_3 = stencil.access %t[6, 3] : !temp
    %at_6_5 = stencil.access %t[6, 5] : !temp
    %at_3_2 = stencil.access %t[3, 2] : !temp
    %at_3_6 = stencil.access %t[3, 6] : !temp
    %at_5_2 = stencil.access %t[5, 2] : !temp
    %at_5_6 = stencil.access %t[5, 6] : !temp
    %s21_0 = arith.addf %at_2_3, %at_2_5 fastmath<reassoc,contract,arcp,afn> : f64
    %s21_1 = arith.addf %s21_0, %at_6_3 fastmath<reassoc,contract,arcp,afn> : f64
    %s21_2 = arith.addf %s21_1, %at_6_5 fastmath<reassoc,contract,arcp,afn> : f64
    %s21_3 = arith.addf %s21_2, %at_3_2 fastmath<reassoc,contract,arcp,afn> : f64
    %s21_4 = arith.addf %s21_3, %at_3_6 fastmath<reassoc,contract,arcp,afn> : f64
    %s21_5 = arith.addf %s21_4, %at_5_2 fastmath<reassoc,contract,arcp,afn> : f64
    %s21 = arith.addf %s21_5, %at_5_6 fastmath<reassoc,contract,arcp,afn> : f64
    %at_2_4 = stencil.access %t[2, 4] : !temp
    %at_6_4 = stencil.access %t[6, 4] : !temp
    %at_4_2 = stencil.access %t[4, 2] : !temp
    %at_4_6 = stencil.access %t[4, 6] : !temp
    %s20_0 = arith.addf %at_2_4, %at_6_4 fastmath<reassoc,contract,arcp,afn> : f64
    %s20_1 = arith.addf %s20_0, %at_4_2 fastmath<reassoc,contract,arcp,afn> : f64
    %s20 = arith.addf %s20_1, %at_4_6 fastmath<reassoc,contract,arcp,afn> : f64
    %at_3_3 = stencil.access %t[3, 3] : !temp
    %at_3_5 = stencil.access %t[3, 5] : !temp
    %at_5_3 = stencil.access %t[5, 3] : !temp
    %at_5_5 = stencil.access %t[5, 5] : !temp
    %s11_0 = arith.addf %at_3_3, %at_3_5 fastmath<reassoc,contract,arcp,afn> : f64
    %s11_1 = arith.addf %s11_0, %at_5_3 fastmath<reassoc,contract,arcp,afn> : f64
    %s11 = arith.addf %s11_1, %at_5_5 fastmath<reassoc,contract,arcp,afn> : f64
    %at_3_4 = stencil.access %t[3, 4] : !temp
    %at_5_4 = stencil.access %t[5, 4] : !temp
    %at_4_3 = stencil.access %t[4, 3] : !temp
    %at_4_5 = stencil.access %t[4, 5] : !temp
    %s10_0 = arith.addf %at_3_4, %at_5_4 fastmath<reassoc,contract,arcp,afn> : f64
    %s10_1 = arith.addf %s10_0, %at_4_3 fastmath<reassoc,contract,arcp,afn> : f64
    %s10 = arith.addf %s10_1, %at_4_5 fastmath<reassoc,contract,arcp,afn> : f64
    %k3_1862206 = arith.constant 3.1862206 : f64
    %k4_5339005 = arith.constant 4.5339005 : f64
    %k0_000357 = arith.constant 0.000357 : f64
    %k0_002856 = arith.constant 0.002856 : f64
    %k0_00508225 = arith.constant 0.00508225 : f64
    %k0_00064516 = arith.constant 0.00064516 : f64
    %k0_00508 = arith.constant 0.00508 : f64
    %k0_04064 = arith.constant 0.04064 : f64
    %k0_0723189 = arith.constant 0.0723189 : f64
    %k0_04 = arith.constant 0.04 : f64
    %k0_32 = arith.constant 0.32 : f64
    %k0_56944 = arith.constant 0.56944 : f64
    %k2_56 = arith.constant 2.56 : f64
    %k4_55552 = arith.constant 4.55552 : f64
    %k8_10655 = arith.constant 8.10655 : f64
    %at_4_4 = stencil.access %t[4, 4] : !temp
    %p_s44 = arith.mulf %k3_1862206, %s44 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s43 = arith.mulf %k4_5339005, %s43 fastmath<reassoc,contract,arcp,afn> : f64
    %sum0 = arith.addf %p_s44, %p_s43 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s42 = arith.mulf %k0_000357, %s42 fastmath<reassoc,contract,arcp,afn> : f64
    %sum1 = arith.subf %sum0, %p_s42 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s41 = arith.mulf %k0_002856, %s41 fastmath<reassoc,contract,arcp,afn> : f64
    %sum2 = arith.addf %sum1, %p_s41 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s40 = arith.mulf %k0_00508225, %s40 fastmath<reassoc,contract,arcp,afn> : f64
    %sum3 = arith.subf %sum2, %p_s40 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s33 = arith.mulf %k0_00064516, %s33 fastmath<reassoc,contract,arcp,afn> : f64
    %sum4 = arith.addf %sum3, %p_s33 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s32 = arith.mulf %k0_00508, %s32 fastmath<reassoc,contract,arcp,afn> : f64
    %sum5 = arith.subf %sum4, %p_s32 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s31 = arith.mulf %k0_04064, %s31 fastmath<reassoc,contract,arcp,afn> : f64
    %sum6 = arith.addf %sum5, %p_s31 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s30 = arith.mulf %k0_0723189, %s30 fastmath<reassoc,contract,arcp,afn> : f64
    %sum7 = arith.subf %sum6, %p_s30 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s22 = arith.mulf %k0_04, %s22 fastmath<reassoc,contract,arcp,afn> : f64
    %sum8 = arith.addf %sum7, %p_s22 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s21 = arith.mulf %k0_32, %s21 fastmath<reassoc,contract,arcp,afn> : f64
    %sum9 = arith.subf %sum8, %p_s21 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s20 = arith.mulf %k0_56944, %s20 fastmath<reassoc,contract,arcp,afn> : f64
    %sum10 = arith.addf %sum9, %p_s20 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s11 = arith.mulf %k2_56, %s11 fastmath<reassoc,contract,arcp,afn> : f64
    %sum11 = arith.addf %sum10, %p_s11 fastmath<reassoc,contract,arcp,afn> : f64
    %p_s10 = arith.mulf %k4_55552, %s10 fastmath<reassoc,contract,arcp,afn> : f64
    %sum12 = arith.subf %sum11, %p_s10 fastmath<reassoc,contract,arcp,afn> : f64
    %p_at_4_4 = arith.mulf %k8_10655, %at_4_4 fastmath<reassoc,contract,arcp,afn> : f64
    %new = arith.addf %sum12, %p_at_4_4 fastmath<reassoc,contract,arcp,afn> : f64
    stencil.return %new : f64
  }
  stencil.store %result to %out(<[0, 0], [8192, 8192]>) : !temp to !field
  return
}
