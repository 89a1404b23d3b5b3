// What an apply takes: fields of lower rank, scalars, several fields with halos of their own.
//
// Programs that xDSL builds are read, printed, bounded and run as xDSL and NumPy have them.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py operands | FileCheck %s
// CHECK: operands: 10 programs, 40 texts are the same program, bounds of 9 equal, 10 functions ran as NumPy has them (2 by a formula too), 65 planted differences seen
