// The GPU computes the bits of the interpreter: 3-D, f64, a loop over time.
//
// REQUIRES: cuda
//
// RUN: stencilc run %S/../kernels/heat3d.mlir --on=gpu --verify --seed=1 | FileCheck %s
//
// CHECK: verified: bit-identical
