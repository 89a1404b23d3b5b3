// A file in an older spelling is refused, and a note names what reads it.
//
// RUN: not stencil-opt %s 2>&1 | FileCheck %s
// CHECK: error:
// CHECK: note: 'stencil-translate --import-oec {{.*}}older-spelling.mlir' reads this file
// RUN: stencil-translate --import-oec %s | stencil-opt | FileCheck %s --check-prefix=READ
// READ: func.func @identity(%{{.*}}: !stencil.field<?x?x?xf64>
//
// Another wrong file gets no such note.
// RUN: sh -c 'echo "func.func @f(%%a: !stencil.field<4>)" > %t.mlir'
// RUN: not stencil-opt %t.mlir 2>&1 | FileCheck %s --check-prefix=OTHER --implicit-check-not=reads
// OTHER: error:
func @identity(%a: !stencil.field<?x?x?xf64>) {
  return
}
