// What kernels with cells as coefficients need for a point, and for a row of four points along
// dimensions 0 and 1 together: before and after.
//
// DEFINE: %{before} = builtin.module(inline,symbol-dce,stencil-bind-symbols,func.func(stencil-infer-bounds),canonicalize,cse,func.func(stencil-fold-divisions),func.func(stencil-order-sums),func.func(stencil-share-sums)
// DEFINE: %{remarks} = --remarks-filter-passed=stencil-share-products --remarks-filter-missed=stencil-share-products -o /dev/null
// RUN: stencil-opt %S/../kernels/derivative.mlir --pass-pipeline='%{before},func.func(stencil-share-products))' %{remarks} 2>&1 | FileCheck %s --check-prefix=DERIVATIVE
// RUN: stencil-opt %S/../kernels/rhs4th3fort.mlir --pass-pipeline='%{before},func.func(stencil-share-products))' %{remarks} 2>&1 | FileCheck %s --check-prefix=RHS4
// RUN: stencil-opt %S/../kernels/hypterm-ppopp.mlir --pass-pipeline='%{before},func.func(stencil-share-products))' %{remarks} 2>&1 | FileCheck %s --check-prefix=HYPTERM --allow-empty
//
// DERIVATIVE: 385 instructions per point, 2697 per two rows, became 320 and 2205
// RHS4: 402 instructions per point, 2908 per two rows, became 396 and 2821
// HYPTERM-NOT: instructions per point
