// The Laplacian in the spelling of the Open Earth Compiler: dimension 0 is the fastest in memory.
//
// RUN: split-file %s %t
// RUN: stencilc run %t/old.mlir --on=emulator --verify --seed=1 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc compile %t/old.mlir --emit=ptx -o %t/old.ptx
// RUN: stencilc compile %t/today.mlir --emit=ptx -o %t/today.ptx
// RUN: cmp %t/old.ptx %t/today.ptx
// RUN: stencilc compile %t/generic.mlir --emit=ptx -o %t/generic.ptx
// RUN: cmp %t/generic.ptx %t/today.ptx
// RUN: %if numpy %{ %python %S/../reference.py laplace %t/old.mlir | FileCheck %s --check-prefix=NUMPY %}
//
// VERIFIED: verified: bit-identical
// NUMPY: laplace: 1 equal to the formula in each cell

//--- old.mlir
module {
  func @laplace(%in: !stencil.field<?x?x?xf64>, %out: !stencil.field<?x?x?xf64>) attributes {stencil.program} {
    %0 = stencil.cast %in([-4, -3, 0] : [20, 12, 7]) : (!stencil.field<?x?x?xf64>) -> !stencil.field<24x15x7xf64>
    %1 = stencil.cast %out ([-4, -3, 0]:[20, 12, 7]) : (!stencil.field<?x?x?xf64>) -> !stencil.field<24x15x7xf64>
    %2 = stencil.load %0 : (!stencil.field<24x15x7xf64>) -> !stencil.temp<?x?x?xf64>
    %3 = stencil.apply (%arg2 = %2 : !stencil.temp<?x?x?xf64>) -> !stencil.temp<?x?x?xf64> {
      %4 = stencil.access %arg2 [-1, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
      %5 = stencil.access %arg2 [1, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
      %6 = stencil.access %arg2[0,1,0] : (!stencil.temp<?x?x?xf64>) -> f64
      %7 = stencil.access %arg2 [0, -1, 0] : (!stencil.temp<?x?x?xf64>) -> f64
      %8 = stencil.access %arg2 [0, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
      %9 = addf %4, %5 : f64
      %10 = addf %6, %7 : f64
      %11 = addf %9, %10 : f64
      %cst = constant -4.000000e+00 : f64
      %12 = mulf %8, %cst : f64
      %13 = addf %12, %11 : f64
      %14 = stencil.store_result %13 : (f64) -> !stencil.result<f64>
      stencil.return %14 : !stencil.result<f64>
    }
    stencil.store %3 to %1([0, 0, 0] : [17, 9, 7]) : !stencil.temp<?x?x?xf64> to !stencil.field<24x15x7xf64>
    return
  }
}

//--- generic.mlir
"module"() ( {
  "func"() ( {
  ^bb0(%in: !stencil.field<?x?x?xf64>, %out: !stencil.field<?x?x?xf64>):  // no predecessors
    %0 = "stencil.cast"(%in) {lb = [-4, -3, 0], ub = [20, 12, 7]} : (!stencil.field<?x?x?xf64>) -> !stencil.field<24x15x7xf64>
    %1 = "stencil.cast"(%out) {lb = [-4, -3, 0], ub = [20, 12, 7]} : (!stencil.field<?x?x?xf64>) -> !stencil.field<24x15x7xf64>
    %2 = "stencil.load"(%0) {lb = [-1, -1, 0], ub = [18, 10, 7]} : (!stencil.field<24x15x7xf64>) -> !stencil.temp<19x11x7xf64>
    %3 = "stencil.apply"(%2) ( {
    ^bb0(%arg2: !stencil.temp<19x11x7xf64>):  // no predecessors
      %4 = "stencil.access"(%arg2) {offset = [-1, 0, 0]} : (!stencil.temp<19x11x7xf64>) -> f64
      %5 = "stencil.access"(%arg2) {offset = [1, 0, 0]} : (!stencil.temp<19x11x7xf64>) -> f64
      %6 = "stencil.access"(%arg2) {offset = [0, 1, 0]} : (!stencil.temp<19x11x7xf64>) -> f64
      %7 = "stencil.access"(%arg2) {offset = [0, -1, 0]} : (!stencil.temp<19x11x7xf64>) -> f64
      %8 = "stencil.access"(%arg2) {offset = [0, 0, 0]} : (!stencil.temp<19x11x7xf64>) -> f64
      %9 = "std.addf"(%4, %5) : (f64, f64) -> f64
      %10 = "std.addf"(%6, %7) : (f64, f64) -> f64
      %11 = "std.addf"(%9, %10) : (f64, f64) -> f64
      %cst = "std.constant"() {value = -4.000000e+00 : f64} : () -> f64
      %12 = "std.mulf"(%8, %cst) : (f64, f64) -> f64
      %13 = "std.addf"(%12, %11) : (f64, f64) -> f64
      %14 = "stencil.store_result"(%13) : (f64) -> !stencil.result<f64>
      "stencil.return"(%14) : (!stencil.result<f64>) -> ()
    }) {lb = [0, 0, 0], ub = [17, 9, 7]} : (!stencil.temp<19x11x7xf64>) -> !stencil.temp<17x9x7xf64>
    "stencil.store"(%3, %1) {lb = [0, 0, 0], ub = [17, 9, 7]} : (!stencil.temp<17x9x7xf64>, !stencil.field<24x15x7xf64>) -> ()
    "std.return"() : () -> ()
  }) {stencil.program, sym_name = "laplace", type = (!stencil.field<?x?x?xf64>, !stencil.field<?x?x?xf64>) -> ()} : () -> ()
  "module_terminator"() : () -> ()
}) : () -> ()

//--- today.mlir
func.func @laplace(%in: !stencil.field<?x?x?xf64>, %out: !stencil.field<?x?x?xf64>) attributes {stencil.program} {
  %0 = stencil.cast %in : !stencil.field<?x?x?xf64> -> !stencil.field<[0,7]x[-3,12]x[-4,20]xf64>
  %1 = stencil.cast %out : !stencil.field<?x?x?xf64> -> !stencil.field<[0,7]x[-3,12]x[-4,20]xf64>
  %2 = stencil.load %0 : !stencil.field<[0,7]x[-3,12]x[-4,20]xf64> -> !stencil.temp<?x?x?xf64>
  %3 = stencil.apply(%t = %2 : !stencil.temp<?x?x?xf64>) -> (!stencil.temp<?x?x?xf64>) {
    %4 = stencil.access %t[0, 0, -1] : !stencil.temp<?x?x?xf64>
    %5 = stencil.access %t[0, 0, 1] : !stencil.temp<?x?x?xf64>
    %6 = stencil.access %t[0, 1, 0] : !stencil.temp<?x?x?xf64>
    %7 = stencil.access %t[0, -1, 0] : !stencil.temp<?x?x?xf64>
    %8 = stencil.access %t[0, 0, 0] : !stencil.temp<?x?x?xf64>
    %9 = arith.addf %4, %5 : f64
    %10 = arith.addf %6, %7 : f64
    %11 = arith.addf %9, %10 : f64
    %cst = arith.constant -4.0 : f64
    %12 = arith.mulf %8, %cst : f64
    %13 = arith.addf %12, %11 : f64
    %14 = stencil.store_result %13 : !stencil.result<f64>
    stencil.return %14 : !stencil.result<f64>
  }
  stencil.store %3 to %1(<[0, 0, 0], [7, 9, 17]>) : !stencil.temp<?x?x?xf64> to !stencil.field<[0,7]x[-3,12]x[-4,20]xf64>
  func.return
}
