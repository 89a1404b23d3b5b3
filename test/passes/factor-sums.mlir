// A sum of weighted terms gets the form with the fewest operations, if that is fewer than it has.
//
// RUN: stencil-opt %s --stencil-factor-sums | FileCheck %s
// RUN: stencil-opt %s --stencil-factor-sums --stencil-factor-sums | FileCheck %s
// RUN: stencil-opt %s --stencil-factor-sums --remarks-filter-missed=stencil-factor-sums -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencilc run %s --on=interpreter --function=exact_weights --same-after='builtin.module(func.func(stencil-factor-sums))' --seed=1

// A weight of the whole sum goes to the weights of its terms, rounded once.
// CHECK-LABEL: func.func @absorbed
// CHECK-SAME:    %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64
func.func @absorbed(%a: f64, %b: f64) -> f64 {
  // CHECK:      %[[FIVE:.+]] = arith.constant 1.250000e+00 : f64
  // CHECK:      %[[LEFT:.+]] = arith.mulf %[[FIVE]], %[[A]] fastmath<reassoc,contract>
  // CHECK:      %[[TWELVE:.+]] = arith.constant 3.000000e+00 : f64
  // CHECK:      %[[RIGHT:.+]] = arith.mulf %[[TWELVE]], %[[B]] fastmath<reassoc,contract>
  // CHECK:      %[[SUM:.+]] = arith.addf %[[LEFT]], %[[RIGHT]] fastmath<reassoc,contract>
  // CHECK:      return %[[SUM]]
  %five = arith.constant 5.0 : f64
  %twelve = arith.constant 12.0 : f64
  %quarter = arith.constant 0.25 : f64
  %l = arith.mulf %five, %a fastmath<reassoc,contract> : f64
  %r = arith.mulf %twelve, %b fastmath<reassoc,contract,arcp> : f64
  %sum = arith.addf %l, %r fastmath<reassoc,contract> : f64
  %whole = arith.mulf %sum, %quarter fastmath<reassoc,contract> : f64
  return %whole : f64
}

// Where one term has no weight nothing is saved, and nothing is touched.
// CHECK-LABEL: func.func @plain_terms
// CHECK:         %[[PRODUCT:.+]] = arith.mulf
// CHECK-NEXT:    %[[SUM:.+]] = arith.addf %[[PRODUCT]]
// CHECK-NEXT:    arith.mulf %[[SUM]]
func.func @plain_terms(%a: f64, %b: f64) -> f64 {
  %five = arith.constant 5.0 : f64
  %tenth = arith.constant 0.1 : f64
  %l = arith.mulf %five, %a fastmath<reassoc,contract> : f64
  %sum = arith.addf %l, %b fastmath<reassoc,contract> : f64
  %whole = arith.mulf %sum, %tenth fastmath<reassoc,contract> : f64
  return %whole : f64
}

// c - 2 (4 a - c / 2 + 3 (b + d)): a and c get weights of their own, b + d stays a group.
// CHECK-LABEL: func.func @nested
// CHECK-SAME:    %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64, %[[C:[a-z0-9]+]]: f64, %[[D:[a-z0-9]+]]: f64
func.func @nested(%a: f64, %b: f64, %c: f64, %d: f64) -> f64 {
  // CHECK:     %[[PC:.+]] = arith.mulf %{{.+}}, %[[C]]
  // CHECK:     %[[MINUS_EIGHT:.+]] = arith.constant -8.000000e+00
  // CHECK:     %[[PA:.+]] = arith.mulf %[[MINUS_EIGHT]], %[[A]]
  // CHECK:     %[[S0:.+]] = arith.addf %[[PC]], %[[PA]]
  // CHECK:     %[[GROUP:.+]] = arith.addf %[[B]], %[[D]]
  // CHECK:     %[[MINUS_SIX:.+]] = arith.constant -6.000000e+00
  // CHECK:     %[[PG:.+]] = arith.mulf %[[MINUS_SIX]], %[[GROUP]]
  // CHECK:     arith.addf %[[S0]], %[[PG]]
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %four = arith.constant 4.0 : f64
  %half = arith.constant 0.5 : f64
  %fa = arith.mulf %four, %a fastmath<fast> : f64
  %hc = arith.mulf %c, %half fastmath<fast> : f64
  %difference = arith.subf %fa, %hc fastmath<fast> : f64
  %pair = arith.addf %b, %d fastmath<fast> : f64
  %tp = arith.mulf %three, %pair fastmath<fast> : f64
  %inner = arith.addf %difference, %tp fastmath<fast> : f64
  %twice = arith.mulf %two, %inner fastmath<fast> : f64
  %result = arith.subf %c, %twice fastmath<fast> : f64
  return %result : f64
}

// A common factor that is no constant: 2 x a - 3 b x is x (2 a - 3 b).
// CHECK-LABEL: func.func @common_value
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32, %[[A:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: f32
func.func @common_value(%x: f32, %a: f32, %b: f32) -> f32 {
  // CHECK: %[[SUM:.+]] = arith.addf
  // CHECK: arith.mulf %[[X]], %[[SUM]]
  // CHECK-NOT: arith.mulf
  // CHECK: return
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %xa = arith.mulf %x, %a fastmath<reassoc,contract> : f32
  %left = arith.mulf %two, %xa fastmath<reassoc,contract> : f32
  %bx = arith.mulf %b, %x fastmath<reassoc,contract> : f32
  %right = arith.mulf %three, %bx fastmath<reassoc,contract> : f32
  %difference = arith.subf %left, %right fastmath<reassoc,contract> : f32
  return %difference : f32
}

// Without contract a weighted term is two operations, and c a - c b becomes c (a - b).
// CHECK-LABEL: func.func @common_weight
// CHECK-SAME:    %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64
func.func @common_weight(%a: f64, %b: f64) -> f64 {
  // CHECK: %[[DIFFERENCE:.+]] = arith.subf %[[A]], %[[B]] fastmath<reassoc>
  // CHECK: arith.mulf %{{.+}}, %[[DIFFERENCE]] fastmath<reassoc>
  // CHECK-NOT: arith.mulf
  // CHECK: return
  %c = arith.constant 0.3 : f64
  %l = arith.mulf %c, %a fastmath<reassoc> : f64
  %r = arith.mulf %c, %b fastmath<reassoc> : f64
  %difference = arith.subf %l, %r fastmath<reassoc> : f64
  return %difference : f64
}

// Without reassoc on one of the operations, or where a part has another use, sums stay.
// CHECK-LABEL: func.func @not_permitted
// CHECK-COUNT-6: arith.mulf
func.func @not_permitted(%a: f64, %b: f64) -> (f64, f64, f64) {
  %five = arith.constant 5.0 : f64
  %twelve = arith.constant 12.0 : f64
  %tenth = arith.constant 0.1 : f64
  %l = arith.mulf %five, %a fastmath<reassoc,contract> : f64
  %r = arith.mulf %twelve, %b fastmath<reassoc,contract> : f64
  %sum = arith.addf %l, %r fastmath<contract> : f64
  %whole = arith.mulf %sum, %tenth fastmath<reassoc,contract> : f64
  %l1 = arith.mulf %five, %b fastmath<reassoc,contract> : f64
  %r1 = arith.mulf %twelve, %a fastmath<reassoc,contract> : f64
  %used = arith.addf %l1, %r1 fastmath<reassoc,contract> : f64
  %whole1 = arith.mulf %used, %tenth fastmath<reassoc,contract> : f64
  return %whole, %whole1, %used : f64, f64, f64
}

// REMARK: a weight would not be a normal number
// REMARK: weights of 16 bits are too coarse
// CHECK-LABEL: func.func @declined
// CHECK-COUNT-6: arith.mulf
func.func @declined(%a: f64, %b: f64, %x: f16, %y: f16) -> (f64, f16) {
  %tiny = arith.constant 1.0e-200 : f64
  %tenth = arith.constant 0.1 : f64
  %l = arith.mulf %tiny, %a fastmath<reassoc,contract> : f64
  %r = arith.mulf %tenth, %b fastmath<reassoc,contract> : f64
  %sum = arith.addf %l, %r fastmath<reassoc,contract> : f64
  %whole = arith.mulf %sum, %tiny fastmath<reassoc,contract> : f64
  %three = arith.constant 3.0 : f16
  %l1 = arith.mulf %three, %x fastmath<reassoc,contract> : f16
  %r1 = arith.mulf %three, %y fastmath<reassoc,contract> : f16
  %sum1 = arith.addf %l1, %r1 fastmath<reassoc,contract> : f16
  %whole1 = arith.mulf %sum1, %three fastmath<reassoc,contract> : f16
  return %whole, %whole1 : f64, f16
}

// A number times a power of two loses nothing, and one value at a time is no matter of order: the
// program has the same bits in both forms, and a wrong weight or sign shows.
// CHECK-LABEL: func.func @exact_weights
// CHECK-COUNT-3: arith.mulf
// CHECK-NOT:     arith.mulf
// CHECK:         stencil.return
func.func @exact_weights(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %x[0] : !stencil.temp<[0,64]xf64>
    %four = arith.constant 4.0 : f64
    %half = arith.constant 0.5 : f64
    %one = arith.constant 1.0 : f64
    %square = arith.mulf %v, %v : f64
    %p0 = arith.mulf %four, %v fastmath<reassoc> : f64
    %p1 = arith.mulf %square, %half fastmath<reassoc> : f64
    %d0 = arith.subf %p0, %p1 fastmath<reassoc> : f64
    %p2 = arith.mulf %d0, %half fastmath<reassoc> : f64
    %s0 = arith.negf %p2 fastmath<reassoc> : f64
    stencil.return %s0 : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}
