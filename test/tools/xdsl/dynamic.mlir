// Coordinates and reads at coordinates: `index`, `dyn_access`.
//
// Programs that xDSL builds are read, printed, bounded and run as xDSL and NumPy have them.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py dynamic | FileCheck %s
// CHECK: dynamic: 7 programs, 28 texts are the same program, bounds of 5 equal, 7 functions ran as NumPy has them (5 by a formula too), 46 planted differences seen
