// The GPU computes the bits of the interpreter: half precision, and conversions.
//
// REQUIRES: cuda
//
// RUN: stencilc run %S/../kernels/blur2d-f16.mlir --on=gpu --verify --seed=1 | FileCheck %s
// RUN: stencilc run %S/../kernels/blur-columns-bf16.mlir --on=gpu --verify --seed=1 | FileCheck %s
//
// CHECK: verified: bit-identical
