// One time loop in the forms that xDSL printed from April 2023 to August 2024.
//
// RUN: split-file %s %t
// RUN: stencilc compile %t/today.mlir --emit=ptx -o %t/today.ptx
//
// RUN: stencilc run %t/v0.12.mlir --on=emulator --verify --seed=1 --arg r=0.125 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc compile %t/v0.12.mlir --emit=ptx -o %t/v0.12.ptx
// RUN: cmp %t/v0.12.ptx %t/today.ptx
// RUN: %if numpy %{ %python %S/../reference.py heat %t/v0.12.mlir | FileCheck %s --check-prefix=NUMPY %}
//
// RUN: stencilc run %t/v0.13.mlir --on=emulator --verify --seed=1 --arg r=0.125 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc compile %t/v0.13.mlir --emit=ptx -o %t/v0.13.ptx
// RUN: cmp %t/v0.13.ptx %t/today.ptx
// RUN: %if numpy %{ %python %S/../reference.py heat %t/v0.13.mlir | FileCheck %s --check-prefix=NUMPY %}
//
// RUN: stencilc run %t/v0.14.mlir --on=emulator --verify --seed=1 --arg r=0.125 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc compile %t/v0.14.mlir --emit=ptx -o %t/v0.14.ptx
// RUN: cmp %t/v0.14.ptx %t/today.ptx
// RUN: %if numpy %{ %python %S/../reference.py heat %t/v0.14.mlir | FileCheck %s --check-prefix=NUMPY %}
//
// RUN: stencilc run %t/v0.19.mlir --on=emulator --verify --seed=1 --arg r=0.125 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc compile %t/v0.19.mlir --emit=ptx -o %t/v0.19.ptx
// RUN: cmp %t/v0.19.ptx %t/today.ptx
// RUN: %if numpy %{ %python %S/../reference.py heat %t/v0.19.mlir | FileCheck %s --check-prefix=NUMPY %}
//
// RUN: stencilc run %t/v0.21-generic.mlir --on=emulator --verify --seed=1 --arg r=0.125 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc compile %t/v0.21-generic.mlir --emit=ptx -o %t/v0.21-generic.ptx
// RUN: cmp %t/v0.21-generic.ptx %t/today.ptx
// RUN: %if numpy %{ %python %S/../reference.py heat %t/v0.21-generic.mlir | FileCheck %s --check-prefix=NUMPY %}
//
// VERIFIED: verified: bit-identical
// NUMPY: heat: 2 equal to the formula in each cell

//--- v0.12.mlir
"builtin.module"() ({
  "func.func"() ({
  ^0(%u : !stencil.field<[-1 : i64, -1 : i64], f64>, %v : !stencil.field<[-1 : i64, -1 : i64], f64>, %r : f64):
    %3 = "stencil.cast"(%u) {"lb" = #stencil.index<[-2 : i64, -3 : i64]>, "ub" = #stencil.index<[15 : i64, 19 : i64]>} : (!stencil.field<[-1 : i64, -1 : i64], f64>) -> !stencil.field<[17 : i64, 22 : i64], f64>
    %4 = "stencil.cast"(%v) {"lb" = #stencil.index<[-2 : i64, -3 : i64]>, "ub" = #stencil.index<[15 : i64, 19 : i64]>} : (!stencil.field<[-1 : i64, -1 : i64], f64>) -> !stencil.field<[17 : i64, 22 : i64], f64>
    %5 = "arith.constant"() {"value" = 0 : index} : () -> index
    %6 = "arith.constant"() {"value" = 3 : index} : () -> index
    %7 = "arith.constant"() {"value" = 1 : index} : () -> index
    %8, %9 = "scf.for"(%5, %6, %7, %3, %4) ({
    ^1(%10 : index, %11 : !stencil.field<[17 : i64, 22 : i64], f64>, %12 : !stencil.field<[17 : i64, 22 : i64], f64>):
      %13 = "stencil.load"(%11) {"lb" = #stencil.index<[-1 : i64, -1 : i64]>, "ub" = #stencil.index<[14 : i64, 17 : i64]>} : (!stencil.field<[17 : i64, 22 : i64], f64>) -> !stencil.temp<[15 : i64, 18 : i64], f64>
      %14 = "stencil.apply"(%13, %r) ({
      ^2(%15 : !stencil.temp<[15 : i64, 18 : i64], f64>, %16 : f64):
        %17 = "stencil.access"(%15) {"offset" = #stencil.index<[-1 : i64, 0 : i64]>} : (!stencil.temp<[15 : i64, 18 : i64], f64>) -> f64
        %18 = "stencil.access"(%15) {"offset" = #stencil.index<[1 : i64, 0 : i64]>} : (!stencil.temp<[15 : i64, 18 : i64], f64>) -> f64
        %19 = "stencil.access"(%15) {"offset" = #stencil.index<[0 : i64, -1 : i64]>} : (!stencil.temp<[15 : i64, 18 : i64], f64>) -> f64
        %20 = "stencil.access"(%15) {"offset" = #stencil.index<[0 : i64, 1 : i64]>} : (!stencil.temp<[15 : i64, 18 : i64], f64>) -> f64
        %21 = "stencil.access"(%15) {"offset" = #stencil.index<[0 : i64, 0 : i64]>} : (!stencil.temp<[15 : i64, 18 : i64], f64>) -> f64
        %22 = "arith.addf"(%17, %18) : (f64, f64) -> f64
        %23 = "arith.addf"(%19, %20) : (f64, f64) -> f64
        %24 = "arith.addf"(%22, %23) : (f64, f64) -> f64
        %25 = "arith.constant"() {"value" = -4.0 : f64} : () -> f64
        %26 = "arith.mulf"(%21, %25) : (f64, f64) -> f64
        %27 = "arith.addf"(%24, %26) : (f64, f64) -> f64
        %28 = "arith.mulf"(%27, %16) : (f64, f64) -> f64
        %29 = "arith.addf"(%21, %28) : (f64, f64) -> f64
        "stencil.return"(%29) : (f64) -> ()
      }) {"lb" = #stencil.index<[0 : i64, 0 : i64]>, "ub" = #stencil.index<[13 : i64, 16 : i64]>} : (!stencil.temp<[15 : i64, 18 : i64], f64>, f64) -> !stencil.temp<[13 : i64, 16 : i64], f64>
      "stencil.store"(%14, %12) {"lb" = #stencil.index<[0 : i64, 0 : i64]>, "ub" = #stencil.index<[13 : i64, 16 : i64]>} : (!stencil.temp<[13 : i64, 16 : i64], f64>, !stencil.field<[17 : i64, 22 : i64], f64>) -> ()
      "scf.yield"(%12, %11) : (!stencil.field<[17 : i64, 22 : i64], f64>, !stencil.field<[17 : i64, 22 : i64], f64>) -> ()
    }) : (index, index, index, !stencil.field<[17 : i64, 22 : i64], f64>, !stencil.field<[17 : i64, 22 : i64], f64>) -> (!stencil.field<[17 : i64, 22 : i64], f64>, !stencil.field<[17 : i64, 22 : i64], f64>)
    "func.return"() : () -> ()
  }) {"sym_name" = "heat", "function_type" = (!stencil.field<[-1 : i64, -1 : i64], f64>, !stencil.field<[-1 : i64, -1 : i64], f64>, f64) -> (), "sym_visibility" = "public", "param_names" = ["u", "v", "r"]} : () -> ()
}) : () -> ()
//--- v0.13.mlir
"builtin.module"() ({
  "func.func"() ({
  ^0(%u : !stencil.field<?x?xf64>, %v : !stencil.field<?x?xf64>, %r : f64):
    %3 = "stencil.cast"(%u) {"lb" = #stencil.index<-2, -3>, "ub" = #stencil.index<15, 19>} : (!stencil.field<?x?xf64>) -> !stencil.field<17x22xf64>
    %4 = "stencil.cast"(%v) {"lb" = #stencil.index<-2, -3>, "ub" = #stencil.index<15, 19>} : (!stencil.field<?x?xf64>) -> !stencil.field<17x22xf64>
    %5 = "arith.constant"() {"value" = 0 : index} : () -> index
    %6 = "arith.constant"() {"value" = 3 : index} : () -> index
    %7 = "arith.constant"() {"value" = 1 : index} : () -> index
    %8, %9 = "scf.for"(%5, %6, %7, %3, %4) ({
    ^1(%10 : index, %11 : !stencil.field<17x22xf64>, %12 : !stencil.field<17x22xf64>):
      %13 = "stencil.load"(%11) {"lb" = #stencil.index<-1, -1>, "ub" = #stencil.index<14, 17>} : (!stencil.field<17x22xf64>) -> !stencil.temp<15x18xf64>
      %14 = "stencil.apply"(%13, %r) ({
      ^2(%15 : !stencil.temp<15x18xf64>, %16 : f64):
        %17 = "stencil.access"(%15) {"offset" = #stencil.index<-1, 0>} : (!stencil.temp<15x18xf64>) -> f64
        %18 = "stencil.access"(%15) {"offset" = #stencil.index<1, 0>} : (!stencil.temp<15x18xf64>) -> f64
        %19 = "stencil.access"(%15) {"offset" = #stencil.index<0, -1>} : (!stencil.temp<15x18xf64>) -> f64
        %20 = "stencil.access"(%15) {"offset" = #stencil.index<0, 1>} : (!stencil.temp<15x18xf64>) -> f64
        %21 = "stencil.access"(%15) {"offset" = #stencil.index<0, 0>} : (!stencil.temp<15x18xf64>) -> f64
        %22 = "arith.addf"(%17, %18) : (f64, f64) -> f64
        %23 = "arith.addf"(%19, %20) : (f64, f64) -> f64
        %24 = "arith.addf"(%22, %23) : (f64, f64) -> f64
        %25 = "arith.constant"() {"value" = -4.0 : f64} : () -> f64
        %26 = "arith.mulf"(%21, %25) : (f64, f64) -> f64
        %27 = "arith.addf"(%24, %26) : (f64, f64) -> f64
        %28 = "arith.mulf"(%27, %16) : (f64, f64) -> f64
        %29 = "arith.addf"(%21, %28) : (f64, f64) -> f64
        "stencil.return"(%29) : (f64) -> ()
      }) {"lb" = #stencil.index<0, 0>, "ub" = #stencil.index<13, 16>} : (!stencil.temp<15x18xf64>, f64) -> !stencil.temp<13x16xf64>
      "stencil.store"(%14, %12) {"lb" = #stencil.index<0, 0>, "ub" = #stencil.index<13, 16>} : (!stencil.temp<13x16xf64>, !stencil.field<17x22xf64>) -> ()
      "scf.yield"(%12, %11) : (!stencil.field<17x22xf64>, !stencil.field<17x22xf64>) -> ()
    }) : (index, index, index, !stencil.field<17x22xf64>, !stencil.field<17x22xf64>) -> (!stencil.field<17x22xf64>, !stencil.field<17x22xf64>)
    "func.return"() : () -> ()
  }) {"sym_name" = "heat", "function_type" = (!stencil.field<?x?xf64>, !stencil.field<?x?xf64>, f64) -> (), "sym_visibility" = "public", "param_names" = ["u", "v", "r"]} : () -> ()
}) : () -> ()
//--- v0.14.mlir
"builtin.module"() ({
  "func.func"() ({
  ^0(%u : !stencil.field<?x?xf64>, %v : !stencil.field<?x?xf64>, %r : f64):
    %3 = "stencil.cast"(%u) : (!stencil.field<?x?xf64>) -> !stencil.field<[-2,15]x[-3,19]xf64>
    %4 = "stencil.cast"(%v) : (!stencil.field<?x?xf64>) -> !stencil.field<[-2,15]x[-3,19]xf64>
    %5 = "arith.constant"() {"value" = 0 : index} : () -> index
    %6 = "arith.constant"() {"value" = 3 : index} : () -> index
    %7 = "arith.constant"() {"value" = 1 : index} : () -> index
    %8, %9 = "scf.for"(%5, %6, %7, %3, %4) ({
    ^1(%10 : index, %11 : !stencil.field<[-2,15]x[-3,19]xf64>, %12 : !stencil.field<[-2,15]x[-3,19]xf64>):
      %13 = "stencil.load"(%11) : (!stencil.field<[-2,15]x[-3,19]xf64>) -> !stencil.temp<[-1,14]x[-1,17]xf64>
      %14 = "stencil.apply"(%13, %r) ({
      ^2(%15 : !stencil.temp<[-1,14]x[-1,17]xf64>, %16 : f64):
        %17 = "stencil.access"(%15) {"offset" = #stencil.index<-1, 0>} : (!stencil.temp<[-1,14]x[-1,17]xf64>) -> f64
        %18 = "stencil.access"(%15) {"offset" = #stencil.index<1, 0>} : (!stencil.temp<[-1,14]x[-1,17]xf64>) -> f64
        %19 = "stencil.access"(%15) {"offset" = #stencil.index<0, -1>} : (!stencil.temp<[-1,14]x[-1,17]xf64>) -> f64
        %20 = "stencil.access"(%15) {"offset" = #stencil.index<0, 1>} : (!stencil.temp<[-1,14]x[-1,17]xf64>) -> f64
        %21 = "stencil.access"(%15) {"offset" = #stencil.index<0, 0>} : (!stencil.temp<[-1,14]x[-1,17]xf64>) -> f64
        %22 = "arith.addf"(%17, %18) : (f64, f64) -> f64
        %23 = "arith.addf"(%19, %20) : (f64, f64) -> f64
        %24 = "arith.addf"(%22, %23) : (f64, f64) -> f64
        %25 = "arith.constant"() {"value" = -4.0 : f64} : () -> f64
        %26 = "arith.mulf"(%21, %25) : (f64, f64) -> f64
        %27 = "arith.addf"(%24, %26) : (f64, f64) -> f64
        %28 = "arith.mulf"(%27, %16) : (f64, f64) -> f64
        %29 = "arith.addf"(%21, %28) : (f64, f64) -> f64
        "stencil.return"(%29) : (f64) -> ()
      }) : (!stencil.temp<[-1,14]x[-1,17]xf64>, f64) -> !stencil.temp<[0,13]x[0,16]xf64>
      "stencil.store"(%14, %12) {"lb" = #stencil.index<0, 0>, "ub" = #stencil.index<13, 16>} : (!stencil.temp<[0,13]x[0,16]xf64>, !stencil.field<[-2,15]x[-3,19]xf64>) -> ()
      "scf.yield"(%12, %11) : (!stencil.field<[-2,15]x[-3,19]xf64>, !stencil.field<[-2,15]x[-3,19]xf64>) -> ()
    }) : (index, index, index, !stencil.field<[-2,15]x[-3,19]xf64>, !stencil.field<[-2,15]x[-3,19]xf64>) -> (!stencil.field<[-2,15]x[-3,19]xf64>, !stencil.field<[-2,15]x[-3,19]xf64>)
    "func.return"() : () -> ()
  }) {"sym_name" = "heat", "function_type" = (!stencil.field<?x?xf64>, !stencil.field<?x?xf64>, f64) -> (), "sym_visibility" = "public", "param_names" = ["u", "v", "r"]} : () -> ()
}) : () -> ()
//--- v0.19.mlir
builtin.module {
  func.func public @heat(%u : !stencil.field<?x?xf64>, %v : !stencil.field<?x?xf64>, %r : f64)  attributes {"param_names" = ["u", "v", "r"]}{
    %3 = stencil.cast %u : !stencil.field<?x?xf64> -> !stencil.field<[-2,15]x[-3,19]xf64>
    %4 = stencil.cast %v : !stencil.field<?x?xf64> -> !stencil.field<[-2,15]x[-3,19]xf64>
    %5 = arith.constant 0 : index
    %6 = arith.constant 3 : index
    %7 = arith.constant 1 : index
    %8, %9 = "scf.for"(%5, %6, %7, %3, %4) ({
    ^0(%10 : index, %11 : !stencil.field<[-2,15]x[-3,19]xf64>, %12 : !stencil.field<[-2,15]x[-3,19]xf64>):
      %13 = stencil.load %11 : !stencil.field<[-2,15]x[-3,19]xf64> -> !stencil.temp<?x?xf64>
      %14 = stencil.apply(%15 = %13 : !stencil.temp<?x?xf64>, %16 = %r : f64) -> (!stencil.temp<?x?xf64>) {
        %17 = stencil.access %15[-1, 0] : !stencil.temp<?x?xf64>
        %18 = stencil.access %15[1, 0] : !stencil.temp<?x?xf64>
        %19 = stencil.access %15[0, -1] : !stencil.temp<?x?xf64>
        %20 = stencil.access %15[0, 1] : !stencil.temp<?x?xf64>
        %21 = stencil.access %15[0, 0] : !stencil.temp<?x?xf64>
        %22 = arith.addf %17, %18 : f64
        %23 = arith.addf %19, %20 : f64
        %24 = arith.addf %22, %23 : f64
        %25 = arith.constant -4.000000e+00 : f64
        %26 = arith.mulf %21, %25 : f64
        %27 = arith.addf %24, %26 : f64
        %28 = arith.mulf %27, %16 : f64
        %29 = arith.addf %21, %28 : f64
        stencil.return %29 : f64
      }
      stencil.store %14 to %12 ([0, 0] : [13, 16]) : !stencil.temp<?x?xf64> to !stencil.field<[-2,15]x[-3,19]xf64>
      scf.yield %12, %11 : !stencil.field<[-2,15]x[-3,19]xf64>, !stencil.field<[-2,15]x[-3,19]xf64>
    }) : (index, index, index, !stencil.field<[-2,15]x[-3,19]xf64>, !stencil.field<[-2,15]x[-3,19]xf64>) -> (!stencil.field<[-2,15]x[-3,19]xf64>, !stencil.field<[-2,15]x[-3,19]xf64>)
    func.return
  }
}
//--- v0.21-generic.mlir
"builtin.module"() ({
  "func.func"() <{"sym_name" = "heat", "function_type" = (!stencil.field<?x?xf64>, !stencil.field<?x?xf64>, f64) -> (), "sym_visibility" = "public"}> ({
  ^0(%u : !stencil.field<?x?xf64>, %v : !stencil.field<?x?xf64>, %r : f64):
    %3 = "stencil.cast"(%u) : (!stencil.field<?x?xf64>) -> !stencil.field<[-2,15]x[-3,19]xf64>
    %4 = "stencil.cast"(%v) : (!stencil.field<?x?xf64>) -> !stencil.field<[-2,15]x[-3,19]xf64>
    %5 = "arith.constant"() <{"value" = 0 : index}> : () -> index
    %6 = "arith.constant"() <{"value" = 3 : index}> : () -> index
    %7 = "arith.constant"() <{"value" = 1 : index}> : () -> index
    %8, %9 = "scf.for"(%5, %6, %7, %3, %4) ({
    ^1(%10 : index, %11 : !stencil.field<[-2,15]x[-3,19]xf64>, %12 : !stencil.field<[-2,15]x[-3,19]xf64>):
      %13 = "stencil.load"(%11) : (!stencil.field<[-2,15]x[-3,19]xf64>) -> !stencil.temp<?x?xf64>
      %14 = "stencil.apply"(%13, %r) ({
      ^2(%15 : !stencil.temp<?x?xf64>, %16 : f64):
        %17 = "stencil.access"(%15) {"offset" = #stencil.index[-1, 0], "offset_mapping" = #stencil.index[0, 1]} : (!stencil.temp<?x?xf64>) -> f64
        %18 = "stencil.access"(%15) {"offset" = #stencil.index[1, 0], "offset_mapping" = #stencil.index[0, 1]} : (!stencil.temp<?x?xf64>) -> f64
        %19 = "stencil.access"(%15) {"offset" = #stencil.index[0, -1], "offset_mapping" = #stencil.index[0, 1]} : (!stencil.temp<?x?xf64>) -> f64
        %20 = "stencil.access"(%15) {"offset" = #stencil.index[0, 1], "offset_mapping" = #stencil.index[0, 1]} : (!stencil.temp<?x?xf64>) -> f64
        %21 = "stencil.access"(%15) {"offset" = #stencil.index[0, 0], "offset_mapping" = #stencil.index[0, 1]} : (!stencil.temp<?x?xf64>) -> f64
        %22 = "arith.addf"(%17, %18) <{"fastmath" = #arith.fastmath<none>}> : (f64, f64) -> f64
        %23 = "arith.addf"(%19, %20) <{"fastmath" = #arith.fastmath<none>}> : (f64, f64) -> f64
        %24 = "arith.addf"(%22, %23) <{"fastmath" = #arith.fastmath<none>}> : (f64, f64) -> f64
        %25 = "arith.constant"() <{"value" = -4.000000e+00 : f64}> : () -> f64
        %26 = "arith.mulf"(%21, %25) <{"fastmath" = #arith.fastmath<none>}> : (f64, f64) -> f64
        %27 = "arith.addf"(%24, %26) <{"fastmath" = #arith.fastmath<none>}> : (f64, f64) -> f64
        %28 = "arith.mulf"(%27, %16) <{"fastmath" = #arith.fastmath<none>}> : (f64, f64) -> f64
        %29 = "arith.addf"(%21, %28) <{"fastmath" = #arith.fastmath<none>}> : (f64, f64) -> f64
        "stencil.return"(%29) : (f64) -> ()
      }) : (!stencil.temp<?x?xf64>, f64) -> !stencil.temp<?x?xf64>
      "stencil.store"(%14, %12) {"bounds" = #stencil.bounds[0, 0] : [13, 16]} : (!stencil.temp<?x?xf64>, !stencil.field<[-2,15]x[-3,19]xf64>) -> ()
      "scf.yield"(%12, %11) : (!stencil.field<[-2,15]x[-3,19]xf64>, !stencil.field<[-2,15]x[-3,19]xf64>) -> ()
    }) : (index, index, index, !stencil.field<[-2,15]x[-3,19]xf64>, !stencil.field<[-2,15]x[-3,19]xf64>) -> (!stencil.field<[-2,15]x[-3,19]xf64>, !stencil.field<[-2,15]x[-3,19]xf64>)
    "func.return"() : () -> ()
  }) {"param_names" = ["u", "v", "r"]} : () -> ()
}) : () -> ()
//--- today.mlir
builtin.module {
  func.func public @heat(%u : !stencil.field<?x?xf64>, %v : !stencil.field<?x?xf64>, %r : f64)  attributes {"param_names" = ["u", "v", "r"]}{
    %3 = stencil.cast %u : !stencil.field<?x?xf64> -> !stencil.field<[-2,15]x[-3,19]xf64>
    %4 = stencil.cast %v : !stencil.field<?x?xf64> -> !stencil.field<[-2,15]x[-3,19]xf64>
    %5 = arith.constant 0 : index
    %6 = arith.constant 3 : index
    %7 = arith.constant 1 : index
    %8, %9 = "scf.for"(%5, %6, %7, %3, %4) ({
    ^0(%10 : index, %11 : !stencil.field<[-2,15]x[-3,19]xf64>, %12 : !stencil.field<[-2,15]x[-3,19]xf64>):
      %13 = stencil.load %11 : !stencil.field<[-2,15]x[-3,19]xf64> -> !stencil.temp<?x?xf64>
      %14 = stencil.apply(%15 = %13 : !stencil.temp<?x?xf64>, %16 = %r : f64) -> (!stencil.temp<?x?xf64>) {
        %17 = stencil.access %15[-1, 0] : !stencil.temp<?x?xf64>
        %18 = stencil.access %15[1, 0] : !stencil.temp<?x?xf64>
        %19 = stencil.access %15[0, -1] : !stencil.temp<?x?xf64>
        %20 = stencil.access %15[0, 1] : !stencil.temp<?x?xf64>
        %21 = stencil.access %15[0, 0] : !stencil.temp<?x?xf64>
        %22 = arith.addf %17, %18 : f64
        %23 = arith.addf %19, %20 : f64
        %24 = arith.addf %22, %23 : f64
        %25 = arith.constant -4.000000e+00 : f64
        %26 = arith.mulf %21, %25 : f64
        %27 = arith.addf %24, %26 : f64
        %28 = arith.mulf %27, %16 : f64
        %29 = arith.addf %21, %28 : f64
        stencil.return %29 : f64
      }
      stencil.store %14 to %12(<[0, 0], [13, 16]>) : !stencil.temp<?x?xf64> to !stencil.field<[-2,15]x[-3,19]xf64>
      scf.yield %12, %11 : !stencil.field<[-2,15]x[-3,19]xf64>, !stencil.field<[-2,15]x[-3,19]xf64>
    }) : (index, index, index, !stencil.field<[-2,15]x[-3,19]xf64>, !stencil.field<[-2,15]x[-3,19]xf64>) -> (!stencil.field<[-2,15]x[-3,19]xf64>, !stencil.field<[-2,15]x[-3,19]xf64>)
    func.return
  }
}
