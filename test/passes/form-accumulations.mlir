// However a sum is written, it becomes the same chain: plane by plane, and in one plane by what its terms read.
//
// RUN: stencil-opt %s --stencil-form-accumulations | FileCheck %s
// RUN: stencil-opt %s --stencil-form-accumulations -o %t.once
// RUN: stencil-opt %t.once --stencil-form-accumulations --stencil-statistics 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: stencil-opt %s --stencil-form-accumulations --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencil-opt %s --stencil-form-accumulations --remarks-filter-missed=stencil-form-accumulations -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencilc run %s --on=interpreter --function=exact --same-after='builtin.module(func.func(stencil-form-accumulations))' --seed=1

// COUNT: 2 stencil-form-accumulations num-declined
// COUNT: 9 stencil-form-accumulations num-formed
// AGAIN-NOT: num-formed

!t = !stencil.temp<[0,64]x[0,64]xf64>
!r = !stencil.temp<[1,63]x[1,63]xf64>
!f = !stencil.field<[0,64]x[0,64]xf64>
!h = !stencil.temp<[0,64]x[0,64]xf16>
!rh = !stencil.temp<[1,63]x[1,63]xf16>

// 4 u + 3 l - 5 r + 2 d, in the order of planes.
// CHECK-LABEL: func.func @star
func.func @star(%x: !t) -> !r {
  // CHECK:      %[[UP:.+]] = stencil.access %{{.+}}[-1, 0]
  // CHECK-NEXT: %[[LEFT:.+]] = stencil.access %{{.+}}[0, -1]
  // CHECK-NEXT: %[[RIGHT:.+]] = stencil.access %{{.+}}[0, 1]
  // CHECK-NEXT: %[[DOWN:.+]] = stencil.access %{{.+}}[1, 0]
  // CHECK:      %[[T0:.+]] = arith.mulf %{{.+}}, %[[UP]] fastmath<reassoc,contract>
  // CHECK:      %[[THREE:.+]] = arith.constant 3.000000e+00
  // CHECK:      %[[T1:.+]] = arith.mulf %[[THREE]], %[[LEFT]]
  // CHECK:      %[[S1:.+]] = arith.addf %[[T0]], %[[T1]] fastmath<reassoc,contract>
  // CHECK:      %[[MINUS_FIVE:.+]] = arith.constant -5.000000e+00
  // CHECK:      %[[T2:.+]] = arith.mulf %[[MINUS_FIVE]], %[[RIGHT]]
  // CHECK:      %[[S2:.+]] = arith.addf %[[S1]], %[[T2]]
  // CHECK:      %[[TWO:.+]] = arith.constant 2.000000e+00
  // CHECK:      %[[T3:.+]] = arith.mulf %[[TWO]], %[[DOWN]]
  // CHECK:      %[[S3:.+]] = arith.addf %[[S2]], %[[T3]]
  // CHECK-NEXT: stencil.return %[[S3]]
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %up = stencil.access %t[-1, 0] : !t
    %left = stencil.access %t[0, -1] : !t
    %right = stencil.access %t[0, 1] : !t
    %down = stencil.access %t[1, 0] : !t
    %two = arith.constant 2.0 : f64
    %three = arith.constant 3.0 : f64
    %four = arith.constant 4.0 : f64
    %five = arith.constant 5.0 : f64
    %p0 = arith.mulf %four, %up fastmath<reassoc,contract> : f64
    %p1 = arith.mulf %three, %left fastmath<reassoc,contract> : f64
    %p3 = arith.mulf %two, %down fastmath<reassoc,contract> : f64
    %s0 = arith.addf %p0, %p1 fastmath<reassoc,contract> : f64
    %p2 = arith.mulf %five, %right fastmath<reassoc,contract> : f64
    %s1 = arith.subf %s0, %p2 fastmath<reassoc,contract> : f64
    %s2 = arith.addf %s1, %p3 fastmath<reassoc,contract> : f64
    stencil.return %s2 : f64
  }
  return %r : !r
}

// The same from behind, cells included.
// CHECK-LABEL: func.func @reversed
func.func @reversed(%x: !t) -> !r {
  // CHECK:      %[[UP:.+]] = stencil.access %{{.+}}[-1, 0]
  // CHECK-NEXT: %[[LEFT:.+]] = stencil.access %{{.+}}[0, -1]
  // CHECK-NEXT: %[[RIGHT:.+]] = stencil.access %{{.+}}[0, 1]
  // CHECK-NEXT: %[[DOWN:.+]] = stencil.access %{{.+}}[1, 0]
  // CHECK:      %[[T0:.+]] = arith.mulf %{{.+}}, %[[UP]] fastmath<reassoc,contract>
  // CHECK:      %[[THREE:.+]] = arith.constant 3.000000e+00
  // CHECK:      %[[T1:.+]] = arith.mulf %[[THREE]], %[[LEFT]]
  // CHECK:      %[[S1:.+]] = arith.addf %[[T0]], %[[T1]] fastmath<reassoc,contract>
  // CHECK:      %[[MINUS_FIVE:.+]] = arith.constant -5.000000e+00
  // CHECK:      %[[T2:.+]] = arith.mulf %[[MINUS_FIVE]], %[[RIGHT]]
  // CHECK:      %[[S2:.+]] = arith.addf %[[S1]], %[[T2]]
  // CHECK:      %[[TWO:.+]] = arith.constant 2.000000e+00
  // CHECK:      %[[T3:.+]] = arith.mulf %[[TWO]], %[[DOWN]]
  // CHECK:      %[[S3:.+]] = arith.addf %[[S2]], %[[T3]]
  // CHECK-NEXT: stencil.return %[[S3]]
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %down = stencil.access %t[1, 0] : !t
    %two = arith.constant 2.0 : f64
    %three = arith.constant 3.0 : f64
    %four = arith.constant 4.0 : f64
    %five = arith.constant 5.0 : f64
    %p3 = arith.mulf %two, %down fastmath<reassoc,contract> : f64
    %right = stencil.access %t[0, 1] : !t
    %p2 = arith.mulf %five, %right fastmath<reassoc,contract> : f64
    %s0 = arith.subf %p3, %p2 fastmath<reassoc,contract> : f64
    %left = stencil.access %t[0, -1] : !t
    %p1 = arith.mulf %left, %three fastmath<reassoc,contract> : f64
    %s1 = arith.addf %s0, %p1 fastmath<reassoc,contract> : f64
    %up = stencil.access %t[-1, 0] : !t
    %p0 = arith.mulf %up, %four fastmath<reassoc,contract> : f64
    %s2 = arith.addf %p0, %s1 fastmath<reassoc,contract> : f64
    stencil.return %s2 : f64
  }
  return %r : !r
}

// The same in pairs, one cell in two terms, and a difference that is subtracted.
// CHECK-LABEL: func.func @nested
func.func @nested(%x: !t) -> !r {
  // CHECK:      %[[UP:.+]] = stencil.access %{{.+}}[-1, 0]
  // CHECK-NEXT: %[[LEFT:.+]] = stencil.access %{{.+}}[0, -1]
  // CHECK-NEXT: %[[RIGHT:.+]] = stencil.access %{{.+}}[0, 1]
  // CHECK-NEXT: %[[DOWN:.+]] = stencil.access %{{.+}}[1, 0]
  // CHECK:      %[[T0:.+]] = arith.mulf %{{.+}}, %[[UP]] fastmath<reassoc,contract>
  // CHECK:      %[[THREE:.+]] = arith.constant 3.000000e+00
  // CHECK:      %[[T1:.+]] = arith.mulf %[[THREE]], %[[LEFT]]
  // CHECK:      %[[S1:.+]] = arith.addf %[[T0]], %[[T1]] fastmath<reassoc,contract>
  // CHECK:      %[[MINUS_FIVE:.+]] = arith.constant -5.000000e+00
  // CHECK:      %[[T2:.+]] = arith.mulf %[[MINUS_FIVE]], %[[RIGHT]]
  // CHECK:      %[[S2:.+]] = arith.addf %[[S1]], %[[T2]]
  // CHECK:      %[[TWO:.+]] = arith.constant 2.000000e+00
  // CHECK:      %[[T3:.+]] = arith.mulf %[[TWO]], %[[DOWN]]
  // CHECK:      %[[S3:.+]] = arith.addf %[[S2]], %[[T3]]
  // CHECK-NEXT: stencil.return %[[S3]]
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %right = stencil.access %t[0, 1] : !t
    %down = stencil.access %t[1, 0] : !t
    %up = stencil.access %t[-1, 0] : !t
    %left = stencil.access %t[0, -1] : !t
    %two = arith.constant 2.0 : f64
    %three = arith.constant 3.0 : f64
    %four = arith.constant 4.0 : f64
    %five = arith.constant 5.0 : f64
    %one = arith.constant 1.0 : f64
    %p1 = arith.mulf %three, %left fastmath<reassoc,contract> : f64
    %p2 = arith.mulf %five, %right fastmath<reassoc,contract> : f64
    %s0 = arith.subf %p2, %p1 fastmath<reassoc,contract> : f64
    %p0 = arith.mulf %four, %up fastmath<reassoc,contract> : f64
    %s1 = arith.addf %down, %p0 fastmath<reassoc,contract> : f64
    %s2 = arith.subf %s1, %s0 fastmath<reassoc,contract> : f64
    %s3 = arith.addf %s2, %down fastmath<reassoc,contract> : f64
    stencil.return %s3 : f64
  }
  return %r : !r
}

// Terms of one plane: cells of the first argument, those of products among them, before cells of
// the second; what no weight or value belongs to begins.
// CHECK-LABEL: func.func @fields
func.func @fields(%x: !t, %y: !t) -> !r {
  // CHECK-DAG: %[[A:.+]] = stencil.access %[[FIRST:.+]][0, 0]
  // CHECK-DAG: %[[NEXT:.+]] = stencil.access %[[FIRST]][0, 1]
  // CHECK-DAG: %[[B:.+]] = stencil.access %[[SECOND:.+]][0, 0]
  // CHECK-DAG: %[[ROOT:.+]] = math.sqrt %[[A]]
  // CHECK:     %[[P0:.+]] = arith.mulf %[[A]], %[[B]] fast
  // CHECK:     %[[S0:.+]] = arith.addf %[[ROOT]], %[[P0]] fast
  // CHECK:     %[[P1:.+]] = arith.mulf %{{.+}}, %[[NEXT]] fast
  // CHECK:     %[[S1:.+]] = arith.addf %[[S0]], %[[P1]] fast
  // CHECK:     %[[P2:.+]] = arith.mulf %{{.+}}, %[[B]] fast
  // CHECK:     %[[S2:.+]] = arith.addf %[[S1]], %[[P2]] fast
  // CHECK:     stencil.return %[[S2]]
  %r = stencil.apply(%t = %x : !t, %s = %y : !t) -> (!r) {
    %b = stencil.access %s[0, 0] : !t
    %next = stencil.access %t[0, 1] : !t
    %a = stencil.access %t[0, 0] : !t
    %two = arith.constant 2.0 : f64
    %three = arith.constant 3.0 : f64
    %root = math.sqrt %a : f64
    %p0 = arith.mulf %b, %a fastmath<reassoc,contract> : f64
    %p1 = arith.mulf %two, %b fastmath<reassoc,contract> : f64
    %p2 = arith.mulf %three, %next fastmath<reassoc,contract> : f64
    %s0 = arith.addf %p1, %p2 fastmath<reassoc,contract> : f64
    %s1 = arith.addf %s0, %p0 fastmath<reassoc,contract> : f64
    %s2 = arith.addf %s1, %root fastmath<reassoc,contract> : f64
    stencil.return %s2 : f64
  }
  return %r : !r
}

// A weight stays in front of its sum, whose terms are in order.
// CHECK-LABEL: func.func @distributes_nothing
func.func @distributes_nothing(%x: !t) -> !r {
  // CHECK-DAG: %[[UP:.+]] = stencil.access %{{.+}}[-1, 0]
  // CHECK-DAG: %[[DOWN:.+]] = stencil.access %{{.+}}[1, 0]
  // CHECK-DAG: %[[LEFT:.+]] = stencil.access %{{.+}}[0, -1]
  // CHECK:     %[[P:.+]] = arith.mulf %{{.+}}, %[[LEFT]]
  // CHECK:     %[[SUM:.+]] = arith.addf %[[UP]], %[[DOWN]]
  // CHECK:     %[[Q:.+]] = arith.mulf %{{.+}}, %[[SUM]]
  // CHECK:     arith.addf %[[P]], %[[Q]]
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %down = stencil.access %t[1, 0] : !t
    %up = stencil.access %t[-1, 0] : !t
    %left = stencil.access %t[0, -1] : !t
    %two = arith.constant 2.0 : f64
    %half = arith.constant 0.5 : f64
    %s0 = arith.addf %down, %up fastmath<reassoc,contract> : f64
    %q = arith.mulf %half, %s0 fastmath<reassoc,contract> : f64
    %p = arith.mulf %two, %left fastmath<reassoc,contract> : f64
    %s1 = arith.addf %q, %p fastmath<reassoc,contract> : f64
    stencil.return %s1 : f64
  }
  return %r : !r
}

// u / 4 + d + l is three operations, and two if it begins with one of the others.
// REMARK: the order of planes would cost operations
// CHECK-LABEL: func.func @plain_first
func.func @plain_first(%x: !t) -> !r {
  // CHECK-DAG: %[[UP:.+]] = stencil.access %{{.+}}[-1, 0]
  // CHECK-DAG: %[[DOWN:.+]] = stencil.access %{{.+}}[1, 0]
  // CHECK-DAG: %[[LEFT:.+]] = stencil.access %{{.+}}[0, -1]
  // CHECK:     %[[P:.+]] = arith.mulf %{{.+}}, %[[UP]]
  // CHECK:     %[[SUM:.+]] = arith.addf %[[LEFT]], %[[P]]
  // CHECK:     arith.addf %[[SUM]], %[[DOWN]]
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %down = stencil.access %t[1, 0] : !t
    %up = stencil.access %t[-1, 0] : !t
    %left = stencil.access %t[0, -1] : !t
    %quarter = arith.constant 0.25 : f64
    %p = arith.mulf %quarter, %up fastmath<reassoc,contract> : f64
    %s0 = arith.addf %down, %p fastmath<reassoc,contract> : f64
    %s1 = arith.addf %s0, %left fastmath<reassoc,contract> : f64
    stencil.return %s1 : f64
  }
  return %r : !r
}

// A cell that something else reads before the sum stays where it is.
// CHECK-LABEL: func.func @read_before
func.func @read_before(%x: !t) -> !r {
  // CHECK:      stencil.access %{{.+}}[1, 0]
  // CHECK-NEXT: math.absf
  // CHECK:      stencil.access %{{.+}}[-1, 0]
  // CHECK-NEXT: stencil.access %{{.+}}[0, -1]
  // CHECK:      arith.mulf
  %r = stencil.apply(%t = %x : !t) -> (!r) {
    %down = stencil.access %t[1, 0] : !t
    %left = stencil.access %t[0, -1] : !t
    %size = math.absf %down : f64
    %up = stencil.access %t[-1, 0] : !t
    %two = arith.constant 2.0 : f64
    %p = arith.mulf %two, %left fastmath<reassoc,contract> : f64
    %q = arith.mulf %two, %up fastmath<reassoc,contract> : f64
    %z = arith.mulf %size, %down fastmath<reassoc,contract> : f64
    %s0 = arith.addf %z, %p fastmath<reassoc,contract> : f64
    %s1 = arith.addf %s0, %q fastmath<reassoc,contract> : f64
    stencil.return %s1 : f64
  }
  return %r : !r
}

// A number that the apply is given stays where others need it before the apply.
// CHECK-LABEL: func.func @outside
// CHECK:         %[[K:.+]] = arith.constant 7.000000e+00
// CHECK-NEXT:    %[[ROOT:.+]] = math.sqrt %[[K]]
// CHECK-NEXT:    stencil.apply(%{{.+}} = %{{.+}} : {{.+}}, %{{.+}} = %[[K]] : f64, %{{.+}} = %[[ROOT]] : f64)
func.func @outside(%x: !t) -> !r {
  %k = arith.constant 7.0 : f64
  %root = math.sqrt %k : f64
  %r = stencil.apply(%t = %x : !t, %a = %k : f64, %b = %root : f64) -> (!r) {
    %up = stencil.access %t[-1, 0] : !t
    %s0 = arith.addf %up, %b fastmath<reassoc,contract> : f64
    %s1 = arith.addf %s0, %a fastmath<reassoc,contract> : f64
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
  // CHECK: stencil.access %{{.+}}[-1, 0]
  // CHECK: stencil.access %{{.+}}[0, 0]
  // CHECK: stencil.access %{{.+}}[1, 0]
  // CHECK: arith.mulf
  %r = stencil.apply(%t = %cells : !t) -> (!r) {
    %down = stencil.access %t[1, 0] : !t
    %up = stencil.access %t[-1, 0] : !t
    %c = stencil.access %t[0, 0] : !t
    %half = arith.constant 0.5 : f64
    %four = arith.constant 4.0 : f64
    %p0 = arith.mulf %down, %half fastmath<reassoc,contract> : f64
    %p1 = arith.mulf %four, %up fastmath<reassoc,contract> : f64
    %p2 = arith.mulf %c, %up fastmath<reassoc,contract> : f64
    %s0 = arith.subf %p0, %p1 fastmath<reassoc,contract> : f64
    %p3 = arith.mulf %four, %c fastmath<reassoc,contract> : f64
    %s1 = arith.addf %p2, %p3 fastmath<reassoc,contract> : f64
    %sum = arith.subf %s0, %s1 fastmath<reassoc,contract> : f64
    stencil.return %sum : f64
  }
  stencil.store %r to %out(<[1, 1], [63, 63]>) : !r to !f
  return
}
