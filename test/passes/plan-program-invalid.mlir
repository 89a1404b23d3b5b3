// Ways to fuse that are unknown are refused.
//
// RUN: stencil-opt %s --verify-diagnostics --stencil-plan-program=fusion=all

// expected-error @below {{'func.func' op option 'fusion' is 'all'}}
// expected-note @below {{say optimal or stencilgen}}
func.func @nothing() {
  return
}
