// The Python package does what its tests from R to Z and its README say, on the emulated driver.
//
// REQUIRES: numpy
// RUN: %emulated-driver STENCIL_TEST_DRIVER=installed %python -m unittest discover %S/../../../tools/python/tests -p 'test_[!a-q]*.py' 2>&1 | FileCheck %s
//
// None is left out, and none failed.
// CHECK: {{^}}Ran {{[0-9]+}} tests
// CHECK: {{^}}OK{{$}}
