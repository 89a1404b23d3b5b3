// The GPU computes the bits of the interpreter: several kernels that write parts of one field.
//
// REQUIRES: cuda
//
// RUN: stencilc run %S/../kernels/boundary2d.mlir --on=gpu --verify --seed=1 | FileCheck %s
//
// CHECK: verified: bit-identical
