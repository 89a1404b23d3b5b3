// Combines with more outputs, bounds that were inferred, unrolled results and branches.
//
// RUN: split-file %s %t
// RUN: stencilc run %t/old.mlir --on=emulator --verify --seed=1 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc compile %t/old.mlir --emit=ptx -o %t/old.ptx
// RUN: stencilc compile %t/today.mlir --emit=ptx -o %t/today.ptx
// RUN: cmp %t/old.ptx %t/today.ptx
// RUN: %if numpy %{ %python %S/../reference.py strips %t/old.mlir | FileCheck %s --check-prefix=NUMPY %}
//
// VERIFIED: verified: bit-identical
// NUMPY: strips: 4 equal to the formula in each cell

//--- old.mlir
func @strips(%a: !stencil.field<?x?x?xf64>, %b: !stencil.field<?x?x?xf64>, %c: !stencil.field<?x?x?xf64>, %d: !stencil.field<?x?x?xf64>, %e: !stencil.field<?x?x?xf64>) attributes {stencil.program} {
  %0 = stencil.cast %a([-3, -3, 0] : [15, 13, 6]) : (!stencil.field<?x?x?xf64>) -> !stencil.field<18x16x6xf64>
  %1 = stencil.cast %b([-3, -3, 0] : [15, 13, 6]) : (!stencil.field<?x?x?xf64>) -> !stencil.field<18x16x6xf64>
  %2 = stencil.cast %c([-3, -3, 0] : [15, 13, 6]) : (!stencil.field<?x?x?xf64>) -> !stencil.field<18x16x6xf64>
  %3 = stencil.cast %d([-3, -3, 0] : [15, 13, 6]) : (!stencil.field<?x?x?xf64>) -> !stencil.field<18x16x6xf64>
  %4 = stencil.cast %e([-3, -3, 0] : [15, 13, 6]) : (!stencil.field<?x?x?xf64>) -> !stencil.field<18x16x6xf64>
  %5 = stencil.load %0([0, 0, 0] : [13, 10, 6]) : (!stencil.field<18x16x6xf64>) -> !stencil.temp<13x10x6xf64>
  %6:2 = stencil.apply (%t = %5 : !stencil.temp<13x10x6xf64>) -> (!stencil.temp<5x10x6xf64>, !stencil.temp<5x10x6xf64>) {
    %11 = stencil.access %t [0, 0, 0] : (!stencil.temp<13x10x6xf64>) -> f64
    %two = constant 2.0 : f64
    %12 = mulf %11, %two : f64
    %13 = stencil.store_result %11 : (f64) -> !stencil.result<f64>
    %14 = stencil.store_result %12 : (f64) -> !stencil.result<f64>
    stencil.return %13, %14 : !stencil.result<f64>, !stencil.result<f64>
  } to ([0, 0, 0] : [5, 10, 6])
  %7:2 = stencil.apply (%t = %5 : !stencil.temp<13x10x6xf64>) -> (!stencil.temp<7x10x6xf64>, !stencil.temp<7x10x6xf64>) {
    %11 = stencil.access %t [1, 0, 0] : (!stencil.temp<13x10x6xf64>) -> f64
    %three = constant 3.0 : f64
    %12 = subf %three, %11 : f64
    %13 = stencil.store_result %11 : (f64) -> !stencil.result<f64>
    %14 = stencil.store_result %12 : (f64) -> !stencil.result<f64>
    stencil.return %13, %14 : !stencil.result<f64>, !stencil.result<f64>
  } to ([5, 0, 0] : [12, 10, 6])
  %8:3 = stencil.combine 0 at 5 lower = (%6#0 : !stencil.temp<5x10x6xf64>) upper = (%7#0 : !stencil.temp<7x10x6xf64>) lowerext = (%6#1 : !stencil.temp<5x10x6xf64>) upperext = (%7#1 : !stencil.temp<7x10x6xf64>) ([0, 0, 0] : [12, 10, 6]) : !stencil.temp<12x10x6xf64>, !stencil.temp<12x10x6xf64>, !stencil.temp<12x10x6xf64>
  %9 = stencil.apply (%t = %5 : !stencil.temp<13x10x6xf64>) -> !stencil.temp<?x?x?xf64> {
    %i = stencil.index 0 [0, 0, 0] : index
    %four = constant 4 : index
    %15 = cmpi "slt", %i, %four : index
    %11 = stencil.access %t [0, 0, 0] : (!stencil.temp<13x10x6xf64>) -> f64
    %12 = stencil.access %t [0, 1, 0] : (!stencil.temp<13x10x6xf64>) -> f64
    %13:2 = scf.if %15 -> (f64, f64) {
      %16 = negf %11 : f64
      scf.yield %16, %12 : f64, f64
    } else {
      scf.yield %11, %12 : f64, f64
    }
    stencil.return unroll [1, 2, 1] %13#0, %13#1 : f64, f64
  }
  stencil.store %8#0 to %1([0, 0, 0] : [12, 10, 6]) : !stencil.temp<12x10x6xf64> to !stencil.field<18x16x6xf64>
  stencil.store %8#1 to %2([0, 0, 0] : [5, 10, 6]) : !stencil.temp<12x10x6xf64> to !stencil.field<18x16x6xf64>
  stencil.store %8#2 to %3([5, 0, 0] : [12, 10, 6]) : !stencil.temp<12x10x6xf64> to !stencil.field<18x16x6xf64>
  stencil.store %9 to %4([0, 0, 0] : [12, 10, 6]) : !stencil.temp<?x?x?xf64> to !stencil.field<18x16x6xf64>
  return
}

//--- today.mlir
func.func @strips(%a: !stencil.field<?x?x?xf64>, %b: !stencil.field<?x?x?xf64>, %c: !stencil.field<?x?x?xf64>, %d: !stencil.field<?x?x?xf64>, %e: !stencil.field<?x?x?xf64>) attributes {stencil.program} {
  %0 = stencil.cast %a : !stencil.field<?x?x?xf64> -> !stencil.field<[0,6]x[-3,13]x[-3,15]xf64>
  %1 = stencil.cast %b : !stencil.field<?x?x?xf64> -> !stencil.field<[0,6]x[-3,13]x[-3,15]xf64>
  %2 = stencil.cast %c : !stencil.field<?x?x?xf64> -> !stencil.field<[0,6]x[-3,13]x[-3,15]xf64>
  %3 = stencil.cast %d : !stencil.field<?x?x?xf64> -> !stencil.field<[0,6]x[-3,13]x[-3,15]xf64>
  %4 = stencil.cast %e : !stencil.field<?x?x?xf64> -> !stencil.field<[0,6]x[-3,13]x[-3,15]xf64>
  %5 = stencil.load %0 : !stencil.field<[0,6]x[-3,13]x[-3,15]xf64> -> !stencil.temp<?x?x?xf64>
  %6:2 = stencil.apply(%t = %5 : !stencil.temp<?x?x?xf64>) -> (!stencil.temp<?x?x?xf64>, !stencil.temp<?x?x?xf64>) {
    %11 = stencil.access %t[0, 0, 0] : !stencil.temp<?x?x?xf64>
    %two = arith.constant 2.0 : f64
    %12 = arith.mulf %11, %two : f64
    %13 = stencil.store_result %11 : !stencil.result<f64>
    %14 = stencil.store_result %12 : !stencil.result<f64>
    stencil.return %13, %14 : !stencil.result<f64>, !stencil.result<f64>
  }
  %7:2 = stencil.apply(%t = %5 : !stencil.temp<?x?x?xf64>) -> (!stencil.temp<?x?x?xf64>, !stencil.temp<?x?x?xf64>) {
    %11 = stencil.access %t[0, 0, 1] : !stencil.temp<?x?x?xf64>
    %three = arith.constant 3.0 : f64
    %12 = arith.subf %three, %11 : f64
    %13 = stencil.store_result %11 : !stencil.result<f64>
    %14 = stencil.store_result %12 : !stencil.result<f64>
    stencil.return %13, %14 : !stencil.result<f64>, !stencil.result<f64>
  }
  %8:3 = stencil.combine 2 at 5 lower = (%6#0 : !stencil.temp<?x?x?xf64>) upper = (%7#0 : !stencil.temp<?x?x?xf64>) lowerext = %6#1 : !stencil.temp<?x?x?xf64> upperext = %7#1 : !stencil.temp<?x?x?xf64> : !stencil.temp<?x?x?xf64>, !stencil.temp<?x?x?xf64>, !stencil.temp<?x?x?xf64>
  %9 = stencil.apply(%t = %5 : !stencil.temp<?x?x?xf64>) -> (!stencil.temp<?x?x?xf64>) {
    %i = stencil.index 2 <[0, 0, 0]>
    %four = arith.constant 4 : index
    %15 = arith.cmpi slt, %i, %four : index
    %11 = stencil.access %t[0, 0, 0] : !stencil.temp<?x?x?xf64>
    %12 = stencil.access %t[0, 1, 0] : !stencil.temp<?x?x?xf64>
    %13:2 = scf.if %15 -> (f64, f64) {
      %16 = arith.negf %11 : f64
      scf.yield %16, %12 : f64, f64
    } else {
      scf.yield %11, %12 : f64, f64
    }
    stencil.return %13#0, %13#1 unroll <[1, 2, 1]> : f64, f64
  }
  stencil.store %8#0 to %1(<[0, 0, 0], [6, 10, 12]>) : !stencil.temp<?x?x?xf64> to !stencil.field<[0,6]x[-3,13]x[-3,15]xf64>
  stencil.store %8#1 to %2(<[0, 0, 0], [6, 10, 5]>) : !stencil.temp<?x?x?xf64> to !stencil.field<[0,6]x[-3,13]x[-3,15]xf64>
  stencil.store %8#2 to %3(<[0, 0, 5], [6, 10, 12]>) : !stencil.temp<?x?x?xf64> to !stencil.field<[0,6]x[-3,13]x[-3,15]xf64>
  stencil.store %9 to %4(<[0, 0, 0], [6, 10, 12]>) : !stencil.temp<?x?x?xf64> to !stencil.field<[0,6]x[-3,13]x[-3,15]xf64>
  func.return
}
