// A pass on gpu.module runs on those that an earlier pass of the same pipeline made.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(stencil-select-plan,func.func(stencil-name-stages),convert-stencil-to-gpu-threads,gpu.module(convert-scf-to-cf))' | FileCheck %s

// CHECK:     gpu.func @fill
// CHECK:       cf.cond_br
// CHECK-NOT:   scf.if
func.func @fill(%out: !stencil.field<[0,7]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<[0,7]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  stencil.store %r to %out(<[0], [7]>) : !stencil.temp<[0,7]xf64> to !stencil.field<[0,7]xf64>
  return
}
