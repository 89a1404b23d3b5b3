// The help teaches by examples. Options that nobody knows end with 1.
//
// RUN: stencilc --help | %golden %s.golden
// RUN: stencilc compile --help | %golden %S/help-compile.golden
// RUN: stencilc run --help | %golden %S/help-run.golden
// RUN: stencilc accuracy --help | %golden %S/help-accuracy.golden
// RUN: stencilc compare --help | %golden %S/help-compare.golden
// RUN: stencilc viz --help | %golden %S/help-viz.golden
// RUN: stencilc plans --help | %golden %S/help-plans.golden
// RUN: stencilc doctor --help | %golden %S/help-doctor.golden
// RUN: sh -c 'stencilc run a.mlir --fast; echo "code $?"' 2>&1 | FileCheck %s
// CHECK: error: unexpected argument '--fast'
// CHECK: code 1
