// Bytecode keeps our dialects: types, attributes and properties.
//
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-name-stages --stencil-select-plan > %t.mlir
// RUN: stencil-opt %t.mlir --emit-bytecode -o %t.bc
// RUN: stencil-opt %t.bc | diff - %t.mlir
// RUN: stencil-opt %t.mlir --mlir-print-op-generic | stencil-opt --emit-bytecode | stencil-opt | diff - %t.mlir
// RUN: mlir-opt %t.bc --allow-unregistered-dialect --show-dialects | FileCheck %s --check-prefix=STOCK
// RUN: FileCheck %s --input-file=%t.mlir

// CHECK: #stencil.plan<

// STOCK-NOT: stencil

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
