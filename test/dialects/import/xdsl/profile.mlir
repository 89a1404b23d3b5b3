// Operands of lower rank, indices, computed places, unrolling and combines, as releases 0.19 to 0.21 print them.
//
// RUN: split-file %s %t
// RUN: stencilc compile %t/today.mlir --emit=ptx -o %t/today.ptx
//
// RUN: stencilc run %t/v0.19.mlir --on=emulator --verify --seed=1 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc compile %t/v0.19.mlir --emit=ptx -o %t/v0.19.ptx
// RUN: cmp %t/v0.19.ptx %t/today.ptx
// RUN: %if numpy %{ %python %S/../reference.py profile %t/v0.19.mlir | FileCheck %s --check-prefix=NUMPY %}
//
// RUN: stencilc run %t/v0.21-generic.mlir --on=emulator --verify --seed=1 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc compile %t/v0.21-generic.mlir --emit=ptx -o %t/v0.21-generic.ptx
// RUN: cmp %t/v0.21-generic.ptx %t/today.ptx
// RUN: %if numpy %{ %python %S/../reference.py profile %t/v0.21-generic.mlir | FileCheck %s --check-prefix=NUMPY %}
//
// VERIFIED: verified: bit-identical
// NUMPY: profile: 2 equal to the formula in each cell

//--- v0.19.mlir
builtin.module {
  func.func @profile(%u : !stencil.field<[-2,14]x[-3,11]xf64>, %v : !stencil.field<[-3,11]xf64>, %w : !stencil.field<[-2,14]x[-3,11]xf64>, %z : !stencil.field<[-2,14]x[-3,11]xf64>) {
    %0 = stencil.load %u : !stencil.field<[-2,14]x[-3,11]xf64> -> !stencil.temp<?x?xf64>
    %1 = stencil.load %v : !stencil.field<[-3,11]xf64> -> !stencil.temp<?xf64>
    %2 = stencil.apply(%a = %0 : !stencil.temp<?x?xf64>, %b = %1 : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
      %3 = stencil.access %a[0, 1] : !stencil.temp<?x?xf64>
      %4 = stencil.access %b[_, -1] : !stencil.temp<?xf64>
      %5 = arith.mulf %3, %4 : f64
      %6 = stencil.store_result %5 : !stencil.result<f64>
      stencil.return %6 : !stencil.result<f64>
    }
    %7 = stencil.buffer %2 : !stencil.temp<?x?xf64>
    %8, %9 = stencil.apply(%a = %7 : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>) {
      %20 = stencil.index 0 [1, 0]
      %21 = stencil.index 1 [0, 0]
      %one = arith.constant 1 : index
      %r = arith.addi %20, %one : index
      %10 = stencil.dyn_access %a[%r, %21] in [0, 0] : [2, 0] : !stencil.temp<?x?xf64>
      %11 = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
      %12 = arith.addf %10, %11 : f64
      %13 = stencil.access %a[0, 1] : !stencil.temp<?x?xf64>
      stencil.return %12, %13, %11, %13 unroll [1, 2] : f64, f64, f64, f64
    }
    %14 = stencil.combine 1 at 4 lower = (%8 : !stencil.temp<?x?xf64>) upper = (%9 : !stencil.temp<?x?xf64>) : !stencil.temp<?x?xf64>
    %15, %16 = stencil.combine 0 at 5 lower = (%8 : !stencil.temp<?x?xf64>) upper = (%8 : !stencil.temp<?x?xf64>) lowerext = %9 : !stencil.temp<?x?xf64> : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>
    stencil.store %14 to %w ([0, 0] : [11, 8]) : !stencil.temp<?x?xf64> to !stencil.field<[-2,14]x[-3,11]xf64>
    stencil.store %16 to %z ([0, 0] : [5, 8]) : !stencil.temp<?x?xf64> to !stencil.field<[-2,14]x[-3,11]xf64>
    func.return
  }
}
//--- v0.21-generic.mlir
"builtin.module"() ({
  "func.func"() <{"sym_name" = "profile", "function_type" = (!stencil.field<[-2,14]x[-3,11]xf64>, !stencil.field<[-3,11]xf64>, !stencil.field<[-2,14]x[-3,11]xf64>, !stencil.field<[-2,14]x[-3,11]xf64>) -> ()}> ({
  ^0(%u : !stencil.field<[-2,14]x[-3,11]xf64>, %v : !stencil.field<[-3,11]xf64>, %w : !stencil.field<[-2,14]x[-3,11]xf64>, %z : !stencil.field<[-2,14]x[-3,11]xf64>):
    %0 = "stencil.load"(%u) : (!stencil.field<[-2,14]x[-3,11]xf64>) -> !stencil.temp<?x?xf64>
    %1 = "stencil.load"(%v) : (!stencil.field<[-3,11]xf64>) -> !stencil.temp<?xf64>
    %2 = "stencil.apply"(%0, %1) ({
    ^1(%a : !stencil.temp<?x?xf64>, %b : !stencil.temp<?xf64>):
      %3 = "stencil.access"(%a) {"offset" = #stencil.index[0, 1], "offset_mapping" = #stencil.index[0, 1]} : (!stencil.temp<?x?xf64>) -> f64
      %4 = "stencil.access"(%b) {"offset" = #stencil.index[-1], "offset_mapping" = #stencil.index[1]} : (!stencil.temp<?xf64>) -> f64
      %5 = "arith.mulf"(%3, %4) <{"fastmath" = #arith.fastmath<none>}> : (f64, f64) -> f64
      %6 = "stencil.store_result"(%5) : (f64) -> !stencil.result<f64>
      "stencil.return"(%6) : (!stencil.result<f64>) -> ()
    }) : (!stencil.temp<?x?xf64>, !stencil.temp<?xf64>) -> !stencil.temp<?x?xf64>
    %3 = "stencil.buffer"(%2) : (!stencil.temp<?x?xf64>) -> !stencil.temp<?x?xf64>
    %4, %5 = "stencil.apply"(%3) ({
    ^1(%a : !stencil.temp<?x?xf64>):
      %6 = "stencil.index"() {"dim" = 0 : index, "offset" = #stencil.index[1, 0]} : () -> index
      %7 = "stencil.index"() {"dim" = 1 : index, "offset" = #stencil.index[0, 0]} : () -> index
      %one = "arith.constant"() <{"value" = 1 : index}> : () -> index
      %r = "arith.addi"(%6, %one) : (index, index) -> index
      %8 = "stencil.dyn_access"(%a, %r, %7) {"lb" = #stencil.index[0, 0], "ub" = #stencil.index[2, 0]} : (!stencil.temp<?x?xf64>, index, index) -> f64
      %9 = "stencil.access"(%a) {"offset" = #stencil.index[0, 0], "offset_mapping" = #stencil.index[0, 1]} : (!stencil.temp<?x?xf64>) -> f64
      %10 = "arith.addf"(%8, %9) <{"fastmath" = #arith.fastmath<none>}> : (f64, f64) -> f64
      %11 = "stencil.access"(%a) {"offset" = #stencil.index[0, 1], "offset_mapping" = #stencil.index[0, 1]} : (!stencil.temp<?x?xf64>) -> f64
      "stencil.return"(%10, %11, %9, %11) <{"unroll" = #stencil.index[1, 2]}> : (f64, f64, f64, f64) -> ()
    }) : (!stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>)
    %6 = "stencil.combine"(%4, %5) {"dim" = 1 : index, "index" = 4 : index, "operandSegmentSizes" = array<i32: 1, 1, 0, 0>} : (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>) -> !stencil.temp<?x?xf64>
    %7, %8 = "stencil.combine"(%4, %4, %5) {"dim" = 0 : index, "index" = 5 : index, "operandSegmentSizes" = array<i32: 1, 1, 1, 0>} : (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>)
    "stencil.store"(%6, %w) {"bounds" = #stencil.bounds[0, 0] : [11, 8]} : (!stencil.temp<?x?xf64>, !stencil.field<[-2,14]x[-3,11]xf64>) -> ()
    "stencil.store"(%8, %z) {"bounds" = #stencil.bounds[0, 0] : [5, 8]} : (!stencil.temp<?x?xf64>, !stencil.field<[-2,14]x[-3,11]xf64>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
//--- today.mlir
builtin.module {
  func.func @profile(%u : !stencil.field<[-2,14]x[-3,11]xf64>, %v : !stencil.field<[-3,11]xf64>, %w : !stencil.field<[-2,14]x[-3,11]xf64>, %z : !stencil.field<[-2,14]x[-3,11]xf64>) {
    %0 = stencil.load %u : !stencil.field<[-2,14]x[-3,11]xf64> -> !stencil.temp<?x?xf64>
    %1 = stencil.load %v : !stencil.field<[-3,11]xf64> -> !stencil.temp<?xf64>
    %2 = stencil.apply(%a = %0 : !stencil.temp<?x?xf64>, %b = %1 : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
      %3 = stencil.access %a[0, 1] : !stencil.temp<?x?xf64>
      %4 = stencil.access %b[_, -1] : !stencil.temp<?xf64>
      %5 = arith.mulf %3, %4 : f64
      %6 = stencil.store_result %5 : !stencil.result<f64>
      stencil.return %6 : !stencil.result<f64>
    }
    %7 = stencil.buffer %2 : !stencil.temp<?x?xf64> -> !stencil.temp<?x?xf64>
    %8, %9 = stencil.apply(%a = %7 : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>) {
      %20 = stencil.index 0 <[1, 0]>
      %21 = stencil.index 1 <[0, 0]>
      %one = arith.constant 1 : index
      %r = arith.addi %20, %one : index
      %10 = stencil.dyn_access %a[%r, %21] in <[0, 0]> : <[2, 0]> : !stencil.temp<?x?xf64>
      %11 = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
      %12 = arith.addf %10, %11 : f64
      %13 = stencil.access %a[0, 1] : !stencil.temp<?x?xf64>
      stencil.return %12, %13, %11, %13 unroll <[1, 2]> : f64, f64, f64, f64
    }
    %14 = stencil.combine 1 at 4 lower = (%8 : !stencil.temp<?x?xf64>) upper = (%9 : !stencil.temp<?x?xf64>) : !stencil.temp<?x?xf64>
    %15, %16 = stencil.combine 0 at 5 lower = (%8 : !stencil.temp<?x?xf64>) upper = (%8 : !stencil.temp<?x?xf64>) lowerext = %9 : !stencil.temp<?x?xf64> : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>
    stencil.store %14 to %w (<[0, 0], [11, 8]>) : !stencil.temp<?x?xf64> to !stencil.field<[-2,14]x[-3,11]xf64>
    stencil.store %16 to %z (<[0, 0], [5, 8]>) : !stencil.temp<?x?xf64> to !stencil.field<[-2,14]x[-3,11]xf64>
    func.return
  }
}
