// The terms of a sum are added plane by plane along dimension 0, with the weights at the terms.
//
// RUN: stencil-opt %s --stencil-order-sums | FileCheck %s
// RUN: stencil-opt %s --stencil-order-sums -o %t.once
// RUN: stencil-opt %t.once --stencil-order-sums --stencil-statistics 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: stencil-opt %s --stencil-order-sums --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencil-opt %s --stencil-order-sums --remarks-filter-missed=stencil-order-sums -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencilc run %s --on=interpreter --function=exact --same-after='builtin.module(func.func(stencil-order-sums))' --seed=1

// COUNT: num-ordered
// AGAIN-NOT: num-ordered

!t = !stencil.temp<[0,64]x[0,64]xf64>
!r = !stencil.temp<[1,63]x[1,63]xf64>
!f = !stencil.field<[0,64]x[0,64]xf64>
!line = !stencil.temp<[0,64]xf64>
!h = !stencil.temp<[0,64]x[0,64]xf16>
!rh = !stencil.temp<[1,63]x[1,63]xf16>

// Rows -1, 0, 1; in row 0 the order of offsets. A weight of the whole goes to the terms.
// CHECK-LABEL: func.func @star
func.func @star(%x: !t) -> !r {
  // CHECK-DAG: %[[UP:.+]] = stencil.access %{{.+}}[-1, 0]
  // CHECK-DAG: %[[DOWN:.+]] = stencil.access %{{.+}}[1, 0]
  // CHECK-DAG: %[[LEFT:.+]] = stencil.access %{{.+}}[0, -1]
  // CHECK-DAG: %[[RIGHT:.+]] = stencil.access %{{.+}}[0, 1]
  // CHECK:     %[[T0:.+]] = arith.mulf %{{.+}}, %[[UP]] fastmath<reassoc,contract>
  // CHECK:     %[[MINUS_THREE:.+]] = arith.constant -3.000000e+00
  // CHECK:     %[[T1:.+]] = arith.mulf %[[MINUS_THREE]], %[[LEFT]] fastmath<reassoc,contract>
  // CHECK:     %[[S1:.+]] = arith.addf %[[T0]], %[[T1]] fastmath<reassoc,contract>
  // CHECK:     %[[TWO:.+]] = arith.constant 2.000000e+00
  // CHECK:     %[[T2:.+]] = arith.mulf %[[TWO]], %[[RIGHT]]
  // CHECK:     %[[S2:.+]] = arith.addf %[[S1]], %[[T2]]
  // CHECK:     %[[THREE:.+]] = arith.constant 3.000000e+00
  // CHECK:     %[[T3:.+]] = arith.mulf %[[THREE]], %[[DOWN]]
  // CHECK:     %[[S3:.+]] = arith.addf %[[S2]], %[[T3]]
  // CHECK:     stencil.return %[[S3]]
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %down = stencil.access %t[1, 0] : !t
    %right = stencil.access %t[0, 1] : !t
    %left = stencil.access %t[0, -1] : !t
    %up = stencil.access %t[-1, 0] : !t
    %four = arith.constant 4.0 : f64
    %six = arith.constant 6.0 : f64
    %eight = arith.constant 8.0 : f64
    %half = arith.constant 0.5 : f64
    %p0 = arith.mulf %six, %down fastmath<reassoc,contract> : f64
    %p1 = arith.mulf %four, %right fastmath<reassoc,contract> : f64
    %p2 = arith.mulf %left, %six fastmath<reassoc,contract> : f64
    %p3 = arith.mulf %eight, %up fastmath<reassoc,contract> : f64
    %s0 = arith.addf %p0, %p1 fastmath<reassoc,contract> : f64
    %s1 = arith.subf %p3, %p2 fastmath<reassoc,contract> : f64
    %s2 = arith.addf %s0, %s1 fastmath<reassoc,contract> : f64
    %s3 = arith.mulf %s2, %half fastmath<reassoc,contract> : f64
    stencil.return %s3 : f64
  }
  return %r : !r
}

// A weight of terms from two rows is multiplied out, a weight of terms from one row is not.
// CHECK-LABEL: func.func @groups
func.func @groups(%x: !t) -> !r {
  // CHECK-DAG: %[[UP:.+]] = stencil.access %{{.+}}[-1, 0]
  // CHECK-DAG: %[[DOWN:.+]] = stencil.access %{{.+}}[1, 0]
  // CHECK-DAG: %[[LEFT:.+]] = stencil.access %{{.+}}[0, -1]
  // CHECK-DAG: %[[RIGHT:.+]] = stencil.access %{{.+}}[0, 1]
  // CHECK:     %[[T0:.+]] = arith.mulf %{{.+}}, %[[UP]]
  // CHECK:     %[[GROUP:.+]] = arith.addf %[[LEFT]], %[[RIGHT]]
  // CHECK:     %[[T1:.+]] = arith.mulf %{{.+}}, %[[GROUP]]
  // CHECK:     %[[S1:.+]] = arith.addf %[[T0]], %[[T1]]
  // CHECK:     %[[T2:.+]] = arith.mulf %{{.+}}, %[[DOWN]]
  // CHECK:     arith.addf %[[S1]], %[[T2]]
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %down = stencil.access %t[1, 0] : !t
    %up = stencil.access %t[-1, 0] : !t
    %left = stencil.access %t[0, -1] : !t
    %right = stencil.access %t[0, 1] : !t
    %third = arith.constant 0.3 : f64
    %fifth = arith.constant 0.2 : f64
    %s0 = arith.addf %down, %up fastmath<reassoc,contract> : f64
    %p0 = arith.mulf %third, %s0 fastmath<reassoc,contract> : f64
    %s1 = arith.addf %left, %right fastmath<reassoc,contract> : f64
    %p1 = arith.mulf %fifth, %s1 fastmath<reassoc,contract> : f64
    %s2 = arith.addf %p0, %p1 fastmath<reassoc,contract> : f64
    stencil.return %s2 : f64
  }
  return %r : !r
}

// A value times a constant that is used twice is combined with the value: d - 2 c + (u - 2 c) + c.
// CHECK-LABEL: func.func @shared
func.func @shared(%x: !t) -> !r {
  // CHECK:     %[[WEIGHT:.+]] = arith.constant -3.000000e+00
  // CHECK-DAG: %[[UP:.+]] = stencil.access %{{.+}}[-1, 0]
  // CHECK-DAG: %[[CENTRE:.+]] = stencil.access %{{.+}}[0, 0]
  // CHECK-DAG: %[[DOWN:.+]] = stencil.access %{{.+}}[1, 0]
  // CHECK:     %[[T1:.+]] = arith.mulf %[[WEIGHT]], %[[CENTRE]]
  // CHECK:     %[[S1:.+]] = arith.addf %[[UP]], %[[T1]]
  // CHECK:     %[[S2:.+]] = arith.addf %[[S1]], %[[DOWN]]
  // CHECK:     stencil.return %[[S2]]
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %up = stencil.access %t[-1, 0] : !t
    %c = stencil.access %t[0, 0] : !t
    %down = stencil.access %t[1, 0] : !t
    %two = arith.constant 2.0 : f64
    %twice = arith.mulf %two, %c fastmath<reassoc,contract> : f64
    %s0 = arith.subf %down, %twice fastmath<reassoc,contract> : f64
    %s1 = arith.subf %up, %twice fastmath<reassoc,contract> : f64
    %s2 = arith.addf %s0, %s1 fastmath<reassoc,contract> : f64
    %s3 = arith.addf %s2, %c fastmath<reassoc,contract> : f64
    stencil.return %s3 : f64
  }
  return %r : !r
}

// The plane of a term is its latest one, what is used elsewhere included; a number comes first, and
// before it a line along dimension 1, which is an argument before the number.
// CHECK-LABEL: func.func @values
func.func @values(%x: !t, %y: !line, %k: f64) -> !r {
  // CHECK-DAG: %[[UP:.+]] = stencil.access %{{.+}}[-1, 0]
  // CHECK-DAG: %[[CENTRE:.+]] = stencil.access %{{.+}}[0, 0]
  // CHECK-DAG: %[[DOWN:.+]] = stencil.access %{{.+}}[1, 0]
  // CHECK-DAG: %[[LINE:.+]] = stencil.access %{{.+}}[_, 0]
  // CHECK-DAG: %[[DIFFERENCE:.+]] = arith.subf %[[DOWN]], %[[UP]]
  // CHECK:     %[[S0:.+]] = arith.addf %[[LINE]], %[[K:.+]] fast
  // CHECK:     %[[S1:.+]] = arith.addf %[[S0]], %[[CENTRE]]
  // CHECK:     %[[SQUARE:.+]] = arith.mulf %[[DIFFERENCE]], %[[DIFFERENCE]]
  // CHECK:     arith.addf %[[S1]], %[[SQUARE]]
  %r = stencil.apply(%t = %x : !t, %l = %y : !line, %a = %k : f64) -> (!r) {
    %up = stencil.access %t[-1, 0] : !t
    %c = stencil.access %t[0, 0] : !t
    %down = stencil.access %t[1, 0] : !t
    %line = stencil.access %l[_, 0] : !line
    %difference = arith.subf %down, %up fastmath<reassoc,contract> : f64
    %square = arith.mulf %difference, %difference fastmath<reassoc,contract> : f64
    %s0 = arith.addf %square, %c fastmath<reassoc,contract> : f64
    %s1 = arith.addf %s0, %a fastmath<reassoc,contract> : f64
    %s2 = arith.addf %s1, %line fastmath<reassoc,contract> : f64
    stencil.return %s2 : f64
  }
  return %r : !r
}

// Without the flag on each addition nothing moves.
// CHECK-LABEL: func.func @not_permitted
// CHECK:         %[[S0:.+]] = arith.addf %[[DOWN:.+]], %[[UP:.+]] fastmath<contract>
// CHECK:         arith.addf %[[S0]], %[[CENTRE:.+]] fastmath<reassoc,contract>
// CHECK-NOT:     arith
// CHECK:         stencil.return
func.func @not_permitted(%x: !t) -> !r {
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %up = stencil.access %t[-1, 0] : !t
    %c = stencil.access %t[0, 0] : !t
    %down = stencil.access %t[1, 0] : !t
    %s0 = arith.addf %down, %up fastmath<contract> : f64
    %s1 = arith.addf %s0, %c fastmath<reassoc,contract> : f64
    stencil.return %s1 : f64
  }
  return %r : !r
}

// c + d + u / 4 is two operations, and three when it begins with the product: it begins with c.
// REMARK: the order of planes would cost operations
// CHECK-LABEL: func.func @declined
// CHECK-DAG:     %[[UP:.+]] = stencil.access %{{.+}}[-1, 0]
// CHECK-DAG:     %[[CENTRE:.+]] = stencil.access %{{.+}}[0, 0]
// CHECK-DAG:     %[[DOWN:.+]] = stencil.access %{{.+}}[1, 0]
// CHECK:         %[[P:.+]] = arith.mulf %{{.+}}, %[[UP]] fast
// CHECK:         %[[S0:.+]] = arith.addf %[[CENTRE]], %[[P]] fast
// CHECK:         arith.addf %[[S0]], %[[DOWN]] fast
func.func @declined(%x: !t) -> !r {
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %up = stencil.access %t[-1, 0] : !t
    %c = stencil.access %t[0, 0] : !t
    %down = stencil.access %t[1, 0] : !t
    %quarter = arith.constant 0.25 : f64
    %s0 = arith.addf %c, %down fastmath<reassoc,contract> : f64
    %p = arith.mulf %quarter, %up fastmath<reassoc,contract> : f64
    %s1 = arith.addf %s0, %p fastmath<reassoc,contract> : f64
    stencil.return %s1 : f64
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
    %s1 = arith.addf %s0, %up fastmath<reassoc,contract> : f16
    stencil.return %s1 : f16
  }
  return %r : !rh
}

// A cell times powers of two, and one cell at a time beside numbers that cancel: the program has
// the same bits in both forms, and a wrong weight, sign or cell shows.
// CHECK-LABEL: func.func @exact
// CHECK-NOT:     arith.subf
// CHECK:         stencil.return
func.func @exact(%in: !f, %out: !f) {
  %x = stencil.load %in : !f -> !t
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %down = stencil.access %t[1, 0] : !t
    %up = stencil.access %t[-1, 0] : !t
    %four = arith.constant 4.0 : f64
    %half = arith.constant 0.5 : f64
    %p0 = arith.mulf %down, %four fastmath<reassoc> : f64
    %p1 = arith.mulf %up, %half fastmath<reassoc> : f64
    %d = arith.subf %p0, %p1 fastmath<reassoc> : f64
    %p2 = arith.mulf %d, %half fastmath<reassoc> : f64
    stencil.return %p2 : f64
  }
  stencil.store %r to %out(<[1, 1], [63, 63]>) : !r to !f
  return
}
