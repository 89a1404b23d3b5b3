// An empty name of a function or stage ended in an abort.
//
// RUN: not stencilc compile %s 2>&1 | FileCheck %s
//
// CHECK: [[@LINE+2]]:1: error: 'func.func' op has an empty name; callers and kernels are named after it

func.func @""(%u: !stencil.field<[0,8]xf64>) {
  return
}
