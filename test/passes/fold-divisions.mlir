// A division by a constant is a multiplication where that gives the same bits, or is permitted.
//
// RUN: stencil-opt %s --stencil-fold-divisions | FileCheck %s
// RUN: stencil-opt %s --stencil-fold-divisions --remarks-filter-missed=stencil-fold-divisions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencilc run %s --on=interpreter --function=in_apply --same-after='builtin.module(func.func(stencil-fold-divisions))' --seed=1

// Powers of two: the same bits, whatever the flags.
// CHECK-LABEL: func.func @exact
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f64, %[[Y:[a-z0-9]+]]: bf16
func.func @exact(%x: f64, %y: bf16) -> (f64, bf16) {
  // CHECK: %[[EIGHTH:.+]] = arith.constant 1.250000e-01 : f64
  // CHECK: arith.mulf %[[X]], %[[EIGHTH]] : f64
  // CHECK: %[[MINUS_FOUR:.+]] = arith.constant -4.000000e+00 : bf16
  // CHECK: arith.mulf %[[Y]], %[[MINUS_FOUR]] : bf16
  %eight = arith.constant 8.0 : f64
  %a = arith.divf %x, %eight : f64
  %minus_quarter = arith.constant -0.25 : bf16
  %b = arith.divf %y, %minus_quarter : bf16
  return %a, %b : f64, bf16
}

// Other constants need arcp; flags go to the product.
// CHECK-LABEL: func.func @permitted
// CHECK:         arith.constant 0.0084745762711864406 : f64
// CHECK:         arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,arcp> : f64
// CHECK:         arith.mulf %{{.*}}, %{{.*}} fastmath<fast> : f32
func.func @permitted(%x: f64, %y: f32) -> (f64, f32) {
  %c = arith.constant 118.0 : f64
  %a = arith.divf %x, %c fastmath<reassoc,arcp> : f64
  %d = arith.constant 159.0 : f32
  %b = arith.divf %y, %d fastmath<fast> : f32
  return %a, %b : f64, f32
}

// REMARK: its flags do not permit a rounded reciprocal (arcp)
// REMARK: the reciprocal would have to be rounded to 16 bits
// REMARK: the constant or its reciprocal is not a normal number
// CHECK-LABEL: func.func @declined
// CHECK-COUNT-4: arith.divf
// CHECK-NOT:   arith.mulf
func.func @declined(%x: f64, %y: f16, %z: f64) -> (f64, f16, f64, f64) {
  %c = arith.constant 118.0 : f64
  %a = arith.divf %x, %c fastmath<reassoc,contract> : f64
  %d = arith.constant 3.0 : f16
  %b = arith.divf %y, %d fastmath<arcp> : f16
  %zero = arith.constant 0.0 : f64
  %e = arith.divf %x, %zero fastmath<arcp> : f64
  // Not by a constant.
  %f = arith.divf %x, %z fastmath<arcp> : f64
  return %a, %b, %e, %f : f64, f16, f64, f64
}

// CHECK-LABEL: func.func @in_apply
// CHECK:         arith.mulf
func.func @in_apply(%in: !stencil.field<[0,16]xf32>, %out: !stencil.field<[0,16]xf32>) {
  %t = stencil.load %in : !stencil.field<[0,16]xf32> -> !stencil.temp<[0,16]xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,16]xf32>) -> (!stencil.temp<[0,16]xf32>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,16]xf32>
    %c = arith.constant 0.03125 : f32
    %w = arith.divf %v, %c : f32
    stencil.return %w : f32
  }
  stencil.store %r to %out(<[0], [16]>) : !stencil.temp<[0,16]xf32> to !stencil.field<[0,16]xf32>
  return
}
