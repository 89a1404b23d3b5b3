// What a point of Devito's programs costs, before and after: with every power computed where it is
// written, and with equal operations computed once.
//
// DEFINE: %{written} = inline,symbol-dce,stencil-bind-symbols,func.func(stencil-infer-bounds,stencil-expand-powers)
// DEFINE: %{remarks} = --remarks-filter-passed=stencil-hoist-scalars -o /dev/null
// RUN: stencil-opt %S/../kernels/devito-acoustic2d.mlir --allow-unregistered-dialect --pass-pipeline='builtin.module(%{written},func.func(stencil-hoist-scalars))' %{remarks} 2>&1 | FileCheck %s --check-prefix=ACOUSTIC-WRITTEN
// RUN: stencil-opt %S/../kernels/devito-acoustic2d.mlir --allow-unregistered-dialect --pass-pipeline='builtin.module(%{written},canonicalize,cse,func.func(stencil-hoist-scalars))' %{remarks} 2>&1 | FileCheck %s --check-prefix=ACOUSTIC
// RUN: stencil-opt %S/../kernels/devito-diffusion2d.mlir --allow-unregistered-dialect --pass-pipeline='builtin.module(%{written},func.func(stencil-hoist-scalars))' %{remarks} 2>&1 | FileCheck %s --check-prefix=DIFFUSION-WRITTEN
// RUN: stencil-opt %S/../kernels/devito-diffusion2d.mlir --allow-unregistered-dialect --pass-pipeline='builtin.module(%{written},canonicalize,cse,func.func(stencil-hoist-scalars))' %{remarks} 2>&1 | FileCheck %s --check-prefix=DIFFUSION
//
// ACOUSTIC-WRITTEN: 61 operations per point became 25
// ACOUSTIC: 38 operations per point became 25
// DIFFUSION-WRITTEN: 17 operations per point became 12
// DIFFUSION: 17 operations per point became 12
//
// Every value stays.
// DEFINE: %{same} = --on=interpreter --same-after='builtin.module(%{written},func.func(stencil-hoist-scalars),canonicalize,cse)' --seed=1 --symbol time_m=0 --symbol time_M=3
// RUN: stencilc run %S/../kernels/devito-acoustic2d.mlir %{same} --symbol dt=0.02 --symbol h_x=0.1 --symbol h_y=0.125
// RUN: stencilc run %S/../kernels/devito-diffusion2d.mlir %{same} --symbol dt=0.01 --symbol h_x=0.1 --symbol h_y=0.2
