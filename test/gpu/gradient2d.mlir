// The GPU computes the bits of the interpreter: 2-D, f64, square root and division.
//
// REQUIRES: cuda
//
// RUN: stencilc run %S/../kernels/gradient2d.mlir --on=gpu --verify --seed=1 | FileCheck %s
//
// CHECK: verified: bit-identical
