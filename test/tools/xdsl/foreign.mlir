// What belongs to the toolchains of others: memrefs are fields here, the rest is not run.
//
// Programs that xDSL builds are read, printed, bounded and run as xDSL and NumPy have them.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py foreign | FileCheck %s
// CHECK: foreign: 6 programs, 24 texts are the same program, bounds of 6 equal, 1 functions ran as NumPy has them (1 by a formula too), 5 planted differences seen
