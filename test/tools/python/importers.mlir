// Programs of Devito's equations and of GT4Py's stencils have the results of these systems.
//
// REQUIRES: peers
// RUN: cd %S/../../../tools/python/tests/optional && %private-python -m unittest test_from_devito test_from_gtscript 2>&1 | FileCheck %s
//
// CHECK: {{^}}Ran {{[0-9]+}} tests
// CHECK: {{^}}OK{{$}}
