// The GPU computes the bits of the interpreter: 3-D, f32, two applies through temporaries.
//
// REQUIRES: cuda
//
// RUN: stencilc run %S/../kernels/two-stage.mlir --on=gpu --verify --seed=1 | FileCheck %s
//
// CHECK: verified: bit-identical
