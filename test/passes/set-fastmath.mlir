// Every float operation of arith and math that can carry flags has exactly those of the option, none by default.
//
// RUN: stencil-opt %s --stencil-set-fastmath | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: stencil-opt %s --stencil-set-fastmath=flags=fast | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-set-fastmath{flags=contract,reassoc,arcp,afn}))' | FileCheck %s --check-prefixes=CHECK,SOME
// RUN: stencil-opt %s --stencil-set-fastmath=flags=contract --stencil-set-fastmath=flags=none | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: stencil-opt %s --stencil-set-fastmath=flags=contract --stencil-freeze-arithmetic | FileCheck %s --check-prefix=FROZEN
// RUN: stencilc run %s --on=interpreter --function=stencil --same-after='builtin.module(func.func(stencil-set-fastmath{flags=fast}))' --seed=1

// What is granted is used by the pass that forms FMAs.
// FROZEN-LABEL: func.func @stencil
// FROZEN:         math.fma

// At a point of an apply, inside a branch of it: flags that were there are gone.
// CHECK-LABEL: func.func @stencil
// NONE:          arith.mulf %{{[^ ]*}}, %{{[^ ]*}} : f64
// NONE:          scf.if
// NONE:            arith.addf %{{[^ ]*}}, %{{[^ ]*}} : f64
// FAST:          arith.mulf %{{.*}} fastmath<fast> : f64
// FAST:            arith.addf %{{.*}} fastmath<fast> : f64
// SOME:          arith.mulf %{{.*}} fastmath<reassoc,arcp,contract,afn> : f64
// SOME:            arith.addf %{{.*}} fastmath<reassoc,arcp,contract,afn> : f64
func.func @stencil(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  stencil.apply(%a = %in : !stencil.field<[0,64]xf64>) outs (%out : !stencil.field<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.field<[0,64]xf64>
    %p = arith.mulf %v, %v fastmath<nnan,contract> : f64
    %positive = arith.cmpf oge, %v, %v : f64
    %s = scf.if %positive -> (f64) {
      %w = arith.addf %p, %v : f64
      scf.yield %w : f64
    } else {
      scf.yield %v : f64
    }
    stencil.return %s : f64
  } to <[0], [64]>
  return
}

// Conversions between floats may have flags and need not show that they have none; those from integers have none, and
// neither have integers and choices.
// CHECK-LABEL: func.func @kinds
// NONE-NOT:      fastmath
// SOME:          arith.negf %{{.*}} fastmath<reassoc,arcp,contract,afn> : f64
// SOME:          arith.cmpf olt, %{{.*}} fastmath<reassoc,arcp,contract,afn> : f64
// SOME:          arith.extf %{{.*}} fastmath<reassoc,arcp,contract,afn> : f32 to f64
// SOME:          arith.truncf %{{.*}} fastmath<reassoc,arcp,contract,afn> : f64 to f32
// SOME:          math.sqrt %{{.*}} fastmath<reassoc,arcp,contract,afn> : f64
// SOME:          math.fpowi %{{.*}} fastmath<reassoc,arcp,contract,afn> : f64, i32
// SOME:          arith.select %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : f64
// SOME:          arith.sitofp %{{[^ ]*}} : i32 to f64
// SOME:          arith.addi %{{[^ ]*}}, %{{[^ ]*}} : i32
// SOME:          math.ipowi %{{[^ ]*}}, %{{[^ ]*}} : i32
// CHECK:         return
func.func @kinds(%x: f64, %y: f32, %i: i32) {
  %0 = arith.negf %x : f64
  %1 = arith.cmpf olt, %x, %0 : f64
  %2 = arith.extf %y : f32 to f64
  %3 = arith.truncf %x fastmath<contract> : f64 to f32
  %4 = math.sqrt %x fastmath<fast> : f64
  %5 = math.fpowi %x, %i fastmath<afn> : f64, i32
  %6 = arith.select %1, %x, %0 : f64
  %7 = arith.sitofp %i : i32 to f64
  %8 = arith.addi %i, %i : i32
  %9 = math.ipowi %i, %i : i32
  return
}
