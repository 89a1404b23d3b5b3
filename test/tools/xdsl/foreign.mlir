// What is read and written, and not run: its place is in the toolchains of others.
//
// Programs that xDSL builds are read, printed, bounded and run as xDSL and NumPy have them.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py foreign | FileCheck %s
// CHECK: foreign: 6 programs, 24 texts are the same program, bounds of 6 equal, 0 functions ran as NumPy has them (0 by a formula too), 0 planted differences seen
