// The GPU computes the bits of the interpreter: 2-D, f32, one apply.
//
// REQUIRES: cuda
//
// RUN: stencilc run %S/../kernels/laplace2d.mlir --on=gpu --verify --seed=1 | FileCheck %s
//
// CHECK: verified: bit-identical
