// --mlir-to-ptx makes PTX of a program, and of what passes have made of it, wherever that stopped.
//
// RUN: stencil-translate --mlir-to-ptx %s > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: stencilc compile %s --emit=ptx -o - | diff - %t.ptx
//
// From a program with bounds, from kernels in the gpu dialect, from such in the NVVM dialect.
// RUN: stencil-opt %s --stencil-infer-bounds | stencil-translate --mlir-to-ptx | diff - %t.ptx
// RUN: stencilc compile %s --emit=gpu -o - | stencil-translate --mlir-to-ptx | diff - %t.ptx
// RUN: stencilc compile %s --emit=nvvm -o - | stencil-translate --mlir-to-ptx | diff - %t.ptx
//
// RUN: stencil-translate --mlir-to-ptx %s --target=sm_80 --ptx-version=7.8 --plan=points=2,max_registers=40 | FileCheck %s --check-prefix=ASKED
// RUN: not stencil-translate --mlir-to-ptx %s --target=sm_79 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not stencil-translate --mlir-to-ptx %s --plan=pints=2 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: echo 'module {}' | not stencil-translate --mlir-to-ptx 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not stencil-translate --mlir-to-ptx %S/../../dialects/stencil/reduce.mlir 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK: .version 8.0
// CHECK: .target sm_90a
// CHECK: .entry average_stage0
// CHECK:   add.rn.f64

// ASKED: .version 7.8
// ASKED: .target sm_80
// ASKED: .maxnreg 40

// TARGET:  error: {{.*}}sm_79
// PLAN:    error: --plan: {{.*}}pints
// EMPTY:   error: {{.*}} has no function with a body
// REFUSED: error: 'stencil.reduce' op
func.func @average(%in: !stencil.field<[-1,65]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %u = stencil.access %x[-1] : !stencil.temp<?xf64>
    %v = stencil.access %x[1] : !stencil.temp<?xf64>
    %s = arith.addf %u, %v : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
