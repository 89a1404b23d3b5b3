// A file without a region is no program.
//
// RUN: not stencil-translate --import-pragma %s 2>&1 | FileCheck %s
// CHECK: empty.c:1:1: error: there is no region in this file
// CHECK: note: it begins with '#pragma begin NAME' inside of its loops
double none;
