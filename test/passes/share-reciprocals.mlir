// Quotients of one block that have one divisor share its reciprocal, where all of them permit it.
//
// RUN: stencil-opt %s --stencil-share-reciprocals | FileCheck %s
// RUN: stencil-opt %s --stencil-share-reciprocals --stencil-share-reciprocals | FileCheck %s
// RUN: stencilc run %s --on=interpreter --function=exact_quotients --same-after='builtin.module(func.func(stencil-share-reciprocals))' --seed=1

// The reciprocal has the flags that both have.
// CHECK-LABEL: func.func @shared
// CHECK-SAME:    %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64, %[[X:[a-z0-9]+]]: f64
func.func @shared(%a: f64, %b: f64, %x: f64) -> (f64, f64) {
  // CHECK: %[[ONE:.+]] = arith.constant 1.0
  // CHECK: %[[R:.+]] = arith.divf %[[ONE]], %[[X]] fastmath<arcp,afn> : f64
  // CHECK: arith.mulf %[[A]], %[[R]] fastmath<arcp,contract,afn>
  // CHECK: arith.mulf %[[B]], %[[R]] fastmath<reassoc,arcp,afn>
  %qa = arith.divf %a, %x fastmath<arcp,contract,afn> : f64
  %qb = arith.divf %b, %x fastmath<reassoc,arcp,afn> : f64
  return %qa, %qb : f64, f64
}

// A reciprocal that is there already is the one.
// CHECK-LABEL: func.func @own_reciprocal
// CHECK-SAME:    %[[A:[a-z0-9]+]]: f32, %[[X:[a-z0-9]+]]: f32
func.func @own_reciprocal(%a: f32, %x: f32) -> (f32, f32) {
  // CHECK: %[[R:.+]] = arith.divf
  // CHECK: %[[Q:.+]] = arith.mulf %[[A]], %[[R]]
  // CHECK: return %[[Q]], %[[R]]
  %one = arith.constant 1.0 : f32
  %q = arith.divf %a, %x fastmath<arcp> : f32
  %r = arith.divf %one, %x fastmath<arcp> : f32
  return %q, %r : f32, f32
}

// One quotient alone, one without permission, divisors that differ, a divisor that is divided
// itself, and constants.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-6: arith.divf
// CHECK-NOT:   arith.mulf
func.func @kept(%a: f64, %b: f64, %x: f64, %y: f64) -> (f64, f64, f64, f64, f64, f64) {
  %three = arith.constant 3.0 : f64
  %q0 = arith.divf %a, %x fastmath<arcp> : f64
  %q1 = arith.divf %b, %x : f64
  %q2 = arith.divf %a, %y fastmath<arcp> : f64
  %q3 = arith.divf %y, %q2 fastmath<arcp> : f64
  %q4 = arith.divf %a, %three fastmath<arcp> : f64
  %q5 = arith.divf %b, %three fastmath<arcp> : f64
  return %q0, %q1, %q2, %q3, %q4, %q5 : f64, f64, f64, f64, f64, f64
}

// Powers of two have exact reciprocals: the same bits, and a wrong operand shows. The quotient
// behind a condition is not computed before it.
// CHECK-LABEL: func.func @exact_quotients
func.func @exact_quotients(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %x[0] : !stencil.temp<[0,64]xf64>
    %four = arith.constant 4.0 : f64
    %half = arith.constant 0.5 : f64
    %positive = arith.cmpf ogt, %v, %half : f64
    %divisor = arith.select %positive, %four, %half : f64
    // CHECK:     arith.divf
    // CHECK-NOT: arith.divf
    // CHECK:     scf.if
    %q0 = arith.divf %v, %divisor fastmath<arcp> : f64
    %q1 = arith.divf %four, %divisor fastmath<arcp> : f64
    %difference = arith.subf %q0, %q1 : f64
    // CHECK:     arith.divf
    %chosen = scf.if %positive -> (f64) {
      %q2 = arith.divf %difference, %divisor fastmath<arcp> : f64
      scf.yield %q2 : f64
    } else {
      scf.yield %difference : f64
    }
    stencil.return %chosen : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// The divisor is the same at all points: its reciprocal is, too. A quotient of two such numbers stays
// what it is.
// CHECK-LABEL: func.func @uniform
func.func @uniform(%in: !stencil.field<[0,64]xf64>, %h: f64, %c: f64, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<[0,64]xf64>, %spacing = %h : f64, %speed = %c : f64) -> (!stencil.temp<[0,64]xf64>) {
    // CHECK: %[[V:.+]] = stencil.access
    // CHECK: %[[AREA:.+]] = arith.mulf
    // CHECK: %[[R:.+]] = arith.divf %{{.+}}, %[[AREA]] fastmath<arcp>
    // CHECK: %[[Q:.+]] = arith.mulf %[[V]], %[[R]] fastmath<arcp>
    // CHECK: arith.divf %{{.+}}, %{{.+}} fastmath<arcp>
    // CHECK: arith.divf %{{.+}}, %[[V]] fastmath<arcp>
    %v = stencil.access %x[0] : !stencil.temp<[0,64]xf64>
    %area = arith.mulf %spacing, %spacing : f64
    %q = arith.divf %v, %area fastmath<arcp> : f64
    %ratio = arith.divf %speed, %spacing fastmath<arcp> : f64
    %s = arith.divf %ratio, %v fastmath<arcp> : f64
    %sum = arith.addf %q, %s : f64
    stencil.return %sum : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}
