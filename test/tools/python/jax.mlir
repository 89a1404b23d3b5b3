// Programs and packages are functions of JAX: eager, compiled, with memory that is given away.
//
// REQUIRES: jax
// RUN: cd %S/../../../tools/python/tests/optional && %private-python -m unittest test_jax 2>&1 | FileCheck %s
//
// CHECK: {{^}}Ran {{[0-9]+}} tests
// CHECK: {{^}}OK
