// Copies of unknown extent cannot be made.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-place-copies

func.func @unknown_load(%f: !stencil.field<[-1,65]xf64>) {
  // expected-error @below {{'stencil.load' op has a temp of unknown bounds}}
  // expected-note @below {{run stencil-infer-bounds first}}
  %t = stencil.load %f : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[-1] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %f(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[-1,65]xf64>
  return
}
