// Checkpoints that a second stream copies while kernels run have the fields of shorter runs.
//
// REQUIRES: cuda
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %S/../kernels/wave2d.mlir --extents=2001,3001 --target=native -o %t/p.spk
// RUN: stencil-run %t/p.spk --seed=1 --arg c2=0.1 --steps=100 --every=24 --out-dir %t/all
// RUN: stencil-run %t/p.spk --seed=1 --arg c2=0.1 --steps=24 --expect %t/all/step-00000024 | FileCheck %s
// RUN: stencil-run %t/p.spk --seed=1 --arg c2=0.1 --steps=72 --expect %t/all/step-00000072 | FileCheck %s
// RUN: stencil-run %t/p.spk --seed=1 --arg c2=0.1 --steps=96 --expect %t/all/step-00000096 | FileCheck %s
//
// CHECK: verified: bit-identical
