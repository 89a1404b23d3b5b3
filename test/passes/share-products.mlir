// Common factors stand once, and equal parts are written alike at all places.
//
// RUN: stencil-opt %s --stencil-share-products --cse | FileCheck %s
// RUN: stencil-opt %s --stencil-share-products -o %t.once
// RUN: stencil-opt %t.once --stencil-share-products --stencil-statistics 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: stencil-opt %s --stencil-share-products --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencil-opt %s --stencil-share-products --remarks-filter-missed=stencil-share-products -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencilc run %s --on=interpreter --function=exact --same-after='builtin.module(func.func(stencil-share-products))' --seed=1

// COUNT: 1 stencil-share-products num-declined: applies left as they were
// COUNT: 4 stencil-share-products num-rewritten: applies that were rewritten
// AGAIN-NOT: num-rewritten

!f = !stencil.field<[0,32]x[0,32]xf64>
!t = !stencil.temp<[0,32]x[0,32]xf64>
!r = !stencil.temp<[1,31]x[1,31]xf64>
!line = !stencil.temp<[0,32]xf64>
!h = !stencil.temp<[0,32]x[0,32]xf16>
!rh = !stencil.temp<[1,31]x[1,31]xf16>

// a b d + a c e is a (b d + c e). The cells are small integers, so every form has the same bits.
// CHECK-LABEL: func.func @exact
func.func @exact(%out: !f) {
  // CHECK: stencil.apply
  // CHECK: %[[RESULT:.+]] = stencil.apply
  // CHECK-DAG: %[[A:.+]] = stencil.access %{{.+}}[0, 0]
  // CHECK-DAG: %[[B:.+]] = stencil.access %{{.+}}[0, -1]
  // CHECK-DAG: %[[C:.+]] = stencil.access %{{.+}}[0, 1]
  // CHECK-DAG: %[[D:.+]] = stencil.access %{{.+}}[-1, 0]
  // CHECK-DAG: %[[E:.+]] = stencil.access %{{.+}}[1, 0]
  // CHECK-DAG: %[[BD:.+]] = arith.mulf %[[D]], %[[B]] fastmath<reassoc,contract>
  // CHECK-DAG: %[[CE:.+]] = arith.mulf %[[C]], %[[E]] fastmath<reassoc,contract>
  // CHECK:     %[[SUM:.+]] = arith.addf %[[BD]], %[[CE]] fastmath<reassoc,contract>
  // CHECK:     %[[ALL:.+]] = arith.mulf %[[A]], %[[SUM]] fastmath<reassoc,contract>
  // CHECK:     stencil.return %[[ALL]]
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
  %result = stencil.apply(%t = %cells : !t) -> (!r) {
    %a = stencil.access %t[0, 0] : !t
    %b = stencil.access %t[0, -1] : !t
    %c = stencil.access %t[0, 1] : !t
    %d = stencil.access %t[-1, 0] : !t
    %e = stencil.access %t[1, 0] : !t
    %ab = arith.mulf %a, %b fastmath<reassoc,contract> : f64
    %abd = arith.mulf %ab, %d fastmath<reassoc,contract> : f64
    %ac = arith.mulf %a, %c fastmath<reassoc,contract> : f64
    %ace = arith.mulf %ac, %e fastmath<reassoc,contract> : f64
    %sum = arith.addf %abd, %ace fastmath<reassoc,contract> : f64
    stencil.return %sum : f64
  }
  stencil.store %result to %out(<[1, 1], [31, 31]>) : !r to !f
  return
}

// What needs two cells of one place is one sum there, so that a neighbour finds it: both products
// with q have the same sum of p and r.
// CHECK-LABEL: func.func @neighbours
// CHECK:      %[[P0:.+]] = stencil.access
// CHECK-NEXT: stencil.access
// CHECK-NEXT: %[[R0:.+]] = stencil.access
// CHECK-NEXT: %[[P1:.+]] = stencil.access
// CHECK-NEXT: stencil.access
// CHECK-NEXT: %[[R1:.+]] = stencil.access
// CHECK-DAG:  arith.addf %[[P0]], %[[R0]]
// CHECK-DAG:  arith.addf %[[P1]], %[[R1]]
// CHECK:      stencil.return
func.func @neighbours(%p: !t, %q: !t, %r: !t) -> !r {
  %result = stencil.apply(%a = %p : !t, %b = %q : !t, %c = %r : !t) -> (!r) {
    %p0 = stencil.access %a[-1, 0] : !t
    %q0 = stencil.access %b[-1, 0] : !t
    %r0 = stencil.access %c[-1, 0] : !t
    %p1 = stencil.access %a[1, 0] : !t
    %q1 = stencil.access %b[1, 0] : !t
    %r1 = stencil.access %c[1, 0] : !t
    %pq0 = arith.mulf %p0, %q0 fastmath<reassoc,contract> : f64
    %pq1 = arith.mulf %p1, %q1 fastmath<reassoc,contract> : f64
    %rq0 = arith.mulf %r0, %q0 fastmath<reassoc,contract> : f64
    %rq1 = arith.mulf %q1, %r1 fastmath<reassoc,contract> : f64
    %pq = arith.subf %pq1, %pq0 fastmath<reassoc,contract> : f64
    %rq = arith.subf %rq1, %rq0 fastmath<reassoc,contract> : f64
    %sum = arith.addf %pq, %rq fastmath<reassoc,contract> : f64
    stencil.return %sum : f64
  }
  return %result : !r
}

// A table is one value for all cells of a row: w p q s + w p r s, of two results.
// CHECK-LABEL: func.func @results
// CHECK:       stencil.access %{{.+}}[_, 0]
// CHECK-COUNT-6: arith.mulf
// CHECK-NOT:     arith.mulf
// CHECK:       stencil.return
func.func @results(%p: !t, %q: !t, %s: !line) -> (!r, !r) {
  %one, %two = stencil.apply(%a = %p : !t, %b = %q : !t, %c = %s : !line) -> (!r, !r) {
    %weight = arith.constant 0.3 : f64
    %table = stencil.access %c[_, 0] : !line
    %p0 = stencil.access %a[0, -1] : !t
    %q0 = stencil.access %b[0, -1] : !t
    %p1 = stencil.access %a[0, 1] : !t
    %q1 = stencil.access %b[0, 1] : !t
    %pq0 = arith.mulf %p0, %q0 fastmath<reassoc,contract> : f64
    %pqs0 = arith.mulf %pq0, %table fastmath<reassoc,contract> : f64
    %pqsw0 = arith.mulf %pqs0, %weight fastmath<reassoc,contract> : f64
    %pq1 = arith.mulf %p1, %q1 fastmath<reassoc,contract> : f64
    %pqs1 = arith.mulf %pq1, %table fastmath<reassoc,contract> : f64
    %pqsw1 = arith.mulf %pqs1, %weight fastmath<reassoc,contract> : f64
    %sum = arith.addf %pqsw0, %pqsw1 fastmath<reassoc,contract> : f64
    %other0 = arith.mulf %p0, %p1 fastmath<reassoc,contract> : f64
    %other = arith.mulf %other0, %table fastmath<reassoc,contract> : f64
    stencil.return %sum, %other : f64, f64
  }
  return %one, %two : !r, !r
}

// Operations with other flags are values like others, and keep their own.
// CHECK-LABEL: func.func @flags
// CHECK:       %[[EXACT:.+]] = arith.mulf %{{.+}}, %{{.+}} : f64
// CHECK:       arith.addf %{{.+}}, %{{.+}} fastmath<reassoc> : f64
// CHECK:       %[[RESULT:.+]] = arith.mulf %{{.+}}, %{{.+}} fastmath<reassoc> : f64
// CHECK:       stencil.return %[[RESULT]]
func.func @flags(%p: !t, %q: !t) -> !r {
  %result = stencil.apply(%a = %p : !t, %b = %q : !t) -> (!r) {
    %p0 = stencil.access %a[0, 0] : !t
    %p1 = stencil.access %a[0, 1] : !t
    %q0 = stencil.access %b[0, 0] : !t
    %q1 = stencil.access %b[0, 1] : !t
    %exact = arith.mulf %p0, %p1 : f64
    %one = arith.mulf %exact, %q0 fastmath<reassoc> : f64
    %two = arith.mulf %q1, %exact fastmath<reassoc> : f64
    %sum = arith.addf %one, %two fastmath<reassoc> : f64
    stencil.return %sum : f64
  }
  return %result : !r
}

// Sums that are linear in the cells are for another pass.
// CHECK-LABEL: func.func @linear
// CHECK-COUNT-2: arith.mulf
// CHECK:         stencil.return
func.func @linear(%p: !t) -> !r {
  %result = stencil.apply(%a = %p : !t) -> (!r) {
    %weight = arith.constant 0.3 : f64
    %p0 = stencil.access %a[0, -1] : !t
    %p1 = stencil.access %a[0, 1] : !t
    %one = arith.mulf %p0, %weight fastmath<reassoc> : f64
    %two = arith.mulf %p1, %weight fastmath<reassoc> : f64
    %sum = arith.addf %one, %two fastmath<reassoc> : f64
    stencil.return %sum : f64
  }
  return %result : !r
}

// REMARK: remark: {{.*}}weights of 16 bits are too coarse
// CHECK-LABEL: func.func @halves
func.func @halves(%p: !h) -> !rh {
  %result = stencil.apply(%a = %p : !h) -> (!rh) {
    %p0 = stencil.access %a[0, -1] : !h
    %p1 = stencil.access %a[0, 1] : !h
    %sum = arith.mulf %p0, %p1 fastmath<reassoc> : f16
    stencil.return %sum : f16
  }
  return %result : !rh
}
