// Every float of one type becomes another: grids, scalars, constants (rounded once), casts; functions of others keep theirs.
//
// RUN: stencil-opt %s --stencil-convert-element-type | FileCheck %s
// RUN: stencil-opt %s --stencil-convert-element-type --stencil-convert-element-type='from=f32 to=f64' | FileCheck %s --check-prefix=BACK
// RUN: stencil-opt %s --stencil-convert-element-type='to=f16' | FileCheck %s --check-prefix=HALF
// RUN: stencil-opt %s --stencil-convert-element-type='from=f16 to=f16' | stencil-opt | FileCheck %s --check-prefix=SAME
// RUN: stencilc run %s --function=scale --element-type=f32 --on=emulator --arg k=0.5 --verify

// CHECK-LABEL: func.func @scale
// CHECK-SAME:    !stencil.field<[0,64]x[0,48]xf32>
// CHECK-SAME:    %{{.*}}: f32
// CHECK-SAME:    !stencil.field<[0,64]x[0,48]xf32>
// CHECK:         %[[c:.*]] = arith.constant 1.000000e-01 : f32
// CHECK:         stencil.access {{.*}} : !stencil.temp<?x?xf32>
// CHECK:         arith.mulf %{{.*}} fastmath<contract> : f32
// CHECK:         stencil.return %{{.*}} : f32
// BACK-LABEL: func.func @scale
// BACK:         arith.constant 0.10000000149011612 : f64
// SAME-LABEL: func.func @scale
// SAME:         arith.constant 1.000000e-01 : f64
func.func @scale(%in: !stencil.field<[0,64]x[0,48]xf64>, %k: f64, %out: !stencil.field<[0,64]x[0,48]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]x[0,48]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>, %f = %k : f64) -> (!stencil.temp<?x?xf64>) {
    %c = arith.constant 1.0e-1 : f64
    %v = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
    %p = arith.mulf %v, %c fastmath<contract> : f64
    %s = arith.addf %p, %f fastmath<contract> : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0, 0], [64, 48]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,64]x[0,48]xf64>
  return
}

// A cast to the new type is none; one to a third type leads there from the new one, whichever way.
// CHECK-LABEL: func.func @casts
// CHECK-SAME:    (%[[x:.*]]: f32, %[[y:.*]]: f32, %[[h:.*]]: f16)
// CHECK-NEXT:    %[[s:.*]] = arith.addf %[[x]], %[[y]] : f32
// CHECK-NEXT:    %[[e:.*]] = arith.extf %[[h]] : f16 to f32
// CHECK-NEXT:    %[[t:.*]] = arith.truncf %[[s]] : f32 to f16
// CHECK-NEXT:    return %[[s]], %[[e]], %[[t]] : f32, f32, f16
// HALF-LABEL: func.func @casts
// HALF-SAME:    (%[[x:.*]]: f16, %[[y:.*]]: f32, %[[h:.*]]: f16)
// HALF-NEXT:    %[[s:.*]] = arith.truncf %[[y]] : f32 to f16
// HALF-NEXT:    %[[a:.*]] = arith.addf %[[x]], %[[s]] : f16
// HALF-NEXT:    %[[w:.*]] = arith.extf %[[a]] : f16 to f32
// HALF-NEXT:    return %[[w]], %[[h]], %[[a]] : f32, f16, f16
func.func @casts(%x: f64, %y: f32, %h: f16) -> (f32, f64, f16) {
  %w = arith.extf %y : f32 to f64
  %s = arith.addf %x, %w : f64
  %n = arith.truncf %s : f64 to f32
  %e = arith.extf %h : f16 to f64
  %t = arith.truncf %s : f64 to f16
  return %n, %e, %t : f32, f64, f16
}

// A timer is somebody else's.
// CHECK-LABEL: func.func @timed
// CHECK:         %[[start:.*]] = call @timer_start() : () -> f64
// CHECK-NEXT:    call @timer_end(%[[start]]) : (f64) -> f64
func.func @timed() {
  %start = func.call @timer_start() : () -> f64
  %time = func.call @timer_end(%start) : (f64) -> f64
  return
}
// CHECK: func.func private @timer_start() -> f64
func.func private @timer_start() -> f64
func.func private @timer_end(f64) -> f64
