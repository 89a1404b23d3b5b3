// Reads at constant offsets: ranks 1 to 3, all directions, far and negative origins.
//
// Programs that xDSL builds are read, printed, bounded and run as xDSL and NumPy have them.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py access | FileCheck %s
// CHECK: access: 9 programs, 36 texts are the same program, bounds of 9 equal, 9 functions ran as NumPy has them (6 by a formula too), 137 planted differences seen
