// Elementary functions on the GPU: plain kernels and planned ones give the same bits, and each function
// lies within the bound of dialects/docs/arithmetic.md from what the interpreter gives.
//
// REQUIRES: cuda, libdevice, numpy
//
// RUN: stencilc run %S/../tools/stencilc/approximate-gpu.mlir --on=gpu --plan=points=4x1,threads=2x32 --verify --seed=1 | FileCheck %s
// CHECK: verified: bit-identical
//
// DEFINE: %{type} = f64
// DEFINE: %{functions} = %S/../lowering/ptx/codegen-libdevice.mlir
// DEFINE: %{run} = stencilc run %{functions} --element-type=%{type} --seed=1
// RUN: %{run} --on=gpu --verify --out-dir %t/gpu-f64 | FileCheck %s
// RUN: %{run} --on=interpreter --out-dir %t/interpreter-f64
// RUN: %python %S/within_ulps.py %{functions} f64 %t/interpreter-f64 %t/gpu-f64
// REDEFINE: %{type} = f32
// RUN: %{run} --on=gpu --verify --out-dir %t/gpu-f32 | FileCheck %s
// RUN: %{run} --on=interpreter --out-dir %t/interpreter-f32
// RUN: %python %S/within_ulps.py %{functions} f32 %t/interpreter-f32 %t/gpu-f32
