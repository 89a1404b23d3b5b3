// Operations that neither an intrinsic nor libdevice has, each reason once.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(convert-math-to-intrinsics))'

gpu.module @kernels {
  gpu.func @power(%a: f64, %n: i32) {
    // expected-error @below {{'math.fpowi' op has no counterpart on a GPU}}
    // expected-note @below {{only constant exponents can be compiled (stencil-expand-powers)}}
    %0 = math.fpowi %a, %n : f64, i32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @clamp(%a: f64) {
    // expected-error @below {{'math.clampf' op has no counterpart on a GPU}}
    // expected-note @below {{write it with other operations}}
    %0 = math.clampf %a to [%a, %a] : f64
    gpu.return
  }
}
