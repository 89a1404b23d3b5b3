// Large kernels give the same bits in any number of parts, up to as many as they have pieces.
//
// REQUIRES: nightly
//
// DEFINE: %{splits} =
// DEFINE: %{rhs4th3fort} = stencilc run %S/../kernels/rhs4th3fort.mlir --extents 9,11,7 --on=emulator --verify --seed=1 --plan points=1,splits=%{splits}
// DEFINE: %{hypterm} = stencilc run %S/../kernels/hypterm.mlir --extents 7,9,11 --on=emulator --verify --seed=1 --plan points=1,splits=%{splits}
// DEFINE: %{derivative} = stencilc run %S/../kernels/derivative.mlir --extents 9,7,11 --on=emulator --verify --seed=1 --plan points=1,splits=%{splits}
//
// REDEFINE: %{splits} = 3
// RUN: %{rhs4th3fort} | FileCheck %s --check-prefix=RHS-3
// RUN: %{hypterm} | FileCheck %s
// RUN: %{derivative} | FileCheck %s
// REDEFINE: %{splits} = 14
// RUN: %{rhs4th3fort} | FileCheck %s
// REDEFINE: %{splits} = 38
// RUN: %{hypterm} | FileCheck %s
// REDEFINE: %{splits} = 4
// RUN: %{derivative} | FileCheck %s
//
// CHECK: verified: bit-identical
//
// Each component is a kernel, which computes the coefficients that components share again and stores
// nothing but its result.
// RHS-3-COUNT-3: 1 st.global
// RHS-3:         verified: bit-identical
