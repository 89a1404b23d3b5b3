// The program is MLIR's translation driver: upstream's translations are there, and the import.
//
// RUN: stencil-translate --mlir-to-llvmir %s | FileCheck %s
// CHECK: define i64 @twice(i64 %0)
// CHECK: add i64 %0, %0
//
// RUN: stencil-translate --help | FileCheck %s --check-prefix=HELP
// HELP-DAG: --import-dsl {{.*}} import a program: STENCILGEN
// HELP-DAG: --import-pragma {{.*}} import a program: C
// HELP-DAG: --import-oec {{.*}} import a program: Open Earth Compiler
// HELP-DAG: --import-xdsl {{.*}} import a program: xDSL 0.12 to 0.21
// HELP-DAG: --declare=<DECLARATION;...>
// HELP-DAG: --import-llvm
// HELP-DAG: -D <NAME=INTEGER[,...]>
// HELP-DAG: --artemis-compat
//
// RUN: not stencil-translate --import-dsl %s -D L=many 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: -D: 'L' is set to 'many', which is no integer of 64 bits
llvm.func @twice(%x: i64) -> i64 {
  %y = llvm.add %x, %x : i64
  llvm.return %y : i64
}
