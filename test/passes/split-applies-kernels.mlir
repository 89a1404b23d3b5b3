// Large kernels give the same bits in two parts, and are refused in more than they have pieces;
// the nightly run takes the numbers between (split-applies-kernels-all.mlir).
//
// DEFINE: %{splits} =
// DEFINE: %{rhs4th3fort} = stencilc run %S/../kernels/rhs4th3fort.mlir --extents 9,11,7 --on=emulator --verify --seed=1 --plan points=1,splits=%{splits}
// DEFINE: %{hypterm} = stencilc run %S/../kernels/hypterm.mlir --extents 7,9,11 --on=emulator --verify --seed=1 --plan points=1,splits=%{splits}
// DEFINE: %{derivative} = stencilc run %S/../kernels/derivative.mlir --extents 9,7,11 --on=emulator --verify --seed=1 --plan points=1,splits=%{splits}
//
// REDEFINE: %{splits} = 2
// RUN: %{rhs4th3fort} | FileCheck %s --check-prefix=RHS-2
// RUN: %{hypterm} | FileCheck %s
// RUN: %{derivative} | FileCheck %s --check-prefix=DERIVATIVE-2
// REDEFINE: %{splits} = 15
// RUN: not %{rhs4th3fort} 2>&1 | FileCheck %s --check-prefix=RHS-MOST
// REDEFINE: %{splits} = 39
// RUN: not %{hypterm} 2>&1 | FileCheck %s --check-prefix=HYPTERM-MOST
// REDEFINE: %{splits} = 5
// RUN: not %{derivative} 2>&1 | FileCheck %s --check-prefix=DERIVATIVE-MOST
//
// CHECK: verified: bit-identical
// RHS-MOST: cannot be split into 15 kernels, it has 14 pieces
// HYPTERM-MOST: cannot be split into 39 kernels, it has 38 pieces
// DERIVATIVE-MOST: cannot be split into 5 kernels, it has 4 pieces
//
// Each component is a kernel, which computes the coefficients that components share again and stores nothing but its
// result; of two kernels one has two components.
// RHS-2:         2 st.global
// RHS-2:         1 st.global
// RHS-2:         verified: bit-identical
// One sum is cut in two.
// DERIVATIVE-2-COUNT-2: 1 st.global
// DERIVATIVE-2:         verified: bit-identical
