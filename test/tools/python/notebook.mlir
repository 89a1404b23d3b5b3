// The notebook of a wave runs from beginning to end, and shows what its text speaks of.
//
// REQUIRES: notebook
// RUN: cd %S/../../../tools/python/tests/optional && %private-python -m unittest test_notebook 2>&1 | FileCheck %s
//
// CHECK: {{^}}Ran {{[0-9]+}} tests
// CHECK: {{^}}OK{{$}}
