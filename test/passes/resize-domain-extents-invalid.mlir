// Extents beyond what memory holds are refused before a type is made of them; so are none, and those without points.
//
// RUN: stencil-opt %s --verify-diagnostics --stencil-resize-domain=extents=4611686018427387904,9
// RUN: not stencil-opt %s --stencil-resize-domain 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not stencil-opt %s --stencil-resize-domain=extents=6,0 2>&1 | FileCheck %s --check-prefix=ZERO
// NONE: 'builtin.module' op is resized to no extents
// NONE: write one number per dimension, such as extents=16,17,19
// ZERO: 'builtin.module' op cannot have extent 0

// expected-error @below {{'func.func' op would have 41505174165846491136 points}}
// expected-note @below {{choose smaller extents}}
func.func @large(%f: !stencil.field<[0,8]x[0,9]xf64>) {
  stencil.apply() outs (%f : !stencil.field<[0,8]x[0,9]xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v : f64
  } to <[0, 0], [8, 9]>
  return
}
