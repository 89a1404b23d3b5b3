// Horizontal diffusion with limited fluxes: two functions, several results, a buffer, generic forms.
//
// RUN: split-file %s %t
// RUN: stencilc run %t/old.mlir --on=emulator --function=hdiff --verify --seed=1 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc compile %t/old.mlir --emit=ptx -o %t/old.ptx
// RUN: stencilc compile %t/today.mlir --emit=ptx -o %t/today.ptx
// RUN: cmp %t/old.ptx %t/today.ptx
// RUN: %if numpy %{ %python %S/../reference.py hdiff %t/old.mlir | FileCheck %s --check-prefix=NUMPY %}
//
// VERIFIED: verified: bit-identical
// NUMPY: hdiff: 1 equal to the formula in each cell

//--- old.mlir
func private @limited(%flux: f64, %step: f64) -> f64 {
  %zero = constant 0.0 : f64
  %0 = mulf %flux, %step : f64
  %1 = cmpf "ogt", %0, %zero : f64
  %2 = select %1, %zero, %flux : f64
  return %2 : f64
}

func @hdiff(%in: !stencil.field<?x?x?xf64>, %coeff: !stencil.field<?x?x?xf64>, %out: !stencil.field<?x?x?xf64>) attributes {stencil.program} {
  %0 = "stencil.cast"(%in) {lb = [-4, -4, -4], ub = [13, 17, 9]} : (!stencil.field<?x?x?xf64>) -> !stencil.field<17x21x13xf64>
  %1 = stencil.cast %coeff([-4, -4, -4] : [13, 17, 9]) : (!stencil.field<?x?x?xf64>) -> !stencil.field<17x21x13xf64>
  %2 = stencil.cast %out([-4, -4, -4] : [13, 17, 9]) : (!stencil.field<?x?x?xf64>) -> !stencil.field<17x21x13xf64>
  %3 = stencil.load %0 : (!stencil.field<17x21x13xf64>) -> !stencil.temp<?x?x?xf64>
  %4 = "stencil.load"(%1) : (!stencil.field<17x21x13xf64>) -> (!stencil.temp<?x?x?xf64>)
  %5 = stencil.apply (%arg3 = %3 : !stencil.temp<?x?x?xf64>) -> !stencil.temp<?x?x?xf64> {
    %9 = stencil.access %arg3 [-1, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %10 = stencil.access %arg3 [1, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %11 = "stencil.access"(%arg3) {offset = [0, -1, 0]} : (!stencil.temp<?x?x?xf64>) -> f64
    %12 = stencil.access %arg3 [0, 1, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %13 = stencil.access %arg3 [0, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %14 = addf %9, %10 : f64
    %15 = addf %11, %12 : f64
    %16 = addf %14, %15 : f64
    %cst = constant -4.000000e+00 : f64
    %17 = mulf %13, %cst : f64
    %18 = addf %17, %16 : f64
    stencil.return %18 : f64
  }
  %6:2 = stencil.apply (%arg3 = %5 : !stencil.temp<?x?x?xf64>, %arg4 = %3 : !stencil.temp<?x?x?xf64>) -> (!stencil.temp<?x?x?xf64>, !stencil.temp<?x?x?xf64>) {
    %9 = stencil.access %arg3 [0, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %10 = stencil.access %arg3 [1, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %11 = stencil.access %arg3 [0, 1, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %12 = stencil.access %arg4 [0, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %13 = stencil.access %arg4 [1, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %14 = stencil.access %arg4 [0, 1, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %15 = subf %10, %9 : f64
    %16 = subf %13, %12 : f64
    %17 = call @limited(%15, %16) : (f64, f64) -> f64
    %18 = subf %11, %9 : f64
    %19 = subf %14, %12 : f64
    %20 = call @limited(%18, %19) : (f64, f64) -> f64
    stencil.return %17, %20 : f64, f64
  }
  %7 = stencil.buffer %6#0 : (!stencil.temp<?x?x?xf64>) -> !stencil.temp<?x?x?xf64>
  %8 = stencil.apply (%arg3 = %3 : !stencil.temp<?x?x?xf64>, %arg4 = %7 : !stencil.temp<?x?x?xf64>, %arg5 = %6#1 : !stencil.temp<?x?x?xf64>, %arg6 = %4 : !stencil.temp<?x?x?xf64>) -> !stencil.temp<?x?x?xf64> {
    %9 = stencil.access %arg4 [0, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %10 = stencil.access %arg4 [-1, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %11 = stencil.access %arg5 [0, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %12 = stencil.access %arg5 [0, -1, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %13 = stencil.access %arg3 [0, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %14 = stencil.access %arg6 [0, 0, 0] : (!stencil.temp<?x?x?xf64>) -> f64
    %15 = subf %10, %9 : f64
    %16 = subf %12, %11 : f64
    %17 = addf %15, %16 : f64
    %18 = mulf %14, %17 : f64
    %19 = addf %18, %13 : f64
    stencil.return %19 : f64
  }
  "stencil.store"(%8, %2) {lb = [0, 0, 0], ub = [9, 13, 5]} : (!stencil.temp<?x?x?xf64>, !stencil.field<17x21x13xf64>) -> ()
  return
}

//--- today.mlir
func.func private @limited(%flux: f64, %step: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %0 = arith.mulf %flux, %step : f64
  %1 = arith.cmpf ogt, %0, %zero : f64
  %2 = arith.select %1, %zero, %flux : f64
  func.return %2 : f64
}
func.func @hdiff(%in: !stencil.field<?x?x?xf64>, %coeff: !stencil.field<?x?x?xf64>, %out: !stencil.field<?x?x?xf64>) attributes {stencil.program} {
  %0 = stencil.cast %in : !stencil.field<?x?x?xf64> -> !stencil.field<[-4,9]x[-4,17]x[-4,13]xf64>
  %1 = stencil.cast %coeff : !stencil.field<?x?x?xf64> -> !stencil.field<[-4,9]x[-4,17]x[-4,13]xf64>
  %2 = stencil.cast %out : !stencil.field<?x?x?xf64> -> !stencil.field<[-4,9]x[-4,17]x[-4,13]xf64>
  %3 = stencil.load %0 : !stencil.field<[-4,9]x[-4,17]x[-4,13]xf64> -> !stencil.temp<?x?x?xf64>
  %4 = stencil.load %1 : !stencil.field<[-4,9]x[-4,17]x[-4,13]xf64> -> !stencil.temp<?x?x?xf64>
  %5 = stencil.apply(%arg3 = %3 : !stencil.temp<?x?x?xf64>) -> (!stencil.temp<?x?x?xf64>) {
    %9 = stencil.access %arg3[0, 0, -1] : !stencil.temp<?x?x?xf64>
    %10 = stencil.access %arg3[0, 0, 1] : !stencil.temp<?x?x?xf64>
    %11 = stencil.access %arg3[0, -1, 0] : !stencil.temp<?x?x?xf64>
    %12 = stencil.access %arg3[0, 1, 0] : !stencil.temp<?x?x?xf64>
    %13 = stencil.access %arg3[0, 0, 0] : !stencil.temp<?x?x?xf64>
    %14 = arith.addf %9, %10 : f64
    %15 = arith.addf %11, %12 : f64
    %16 = arith.addf %14, %15 : f64
    %cst = arith.constant -4.0 : f64
    %17 = arith.mulf %13, %cst : f64
    %18 = arith.addf %17, %16 : f64
    stencil.return %18 : f64
  }
  %6:2 = stencil.apply(%arg3 = %5 : !stencil.temp<?x?x?xf64>, %arg4 = %3 : !stencil.temp<?x?x?xf64>) -> (!stencil.temp<?x?x?xf64>, !stencil.temp<?x?x?xf64>) {
    %9 = stencil.access %arg3[0, 0, 0] : !stencil.temp<?x?x?xf64>
    %10 = stencil.access %arg3[0, 0, 1] : !stencil.temp<?x?x?xf64>
    %11 = stencil.access %arg3[0, 1, 0] : !stencil.temp<?x?x?xf64>
    %12 = stencil.access %arg4[0, 0, 0] : !stencil.temp<?x?x?xf64>
    %13 = stencil.access %arg4[0, 0, 1] : !stencil.temp<?x?x?xf64>
    %14 = stencil.access %arg4[0, 1, 0] : !stencil.temp<?x?x?xf64>
    %15 = arith.subf %10, %9 : f64
    %16 = arith.subf %13, %12 : f64
    %17 = func.call @limited(%15, %16) : (f64, f64) -> f64
    %18 = arith.subf %11, %9 : f64
    %19 = arith.subf %14, %12 : f64
    %20 = func.call @limited(%18, %19) : (f64, f64) -> f64
    stencil.return %17, %20 : f64, f64
  }
  %7 = stencil.buffer %6#0 : !stencil.temp<?x?x?xf64> -> !stencil.temp<?x?x?xf64>
  %8 = stencil.apply(%arg3 = %3 : !stencil.temp<?x?x?xf64>, %arg4 = %7 : !stencil.temp<?x?x?xf64>, %arg5 = %6#1 : !stencil.temp<?x?x?xf64>, %arg6 = %4 : !stencil.temp<?x?x?xf64>) -> (!stencil.temp<?x?x?xf64>) {
    %9 = stencil.access %arg4[0, 0, 0] : !stencil.temp<?x?x?xf64>
    %10 = stencil.access %arg4[0, 0, -1] : !stencil.temp<?x?x?xf64>
    %11 = stencil.access %arg5[0, 0, 0] : !stencil.temp<?x?x?xf64>
    %12 = stencil.access %arg5[0, -1, 0] : !stencil.temp<?x?x?xf64>
    %13 = stencil.access %arg3[0, 0, 0] : !stencil.temp<?x?x?xf64>
    %14 = stencil.access %arg6[0, 0, 0] : !stencil.temp<?x?x?xf64>
    %15 = arith.subf %10, %9 : f64
    %16 = arith.subf %12, %11 : f64
    %17 = arith.addf %15, %16 : f64
    %18 = arith.mulf %14, %17 : f64
    %19 = arith.addf %18, %13 : f64
    stencil.return %19 : f64
  }
  stencil.store %8 to %2(<[0, 0, 0], [5, 13, 9]>) : !stencil.temp<?x?x?xf64> to !stencil.field<[-4,9]x[-4,17]x[-4,13]xf64>
  func.return
}
