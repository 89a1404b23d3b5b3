// FMAs are formed where both operations permit it, and afterwards no operation permits anything.
//
// RUN: stencil-opt %s --stencil-freeze-arithmetic | FileCheck %s
// RUN: stencil-opt %s --stencil-freeze-arithmetic | FileCheck %s --check-prefix=FROZEN
// RUN: stencil-opt %s --stencil-freeze-arithmetic --stencil-freeze-arithmetic | FileCheck %s
// RUN: stencilc run %s --on=interpreter --function=exact_products --same-after='builtin.module(func.func(stencil-freeze-arithmetic))' --seed=1

// No flag is left anywhere.
// FROZEN-NOT: fastmath

// CHECK-LABEL: func.func @product_on_the_left
// CHECK-SAME:    %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64, %[[C:[a-z0-9]+]]: f64
func.func @product_on_the_left(%a: f64, %b: f64, %c: f64) -> f64 {
  // CHECK-NEXT: %[[R:.*]] = math.fma %[[A]], %[[B]], %[[C]] : f64
  // CHECK-NEXT: return %[[R]]
  %product = arith.mulf %a, %b fastmath<contract> : f64
  %sum = arith.addf %product, %c fastmath<contract> : f64
  return %sum : f64
}

// CHECK-LABEL: func.func @product_on_the_right
// CHECK-SAME:    %[[A:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: f32, %[[C:[a-z0-9]+]]: f32
func.func @product_on_the_right(%a: f32, %b: f32, %c: f32) -> f32 {
  // CHECK-NEXT: math.fma %[[A]], %[[B]], %[[C]] : f32
  %product = arith.mulf %a, %b fastmath<fast> : f32
  %sum = arith.addf %c, %product fastmath<reassoc,contract> : f32
  return %sum : f32
}

// a*b - c = fma(a, b, -c).
// CHECK-LABEL: func.func @product_minus
// CHECK-SAME:    %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64, %[[C:[a-z0-9]+]]: f64
func.func @product_minus(%a: f64, %b: f64, %c: f64) -> f64 {
  // CHECK-NEXT: %[[MINUS:.*]] = arith.negf %[[C]]
  // CHECK-NEXT: math.fma %[[A]], %[[B]], %[[MINUS]]
  %product = arith.mulf %a, %b fastmath<contract> : f64
  %difference = arith.subf %product, %c fastmath<contract> : f64
  return %difference : f64
}

// c - a*b = fma(-a, b, c).
// CHECK-LABEL: func.func @minus_product
// CHECK-SAME:    %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64, %[[C:[a-z0-9]+]]: f64
func.func @minus_product(%a: f64, %b: f64, %c: f64) -> f64 {
  // CHECK-NEXT: %[[MINUS:.*]] = arith.negf %[[A]]
  // CHECK-NEXT: math.fma %[[MINUS]], %[[B]], %[[C]]
  %product = arith.mulf %a, %b fastmath<contract> : f64
  %difference = arith.subf %c, %product fastmath<contract> : f64
  return %difference : f64
}

// Of two products the left one is taken.
// CHECK-LABEL: func.func @two_products
// CHECK-SAME:    %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64, %[[C:[a-z0-9]+]]: f64, %[[D:[a-z0-9]+]]: f64
func.func @two_products(%a: f64, %b: f64, %c: f64, %d: f64) -> f64 {
  // CHECK-NEXT: %[[RIGHT:.*]] = arith.mulf %[[C]], %[[D]]
  // CHECK-NEXT: math.fma %[[A]], %[[B]], %[[RIGHT]]
  %right = arith.mulf %c, %d fastmath<contract> : f64
  %left = arith.mulf %a, %b fastmath<contract> : f64
  %sum = arith.addf %left, %right fastmath<contract> : f64
  return %sum : f64
}

// A sum of products becomes a chain; each sum takes the product that is left to it.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64, %[[C:[a-z0-9]+]]: f64
func.func @chain(%a: f64, %b: f64, %c: f64) -> f64 {
  // CHECK-NEXT: %[[LAST:.*]] = arith.mulf %[[B]], %[[B]]
  // CHECK-NEXT: %[[FIRST:.*]] = math.fma %[[A]], %[[A]], %[[LAST]]
  // CHECK-NEXT: math.fma %[[C]], %[[C]], %[[FIRST]]
  %aa = arith.mulf %a, %a fastmath<contract> : f64
  %bb = arith.mulf %b, %b fastmath<contract> : f64
  %first = arith.addf %aa, %bb fastmath<contract> : f64
  %cc = arith.mulf %c, %c fastmath<contract> : f64
  %second = arith.addf %first, %cc fastmath<contract> : f64
  return %second : f64
}

// A product that is used twice stays: merged into both sums it would be computed twice.
// CHECK-LABEL: func.func @shared_product
func.func @shared_product(%a: f64, %b: f64, %c: f64) -> (f64, f64) {
  // CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf
  // CHECK-NEXT: arith.addf %[[PRODUCT]]
  // CHECK-NEXT: arith.subf %[[PRODUCT]]
  %product = arith.mulf %a, %b fastmath<contract> : f64
  %sum = arith.addf %product, %c fastmath<contract> : f64
  %difference = arith.subf %product, %c fastmath<contract> : f64
  return %sum, %difference : f64, f64
}

// So does a square that is added to itself.
// CHECK-LABEL: func.func @doubled_product
func.func @doubled_product(%a: f64, %b: f64) -> f64 {
  // CHECK-NEXT: arith.mulf
  // CHECK-NEXT: arith.addf
  %product = arith.mulf %a, %b fastmath<contract> : f64
  %sum = arith.addf %product, %product fastmath<contract> : f64
  return %sum : f64
}

// Both operations must permit it.
// CHECK-LABEL: func.func @one_permission
// CHECK-NOT:     math.fma
func.func @one_permission(%a: f64, %b: f64, %c: f64) -> (f64, f64) {
  %p0 = arith.mulf %a, %b : f64
  %s0 = arith.addf %p0, %c fastmath<contract> : f64
  %p1 = arith.mulf %a, %b fastmath<contract> : f64
  %s1 = arith.addf %p1, %c : f64
  return %s0, %s1 : f64, f64
}

// Other permissions say nothing about merging; they are withdrawn like all.
// CHECK-LABEL: func.func @other_permissions
// CHECK-NOT:     math.fma
func.func @other_permissions(%a: f64, %b: f64, %c: f64) -> f64 {
  %product = arith.mulf %a, %b fastmath<reassoc,nsz,arcp> : f64
  %sum = arith.addf %product, %c fastmath<reassoc,nsz,arcp> : f64
  %quotient = arith.divf %sum, %c fastmath<arcp> : f64
  %root = math.sqrt %quotient fastmath<afn> : f64
  %order = arith.cmpf olt, %root, %c fastmath<nnan> : f64
  %chosen = arith.select %order, %root, %c : f64
  return %chosen : f64
}

// Inside of applies, at any depth. A product with a power of two is exact, so that this program has
// the same bits with and without FMAs: a wrong sign or a wrong operand shows.
// CHECK-LABEL: func.func @exact_products
func.func @exact_products(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %x[0] : !stencil.temp<[0,64]xf64>
    %half = arith.constant 0.5 : f64
    %four = arith.constant 4.0 : f64
    // CHECK: %[[LEFT:.*]] = math.fma
    %p0 = arith.mulf %half, %v fastmath<contract> : f64
    %sum = arith.addf %p0, %four fastmath<contract> : f64
    // CHECK: %[[MINUS:.*]] = arith.negf %[[LEFT]]
    // CHECK: %[[RIGHT:.*]] = math.fma {{.*}}, {{.*}}, %[[MINUS]]
    %p1 = arith.mulf %v, %four fastmath<contract> : f64
    %d0 = arith.subf %p1, %sum fastmath<contract> : f64
    %positive = arith.cmpf ogt, %d0, %half : f64
    // CHECK: scf.if
    // CHECK:   arith.negf
    // CHECK:   math.fma {{.*}}, {{.*}}, %[[RIGHT]]
    %chosen = scf.if %positive -> (f64) {
      %p2 = arith.mulf %half, %v fastmath<contract> : f64
      %d1 = arith.subf %d0, %p2 fastmath<contract> : f64
      scf.yield %d1 : f64
    } else {
      scf.yield %v : f64
    }
    stencil.return %chosen : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}
