// A plane's part of a sum is written in values that other outputs need of the same plane.
//
// RUN: stencil-opt %s --stencil-share-sums | FileCheck %s
// RUN: stencil-opt %s --stencil-share-sums -o %t.once
// RUN: stencil-opt %t.once --stencil-share-sums --stencil-statistics 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: stencil-opt %s --stencil-share-sums --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencil-opt %s --stencil-share-sums --remarks-filter-missed=stencil-share-sums -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencilc run %s --on=interpreter --function=exact --same-after='builtin.module(func.func(stencil-share-sums))' --seed=1

// COUNT: 1 stencil-share-sums num-declined: sums of 16 bits
// COUNT: 2 stencil-share-sums num-rewritten
// AGAIN-NOT: num-rewritten

!t = !stencil.temp<[0,64]x[0,64]xf64>
!inner = !stencil.temp<[2,62]x[2,62]xf64>
!f = !stencil.field<[0,64]x[0,64]xf64>
!h = !stencil.temp<[0,64]x[0,64]xf16>
!rh = !stencil.temp<[1,63]x[1,63]xf16>
!r = !stencil.temp<[1,63]x[1,63]xf64>

// Rank one: the same sum of five cells in every row, which the rows take with weights of their own.
// The cells are small integers and the weights powers of two, so every form has the same bits.
// CHECK-LABEL: func.func @exact
func.func @exact(%out: !f) {
  // CHECK:     stencil.apply
  // CHECK:     %[[RESULT:.+]] = stencil.apply
  // Neighbours along dimension 1 are added first, then weighted.
  // CHECK-DAG: %[[FAR_LEFT:.+]] = stencil.access %{{.+}}[-2, -2]
  // CHECK-DAG: %[[LEFT:.+]] = stencil.access %{{.+}}[-2, -1]
  // CHECK-DAG: %[[CENTRE:.+]] = stencil.access %{{.+}}[-2, 0]
  // CHECK-DAG: %[[RIGHT:.+]] = stencil.access %{{.+}}[-2, 1]
  // CHECK-DAG: %[[FAR_RIGHT:.+]] = stencil.access %{{.+}}[-2, 2]
  // CHECK-DAG: arith.addf %[[LEFT]], %[[RIGHT]] fastmath<reassoc,contract>
  // CHECK-DAG: arith.addf %[[FAR_LEFT]], %[[FAR_RIGHT]] fastmath<reassoc,contract>
  // Two products in a part; three rows have a weight of their own.
  // CHECK-COUNT-13: arith.mulf
  // CHECK-NOT:      arith.mulf
  // CHECK:          stencil.return
  %cells = stencil.apply() -> (!t) {
    %y = stencil.index 0 <[0, 0]>
    %x = stencil.index 1 <[0, 0]>
    %three = arith.constant 3 : index
    %five = arith.constant 5 : index
    %small = arith.constant 17 : index
    %y3 = arith.muli %y, %three : index
    %x5 = arith.muli %x, %five : index
    %sum = arith.addi %y3, %x5 : index
    %rest = arith.remui %sum, %small : index
    %int = arith.index_cast %rest : index to i32
    %value = arith.sitofp %int : i32 to f64
    stencil.return %value : f64
  }
  %result = stencil.apply(%t = %cells : !t) -> (!inner) {
    %c_m2_m2 = stencil.access %t[-2, -2] : !t
    %c_m2_m1 = stencil.access %t[-2, -1] : !t
    %c_m2_0 = stencil.access %t[-2, 0] : !t
    %c_m2_1 = stencil.access %t[-2, 1] : !t
    %c_m2_2 = stencil.access %t[-2, 2] : !t
    %c_m1_m2 = stencil.access %t[-1, -2] : !t
    %c_m1_m1 = stencil.access %t[-1, -1] : !t
    %c_m1_0 = stencil.access %t[-1, 0] : !t
    %c_m1_1 = stencil.access %t[-1, 1] : !t
    %c_m1_2 = stencil.access %t[-1, 2] : !t
    %c_0_m2 = stencil.access %t[0, -2] : !t
    %c_0_m1 = stencil.access %t[0, -1] : !t
    %c_0_0 = stencil.access %t[0, 0] : !t
    %c_0_1 = stencil.access %t[0, 1] : !t
    %c_0_2 = stencil.access %t[0, 2] : !t
    %c_1_m2 = stencil.access %t[1, -2] : !t
    %c_1_m1 = stencil.access %t[1, -1] : !t
    %c_1_0 = stencil.access %t[1, 0] : !t
    %c_1_1 = stencil.access %t[1, 1] : !t
    %c_1_2 = stencil.access %t[1, 2] : !t
    %c_2_m2 = stencil.access %t[2, -2] : !t
    %c_2_m1 = stencil.access %t[2, -1] : !t
    %c_2_0 = stencil.access %t[2, 0] : !t
    %c_2_1 = stencil.access %t[2, 1] : !t
    %c_2_2 = stencil.access %t[2, 2] : !t
    %k1 = arith.constant 1.0 : f64
    %k2 = arith.constant 2.0 : f64
    %k4 = arith.constant 4.0 : f64
    %k8 = arith.constant 8.0 : f64
    %k16 = arith.constant 16.0 : f64
    %p0 = arith.mulf %k1, %c_m2_m2 fastmath<reassoc,contract> : f64
    %p1 = arith.mulf %k2, %c_m2_m1 fastmath<reassoc,contract> : f64
    %s1 = arith.addf %p0, %p1 fastmath<reassoc,contract> : f64
    %p2 = arith.mulf %k4, %c_m2_0 fastmath<reassoc,contract> : f64
    %s2 = arith.addf %s1, %p2 fastmath<reassoc,contract> : f64
    %p3 = arith.mulf %k2, %c_m2_1 fastmath<reassoc,contract> : f64
    %s3 = arith.addf %s2, %p3 fastmath<reassoc,contract> : f64
    %p4 = arith.mulf %k1, %c_m2_2 fastmath<reassoc,contract> : f64
    %s4 = arith.addf %s3, %p4 fastmath<reassoc,contract> : f64
    %p5 = arith.mulf %k2, %c_m1_m2 fastmath<reassoc,contract> : f64
    %s5 = arith.addf %s4, %p5 fastmath<reassoc,contract> : f64
    %p6 = arith.mulf %k4, %c_m1_m1 fastmath<reassoc,contract> : f64
    %s6 = arith.addf %s5, %p6 fastmath<reassoc,contract> : f64
    %p7 = arith.mulf %k8, %c_m1_0 fastmath<reassoc,contract> : f64
    %s7 = arith.addf %s6, %p7 fastmath<reassoc,contract> : f64
    %p8 = arith.mulf %k4, %c_m1_1 fastmath<reassoc,contract> : f64
    %s8 = arith.addf %s7, %p8 fastmath<reassoc,contract> : f64
    %p9 = arith.mulf %k2, %c_m1_2 fastmath<reassoc,contract> : f64
    %s9 = arith.addf %s8, %p9 fastmath<reassoc,contract> : f64
    %p10 = arith.mulf %k4, %c_0_m2 fastmath<reassoc,contract> : f64
    %s10 = arith.addf %s9, %p10 fastmath<reassoc,contract> : f64
    %p11 = arith.mulf %k8, %c_0_m1 fastmath<reassoc,contract> : f64
    %s11 = arith.addf %s10, %p11 fastmath<reassoc,contract> : f64
    %p12 = arith.mulf %k16, %c_0_0 fastmath<reassoc,contract> : f64
    %s12 = arith.addf %s11, %p12 fastmath<reassoc,contract> : f64
    %p13 = arith.mulf %k8, %c_0_1 fastmath<reassoc,contract> : f64
    %s13 = arith.addf %s12, %p13 fastmath<reassoc,contract> : f64
    %p14 = arith.mulf %k4, %c_0_2 fastmath<reassoc,contract> : f64
    %s14 = arith.addf %s13, %p14 fastmath<reassoc,contract> : f64
    %p15 = arith.mulf %k2, %c_1_m2 fastmath<reassoc,contract> : f64
    %s15 = arith.addf %s14, %p15 fastmath<reassoc,contract> : f64
    %p16 = arith.mulf %k4, %c_1_m1 fastmath<reassoc,contract> : f64
    %s16 = arith.addf %s15, %p16 fastmath<reassoc,contract> : f64
    %p17 = arith.mulf %k8, %c_1_0 fastmath<reassoc,contract> : f64
    %s17 = arith.addf %s16, %p17 fastmath<reassoc,contract> : f64
    %p18 = arith.mulf %k4, %c_1_1 fastmath<reassoc,contract> : f64
    %s18 = arith.addf %s17, %p18 fastmath<reassoc,contract> : f64
    %p19 = arith.mulf %k2, %c_1_2 fastmath<reassoc,contract> : f64
    %s19 = arith.addf %s18, %p19 fastmath<reassoc,contract> : f64
    %p20 = arith.mulf %k1, %c_2_m2 fastmath<reassoc,contract> : f64
    %s20 = arith.addf %s19, %p20 fastmath<reassoc,contract> : f64
    %p21 = arith.mulf %k2, %c_2_m1 fastmath<reassoc,contract> : f64
    %s21 = arith.addf %s20, %p21 fastmath<reassoc,contract> : f64
    %p22 = arith.mulf %k4, %c_2_0 fastmath<reassoc,contract> : f64
    %s22 = arith.addf %s21, %p22 fastmath<reassoc,contract> : f64
    %p23 = arith.mulf %k2, %c_2_1 fastmath<reassoc,contract> : f64
    %s23 = arith.addf %s22, %p23 fastmath<reassoc,contract> : f64
    %p24 = arith.mulf %k1, %c_2_2 fastmath<reassoc,contract> : f64
    %s24 = arith.addf %s23, %p24 fastmath<reassoc,contract> : f64
    stencil.return %s24 : f64
  }
  stencil.store %result to %out(<[2, 2], [62, 62]>) : !inner to !f
  return
}

// Classes: the four neighbours of a row above and below weigh the same; what is no cell of the
// field stands before all planes, and a product of two cells with its plane.
// CHECK-LABEL: func.func @classes
// CHECK:         %[[ZERO:.+]] = arith.addf %{{.+}}, %{{.+}} fastmath<reassoc,contract>
// CHECK:         stencil.return
func.func @classes(%x: !t, %k: f64) -> !r {
  %r = stencil.apply(%t = %x : !t, %s = %k : f64) -> (!r) {
    %a = stencil.access %t[-1, -1] : !t
    %b = stencil.access %t[-1, 1] : !t
    %c = stencil.access %t[1, -1] : !t
    %d = stencil.access %t[1, 1] : !t
    %e = stencil.access %t[0, -1] : !t
    %f = stencil.access %t[0, 1] : !t
    %g = stencil.access %t[0, 0] : !t
    %three = arith.constant 3.0 : f64
    %five = arith.constant 5.0 : f64
    %sq = arith.mulf %g, %g fastmath<reassoc,contract> : f64
    %s0 = arith.addf %s, %sq fastmath<reassoc,contract> : f64
    %p0 = arith.mulf %three, %a fastmath<reassoc,contract> : f64
    %s1 = arith.addf %s0, %p0 fastmath<reassoc,contract> : f64
    %p1 = arith.mulf %three, %b fastmath<reassoc,contract> : f64
    %s2 = arith.addf %s1, %p1 fastmath<reassoc,contract> : f64
    %p2 = arith.mulf %three, %c fastmath<reassoc,contract> : f64
    %s3 = arith.addf %s2, %p2 fastmath<reassoc,contract> : f64
    %p3 = arith.mulf %three, %d fastmath<reassoc,contract> : f64
    %s4 = arith.addf %s3, %p3 fastmath<reassoc,contract> : f64
    %p4 = arith.mulf %five, %e fastmath<reassoc,contract> : f64
    %s5 = arith.addf %s4, %p4 fastmath<reassoc,contract> : f64
    %p5 = arith.mulf %five, %f fastmath<reassoc,contract> : f64
    %s6 = arith.addf %s5, %p5 fastmath<reassoc,contract> : f64
    stencil.return %s6 : f64
  }
  return %r : !r
}

// Without 'reassoc' nothing moves.
// CHECK-LABEL: func.func @no_permission
// CHECK-COUNT-3: arith.mulf
// CHECK-COUNT-2: arith.addf
// CHECK:         stencil.return
func.func @no_permission(%x: !t) -> !r {
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %a = stencil.access %t[-1, 0] : !t
    %b = stencil.access %t[0, -1] : !t
    %c = stencil.access %t[0, 1] : !t
    %k = arith.constant 3.0 : f64
    %p0 = arith.mulf %k, %a fastmath<contract> : f64
    %p1 = arith.mulf %k, %b fastmath<contract> : f64
    %p2 = arith.mulf %k, %c fastmath<contract> : f64
    %s0 = arith.addf %p0, %p1 fastmath<contract> : f64
    %s1 = arith.addf %s0, %p2 fastmath<contract> : f64
    stencil.return %s1 : f64
  }
  return %r : !r
}

// Sixteen bits hold no weights.
// REMARK: weights of 16 bits are too coarse
func.func @half(%x: !h) -> !rh {
  %r = stencil.apply(%t = %x : !h) -> (!rh) {
    %a = stencil.access %t[0, -1] : !h
    %b = stencil.access %t[0, 1] : !h
    %c = stencil.access %t[1, 0] : !h
    %s0 = arith.addf %a, %b fastmath<reassoc> : f16
    %s1 = arith.addf %s0, %c fastmath<reassoc> : f16
    stencil.return %s1 : f16
  }
  return %r : !rh
}
