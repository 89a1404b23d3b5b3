// A prefetch is an instruction that LLVM supports for some targets only; others are refused here, and
// get none by default.
//
// RUN: stencil-opt %s --verify-diagnostics --stencil-select-plan=target=sm_80
// RUN: stencil-opt %s --verify-diagnostics --stencil-select-plan=target=sm_89
// RUN: stencil-opt %s --stencil-select-plan=target=sm_90 | FileCheck %s
// RUN: stencilc compile %S/../kernels/rhs4th3fort.mlir --target=sm_80 --no-verification --emit=gpu -o - | FileCheck %s --check-prefix=DEFAULT
// RUN: not stencilc compile %S/../kernels/rhs4th3fort.mlir --target=sm_90 --ptx-version=7.8 --no-verification --emit=ptx -o %t.ptx 2>&1 | FileCheck %s --check-prefix=OLD

// CHECK: prefetch = 1
// DEFAULT: alignment_offset = 2 : i64, block_steps = 50 : i64, mapping = "thread", max_registers = 255
// DEFAULT-NOT: prefetch =
// OLD: error: plan key 'prefetch' needs an instruction that LLVM supports for sm_90 from PTX 8.0 on, not with 7.8
func.func @ahead() {
  // expected-error-re @below {{'stencil.apply' op plan key 'prefetch' cannot be 1: LLVM makes no prefetch instruction for {{sm_8[09]}}; leave it out}}
  // expected-note @below {{change the plan's keys, or choose another target}}
  %r = stencil.apply() -> (!stencil.temp<[0,64]x[0,64]xf64>)
      attributes {stencil.plan = #stencil.plan<{block_steps = 4 : i64, prefetch = 1 : i64}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}
