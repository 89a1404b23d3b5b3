// What cannot be explained is refused, with the reason and what could be meant.
//
// DEFINE: %{two} = %S/../../kernels/boundary2d.mlir
// RUN: sh -c 'stencilc explain %{two} --kernel wal; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: kernel 'wal' does not exist (did you mean 'wall'?); the program has {{.*}}wall, inside
// NAME: code 1
//
// RUN: sh -c 'stencilc explain %s; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: '{{.*}}explain-invalid.mlir' applies no stencil whose plan could be chosen
// NONE: code 1
//
// RUN: sh -c 'stencilc explain %{two} --plan wal:points=2; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: boundary2d.mlir:{{.*}}: error: {{.*}} option 'plan' has keys for 'wal', which is no kernel
// PLAN: note: the kernels are {{.*}}; a loop cannot be one sweep: it stores to 'v', or to those that rotate with it, twice
// PLAN: code 1
//
// RUN: sh -c 'stencilc explain %{two} --plan point=2; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=KEY
// KEY:  plan key 'point' is unknown, did you mean 'points'?
// KEY:  code 1
//
// RUN: sh -c 'stencilc explain %{two} --target sm_70; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: target 'sm_70' is unknown, known targets are sm_80
// TARGET: code 1
//
// RUN: sh -c 'stencilc explain %{two} --all --json; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: the argument '--all' cannot be used with '--json'
// BOTH: code 1
//
// RUN: sh -c 'stencilc explain %s.missing; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: '{{.*}}explain-invalid.mlir.missing' cannot be read: No such file
// FILE: code 2
func.func @nothing() {
  return
}
