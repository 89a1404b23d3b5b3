// The help teaches by examples (all of it is in tools/docs/generated/command-lines.md, which
// `cargo xtask docs --check` compares). Options that do not exist end with 1.
//
// RUN: stencilc --help | FileCheck %s --check-prefixes=HELP,CODES
// RUN: stencilc compile --help | FileCheck %s --check-prefix=HELP
// RUN: stencilc run --help | FileCheck %s --check-prefix=HELP
// RUN: stencilc accuracy --help | FileCheck %s --check-prefix=HELP
// RUN: stencilc compare --help | FileCheck %s --check-prefix=HELP
// RUN: stencilc explain --help | FileCheck %s --check-prefix=HELP
// RUN: stencilc viz --help | FileCheck %s --check-prefix=HELP
// HELP: Usage: stencilc
// HELP: Options:
// HELP: Examples:
// HELP-NEXT: stencilc
// CODES: 70 an internal error
//
// RUN: sh -c 'stencilc run a.mlir --fast; echo "code $?"' 2>&1 | FileCheck %s
// CHECK: error: unexpected argument '--fast'
// CHECK: code 1
