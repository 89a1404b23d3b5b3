// The Python package does what its tests from A to Q say, on the emulated driver. The applications
// are in package-applications.mlir, the others in package-from-r.mlir: as one test they would take
// longer than all other tests.
//
// REQUIRES: numpy
// RUN: %emulated-driver STENCIL_TEST_DRIVER=installed %python -m unittest discover %S/../../../tools/python/tests -p 'test_a[!p]*.py' 2>&1 | FileCheck %s
// RUN: %emulated-driver STENCIL_TEST_DRIVER=installed %python -m unittest discover %S/../../../tools/python/tests -p 'test_[b-q]*.py' 2>&1 | FileCheck %s
//
// None is left out, and none failed.
// CHECK: {{^}}Ran {{[0-9]+}} tests
// CHECK: {{^}}OK{{$}}
