// A reproducer holds the program and our passes with their options, and runs again to the same end.
//
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(func.func(stencil-infer-bounds),stencil-resize-domain{extents=16})'
// RUN: stencil-opt %s %{pipeline} --mlir-generate-reproducer=%t.mlir | FileCheck %s
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=FILE
// RUN: stencil-opt %t.mlir --run-reproducer | FileCheck %s
//
// The one that is written where a pass fails.
// RUN: not stencil-opt %s --pass-pipeline='builtin.module(stencil-infer-bounds,stencil-resize-domain{extents=1,1})' --mlir-pass-pipeline-crash-reproducer=%t.crash.mlir 2>&1 | FileCheck %s --check-prefix=REASON
// RUN: not stencil-opt %t.crash.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=REASON

// CHECK-LABEL: func.func @average
// CHECK:         (<[0], [16]>)

// FILE:      mlir_reproducer
// FILE:      pipeline: "builtin.module(func.func(stencil-infer-bounds),stencil-resize-domain{allow-index=false extents={16}})"

// REASON: error: {{.*}}extents

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
