// Reciprocals of roots in double and single precision become operations that round exactly.
//
// RUN: stencil-opt %s --stencil-expand-roots | FileCheck %s
// RUN: stencil-opt %s --stencil-expand-roots --stencil-expand-roots | FileCheck %s
// RUN: stencil-opt %s --stencil-expand-roots --remarks-filter-missed=stencil-expand-roots -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencilc run %s --on=interpreter --function=exact_roots --same-after='builtin.module(func.func(stencil-expand-roots))' --seed=1
// RUN: stencilc run %s --on=interpreter --function=exact_roots_single --same-after='builtin.module(func.func(stencil-expand-roots))' --seed=1
// RUN: stencilc run %s --on=emulator --function=exact_roots --verify --seed=1 | FileCheck %s --check-prefix=EMULATED
// RUN: stencilc run %s --on=emulator --function=exact_roots_single --verify --seed=1 | FileCheck %s --check-prefix=EMULATED
//
// EMULATED: verified: bit-identical

// Six operations of double precision: one for subnormal numbers, the square, the rest, the slope,
// and two for the sum. The flags are used up.
// CHECK-LABEL: func.func @reciprocal
func.func @reciprocal(%x: f64) -> f64 {
  // CHECK-NOT: math.rsqrt
  // CHECK:     arith.mulf %{{.+}}, %{{.+}} : f64
  // CHECK:     %[[Y:.+]] = arith.bitcast %{{.+}} : i64 to f64
  // CHECK-NEXT: %[[SQUARE:.+]] = arith.mulf %[[Y]], %[[Y]] : f64
  // CHECK:     %[[REST:.+]] = math.fma %{{.+}}, %[[SQUARE]], %{{.+}} : f64
  // CHECK:     %[[SLOPE:.+]] = math.fma %[[REST]], %{{.+}}, %{{.+}} : f64
  // CHECK:     %[[STEP:.+]] = arith.mulf %[[Y]], %[[REST]] : f64
  // CHECK-NEXT: math.fma %[[STEP]], %[[SLOPE]], %[[Y]] : f64
  // CHECK-NOT: {{(mulf|fma).*}} : f64
  // CHECK:     return
  %r = math.rsqrt %x fastmath<afn> : f64
  return %r : f64
}

// Six operations of single precision: one for subnormal numbers, and the square, the rest, the
// slope and the sum of an estimate with twelve digits, which is of no number above 2^126.
// CHECK-LABEL: func.func @reciprocal_single
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32
func.func @reciprocal_single(%x: f32) -> f32 {
  // CHECK:     %[[SCALED:.+]] = arith.mulf %[[X]], %{{.+}} : f32
  // CHECK:     %[[LARGEST:.+]] = arith.constant 8.50705917E+37 : f32
  // CHECK:     %[[N:.+]] = arith.minimumf %[[SCALED]], %[[LARGEST]] : f32
  // CHECK:     %[[ESTIMATE:.+]] = math.rsqrt %[[N]] {stencil.estimate} : f32
  // CHECK:     %[[BITS:.+]] = arith.bitcast %[[ESTIMATE]] : f32 to i32
  // CHECK:     %[[CUT:.+]] = arith.andi %[[BITS]], %{{.+}} : i32
  // CHECK:     %[[Y:.+]] = arith.bitcast %[[CUT]] : i32 to f32
  // CHECK:     %[[SQUARE:.+]] = arith.mulf %[[Y]], %[[Y]] : f32
  // CHECK:     %[[REST:.+]] = math.fma %{{.+}}, %[[SQUARE]], %{{.+}} : f32
  // CHECK:     %[[SLOPE:.+]] = math.fma %[[REST]], %{{.+}}, %{{.+}} : f32
  // CHECK:     %[[STEP:.+]] = arith.mulf %[[Y]], %[[REST]] : f32
  // CHECK:     math.fma %[[STEP]], %[[SLOPE]], %[[Y]] : f32
  // CHECK-NOT: {{(mulf|fma).*}} : f32
  // CHECK:     return
  %r = math.rsqrt %x fastmath<afn> : f32
  return %r : f32
}

// A constant and squares: zeros, subnormal and negative numbers need no selection.
// CHECK-LABEL: func.func @positive
func.func @positive(%a: f32, %b: f64) -> (f32, f64) {
  // CHECK-NOT:     arith.cmpi
  // CHECK:         stencil.estimate
  // CHECK-COUNT-1: arith.cmpi
  // CHECK-NOT:     arith.cmpi
  // CHECK:         return
  %flat32 = arith.constant 1.0e-4 : f32
  %square32 = arith.mulf %a, %a : f32
  %x32 = arith.addf %flat32, %square32 : f32
  %r32 = math.rsqrt %x32 fastmath<afn> : f32
  %flat = arith.constant 1.0e-300 : f64
  %size = math.absf %b : f64
  %x = math.fma %b, %b, %flat : f64
  %more = arith.addf %x, %size : f64
  %r = math.rsqrt %more fastmath<afn> : f64
  return %r32, %r : f32, f64
}

// Not positive: a constant that is subnormal, a product of two, a difference.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%a: f32, %b: f32) -> (f32, f32, f32) {
  // CHECK: arith.cmpi ult
  // CHECK: arith.cmpi sgt
  // CHECK: arith.cmpi sgt
  // CHECK: arith.cmpi sgt
  %tiny = arith.constant 1.0e-40 : f32
  %flat = arith.constant 1.0 : f32
  %square = arith.mulf %a, %a : f32
  %x0 = arith.addf %tiny, %square : f32
  %r0 = math.rsqrt %x0 fastmath<afn> : f32
  %x1 = math.fma %a, %b, %flat : f32
  %r1 = math.rsqrt %x1 fastmath<afn> : f32
  %x2 = arith.subf %flat, %square : f32
  %r2 = math.rsqrt %x2 fastmath<afn> : f32
  return %r0, %r1, %r2 : f32, f32, f32
}

// All quotients by one root are multiples of one reciprocal; 1 / root is it.
// CHECK-LABEL: func.func @quotients
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f64, %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64
func.func @quotients(%x: f64, %a: f64, %b: f64) -> (f64, f64, f64) {
  // CHECK-NOT: math.sqrt
  // CHECK-NOT: arith.divf
  // CHECK:     %[[QA:.+]] = arith.mulf %[[A]], %[[R:.+]] fastmath<reassoc,afn>
  // CHECK:     %[[QB:.+]] = arith.mulf %[[B]], %[[R]] fastmath<contract,afn>
  // CHECK:     return %[[QA]], %[[QB]], %[[R]]
  %one = arith.constant 1.0 : f64
  %root = math.sqrt %x fastmath<afn> : f64
  %qa = arith.divf %a, %root fastmath<reassoc,afn> : f64
  %qb = arith.divf %b, %root fastmath<contract,afn> : f64
  %r = arith.divf %one, %root fastmath<afn> : f64
  return %qa, %qb, %r : f64, f64, f64
}

// A root or a quotient that stands alone, and one without permission.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-4: {{math.sqrt|arith.divf}}
func.func @kept(%x: f64, %a: f64) -> (f64, f64, f64) {
  %root = math.sqrt %x fastmath<afn> : f64
  %q = arith.divf %a, %x fastmath<afn> : f64
  %strict = math.sqrt %a : f64
  %q1 = arith.divf %x, %strict fastmath<afn> : f64
  return %root, %q, %q1 : f64, f64, f64
}

// REMARK: only f64 and f32 are supported
// REMARK: the root has uses other than as a divisor
// CHECK-LABEL: func.func @declined
// CHECK:         math.rsqrt
// CHECK:         math.sqrt
// CHECK:         arith.divf
func.func @declined(%x: f16, %y: f64) -> (f16, f64, f64) {
  %r = math.rsqrt %x fastmath<afn> : f16
  %root = math.sqrt %y fastmath<afn> : f64
  %q = arith.divf %y, %root fastmath<afn> : f64
  return %r, %root, %q : f16, f64, f64
}

// Roots of powers of four are exact in both ways; so are those of zeros, infinities, negative
// numbers and NaN.
// CHECK-LABEL: func.func @exact_roots
func.func @exact_roots(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %i = stencil.index 0 <[0]>
    %number = arith.index_cast %i : index to i64
    // 2^(32 i - 1022) for the points from 8.
    %one_bit = arith.constant 1 : i64
    %c32 = arith.constant 32 : i64
    %multiple = arith.muli %number, %c32 : i64
    %odd = arith.addi %multiple, %one_bit : i64
    %c52 = arith.constant 52 : i64
    %power = arith.shli %odd, %c52 : i64
    // Before them exponent 0 or all ones, digits 0 or 1, and either sign.
    %c2 = arith.constant 2 : i64
    %c4 = arith.constant 4 : i64
    %c62 = arith.constant 62 : i64
    %zero = arith.constant 0 : i64
    %infinity = arith.constant 0x7FF0000000000000 : i64
    %lowest = arith.andi %number, %one_bit : i64
    %is_top = arith.cmpi ne, %lowest, %zero : i64
    %exponent = arith.select %is_top, %infinity, %zero : i64
    %second = arith.andi %number, %c2 : i64
    %sign = arith.shli %second, %c62 : i64
    %third = arith.andi %number, %c4 : i64
    %digits = arith.shrui %third, %c2 : i64
    %unsigned = arith.ori %exponent, %digits : i64
    %special = arith.ori %unsigned, %sign : i64
    %c8 = arith.constant 8 : i64
    %is_special = arith.cmpi ult, %number, %c8 : i64
    %bits = arith.select %is_special, %special, %power : i64
    %x = arith.bitcast %bits : i64 to f64
    %one = arith.constant 1.0 : f64
    %root = math.sqrt %x fastmath<afn> : f64
    %w = arith.divf %one, %root fastmath<afn> : f64
    stencil.return %w : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// The same in single precision, but for infinity, which counts as 2^126 there.
// CHECK-LABEL: func.func @exact_roots_single
func.func @exact_roots_single(%in: !stencil.field<[0,64]xf32>, %out: !stencil.field<[0,64]xf32>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf32> -> !stencil.temp<[0,64]xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf32>) -> (!stencil.temp<[0,64]xf32>) {
    %i = stencil.index 0 <[0]>
    %number = arith.index_cast %i : index to i32
    // 2^(4 i - 126) for the points from 8.
    %one_bit = arith.constant 1 : i32
    %c4x = arith.constant 4 : i32
    %multiple = arith.muli %number, %c4x : i32
    %odd = arith.addi %multiple, %one_bit : i32
    %c23 = arith.constant 23 : i32
    %power = arith.shli %odd, %c23 : i32
    // Before them exponent 0 or all ones, digits 0 or 1 (NaN: half or one more), and either sign.
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c30 = arith.constant 30 : i32
    %zero = arith.constant 0 : i32
    %nan = arith.constant 0x7FC00000 : i32
    %lowest = arith.andi %number, %one_bit : i32
    %is_top = arith.cmpi ne, %lowest, %zero : i32
    %exponent = arith.select %is_top, %nan, %zero : i32
    %second = arith.andi %number, %c2 : i32
    %sign = arith.shli %second, %c30 : i32
    %third = arith.andi %number, %c4 : i32
    %digits = arith.shrui %third, %c2 : i32
    %unsigned = arith.ori %exponent, %digits : i32
    %special = arith.ori %unsigned, %sign : i32
    %c8 = arith.constant 8 : i32
    %is_special = arith.cmpi ult, %number, %c8 : i32
    %bits = arith.select %is_special, %special, %power : i32
    %x = arith.bitcast %bits : i32 to f32
    %one = arith.constant 1.0 : f32
    %root = math.sqrt %x fastmath<afn> : f32
    %w = arith.divf %one, %root fastmath<afn> : f32
    stencil.return %w : f32
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<[0,64]xf32> to !stencil.field<[0,64]xf32>
  return
}
