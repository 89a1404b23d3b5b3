// Rows of fields that others see, or whose extents are open, are not padded.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(stencil-pad-rows))'

!field = !stencil.field<[-1,9]x[-1,35]xf64>
// expected-error @below {{'func.func' op has extents known only at run time, so its rows cannot be padded}}
// expected-note @below {{compile it for one size}}
func.func @open(%u: !field) attributes {stencil.row_alignment = 128 : i64,
    stencil.run_time_extents = {lower = array<i64: 0, 0>, upper = array<i64: 8, 34>, least = array<i64: 1, 1>}} {
  return
}

// -----

!field = !stencil.field<[-1,9]x[-1,35]xf64>
func.func private @other(!field)
func.func @calls(%u: !field) attributes {stencil.row_alignment = 128 : i64} {
  // expected-error @below {{'func.call' op makes other memory of a field, so its rows cannot be padded}}
  // expected-note @below {{bind or inline it first}}
  func.call @other(%u) : (!field) -> ()
  return
}
