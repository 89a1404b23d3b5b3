// Programs and packages are operations of PyTorch: eager, compiled, exported.
//
// REQUIRES: torch
// RUN: cd %S/../../../tools/python/tests/optional && %private-python -m unittest test_torch 2>&1 | FileCheck %s
//
// CHECK: {{^}}Ran {{[0-9]+}} tests
// CHECK: {{^}}OK
