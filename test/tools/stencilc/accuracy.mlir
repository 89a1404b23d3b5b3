// Re-associated arithmetic lies within a bound of the text, for every apply that there is one for.
//
// RUN: stencilc accuracy %s --points=5000 --seed=3 | FileCheck %s
// RUN: stencilc accuracy %s --points=5000 --seed=3 --symbol dt=0.5 | FileCheck %s
// RUN: stencilc accuracy %s --points=5000 --strict | FileCheck %s --check-prefix=STRICT
// RUN: stencilc accuracy %s --points=5000 --element-type=f32 | FileCheck %s --check-prefix=SINGLE
// RUN: stencilc accuracy %s %s --points=5000 --format=table | FileCheck %s --check-prefix=TABLE
// RUN: stencilc accuracy %s --points=5000 --format=json | FileCheck %s --check-prefix=JSON
// RUN: stencilc accuracy %s --points=100 --symbol dx=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not stencilc accuracy %s --symbol dt=x 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not stencilc accuracy %s --points=0 2>&1 | FileCheck %s --check-prefix=POINTS
//
// UNKNOWN: note: symbol 'dx' is not used (did you mean 'dt'?); the program has dt
// NUMBER: error: symbol 'dt' is set to 'x', which is no number
// POINTS: error: invalid value '0' for '--points <N>'
//
// CHECK: program {{.*}}accuracy.mlir, 5000 points, seed 3
// CHECK-NEXT: apply sum of main: 8 operations, frozen 6; weights move by up to 16 u
// CHECK-NEXT: result 0: error {{[1-9]}}.{{[0-9]}}e-1{{[56]}}, bound {{[1-9].[0-9]}}e-15 of the root mean square; at most 0.{{[0-9]+}} of the bound
// CHECK-NEXT: apply root of main: no bound: arith.bitcast
// A choice may go either way where both sides are one, and that point says nothing.
// CHECK-NEXT: apply choice of main: 5 operations, frozen 4
// CHECK-NEXT: result 0: {{.*}} of the bound; {{[1-9][0-9]*}} points left out
//
// Nothing is permitted: both forms are the same, and roots are operations.
// STRICT: apply sum of main: 8 operations, frozen 8; weights move by up to 0 u
// STRICT-NEXT: result 0: error 0.0e0, {{.*}} at most 0.000 of the bound
// STRICT-NEXT: apply root of main: 3 operations, frozen 3
//
// SINGLE: apply sum of main: 8 operations, frozen 6
// SINGLE-NEXT: result 0: error {{.*}}e-{{[78]}}, bound {{.*}}e-{{[67]}} of
//
// TABLE: | program | apply | operations: text, frozen | weights, u | error | bound | error / bound |
// TABLE-NEXT: | --- |
// TABLE-NEXT: | accuracy | sum | 8, 6 | 16 | {{.*}} | {{.*}} | 0.{{[0-9]+}} |
// TABLE-NEXT: | accuracy | root | no bound: arith.bitcast | | | | |
// TABLE-NEXT: | accuracy | choice |
// TABLE-NEXT: | accuracy | sum |
//
// JSON: "points": 5000
// JSON: "stage": "sum"
// JSON: "share": 0.{{[0-9]+}}
// JSON: "no_bound": "arith.bitcast"

!field = !stencil.field<[-1,17]x[-1,17]xf64>
!out = !stencil.field<[0,16]x[0,16]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @main(%in: !field, %one: !out, %two: !out, %three: !out) {
  %dt = "devito.load_symbolic"() {symbol_name = "dt"} : () -> f64
  %values = stencil.load %in : !field -> !temp
  %sum = stencil.apply(%t = %values : !temp, %step = %dt : f64) -> (!temp)
      attributes {stencil.stage = "sum"} {
    %a = stencil.access %t[-1, -1] : !temp
    %b = stencil.access %t[-1, 1] : !temp
    %c = stencil.access %t[1, -1] : !temp
    %d = stencil.access %t[1, 1] : !temp
    %weight = arith.constant 0.3 : f64
    %whole = arith.constant 118.0 : f64
    %ab = arith.addf %a, %b fastmath<reassoc,contract,arcp,afn> : f64
    %cd = arith.addf %c, %d fastmath<reassoc,contract,arcp,afn> : f64
    %weighted = arith.mulf %ab, %weight fastmath<reassoc,contract,arcp,afn> : f64
    %more = arith.mulf %cd, %weight fastmath<reassoc,contract,arcp,afn> : f64
    %all = arith.addf %weighted, %more fastmath<reassoc,contract,arcp,afn> : f64
    %again = arith.addf %all, %a fastmath<reassoc,contract,arcp,afn> : f64
    %mean = arith.divf %again, %whole fastmath<reassoc,contract,arcp,afn> : f64
    %moved = arith.mulf %mean, %step fastmath<reassoc,contract,arcp,afn> : f64
    stencil.return %moved : f64
  }
  %root = stencil.apply(%t = %values : !temp) -> (!temp) attributes {stencil.stage = "root"} {
    %a = stencil.access %t[0, 0] : !temp
    %unit = arith.constant 1.0 : f64
    %square = arith.mulf %a, %a fastmath<reassoc,contract,arcp,afn> : f64
    %length = math.sqrt %square fastmath<reassoc,contract,arcp,afn> : f64
    %inverse = arith.divf %unit, %length fastmath<reassoc,contract,arcp,afn> : f64
    stencil.return %inverse : f64
  }
  %choice = stencil.apply(%t = %values : !temp) -> (!temp) attributes {stencil.stage = "choice"} {
    %a = stencil.access %t[0, 0] : !temp
    %b = stencil.access %t[0, 1] : !temp
    %small = arith.constant 4.0e-16 : f64
    %third = arith.constant 3.0 : f64
    %scaled = arith.mulf %a, %small fastmath<reassoc,contract> : f64
    %near = arith.addf %scaled, %third fastmath<reassoc,contract> : f64
    %larger = arith.cmpf ogt, %near, %third fastmath<reassoc,contract> : f64
    %difference = arith.subf %a, %b fastmath<reassoc,contract> : f64
    %sum = arith.addf %a, %b fastmath<reassoc,contract> : f64
    %chosen = arith.select %larger, %difference, %sum : f64
    stencil.return %chosen : f64
  }
  stencil.store %sum to %one(<[0, 0], [16, 16]>) : !temp to !out
  stencil.store %root to %two(<[0, 0], [16, 16]>) : !temp to !out
  stencil.store %choice to %three(<[0, 0], [16, 16]>) : !temp to !out
  return
}
