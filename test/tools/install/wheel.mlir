// The package of a wheel uses the programs that lie in it, whatever the path has.
//
// REQUIRES: numpy
// RUN: %wheel > %t.place
// RUN: cd / && %python %S/Inputs/from_wheel.py %t.place | FileCheck %s
//
// CHECK: compiler {{.*}}wheel-made/python/stencil/bin/stencilc
// CHECK: emulator computes 2.0
// CHECK: stencilc {{[0-9.]+}}
