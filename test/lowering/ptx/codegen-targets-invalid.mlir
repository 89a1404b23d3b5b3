// Targets and versions that do not exist, or not together, are refused by name.
//
// RUN: not stencilc compile %s --target=sm_70 --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not stencilc compile %s --target=sm_90a --ptx-version=7.0 --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not stencilc compile %s --ptx-version=eight --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=SYNTAX

// TARGET: error: target 'sm_70' is unknown, known targets are sm_80, sm_89, sm_90, sm_90a, sm_100
// OLD: error: PTX version 7.0 is too old for target sm_90a, which needs 8.0 or later
// SYNTAX: error: PTX version 'eight' is not of the form <major>.<minor>, as in 8.0

func.func @empty(%f: !stencil.field<[0,64]xf64>) {
  return
}
