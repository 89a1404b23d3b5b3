// The tables of the page about xDSL are those of the programs, and every op of its dialects is in one.
//
// REQUIRES: xdsl
// RUN: %xdsl-python %S/check.py --page %S/../../../dialects/docs/xdsl.md | FileCheck %s
// CHECK: the page is that of the programs
