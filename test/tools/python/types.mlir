// The Python package has types, without a gap, for those who check theirs against them.
//
// REQUIRES: mypy, numpy
// RUN: cd %S/../../../tools/python && %private-python -m mypy --strict --cache-dir=%t.cache stencil | FileCheck %s
//
// CHECK: Success: no issues found in {{[0-9]+}} source files
