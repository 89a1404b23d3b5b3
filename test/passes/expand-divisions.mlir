// Quotients in single and double precision become products with reciprocals of numbers in range.
//
// RUN: stencil-opt %s --stencil-expand-divisions | FileCheck %s
// RUN: stencil-opt %s --stencil-expand-divisions --stencil-expand-divisions | FileCheck %s
// RUN: stencilc run %s --on=interpreter --function=exact_quotients --same-after='builtin.module(func.func(stencil-expand-divisions))' --seed=1
// RUN: stencilc run %s --on=emulator --function=exact_quotients --verify --seed=1 | FileCheck %s --check-prefix=EMULATED
// RUN: stencilc run %s --on=emulator --function=special --verify --seed=1 | FileCheck %s --check-prefix=EMULATED
// RUN: stencilc run %s --on=emulator --function=special_f64 --verify --seed=1 | FileCheck %s --check-prefix=EMULATED
// RUN: stencilc run %s --on=interpreter --function=exact_quotients_f64 --same-after='builtin.module(func.func(stencil-expand-divisions))' --seed=1
//
// EMULATED: verified: bit-identical

!field = !stencil.field<[0,64]xf32>
!temp = !stencil.temp<[0,64]xf32>

// Nothing is known of the divisor: zeros and subnormal numbers are selected, and the sign is that
// of the divisor. A quotient of one is the reciprocal.
// CHECK-LABEL: func.func @any
func.func @any(%in: !field, %one_over: !field, %out: !field) {
  %t = stencil.load %in : !field -> !temp
  %r:2 = stencil.apply(%x = %t : !temp) -> (!temp, !temp) {
    // CHECK:      %[[A:.+]] = stencil.access %{{.+}}[0]
    // CHECK-NEXT: %[[X:.+]] = stencil.access %{{.+}}[1]
    %a = stencil.access %x[0] : !temp
    %b = stencil.access %x[1] : !temp
    %one = arith.constant 1.0 : f32
    // CHECK:      %[[SIZE:.+]] = math.absf %[[X]] : f32
    // CHECK-NEXT: %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
    // CHECK-NEXT: %[[MOST:.+]] = arith.constant 1.329228E+36 : f32
    // CHECK-NEXT: %[[N:.+]] = arith.minimumf %[[SIZE]], %[[MOST]] : f32
    // CHECK-NEXT: %[[R:.+]] = arith.divf %[[ONE]], %[[N]] {stencil.normal_divisor} : f32
    // CHECK-NEXT: %[[LEAST:.+]] = arith.constant 1.17549435E-38 : f32
    // CHECK-NEXT: %[[TINY:.+]] = arith.cmpf olt, %[[SIZE]], %[[LEAST]] : f32
    // CHECK-NEXT: %[[INFINITY:.+]] = arith.constant 0x7F800000 : f32
    // CHECK-NEXT: %[[S:.+]] = arith.select %[[TINY]], %[[INFINITY]], %[[R]] : f32
    // CHECK-NEXT: %[[SIGNED:.+]] = math.copysign %[[S]], %[[X]] : f32
    // CHECK-NEXT: arith.mulf %[[A]], %[[SIGNED]] fastmath<arcp,contract,afn> : f32
    %q = arith.divf %a, %b fastmath<contract,arcp,afn> : f32
    // CHECK:      %[[RECIPROCAL:.+]] = math.copysign
    // CHECK-NEXT: stencil.return %{{.+}}, %[[RECIPROCAL]]
    %s = arith.divf %one, %b fastmath<arcp,afn> : f32
    stencil.return %q, %s : f32, f32
  }
  stencil.store %r#0 to %out(<[0], [63]>) : !temp to !field
  stencil.store %r#1 to %one_over(<[0], [63]>) : !temp to !field
  return
}

// A constant and squares, their square, and a sum of their reciprocals are positive normal numbers.
// CHECK-LABEL: func.func @positive
func.func @positive(%in: !field, %out: !field) {
  %t = stencil.load %in : !field -> !temp
  %r = stencil.apply(%x = %t : !temp) -> (!temp) {
    // CHECK-COUNT-3: arith.divf %{{.+}}, %{{.+}} {stencil.normal_divisor} : f32
    // CHECK-NOT:     arith.select
    // CHECK-NOT:     math.copysign
    // CHECK:         stencil.return
    %a = stencil.access %x[0] : !temp
    %b = stencil.access %x[1] : !temp
    %tiny = arith.constant 1.0e-06 : f32
    %tenth = arith.constant 0.1 : f32
    %a2 = arith.mulf %a, %a : f32
    %ra = arith.addf %tiny, %a2 : f32
    %ra2 = arith.mulf %ra, %ra : f32
    %wa = arith.divf %tenth, %ra2 fastmath<arcp,afn> : f32
    %rb = math.fma %b, %b, %tiny : f32
    %wb = arith.divf %tenth, %rb fastmath<arcp,afn> : f32
    %w = arith.addf %wa, %wb : f32
    %q = arith.divf %wa, %w fastmath<arcp,afn> : f32
    stencil.return %q : f32
  }
  stencil.store %r to %out(<[0], [63]>) : !temp to !field
  return
}

// Without one of the flags; of a number that is the same at all points; in f16 and bf16.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-5: arith.divf
// CHECK-NOT:     normal_divisor
func.func @kept(%in: !field, %s: f32, %out: !field) {
  %t = stencil.load %in : !field -> !temp
  %r = stencil.apply(%x = %t : !temp, %h = %s : f32) -> (!temp) {
    %a = stencil.access %x[0] : !temp
    %b = stencil.access %x[1] : !temp
    %q0 = arith.divf %a, %b fastmath<arcp> : f32
    %q1 = arith.divf %q0, %b fastmath<afn> : f32
    %h2 = arith.mulf %h, %h : f32
    %q2 = arith.divf %q1, %h2 fastmath<arcp,afn> : f32
    %n = arith.truncf %q2 : f32 to f16
    %m = arith.truncf %b : f32 to f16
    %q4 = arith.divf %n, %m fastmath<arcp,afn> : f16
    %f = arith.extf %q4 : f16 to f32
    %n2 = arith.truncf %f : f32 to bf16
    %m2 = arith.truncf %b : f32 to bf16
    %q5 = arith.divf %n2, %m2 fastmath<arcp,afn> : bf16
    %g = arith.extf %q5 : bf16 to f32
    stencil.return %g : f32
  }
  stencil.store %r to %out(<[0], [63]>) : !temp to !field
  return
}

// In double precision what is not in range is told, and selected, by the high half of its bits; of
// positive normal numbers only large ones and NaN are.
// CHECK-LABEL: func.func @double
func.func @double(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    // CHECK:      %[[A:.+]] = stencil.access %{{.+}}[0]
    // CHECK-NEXT: %[[X:.+]] = stencil.access %{{.+}}[1]
    %a = stencil.access %x[0] : !stencil.temp<[0,64]xf64>
    %b = stencil.access %x[1] : !stencil.temp<[0,64]xf64>
    // CHECK-NEXT: arith.bitcast %[[X]] : f64 to i64
    // CHECK-COUNT-2: arith.cmpi ult, %{{.+}}, %{{.+}} : i32
    // CHECK:      arith.divf %{{.+}}, %[[X]] {stencil.normal_divisor} : f64
    // CHECK:      arith.cmpi ult
    // CHECK-COUNT-2: arith.select %{{.+}}, %{{.+}}, %{{.+}} : i32
    // CHECK:      %[[R:.+]] = arith.bitcast %{{.+}} : i64 to f64
    // CHECK-NEXT: %[[Q:.+]] = arith.mulf %[[A]], %[[R]] fastmath<arcp,afn> : f64
    %q = arith.divf %a, %b fastmath<arcp,afn> : f64
    %one = arith.constant 1.0 : f64
    %square = math.fma %b, %b, %one : f64
    // CHECK:      %[[N:.+]] = math.fma
    // CHECK-COUNT-1: arith.cmpi ult, %{{.+}}, %{{.+}} : i32
    // CHECK:      arith.divf %{{.+}}, %[[N]] {stencil.normal_divisor} : f64
    // CHECK-COUNT-1: arith.cmpi ult, %{{.+}}, %{{.+}} : i32
    // CHECK-NOT:  arith.cmpi
    // CHECK:      stencil.return
    %s = arith.divf %q, %square fastmath<arcp,afn> : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0], [63]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// Powers of two have exact reciprocals: the same bits, also of negative numbers and of zeros.
// CHECK-LABEL: func.func @exact_quotients
func.func @exact_quotients(%in: !field, %out: !field) {
  %t = stencil.load %in : !field -> !temp
  %r = stencil.apply(%x = %t : !temp) -> (!temp) {
    %v = stencil.access %x[0] : !temp
    %i = stencil.index 0 <[0]>
    %place = arith.index_cast %i : index to i32
    %quarter = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    %minus = arith.constant -0.0 : f32
    %small = arith.constant 1.17549435e-38 : f32
    %large = arith.constant -1.32922800e+36 : f32
    %r0 = arith.remsi %place, %quarter : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %is1 = arith.cmpi eq, %r0, %c1 : i32
    %is2 = arith.cmpi eq, %r0, %c2 : i32
    %is3 = arith.cmpi eq, %r0, %c3 : i32
    %d1 = arith.select %is1, %minus, %zero : f32
    %d2 = arith.select %is2, %small, %d1 : f32
    %d3 = arith.select %is3, %large, %d2 : f32
    %q = arith.divf %v, %d3 fastmath<arcp,afn> : f32
    stencil.return %q : f32
  }
  stencil.store %r to %out(<[0], [64]>) : !temp to !field
  return
}

// Divisors of all exponents and both signs, infinities and NaN: the bits of the interpreter.
// CHECK-LABEL: func.func @special
func.func @special(%out: !stencil.field<[0,512]x[0,8]xf32>) {
  %r = stencil.apply() -> (!stencil.temp<[0,512]x[0,8]xf32>) {
    %i = stencil.index 0 <[0, 0]>
    %j = stencil.index 1 <[0, 0]>
    %exponent = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %places = arith.constant 23 : i32
    %high = arith.shli %exponent, %places : i32
    %step = arith.constant 1198372 : i32
    %low = arith.muli %column, %step : i32
    %bits = arith.addi %high, %low : i32
    %x = arith.bitcast %bits : i32 to f32
    %one = arith.constant 1.5 : f32
    %q = arith.divf %one, %x fastmath<arcp,afn> : f32
    stencil.return %q : f32
  }
  stencil.store %r to %out(<[0, 0], [512, 8]>) : !stencil.temp<[0,512]x[0,8]xf32> to !stencil.field<[0,512]x[0,8]xf32>
  return
}

// The same in double precision, and the numbers at the ends of the range.
// CHECK-LABEL: func.func @exact_quotients_f64
func.func @exact_quotients_f64(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %x[0] : !stencil.temp<[0,64]xf64>
    %i = stencil.index 0 <[0]>
    %place = arith.index_cast %i : index to i32
    %quarter = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f64
    %minus = arith.constant -0.0 : f64
    %small = arith.constant 0x0010000000000000 : f64
    %large = arith.constant 0xFFB0000000000000 : f64
    %r0 = arith.remsi %place, %quarter : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %is1 = arith.cmpi eq, %r0, %c1 : i32
    %is2 = arith.cmpi eq, %r0, %c2 : i32
    %is3 = arith.cmpi eq, %r0, %c3 : i32
    %d1 = arith.select %is1, %minus, %zero : f64
    %d2 = arith.select %is2, %small, %d1 : f64
    %d3 = arith.select %is3, %large, %d2 : f64
    %q = arith.divf %v, %d3 fastmath<arcp,afn> : f64
    stencil.return %q : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// CHECK-LABEL: func.func @special_f64
func.func @special_f64(%out: !stencil.field<[0,4096]x[0,4]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<[0,4096]x[0,4]xf64>) {
    %i = stencil.index 0 <[0, 0]>
    %j = stencil.index 1 <[0, 0]>
    %exponent = arith.index_cast %i : index to i64
    %column = arith.index_cast %j : index to i64
    %places = arith.constant 52 : i64
    %high = arith.shli %exponent, %places : i64
    // No digits, some, and all but one.
    %step = arith.constant 1501199875790165 : i64
    %low = arith.muli %column, %step : i64
    %bits = arith.addi %high, %low : i64
    %x = arith.bitcast %bits : i64 to f64
    %one = arith.constant 1.5 : f64
    %q = arith.divf %one, %x fastmath<arcp,afn> : f64
    stencil.return %q : f64
  }
  stencil.store %r to %out(<[0, 0], [4096, 4]>) : !stencil.temp<[0,4096]x[0,4]xf64> to !stencil.field<[0,4096]x[0,4]xf64>
  return
}
