// What an apply gives: unrolled bodies, several results, `store_result` with and without value.
//
// Programs that xDSL builds are read, printed, bounded and run as xDSL and NumPy have them.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py results | FileCheck %s
// CHECK: results: 12 programs, 48 texts are the same program, bounds of 7 equal, 12 functions ran as NumPy has them (7 by a formula too), 141 planted differences seen
