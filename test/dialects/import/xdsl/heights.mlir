// The generic form of releases 0.14 to 0.18, with indices, branches and an operand of lower rank.
//
// RUN: split-file %s %t
// RUN: stencilc compile %t/today.mlir --emit=ptx -o %t/today.ptx
//
// RUN: stencilc run %t/v0.16.mlir --on=emulator --verify --seed=1 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc compile %t/v0.16.mlir --emit=ptx -o %t/v0.16.ptx
// RUN: cmp %t/v0.16.ptx %t/today.ptx
// RUN: %if numpy %{ %python %S/../reference.py heights %t/v0.16.mlir | FileCheck %s --check-prefix=NUMPY %}
//
// VERIFIED: verified: bit-identical
// NUMPY: heights: 1 equal to the formula in each cell

//--- v0.16.mlir
"builtin.module"() ({
  "func.func"() ({
  ^0(%u : !stencil.field<[-2,14]x[-3,11]xf64>, %v : !stencil.field<[-3,11]xf64>, %w : !stencil.field<[-2,14]x[-3,11]xf64>):
    %0 = "stencil.load"(%u) : (!stencil.field<[-2,14]x[-3,11]xf64>) -> !stencil.temp<?x?xf64>
    %1 = "stencil.load"(%v) : (!stencil.field<[-3,11]xf64>) -> !stencil.temp<?xf64>
    %2 = "stencil.apply"(%0, %1) ({
    ^1(%a : !stencil.temp<?x?xf64>, %b : !stencil.temp<?xf64>):
      %3 = "stencil.access"(%a) {"offset" = #stencil.index<0, 1>} : (!stencil.temp<?x?xf64>) -> f64
      %4 = "stencil.access"(%b) {"offset" = #stencil.index<-1>, "offset_mapping" = [#builtin.int<1>]} : (!stencil.temp<?xf64>) -> f64
      %5 = "arith.mulf"(%3, %4) {"fastmath" = #arith.fastmath<none>} : (f64, f64) -> f64
      %i = "stencil.index"() {"dim" = 0 : i64, "offset" = #stencil.index<1, 0>} : () -> index
      %x = "arith.index_cast"(%i) : (index) -> i64
      %y = "arith.sitofp"(%x) : (i64) -> f64
      %c = "arith.cmpf"(%y, %5) {"predicate" = 4 : i64, "fastmath" = #arith.fastmath<none>} : (f64, f64) -> i1
      %z = "scf.if"(%c) ({
        "scf.yield"(%y) : (f64) -> ()
      }, {
        "scf.yield"(%5) : (f64) -> ()
      }) : (i1) -> f64
      %6 = "stencil.store_result"(%z) : (f64) -> !stencil.result<f64>
      "stencil.return"(%6) : (!stencil.result<f64>) -> ()
    }) : (!stencil.temp<?x?xf64>, !stencil.temp<?xf64>) -> !stencil.temp<?x?xf64>
    %7 = "stencil.buffer"(%2) : (!stencil.temp<?x?xf64>) -> !stencil.temp<?x?xf64>
    %8 = "stencil.apply"(%7) ({
    ^2(%a : !stencil.temp<?x?xf64>):
      %3 = "stencil.access"(%a) {"offset" = #stencil.index<0, 1>} : (!stencil.temp<?x?xf64>) -> f64
      %4 = "stencil.access"(%a) {"offset" = #stencil.index<0, 2>} : (!stencil.temp<?x?xf64>) -> f64
      "stencil.return"(%3, %4) <{"unroll" = #stencil.index<1, 2>}> : (f64, f64) -> ()
    }) : (!stencil.temp<?x?xf64>) -> !stencil.temp<?x?xf64>
    "stencil.store"(%8, %w) {"lb" = #stencil.index<0, 0>, "ub" = #stencil.index<11, 8>} : (!stencil.temp<?x?xf64>, !stencil.field<[-2,14]x[-3,11]xf64>) -> ()
    "func.return"() : () -> ()
  }) {"sym_name" = "heights", "function_type" = (!stencil.field<[-2,14]x[-3,11]xf64>, !stencil.field<[-3,11]xf64>, !stencil.field<[-2,14]x[-3,11]xf64>) -> ()} : () -> ()
}) : () -> ()
//--- today.mlir
module {
  func.func @heights(%arg0: !stencil.field<[-2,14]x[-3,11]xf64> {stencil.name = "u"}, %arg1: !stencil.field<[-3,11]xf64> {stencil.name = "v"}, %arg2: !stencil.field<[-2,14]x[-3,11]xf64> {stencil.name = "w"}) {
    %0 = stencil.load %arg0 : !stencil.field<[-2,14]x[-3,11]xf64> -> !stencil.temp<?x?xf64>
    %1 = stencil.load %arg1 : !stencil.field<[-3,11]xf64> -> !stencil.temp<?xf64>
    %2 = stencil.apply(%arg3 = %0 : !stencil.temp<?x?xf64>, %arg4 = %1 : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
      %5 = stencil.access %arg3[0, 1] : !stencil.temp<?x?xf64>
      %6 = stencil.access %arg4[_, -1] : !stencil.temp<?xf64>
      %7 = arith.mulf %5, %6 : f64
      %8 = stencil.index 0 <[1, 0]>
      %9 = arith.index_cast %8 : index to i64
      %10 = arith.sitofp %9 : i64 to f64
      %11 = arith.cmpf olt, %10, %7 : f64
      %12 = scf.if %11 -> (f64) {
        scf.yield %10 : f64
      } else {
        scf.yield %7 : f64
      }
      %13 = stencil.store_result %12 : !stencil.result<f64>
      stencil.return %13 : !stencil.result<f64>
    }
    %3 = stencil.buffer %2 : !stencil.temp<?x?xf64> -> !stencil.temp<?x?xf64>
    %4 = stencil.apply(%arg3 = %3 : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
      %5 = stencil.access %arg3[0, 1] : !stencil.temp<?x?xf64>
      %6 = stencil.access %arg3[0, 2] : !stencil.temp<?x?xf64>
      stencil.return %5, %6 unroll <[1, 2]> : f64, f64
    }
    stencil.store %4 to %arg2(<[0, 0], [11, 8]>) : !stencil.temp<?x?xf64> to !stencil.field<[-2,14]x[-3,11]xf64>
    return
  }
}
