// Every form of `stencil.combine`.
//
// Programs that xDSL builds are read, printed, bounded and run as xDSL and NumPy have them.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py combine | FileCheck %s
// CHECK: combine: 13 programs, 52 texts are the same program, bounds of 13 equal, 13 functions ran as NumPy has them (7 by a formula too), 154 planted differences seen
