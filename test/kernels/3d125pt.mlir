// A box of five by five by five points, three dimensions, five weights.
//
// out = the sum over the 5 x 5 x 5 neighbours; the weight depends on (|dz|, |dy|, |dx|). 0.75:
// (2,2,2) (1,1,1) (0,1,0) (0,0,1); 1.132: (2,2,1) (2,1,2) (2,0,0) (1,2,2) (0,2,0) (0,0,2); 0.217:
// (2,2,0) (2,0,2) (1,1,0) (1,0,1) (0,2,2); 2.13: (2,1,0) (2,0,1) (1,2,0) (1,0,2) (0,2,1) (0,1,2)
// (0,0,0); 0.331: (2,1,1) (1,2,1) (1,1,2) (1,0,0) (0,1,1). Kernel 3d125pt of the
// statement-reordering framework [Rawat et al., Register Optimizations for Stencils on GPUs, PPoPP
// 2018]. Radius 2, 512^3 points in arrays of 516^3, f64, one step; the outermost two cells of the
// result are not written. FLOPs per point: 130 as the paper counts, 129 as written.
//
// DEFINE: %{size} = --extents 11,9,13
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 149 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,516]x[0,516]x[0,516]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @box_3d125pt(%in: !field, %out: !field) {
  %values = stencil.load %in : !field -> !temp
  %result = stencil.apply(%t = %values : !temp) -> (!temp) {
    // Weight 0.75.
    %zm2_ym2_xm2 = stencil.access %t[-2, -2, -2] : !temp
    %zm2_ym2_xp2 = stencil.access %t[-2, -2, 2] : !temp
    %zm2_yp2_xm2 = stencil.access %t[-2, 2, -2] : !temp
    %zm2_yp2_xp2 = stencil.access %t[-2, 2, 2] : !temp
    %zm1_ym1_xm1 = stencil.access %t[-1, -1, -1] : !temp
    %zm1_ym1_xp1 = stencil.access %t[-1, -1, 1] : !temp
    %zm1_yp1_xm1 = stencil.access %t[-1, 1, -1] : !temp
    %zm1_yp1_xp1 = stencil.access %t[-1, 1, 1] : !temp
    %ym1 = stencil.access %t[0, -1, 0] : !temp
    %xm1 = stencil.access %t[0, 0, -1] : !temp
    %xp1 = stencil.access %t[0, 0, 1] : !temp
    %yp1 = stencil.access %t[0, 1, 0] : !temp
    %zp1_ym1_xm1 = stencil.access %t[1, -1, -1] : !temp
    %zp1_ym1_xp1 = stencil.access %t[1, -1, 1] : !temp
    %zp1_yp1_xm1 = stencil.access %t[1, 1, -1] : !temp
    %zp1_yp1_xp1 = stencil.access %t[1, 1, 1] : !temp
    %zp2_ym2_xm2 = stencil.access %t[2, -2, -2] : !temp
    %zp2_ym2_xp2 = stencil.access %t[2, -2, 2] : !temp
    %zp2_yp2_xm2 = stencil.access %t[2, 2, -2] : !temp
    %zp2_yp2_xp2 = stencil.access %t[2, 2, 2] : !temp
    %class1_0 = arith.addf %zm2_ym2_xm2, %zm2_ym2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_1 = arith.addf %class1_0, %zm2_yp2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_2 = arith.addf %class1_1, %zm2_yp2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_3 = arith.addf %class1_2, %zm1_ym1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_4 = arith.addf %class1_3, %zm1_ym1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_5 = arith.addf %class1_4, %zm1_yp1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_6 = arith.addf %class1_5, %zm1_yp1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_7 = arith.addf %class1_6, %ym1 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_8 = arith.addf %class1_7, %xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_9 = arith.addf %class1_8, %xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_10 = arith.addf %class1_9, %yp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_11 = arith.addf %class1_10, %zp1_ym1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_12 = arith.addf %class1_11, %zp1_ym1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_13 = arith.addf %class1_12, %zp1_yp1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_14 = arith.addf %class1_13, %zp1_yp1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_15 = arith.addf %class1_14, %zp2_ym2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_16 = arith.addf %class1_15, %zp2_ym2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class1_17 = arith.addf %class1_16, %zp2_yp2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class1 = arith.addf %class1_17, %zp2_yp2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    // Weight 1.132.
    %zm2_ym2_xm1 = stencil.access %t[-2, -2, -1] : !temp
    %zm2_ym2_xp1 = stencil.access %t[-2, -2, 1] : !temp
    %zm2_ym1_xm2 = stencil.access %t[-2, -1, -2] : !temp
    %zm2_ym1_xp2 = stencil.access %t[-2, -1, 2] : !temp
    %zm2 = stencil.access %t[-2, 0, 0] : !temp
    %zm2_yp1_xm2 = stencil.access %t[-2, 1, -2] : !temp
    %zm2_yp1_xp2 = stencil.access %t[-2, 1, 2] : !temp
    %zm2_yp2_xm1 = stencil.access %t[-2, 2, -1] : !temp
    %zm2_yp2_xp1 = stencil.access %t[-2, 2, 1] : !temp
    %zm1_ym2_xm2 = stencil.access %t[-1, -2, -2] : !temp
    %zm1_ym2_xp2 = stencil.access %t[-1, -2, 2] : !temp
    %zm1_yp2_xm2 = stencil.access %t[-1, 2, -2] : !temp
    %zm1_yp2_xp2 = stencil.access %t[-1, 2, 2] : !temp
    %ym2 = stencil.access %t[0, -2, 0] : !temp
    %xm2 = stencil.access %t[0, 0, -2] : !temp
    %xp2 = stencil.access %t[0, 0, 2] : !temp
    %yp2 = stencil.access %t[0, 2, 0] : !temp
    %zp1_ym2_xm2 = stencil.access %t[1, -2, -2] : !temp
    %zp1_ym2_xp2 = stencil.access %t[1, -2, 2] : !temp
    %zp1_yp2_xm2 = stencil.access %t[1, 2, -2] : !temp
    %zp1_yp2_xp2 = stencil.access %t[1, 2, 2] : !temp
    %zp2_ym2_xm1 = stencil.access %t[2, -2, -1] : !temp
    %zp2_ym2_xp1 = stencil.access %t[2, -2, 1] : !temp
    %zp2_ym1_xm2 = stencil.access %t[2, -1, -2] : !temp
    %zp2_ym1_xp2 = stencil.access %t[2, -1, 2] : !temp
    %zp2 = stencil.access %t[2, 0, 0] : !temp
    %zp2_yp1_xm2 = stencil.access %t[2, 1, -2] : !temp
    %zp2_yp1_xp2 = stencil.access %t[2, 1, 2] : !temp
    %zp2_yp2_xm1 = stencil.access %t[2, 2, -1] : !temp
    %zp2_yp2_xp1 = stencil.access %t[2, 2, 1] : !temp
    %class2_0 = arith.addf %zm2_ym2_xm1, %zm2_ym2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_1 = arith.addf %class2_0, %zm2_ym1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_2 = arith.addf %class2_1, %zm2_ym1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_3 = arith.addf %class2_2, %zm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_4 = arith.addf %class2_3, %zm2_yp1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_5 = arith.addf %class2_4, %zm2_yp1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_6 = arith.addf %class2_5, %zm2_yp2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_7 = arith.addf %class2_6, %zm2_yp2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_8 = arith.addf %class2_7, %zm1_ym2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_9 = arith.addf %class2_8, %zm1_ym2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_10 = arith.addf %class2_9, %zm1_yp2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_11 = arith.addf %class2_10, %zm1_yp2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_12 = arith.addf %class2_11, %ym2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_13 = arith.addf %class2_12, %xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_14 = arith.addf %class2_13, %xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_15 = arith.addf %class2_14, %yp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_16 = arith.addf %class2_15, %zp1_ym2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_17 = arith.addf %class2_16, %zp1_ym2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_18 = arith.addf %class2_17, %zp1_yp2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_19 = arith.addf %class2_18, %zp1_yp2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_20 = arith.addf %class2_19, %zp2_ym2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_21 = arith.addf %class2_20, %zp2_ym2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_22 = arith.addf %class2_21, %zp2_ym1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_23 = arith.addf %class2_22, %zp2_ym1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_24 = arith.addf %class2_23, %zp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_25 = arith.addf %class2_24, %zp2_yp1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_26 = arith.addf %class2_25, %zp2_yp1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class2_27 = arith.addf %class2_26, %zp2_yp2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class2 = arith.addf %class2_27, %zp2_yp2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    // Weight 0.217.
    %zm2_ym2 = stencil.access %t[-2, -2, 0] : !temp
    %zm2_xm2 = stencil.access %t[-2, 0, -2] : !temp
    %zm2_xp2 = stencil.access %t[-2, 0, 2] : !temp
    %zm2_yp2 = stencil.access %t[-2, 2, 0] : !temp
    %zm1_ym1 = stencil.access %t[-1, -1, 0] : !temp
    %zm1_xm1 = stencil.access %t[-1, 0, -1] : !temp
    %zm1_xp1 = stencil.access %t[-1, 0, 1] : !temp
    %zm1_yp1 = stencil.access %t[-1, 1, 0] : !temp
    %ym2_xm2 = stencil.access %t[0, -2, -2] : !temp
    %ym2_xp2 = stencil.access %t[0, -2, 2] : !temp
    %yp2_xm2 = stencil.access %t[0, 2, -2] : !temp
    %yp2_xp2 = stencil.access %t[0, 2, 2] : !temp
    %zp1_ym1 = stencil.access %t[1, -1, 0] : !temp
    %zp1_xm1 = stencil.access %t[1, 0, -1] : !temp
    %zp1_xp1 = stencil.access %t[1, 0, 1] : !temp
    %zp1_yp1 = stencil.access %t[1, 1, 0] : !temp
    %zp2_ym2 = stencil.access %t[2, -2, 0] : !temp
    %zp2_xm2 = stencil.access %t[2, 0, -2] : !temp
    %zp2_xp2 = stencil.access %t[2, 0, 2] : !temp
    %zp2_yp2 = stencil.access %t[2, 2, 0] : !temp
    %class3_0 = arith.addf %zm2_ym2, %zm2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_1 = arith.addf %class3_0, %zm2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_2 = arith.addf %class3_1, %zm2_yp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_3 = arith.addf %class3_2, %zm1_ym1 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_4 = arith.addf %class3_3, %zm1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_5 = arith.addf %class3_4, %zm1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_6 = arith.addf %class3_5, %zm1_yp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_7 = arith.addf %class3_6, %ym2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_8 = arith.addf %class3_7, %ym2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_9 = arith.addf %class3_8, %yp2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_10 = arith.addf %class3_9, %yp2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_11 = arith.addf %class3_10, %zp1_ym1 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_12 = arith.addf %class3_11, %zp1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_13 = arith.addf %class3_12, %zp1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_14 = arith.addf %class3_13, %zp1_yp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_15 = arith.addf %class3_14, %zp2_ym2 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_16 = arith.addf %class3_15, %zp2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class3_17 = arith.addf %class3_16, %zp2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class3 = arith.addf %class3_17, %zp2_yp2 fastmath<reassoc,contract,arcp,afn> : f64
    // Weight 2.13.
    %zm2_ym1 = stencil.access %t[-2, -1, 0] : !temp
    %zm2_xm1 = stencil.access %t[-2, 0, -1] : !temp
    %zm2_xp1 = stencil.access %t[-2, 0, 1] : !temp
    %zm2_yp1 = stencil.access %t[-2, 1, 0] : !temp
    %zm1_ym2 = stencil.access %t[-1, -2, 0] : !temp
    %zm1_xm2 = stencil.access %t[-1, 0, -2] : !temp
    %zm1_xp2 = stencil.access %t[-1, 0, 2] : !temp
    %zm1_yp2 = stencil.access %t[-1, 2, 0] : !temp
    %ym2_xm1 = stencil.access %t[0, -2, -1] : !temp
    %ym2_xp1 = stencil.access %t[0, -2, 1] : !temp
    %ym1_xm2 = stencil.access %t[0, -1, -2] : !temp
    %ym1_xp2 = stencil.access %t[0, -1, 2] : !temp
    %c = stencil.access %t[0, 0, 0] : !temp
    %yp1_xm2 = stencil.access %t[0, 1, -2] : !temp
    %yp1_xp2 = stencil.access %t[0, 1, 2] : !temp
    %yp2_xm1 = stencil.access %t[0, 2, -1] : !temp
    %yp2_xp1 = stencil.access %t[0, 2, 1] : !temp
    %zp1_ym2 = stencil.access %t[1, -2, 0] : !temp
    %zp1_xm2 = stencil.access %t[1, 0, -2] : !temp
    %zp1_xp2 = stencil.access %t[1, 0, 2] : !temp
    %zp1_yp2 = stencil.access %t[1, 2, 0] : !temp
    %zp2_ym1 = stencil.access %t[2, -1, 0] : !temp
    %zp2_xm1 = stencil.access %t[2, 0, -1] : !temp
    %zp2_xp1 = stencil.access %t[2, 0, 1] : !temp
    %zp2_yp1 = stencil.access %t[2, 1, 0] : !temp
    %class4_0 = arith.addf %zm2_ym1, %zm2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_1 = arith.addf %class4_0, %zm2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_2 = arith.addf %class4_1, %zm2_yp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_3 = arith.addf %class4_2, %zm1_ym2 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_4 = arith.addf %class4_3, %zm1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_5 = arith.addf %class4_4, %zm1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_6 = arith.addf %class4_5, %zm1_yp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_7 = arith.addf %class4_6, %ym2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_8 = arith.addf %class4_7, %ym2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_9 = arith.addf %class4_8, %ym1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_10 = arith.addf %class4_9, %ym1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_11 = arith.addf %class4_10, %c fastmath<reassoc,contract,arcp,afn> : f64
    %class4_12 = arith.addf %class4_11, %yp1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_13 = arith.addf %class4_12, %yp1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_14 = arith.addf %class4_13, %yp2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_15 = arith.addf %class4_14, %yp2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_16 = arith.addf %class4_15, %zp1_ym2 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_17 = arith.addf %class4_16, %zp1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_18 = arith.addf %class4_17, %zp1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_19 = arith.addf %class4_18, %zp1_yp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_20 = arith.addf %class4_19, %zp2_ym1 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_21 = arith.addf %class4_20, %zp2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class4_22 = arith.addf %class4_21, %zp2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class4 = arith.addf %class4_22, %zp2_yp1 fastmath<reassoc,contract,arcp,afn> : f64
    // Weight 0.331.
    %zm2_ym1_xm1 = stencil.access %t[-2, -1, -1] : !temp
    %zm2_ym1_xp1 = stencil.access %t[-2, -1, 1] : !temp
    %zm2_yp1_xm1 = stencil.access %t[-2, 1, -1] : !temp
    %zm2_yp1_xp1 = stencil.access %t[-2, 1, 1] : !temp
    %zm1_ym2_xm1 = stencil.access %t[-1, -2, -1] : !temp
    %zm1_ym2_xp1 = stencil.access %t[-1, -2, 1] : !temp
    %zm1_ym1_xm2 = stencil.access %t[-1, -1, -2] : !temp
    %zm1_ym1_xp2 = stencil.access %t[-1, -1, 2] : !temp
    %zm1 = stencil.access %t[-1, 0, 0] : !temp
    %zm1_yp1_xm2 = stencil.access %t[-1, 1, -2] : !temp
    %zm1_yp1_xp2 = stencil.access %t[-1, 1, 2] : !temp
    %zm1_yp2_xm1 = stencil.access %t[-1, 2, -1] : !temp
    %zm1_yp2_xp1 = stencil.access %t[-1, 2, 1] : !temp
    %ym1_xm1 = stencil.access %t[0, -1, -1] : !temp
    %ym1_xp1 = stencil.access %t[0, -1, 1] : !temp
    %yp1_xm1 = stencil.access %t[0, 1, -1] : !temp
    %yp1_xp1 = stencil.access %t[0, 1, 1] : !temp
    %zp1_ym2_xm1 = stencil.access %t[1, -2, -1] : !temp
    %zp1_ym2_xp1 = stencil.access %t[1, -2, 1] : !temp
    %zp1_ym1_xm2 = stencil.access %t[1, -1, -2] : !temp
    %zp1_ym1_xp2 = stencil.access %t[1, -1, 2] : !temp
    %zp1 = stencil.access %t[1, 0, 0] : !temp
    %zp1_yp1_xm2 = stencil.access %t[1, 1, -2] : !temp
    %zp1_yp1_xp2 = stencil.access %t[1, 1, 2] : !temp
    %zp1_yp2_xm1 = stencil.access %t[1, 2, -1] : !temp
    %zp1_yp2_xp1 = stencil.access %t[1, 2, 1] : !temp
    %zp2_ym1_xm1 = stencil.access %t[2, -1, -1] : !temp
    %zp2_ym1_xp1 = stencil.access %t[2, -1, 1] : !temp
    %zp2_yp1_xm1 = stencil.access %t[2, 1, -1] : !temp
    %zp2_yp1_xp1 = stencil.access %t[2, 1, 1] : !temp
    %class5_0 = arith.addf %zm2_ym1_xm1, %zm2_ym1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_1 = arith.addf %class5_0, %zm2_yp1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_2 = arith.addf %class5_1, %zm2_yp1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_3 = arith.addf %class5_2, %zm1_ym2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_4 = arith.addf %class5_3, %zm1_ym2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_5 = arith.addf %class5_4, %zm1_ym1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_6 = arith.addf %class5_5, %zm1_ym1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_7 = arith.addf %class5_6, %zm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_8 = arith.addf %class5_7, %zm1_yp1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_9 = arith.addf %class5_8, %zm1_yp1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_10 = arith.addf %class5_9, %zm1_yp2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_11 = arith.addf %class5_10, %zm1_yp2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_12 = arith.addf %class5_11, %ym1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_13 = arith.addf %class5_12, %ym1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_14 = arith.addf %class5_13, %yp1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_15 = arith.addf %class5_14, %yp1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_16 = arith.addf %class5_15, %zp1_ym2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_17 = arith.addf %class5_16, %zp1_ym2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_18 = arith.addf %class5_17, %zp1_ym1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_19 = arith.addf %class5_18, %zp1_ym1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_20 = arith.addf %class5_19, %zp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_21 = arith.addf %class5_20, %zp1_yp1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_22 = arith.addf %class5_21, %zp1_yp1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_23 = arith.addf %class5_22, %zp1_yp2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_24 = arith.addf %class5_23, %zp1_yp2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_25 = arith.addf %class5_24, %zp2_ym1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_26 = arith.addf %class5_25, %zp2_ym1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5_27 = arith.addf %class5_26, %zp2_yp1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
    %class5 = arith.addf %class5_27, %zp2_yp1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
    // The sum of the classes.
    %w1 = arith.constant 0.75 : f64
    %w2 = arith.constant 1.132 : f64
    %w3 = arith.constant 0.217 : f64
    %w4 = arith.constant 2.13 : f64
    %w5 = arith.constant 0.331 : f64
    %p_class1 = arith.mulf %w1, %class1 fastmath<reassoc,contract,arcp,afn> : f64
    %p_class2 = arith.mulf %w2, %class2 fastmath<reassoc,contract,arcp,afn> : f64
    %sum0 = arith.addf %p_class1, %p_class2 fastmath<reassoc,contract,arcp,afn> : f64
    %p_class3 = arith.mulf %w3, %class3 fastmath<reassoc,contract,arcp,afn> : f64
    %sum1 = arith.addf %sum0, %p_class3 fastmath<reassoc,contract,arcp,afn> : f64
    %p_class4 = arith.mulf %w4, %class4 fastmath<reassoc,contract,arcp,afn> : f64
    %sum2 = arith.addf %sum1, %p_class4 fastmath<reassoc,contract,arcp,afn> : f64
    %p_class5 = arith.mulf %w5, %class5 fastmath<reassoc,contract,arcp,afn> : f64
    %new = arith.addf %sum2, %p_class5 fastmath<reassoc,contract,arcp,afn> : f64
    stencil.return %new : f64
  }
  stencil.store %result to %out(<[2, 2, 2], [514, 514, 514]>) : !temp to !field
  return
}
