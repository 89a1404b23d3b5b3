// IR is printed around our passes as around any: after all, before or after one, only where it changed, into files.
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-fold-divisions),canonicalize)'
// RUN: stencil-opt %s %{pipeline} --mlir-print-ir-after-all -o /dev/null 2>&1 | FileCheck %s
// RUN: stencil-opt %s %{pipeline} --mlir-print-ir-before=stencil-fold-divisions -o /dev/null 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: stencil-opt %s %{pipeline} --mlir-print-ir-after=stencil-fold-divisions -o /dev/null 2>&1 | FileCheck %s --check-prefix=AFTER
// A pass that changes nothing prints nothing.
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-infer-bounds --mlir-print-ir-after-all --mlir-print-ir-after-change -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHANGE
// RUN: rm -rf %t && stencil-opt %s %{pipeline} --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t -o /dev/null
// RUN: ls %t/builtin_module_no-symbol-name | FileCheck %s --check-prefix=FILES

// CHECK:      IR Dump After stencil-infer-bounds (stencil-infer-bounds)
// CHECK-NEXT: func.func @average
// CHECK:      arith.divf
// CHECK:      IR Dump After stencil-fold-divisions (stencil-fold-divisions)
// CHECK:      arith.mulf
// CHECK:      IR Dump After Canonicalizer (canonicalize)

// BEFORE-NOT:  IR Dump After
// BEFORE:      IR Dump Before stencil-fold-divisions (stencil-fold-divisions)
// BEFORE-NEXT: func.func @average
// BEFORE:      arith.divf
// BEFORE-NOT:  IR Dump

// AFTER:     IR Dump After stencil-fold-divisions
// AFTER-NOT: arith.divf
// AFTER-NOT: IR Dump

// CHANGE:     IR Dump After stencil-infer-bounds
// CHANGE-NOT: IR Dump

// FILES: canonicalize.mlir
// FILES: func_func_average

func.func @average(%in: !stencil.field<[-1,65]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %u = stencil.access %x[-1] : !stencil.temp<?xf64>
    %v = stencil.access %x[1] : !stencil.temp<?xf64>
    %two = arith.constant 2.0 : f64
    %s = arith.addf %u, %v : f64
    %a = arith.divf %s, %two : f64
    stencil.return %a : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
