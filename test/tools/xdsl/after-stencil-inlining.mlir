// What xDSL's pass stencil-inlining writes is taken and computes the same, or xDSL is known to be wrong.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py --pipeline stencil-inlining | FileCheck %s
// CHECK: stencil-inlining: the same results 13, nothing to do 71, xDSL stops 1, refused 6, other results 0
