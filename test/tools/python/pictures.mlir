// Pictures of fields and rooflines show the cells and kernels that they are said to show.
//
// REQUIRES: matplotlib
// RUN: cd %S/../../../tools/python/tests/optional && %private-python -m unittest test_pictures 2>&1 | FileCheck %s
//
// CHECK: {{^}}Ran {{[0-9]+}} tests
// CHECK: {{^}}OK{{$}}
