// Outputs never replace the file that is read.
//
// RUN: rm -rf %t && mkdir %t && cp %S/../../kernels/heat3d.mlir %t/a.mlir && cp %S/../../dialects/import/pragma/star3d.c %t/star3d.c
// RUN: not stencilc compile %t/a.mlir --emit=stencil -o %t/a.mlir 2>&1 | FileCheck %s
// RUN: not stencilc compile %t/a.mlir --emit=ptx -o %t/b.ptx --report %t/a.mlir 2>&1 | FileCheck %s
// RUN: not stencilc viz %t/a.mlir --schedule -o %t/a.mlir 2>&1 | FileCheck %s
// RUN: not stencilc compile %t/star3d.c --emit=header,launcher -o %t/ 2>&1 | FileCheck %s
// CHECK: error: '{{.*(a.mlir|star3d.c)}}' is the input, which the output would replace; name another file, or a folder: -o DIR/
//
// RUN: cmp %t/a.mlir %S/../../kernels/heat3d.mlir && cmp %t/star3d.c %S/../../dialects/import/pragma/star3d.c
// RUN: stencilc compile %t/star3d.c --emit=header,launcher -o %t/out/ && ls %t/out | FileCheck %s --check-prefix=MADE
// MADE: star3d.c
// MADE: star3d.h
