// Options that mean nothing for a program's language are refused with those that do; values that
// are no sizes are refused as such. All of it is the user's: code 1.
//
// RUN: sh -c 'stencilc run %s -D L=64; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=OPTION-D
// OPTION-D: error: -D sets parameters of STENCILGEN programs and sizes of C files, '{{.*}}reading-invalid.mlir' is MLIR; its sizes are changed with --extents
// OPTION-D: code 1
// RUN: not stencilc compile %s --strict-bounds 2>&1 | FileCheck %s --check-prefix=BOUNDS
// BOUNDS: error: --strict-bounds is about STENCILGEN programs, '{{.*}}' is MLIR; remove it, or give --from=idsl
// RUN: not stencilc compile %s --artemis-compat 2>&1 | FileCheck %s --check-prefix=COMPAT
// COMPAT: error: --artemis-compat is about STENCILGEN programs
//
// RUN: not stencilc compile %s --from=idsl --extents 64 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: cp %s %t.idsl
// RUN: not stencilc run %t.idsl --extents 64 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: cp %s %t.dsl
// RUN: not stencilc run %t.dsl --extents 64 2>&1 | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: error: --extents changes the sizes of MLIR programs, '{{.*}}' is a STENCILGEN program; use -D, as in -D L=64
//
// RUN: not stencilc run %s -D L=6.5 2>&1 | FileCheck %s --check-prefix=INTEGER
// INTEGER: error: invalid value 'L=6.5' for '-D <NAME=INTEGER>': 'L' is set to '6.5', which is no integer of 64 bits
// RUN: not stencilc run %s -D 64 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: '64' is no definition; write NAME=INTEGER, as in L=64
// RUN: not stencilc run %s --extents 16,0 2>&1 | FileCheck %s --check-prefix=POSITIVE
// POSITIVE: '0' is no extent; write positive integers with commas, as in 64,64,128
// RUN: not stencilc compile %s --size L=64 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: --size: 'L=64' is no extent
// RUN: not stencilc compile %s --size 16,17 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: reading-invalid.mlir:[[#@LINE + 8]]:1: error: 'func.func' {{.*}}2 extents are given
//
// RUN: not stencilc run %s --strict --fast-math 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: the argument '--strict' cannot be used with '--fast-math'
//
// The language of standard input is MLIR where nothing else is said.
// RUN: stencilc run - --from=mlir --print-signature < %s | FileCheck %s
// CHECK: function 'fill'
func.func @fill(%out: !stencil.field<[0,64]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %one = arith.constant 1.0 : f64
    stencil.return %one : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
