// Which points are computed: known and unknown bounds, casts, chains of applies.
//
// Programs that xDSL builds are read, printed, bounded and run as xDSL and NumPy have them.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py bounds | FileCheck %s
// CHECK: bounds: 9 programs, 36 texts are the same program, bounds of 8 equal, 9 functions ran as NumPy has them (3 by a formula too), 77 planted differences seen
