// Our passes are in MLIR's timing report, as a list and as a tree.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds),cse)' --mlir-timing -o /dev/null 2>&1 | FileCheck %s
// RUN: stencil-opt %s --pass-pipeline='builtin.module(stencil-infer-bounds,cse)' --mlir-timing --mlir-timing-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIST

// CHECK: Execution time report
// CHECK: 'func.func' Pipeline
// CHECK: stencil-infer-bounds
// CHECK: CSE

// LIST:     Execution time report
// LIST-NOT: Pipeline
// LIST-DAG: stencil-infer-bounds
// LIST-DAG: CSE

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
