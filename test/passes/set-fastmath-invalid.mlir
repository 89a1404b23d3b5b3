// Words that are no flags, alone and in a list.
//
// RUN: stencil-opt %s --verify-diagnostics --stencil-set-fastmath=flags=contract,fma
// RUN: not stencil-opt %s --stencil-set-fastmath=flags=none,contract 2>&1 | FileCheck %s
// CHECK: 'func.func' op cannot have the fastmath flag 'none'

// expected-error @below {{'func.func' op cannot have the fastmath flag 'fma'}}
// expected-note @below {{'none', 'fast', or some of: reassoc, nnan, ninf, nsz, arcp, contract, afn}}
func.func @reason() {
  return
}
