// The Python package does what its tests and its README say, on the emulated driver.
//
// REQUIRES: numpy
// RUN: %emulated-driver STENCIL_TEST_DRIVER=installed %python -m unittest discover %S/../../../tools/python/tests 2>&1 | FileCheck %s
//
// None is left out, and none failed.
// CHECK: {{^}}Ran {{[0-9]+}} tests
// CHECK: {{^}}OK{{$}}
