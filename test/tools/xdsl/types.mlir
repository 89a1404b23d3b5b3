// Element types and the arithmetic on them.
//
// Programs that xDSL builds are read, printed, bounded and run as xDSL and NumPy have them.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py types | FileCheck %s
// CHECK: types: 12 programs, 48 texts are the same program, bounds of 12 equal, 12 functions ran as NumPy has them (9 by a formula too), 82 planted differences seen
