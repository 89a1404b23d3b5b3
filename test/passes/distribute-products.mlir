// A weight or value times a sum becomes a sum of products, each of them one multiply-add.
//
// RUN: stencil-opt %s --stencil-distribute-products | FileCheck %s
// RUN: stencil-opt %s --stencil-distribute-products -o %t.once
// RUN: stencil-opt %t.once --stencil-distribute-products --stencil-statistics 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: stencil-opt %s --stencil-distribute-products --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencil-opt %s --stencil-distribute-products --remarks-filter-missed=stencil-distribute-products -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencilc run %s --on=interpreter --function=exact --same-after='builtin.module(func.func(stencil-distribute-products))' --seed=1

// COUNT: 1 stencil-distribute-products num-declined
// COUNT: 4 stencil-distribute-products num-distributed
// AGAIN-NOT: num-distributed

!t = !stencil.temp<[0,64]x[0,64]xf64>
!r = !stencil.temp<[1,63]x[1,63]xf64>
!f = !stencil.field<[0,64]x[0,64]xf64>
!h = !stencil.temp<[0,64]x[0,64]xf16>
!rh = !stencil.temp<[1,63]x[1,63]xf16>

// A weight goes to every term, those of one plane too; terms keep the order of the text.
// CHECK-LABEL: func.func @weights
func.func @weights(%x: !t) -> !r {
  // CHECK-DAG: %[[UP:.+]] = stencil.access %{{.+}}[-1, 0]
  // CHECK-DAG: %[[DOWN:.+]] = stencil.access %{{.+}}[1, 0]
  // CHECK-DAG: %[[LEFT:.+]] = stencil.access %{{.+}}[0, -1]
  // CHECK-DAG: %[[RIGHT:.+]] = stencil.access %{{.+}}[0, 1]
  // CHECK:     %[[T0:.+]] = arith.mulf %{{.+}}, %[[DOWN]] fastmath<reassoc,contract>
  // CHECK:     %[[T1:.+]] = arith.mulf %{{.+}}, %[[UP]]
  // CHECK:     %[[S1:.+]] = arith.addf %[[T0]], %[[T1]] fastmath<reassoc,contract>
  // CHECK:     %[[T2:.+]] = arith.mulf %{{.+}}, %[[LEFT]]
  // CHECK:     %[[S2:.+]] = arith.addf %[[S1]], %[[T2]]
  // CHECK:     %[[MINUS_FIFTH:.+]] = arith.constant -2.000000e-01
  // CHECK:     %[[T3:.+]] = arith.mulf %[[MINUS_FIFTH]], %[[RIGHT]]
  // CHECK:     %[[S3:.+]] = arith.addf %[[S2]], %[[T3]]
  // CHECK:     stencil.return %[[S3]]
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %down = stencil.access %t[1, 0] : !t
    %up = stencil.access %t[-1, 0] : !t
    %left = stencil.access %t[0, -1] : !t
    %right = stencil.access %t[0, 1] : !t
    %third = arith.constant 0.3 : f64
    %fifth = arith.constant 0.2 : f64
    %s0 = arith.addf %down, %up fastmath<reassoc,contract> : f64
    %p0 = arith.mulf %third, %s0 fastmath<reassoc,contract> : f64
    %s1 = arith.subf %left, %right fastmath<reassoc,contract> : f64
    %p1 = arith.mulf %fifth, %s1 fastmath<reassoc,contract> : f64
    %s2 = arith.addf %p0, %p1 fastmath<reassoc,contract> : f64
    stencil.return %s2 : f64
  }
  return %r : !r
}

// So does a number from outside, and a cell: k (d - u) + c (l + r).
// CHECK-LABEL: func.func @values
func.func @values(%x: !t, %k: f64) -> !r {
  // CHECK-DAG: %[[UP:.+]] = stencil.access %{{.+}}[-1, 0]
  // CHECK-DAG: %[[CENTRE:.+]] = stencil.access %{{.+}}[0, 0]
  // CHECK-DAG: %[[DOWN:.+]] = stencil.access %{{.+}}[1, 0]
  // CHECK-DAG: %[[LEFT:.+]] = stencil.access %{{.+}}[0, -1]
  // CHECK-DAG: %[[RIGHT:.+]] = stencil.access %{{.+}}[0, 1]
  // CHECK:     %[[T0:.+]] = arith.mulf %[[K:.+]], %[[DOWN]]
  // CHECK:     %[[T1:.+]] = arith.mulf %[[K]], %[[UP]]
  // CHECK:     %[[S1:.+]] = arith.subf %[[T0]], %[[T1]]
  // CHECK:     %[[T2:.+]] = arith.mulf %[[CENTRE]], %[[LEFT]]
  // CHECK:     %[[S2:.+]] = arith.addf %[[S1]], %[[T2]]
  // CHECK:     %[[T3:.+]] = arith.mulf %[[CENTRE]], %[[RIGHT]]
  // CHECK:     arith.addf %[[S2]], %[[T3]]
  %r = stencil.apply(%t = %x : !t, %a = %k : f64) -> (!r) {
    %up = stencil.access %t[-1, 0] : !t
    %c = stencil.access %t[0, 0] : !t
    %down = stencil.access %t[1, 0] : !t
    %left = stencil.access %t[0, -1] : !t
    %right = stencil.access %t[0, 1] : !t
    %s0 = arith.subf %down, %up fastmath<reassoc,contract> : f64
    %p0 = arith.mulf %a, %s0 fastmath<reassoc,contract> : f64
    %s1 = arith.addf %left, %right fastmath<reassoc,contract> : f64
    %p1 = arith.mulf %s1, %c fastmath<reassoc,contract> : f64
    %s2 = arith.addf %p0, %p1 fastmath<reassoc,contract> : f64
    stencil.return %s2 : f64
  }
  return %r : !r
}

// A product of two cells stays as it is, beside terms that get a weight.
// CHECK-LABEL: func.func @beside
// CHECK:         %[[OUTER:.+]] = arith.mulf %[[CENTRE:.+]], %[[UP:.+]] fast
// CHECK:         %[[INNER:.+]] = arith.mulf %{{.+}}, %[[LEFT:.+]] fast
// CHECK:         %[[S1:.+]] = arith.addf %[[OUTER]], %[[INNER]]
// CHECK:         %[[LAST:.+]] = arith.mulf %{{.+}}, %[[DOWN:.+]] fast
// CHECK:         %[[S2:.+]] = arith.addf %[[S1]], %[[LAST]]
// CHECK-NEXT:    stencil.return %[[S2]]
func.func @beside(%x: !t) -> !r {
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %up = stencil.access %t[-1, 0] : !t
    %c = stencil.access %t[0, 0] : !t
    %down = stencil.access %t[1, 0] : !t
    %left = stencil.access %t[0, -1] : !t
    %half = arith.constant 0.5 : f64
    %p0 = arith.mulf %c, %up fastmath<reassoc,contract> : f64
    %s0 = arith.addf %left, %down fastmath<reassoc,contract> : f64
    %p1 = arith.mulf %half, %s0 fastmath<reassoc,contract> : f64
    %s1 = arith.addf %p0, %p1 fastmath<reassoc,contract> : f64
    stencil.return %s1 : f64
  }
  return %r : !r
}

// c (2 u + d) is two operations, 2 (c u) + c d three; a product of sums is none of weights.
// CHECK-LABEL: func.func @kept
// CHECK:         %[[TWICE:.+]] = arith.mulf %{{.+}}, %[[UP:.+]] fast
// CHECK-NEXT:    %[[SUM:.+]] = arith.addf %[[TWICE]], %[[DOWN:.+]] fast
// CHECK-NEXT:    %[[P0:.+]] = arith.mulf %{{.+}}, %[[SUM]] fast
// CHECK-NEXT:    %[[A:.+]] = arith.addf %[[UP]], %{{.+}} fast
// CHECK-NEXT:    %[[B:.+]] = arith.subf %{{.+}}, %[[DOWN]] fast
// CHECK-NEXT:    %[[P1:.+]] = arith.mulf %[[A]], %[[B]] fast
// CHECK-NEXT:    arith.addf %[[P0]], %[[P1]] fast
func.func @kept(%x: !t) -> !r {
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %up = stencil.access %t[-1, 0] : !t
    %c = stencil.access %t[0, 0] : !t
    %down = stencil.access %t[1, 0] : !t
    %two = arith.constant 2.0 : f64
    %twice = arith.mulf %two, %up fastmath<reassoc,contract> : f64
    %s0 = arith.addf %twice, %down fastmath<reassoc,contract> : f64
    %p0 = arith.mulf %c, %s0 fastmath<reassoc,contract> : f64
    %s1 = arith.addf %up, %c fastmath<reassoc,contract> : f64
    %s2 = arith.subf %c, %down fastmath<reassoc,contract> : f64
    %p1 = arith.mulf %s1, %s2 fastmath<reassoc,contract> : f64
    %s3 = arith.addf %p0, %p1 fastmath<reassoc,contract> : f64
    stencil.return %s3 : f64
  }
  return %r : !r
}

// Without contraction a product with a sum of two is two operations, two products are three.
// CHECK-LABEL: func.func @apart
// CHECK:         %[[SUM:.+]] = arith.addf %[[UP:.+]], %[[DOWN:.+]] fastmath<reassoc>
// CHECK:         arith.mulf %{{.+}}, %[[SUM]] fastmath<reassoc>
func.func @apart(%x: !t) -> !r {
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %up = stencil.access %t[-1, 0] : !t
    %down = stencil.access %t[1, 0] : !t
    %half = arith.constant 0.5 : f64
    %s0 = arith.addf %up, %down fastmath<reassoc> : f64
    %p0 = arith.mulf %half, %s0 fastmath<reassoc> : f64
    stencil.return %p0 : f64
  }
  return %r : !r
}

// Without the flag on the product nothing is multiplied out.
// CHECK-LABEL: func.func @not_permitted
// CHECK:         %[[SUM:.+]] = arith.addf %[[UP:.+]], %[[DOWN:.+]] fast
// CHECK:         arith.mulf %{{.+}}, %[[SUM]] fastmath<contract>
func.func @not_permitted(%x: !t) -> !r {
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %up = stencil.access %t[-1, 0] : !t
    %down = stencil.access %t[1, 0] : !t
    %half = arith.constant 0.5 : f64
    %s0 = arith.addf %up, %down fastmath<reassoc,contract> : f64
    %p0 = arith.mulf %half, %s0 fastmath<contract> : f64
    stencil.return %p0 : f64
  }
  return %r : !r
}

// REMARK: weights of 16 bits are too coarse
// CHECK-LABEL: func.func @sixteen_bits
func.func @sixteen_bits(%x: !h) -> !rh {
  %r = stencil.apply(%t = %x : !h) -> (!rh) {
    %up = stencil.access %t[-1, 0] : !h
    %c = stencil.access %t[0, 0] : !h
    %down = stencil.access %t[1, 0] : !h
    %s0 = arith.addf %down, %c fastmath<reassoc,contract> : f16
    %p0 = arith.mulf %s0, %up fastmath<reassoc,contract> : f16
    stencil.return %p0 : f16
  }
  return %r : !rh
}

// Cells are small integers and weights powers of two: both forms have the same bits.
// CHECK-LABEL: func.func @exact
func.func @exact(%out: !f) {
  %cells = stencil.apply() -> (!t) {
    %y = stencil.index 0 <[0, 0]>
    %x = stencil.index 1 <[0, 0]>
    %three = arith.constant 3 : index
    %rows = arith.muli %y, %three : index
    %sum = arith.addi %rows, %x : index
    %integer = arith.index_cast %sum : index to i64
    %cell = arith.sitofp %integer : i64 to f64
    stencil.return %cell : f64
  }
  // CHECK:         stencil.apply
  // CHECK:         stencil.apply
  // CHECK-COUNT-4: arith.mulf
  // CHECK-NOT:     arith.mulf
  // CHECK:         stencil.return
  %r = stencil.apply(%t = %cells : !t) -> (!r) {
    %down = stencil.access %t[1, 0] : !t
    %up = stencil.access %t[-1, 0] : !t
    %c = stencil.access %t[0, 0] : !t
    %left = stencil.access %t[0, -1] : !t
    %half = arith.constant 0.5 : f64
    %d = arith.subf %down, %up fastmath<reassoc,contract> : f64
    %p0 = arith.mulf %d, %half fastmath<reassoc,contract> : f64
    %s = arith.addf %left, %up fastmath<reassoc,contract> : f64
    %p1 = arith.mulf %c, %s fastmath<reassoc,contract> : f64
    %sum = arith.subf %p0, %p1 fastmath<reassoc,contract> : f64
    stencil.return %sum : f64
  }
  stencil.store %r to %out(<[1, 1], [63, 63]>) : !r to !f
  return
}
