// A power with a constant exponent is multiplications in one stated order, and one division if it is negative.
//
// RUN: stencil-opt %s --stencil-expand-powers | FileCheck %s
// RUN: stencil-opt %s --stencil-expand-powers --remarks-filter-missed=stencil-expand-powers -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencilc run %s --on=interpreter --function=in_apply --same-after='builtin.module(func.func(stencil-expand-powers))' --seed=1

// By squaring, from the exponent's lowest bit: x^5 = x * ((x*x) * (x*x)).
// CHECK-LABEL: func.func @fifth
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f64
func.func @fifth(%x: f64) -> f64 {
  // CHECK:      %[[X2:.*]] = arith.mulf %[[X]], %[[X]] : f64
  // CHECK-NEXT: %[[X4:.*]] = arith.mulf %[[X2]], %[[X2]] : f64
  // CHECK-NEXT: %[[X5:.*]] = arith.mulf %[[X]], %[[X4]] : f64
  // CHECK-NEXT: return %[[X5]]
  %five = arith.constant 5 : i32
  %power = math.fpowi %x, %five : f64, i32
  return %power : f64
}

// CHECK-LABEL: func.func @minus_second
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32
func.func @minus_second(%x: f32) -> f32 {
  // CHECK:      %[[X2:.*]] = arith.mulf %[[X]], %[[X]] : f32
  // CHECK:      %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK-NEXT: %[[R:.*]] = arith.divf %[[ONE]], %[[X2]] : f32
  // CHECK-NEXT: return %[[R]]
  %minus_two = arith.constant -2 : i64
  %power = math.fpowi %x, %minus_two : f32, i64
  return %power : f32
}

// CHECK-LABEL: func.func @zeroth
func.func @zeroth(%x: f16) -> f16 {
  // CHECK:      %[[ONE:.*]] = arith.constant 1.000000e+00 : f16
  // CHECK-NEXT: return %[[ONE]]
  %zero = arith.constant 0 : i32
  %power = math.fpowi %x, %zero : f16, i32
  return %power : f16
}

// CHECK-LABEL: func.func @first
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f64
func.func @first(%x: f64) -> f64 {
  // CHECK-NOT:  arith.mulf
  // CHECK:      return %[[X]]
  %one = arith.constant 1 : i32
  %power = math.fpowi %x, %one : f64, i32
  return %power : f64
}

// What may be done with the power may be done with each operation of it.
// CHECK-LABEL: func.func @permissions
func.func @permissions(%x: f64) -> f64 {
  // CHECK: arith.mulf {{.*}} fastmath<contract>
  // CHECK: arith.mulf {{.*}} fastmath<contract>
  // CHECK: arith.divf {{.*}} fastmath<contract>
  %minus_three = arith.constant -3 : i32
  %power = math.fpowi %x, %minus_three fastmath<contract> : f64, i32
  return %power : f64
}

// An exponent that is known at run time only: left alone, with the reason.
// CHECK-LABEL: func.func @declines_unknown_exponent
// REMARK:      the exponent is not a constant
func.func @declines_unknown_exponent(%x: f64, %n: i32) -> f64 {
  // CHECK: math.fpowi
  %power = math.fpowi %x, %n : f64, i32
  return %power : f64
}

// The interpreter computes a power in the same order.
// CHECK-LABEL: func.func @in_apply
// CHECK-NOT:     math.fpowi
func.func @in_apply(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %seven = arith.constant 7 : i32
    %minus_three = arith.constant -3 : i32
    %high = math.fpowi %v, %seven : f64, i32
    %low = math.fpowi %v, %minus_three : f64, i32
    %sum = arith.addf %high, %low : f64
    stencil.return %sum : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}
