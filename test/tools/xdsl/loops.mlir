// Loops over time around loads and stores, and modules of several functions.
//
// Programs that xDSL builds are read, printed, bounded and run as xDSL and NumPy have them.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py loops | FileCheck %s
// CHECK: loops: 9 programs, 36 texts are the same program, bounds of 9 equal, 10 functions ran as NumPy has them (5 by a formula too), 86 planted differences seen
