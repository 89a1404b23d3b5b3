// Memory by name: `buffer`, `alloc`, applies that write to fields, fields that change in place.
//
// Programs that xDSL builds are read, printed, bounded and run as xDSL and NumPy have them.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py memory | FileCheck %s
// CHECK: memory: 10 programs, 40 texts are the same program, bounds of 7 equal, 10 functions ran as NumPy has them (6 by a formula too), 71 planted differences seen
