// Whole programs whose stages were inlined, kept apart or unrolled are compiled, and give what they gave before.
//
// DEFINE: %{kernel} = two-stage
// DEFINE: %{size} =
// DEFINE: %{passes} = stencil-inline-producers
// DEFINE: %{pipeline} = builtin.module(func.func(%{passes}))
// DEFINE: %{same} = stencilc run %S/../kernels/%{kernel}.mlir --on=interpreter %{size} --same-after='%{pipeline}' --seed=1
// DEFINE: %{opt} = stencil-opt %S/../kernels/%{kernel}.mlir --pass-pipeline='%{pipeline}' -o %t.mlir
// DEFINE: %{kernels} = stencilc run %t.mlir --on=emulator --verify %{size} --seed=1
// RUN: %{same} && %{opt} && %{kernels} | FileCheck %s
// REDEFINE: %{passes} = stencil-inline-producers,stencil-infer-bounds,stencil-unroll{unroll-factor=1,2,2}
// RUN: %{same} && %{opt} && %{kernels} | FileCheck %s
// REDEFINE: %{passes} = stencil-materialize-storage,stencil-infer-bounds,stencil-materialize-buffers
// RUN: %{same} && %{opt} && %{kernels} | FileCheck %s
// REDEFINE: %{kernel} = fluxes2d
// RUN: %{same} && %{opt} && %{kernels} | FileCheck %s
// REDEFINE: %{passes} = stencil-inline-producers,stencil-infer-bounds,stencil-unroll{unroll-factor=2,1}
// RUN: %{same} && %{opt} && %{kernels} | FileCheck %s
// REDEFINE: %{kernel} = boundary2d
// RUN: %{same} && %{opt} && %{kernels} | FileCheck %s
// REDEFINE: %{kernel} = denoise
// REDEFINE: %{size} = --extents 11,9,13
// REDEFINE: %{passes} = stencil-inline-producers
// RUN: %{same} && %{opt} && %{kernels} | FileCheck %s
//
// CHECK: verified: bit-identical
