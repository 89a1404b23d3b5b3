// The GPU computes the bits of the interpreter: three rotated fields, scalars as kernel parameters.
//
// REQUIRES: cuda
//
// RUN: stencilc run %S/../kernels/wave2d.mlir --on=gpu --verify --seed=1 --arg c2=0.1 --arg steps=7 | FileCheck %s
// RUN: stencilc run %S/../kernels/wave2d.mlir --on=gpu --verify --seed=1 --arg c2=0.1 --arg steps=0 | FileCheck %s
//
// CHECK: verified: bit-identical
