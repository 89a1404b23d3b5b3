// Parts of a file are programs of their own: each fails, and prints, by itself.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-infer-bounds | FileCheck %s
// RUN: not stencil-opt %s --split-input-file --stencil-infer-bounds 2>&1 | FileCheck %s --check-prefix=PLAIN
// Without a split, a wrong part is everybody's.
// RUN: not stencil-opt %s --stencil-infer-bounds 2>&1 | FileCheck %s --check-prefix=WHOLE

// CHECK-LABEL: func.func @first
// CHECK:         !stencil.temp<[0,8]xf64>
// PLAIN:       split-input-file.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'stencil.access' op
// WHOLE-NOT:   func.func @third
func.func @first(%in: !stencil.field<[0,8]xf64>, %out: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
  stencil.store %t to %out(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}

// -----

func.func @first(%t: !stencil.temp<[0,8]xf64>) {
  %r = stencil.apply(%x = %t : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,8]xf64>) {
    // expected-error @below {{offset must have the rank of the operand, got 2 and 1}}
    %u = stencil.access %x[0, 0] : !stencil.temp<[0,8]xf64>
    stencil.return %u : f64
  }
  return
}

// -----

// CHECK-LABEL: func.func @third
func.func @third() {
  return
}
