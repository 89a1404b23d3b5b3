// What xDSL's pass shape-inference writes is taken and computes the same, or xDSL is known to be wrong.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py --pipeline shape-inference | FileCheck %s
// CHECK: shape-inference: the same results 76, nothing to do 3, xDSL stops 12, refused 0, other results 0
