// Programs of other systems that ours are counted beside have the results of ours.
//
// REQUIRES: peers
// RUN: cd %S/../../../tools/python/tests/optional && %private-python -m unittest test_peers 2>&1 | FileCheck %s
//
// CHECK: {{^}}Ran {{[0-9]+}} tests
// CHECK: {{^}}OK{{$}}
