// What we print is what we read: --verify-roundtrip passes with every form of our ops.
//
// RUN: stencil-opt %s --verify-roundtrip --stencil-infer-bounds --stencil-select-plan | stencil-opt --verify-roundtrip | FileCheck %s
// RUN: stencil-opt %S/../../kernels/boundary2d.mlir --verify-roundtrip -o %t.mlir
// RUN: stencil-opt %S/../../kernels/two-stage.mlir --verify-roundtrip -o %t.mlir
// RUN: stencil-opt %S/../../kernels/devito-acoustic2d.mlir --allow-unregistered-dialect --verify-roundtrip -o %t.mlir
// RUN: stencil-opt %S/../../dialects/stencil/field-ops.mlir --split-input-file --verify-roundtrip -o %t.mlir
// RUN: stencil-opt %S/../../dialects/stencil/point-ops.mlir --split-input-file --verify-roundtrip -o %t.mlir
// RUN: stencil-opt %S/../../dialects/stencil/apply.mlir --split-input-file --verify-roundtrip -o %t.mlir
// RUN: stencil-opt %S/../../dialects/sweep/kernel.mlir --split-input-file --verify-roundtrip -o %t.mlir

// CHECK: stencil.apply

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
