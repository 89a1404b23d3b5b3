// Manually edited PTX runs, and verification detects a wrong change.
//
// REQUIRES: cuda
//
// RUN: stencilc compile %S/../kernels/laplace2d.mlir --target=native --emit=ptx -o %t.ptx
// RUN: stencilc run %S/../kernels/laplace2d.mlir --on=gpu --ptx=%t.ptx --verify --seed=1 | FileCheck %s
// CHECK: verified: bit-identical
//
// RUN: sed 's/add\.rn\.f32/sub.rn.f32/' %t.ptx > %t.wrong.ptx
// RUN: not stencilc run %S/../kernels/laplace2d.mlir --on=gpu --ptx=%t.wrong.ptx --verify --seed=1 | FileCheck %s --check-prefix=WRONG
// WRONG-NOT: verified: bit-identical
