// An alignment is a power of two.
//
// RUN: stencil-opt %s --verify-diagnostics --pass-pipeline='builtin.module(func.func(stencil-select-layout{alignment=48}))'

// expected-error @below {{'func.func' op aligns rows to '48' bytes}}
// expected-note @below {{give a power of two}}
func.func @odd(%u: !stencil.field<[0,8]x[0,8]xf64>) {
  return
}
