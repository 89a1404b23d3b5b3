// A target that is unknown, and keys that no plan has.
//
// RUN: not stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-select-inlining{target=sm_1}))' 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-select-merging{plan=colour=2}))' 2>&1 | FileCheck %s --check-prefix=KEY
//
// TARGET: :[[# @LINE + 5]]:{{[0-9]+}}: error: {{.*}}sm_1
// TARGET: note: choose a known target
// KEY: :[[# @LINE + 3]]:{{[0-9]+}}: error: {{.*}}'colour' is unknown
// KEY: note: fix the option 'plan'

func.func @nothing() {
  return
}
