// What stencil-unroll refuses, each reason once, with its text.
//
// RUN: stencil-opt %s --verify-diagnostics --stencil-unroll
// RUN: not stencil-opt %s --stencil-unroll=unroll-factor=2,0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not stencil-opt %s --stencil-unroll=unroll-factor=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not stencil-opt %s --stencil-unroll=unroll-factor=two 2>&1 | FileCheck %s --check-prefix=WORD

// ZERO: error: 'func.func' op cannot be unrolled by 0
// NEGATIVE: error: 'func.func' op cannot be unrolled by -1
// WORD: 'two' value invalid

// expected-error @below {{cannot be unrolled without factors}}
// expected-note @below {{give a positive factor per dimension, the last one last, as in unroll-factor=1,2,1}}
func.func @no_factors() {
  return
}
