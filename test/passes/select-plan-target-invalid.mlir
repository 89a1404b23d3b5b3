// A target that nobody knows is an error, not a default.
//
// RUN: stencil-opt %s --verify-diagnostics --stencil-select-plan=target=sm_70

// expected-error @below {{'func.func' op target 'sm_70' is unknown, known targets are}}
// expected-note @below {{choose a known target}}
func.func @unknown_target() {
  return
}
