// What xDSL's pass stencil-unroll writes is taken and computes the same, or xDSL is known to be wrong.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py --pipeline stencil-unroll | FileCheck %s
// CHECK: stencil-unroll: the same results 49, nothing to do 31, xDSL stops 1, refused 0, other results 10
