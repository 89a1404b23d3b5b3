// Windows on a GPU have the bits of the whole domain: a bounded program, a periodic one, three time levels.
//
// REQUIRES: cuda
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %S/../kernels/heat3d.mlir --devices=2 --steps-between-exchanges=2 -o %t/heat.spk
// RUN: stencil-run %t/heat.spk --devices=0,0 --verify --seed=1 | FileCheck %s
// RUN: stencilc compile %S/../kernels/heat3d-periodic.mlir --extents=60,20,28 --devices=3 --steps-between-exchanges=2 -o %t/periodic.spk
// RUN: stencil-run %t/periodic.spk --devices=0,0,0 --verify --seed=1 --time | FileCheck %s
// RUN: stencilc compile %S/../kernels/wave2d.mlir --extents=80,50 --devices=2 --steps-between-exchanges=3 -o %t/wave.spk
// RUN: stencil-run %t/wave.spk --devices=0,0 --arg c2=0.1 --arg steps=20 --verify --seed=1 | FileCheck %s
//
// CHECK: shared {{.*}} each of which does this
// CHECK: exchanges {{[1-9]}}
// CHECK: verified: bit-identical with plain kernels
