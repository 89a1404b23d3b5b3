// What xDSL's pass stencil-storage-materialization writes is taken and computes the same, or xDSL is known to be wrong.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py --pipeline stencil-storage-materialization | FileCheck %s
// CHECK: stencil-storage-materialization: the same results 6, nothing to do 84, xDSL stops 1, refused 0, other results 0
