// Two programs are compared on the same random input, on the interpreter: every field that either
// writes. Arguments stand for each other by name, the rest by order.
//
// RUN: split-file %s %t
// RUN: stencilc run %t/one.mlir --same-as=%t/swapped.mlir --arg f=0.3 | FileCheck %s --check-prefix=SAME
// RUN: stencilc run %t/one.mlir --same-as %t/swapped.mlir --arg 2=0.3 --seed=7 --on=interpreter | FileCheck %s --check-prefix=SAME
// SAME: same as '{{.*}}swapped.mlir': bit-identical (1 fields, 64 cells)
//
// RUN: sh -c 'stencilc run %t/one.mlir --same-as=%t/reordered.mlir --arg f=0.3; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: argument 1 'out': cell [{{[0-9]+}}] is {{[-0-9.e]+}} (0x{{[0-9a-f]+}}), expected {{[-0-9.e]+}} (0x{{[0-9a-f]+}})
// OTHER-SAME: of 64 cells differ
// OTHER-NEXT: argument 1 'out': the largest difference is {{[0-9.e-]+}}, {{[0-9.]+}}e-8 of the largest magnitude
// OTHER-NEXT: not the same as '{{.*}}reordered.mlir'
// OTHER-NEXT: code 1
// RUN: sh -c 'stencilc run %t/one.mlir --same-as=%t/reordered.mlir --arg f=0.3 --within=1e-6; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=WITHIN
// WITHIN: same as '{{.*}}reordered.mlir' within 1e-6 (1 fields, 64 cells)
// WITHIN-NEXT: code 0
// RUN: not stencilc run %t/one.mlir --same-as=%t/reordered.mlir --arg f=0.3 --within=1e-12 | FileCheck %s --check-prefix=TOO-FAR
// TOO-FAR: not the same as
//
// Sizes are given to both.
// RUN: stencilc run %t/one.mlir --same-as=%t/swapped.mlir --arg f=0.3 --extents 17 | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: bit-identical (1 fields, 17 cells)
//
// RUN: not stencilc run %t/one.mlir --same-as=%t/smaller.mlir --arg f=0.3 2>&1 | FileCheck %s --check-prefix=SMALLER
// SMALLER: error: argument 0 'in' of '{{.*}}one.mlir' is a field of f32 with extents (66,), and argument 0 'in' of '{{.*}}smaller.mlir', its counterpart, is a field of f32 with extents (34,); give both the same size with -D or --extents
// RUN: not stencilc run %t/one.mlir --same-as=%t/nothing.mlir --arg f=0.3 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: '{{.*}}nothing.mlir' cannot be read
// RUN: not stencilc run %t/one.mlir --same-as=%t/wrong.mlir --arg f=0.3 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: {{.*}}wrong.mlir:1:1: error: {{.*}}
// WRONG-NEXT: broken
// WRONG-NEXT: ^
// RUN: not stencilc run %t/one.mlir --same-as=%t/one.mlir --on=emulator 2>&1 | FileCheck %s --check-prefix=BACKEND
// BACKEND: error: --same-as runs on the interpreter; remove --on

//--- one.mlir
func.func @sum(%in: !stencil.field<[-1,65]xf32>, %out: !stencil.field<[0,64]xf32>, %f: f32) {
  %t = stencil.load %in : !stencil.field<[-1,65]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf32>, %g = %f : f32) -> (!stencil.temp<?xf32>) {
    %x = stencil.access %a[-1] : !stencil.temp<?xf32>
    %y = stencil.access %a[0] : !stencil.temp<?xf32>
    %z = stencil.access %a[1] : !stencil.temp<?xf32>
    %p = arith.mulf %x, %g : f32
    %s = arith.addf %p, %y : f32
    %u = arith.addf %s, %z : f32
    stencil.return %u : f32
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf32> to !stencil.field<[0,64]xf32>
  return
}

//--- swapped.mlir
func.func @total(%f: f32, %out: !stencil.field<[1,65]xf32>, %source: !stencil.field<[0,66]xf32>) {
  %t = stencil.load %source : !stencil.field<[0,66]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf32>, %g = %f : f32) -> (!stencil.temp<?xf32>) {
    %x = stencil.access %a[-1] : !stencil.temp<?xf32>
    %y = stencil.access %a[0] : !stencil.temp<?xf32>
    %z = stencil.access %a[1] : !stencil.temp<?xf32>
    %p = arith.mulf %g, %x : f32
    %s = arith.addf %y, %p : f32
    %u = arith.addf %s, %z : f32
    stencil.return %u : f32
  }
  stencil.store %r to %out(<[1], [65]>) : !stencil.temp<?xf32> to !stencil.field<[1,65]xf32>
  return
}

//--- reordered.mlir
func.func @sum(%in: !stencil.field<[-1,65]xf32>, %out: !stencil.field<[0,64]xf32>, %f: f32) {
  %t = stencil.load %in : !stencil.field<[-1,65]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf32>, %g = %f : f32) -> (!stencil.temp<?xf32>) {
    %x = stencil.access %a[-1] : !stencil.temp<?xf32>
    %y = stencil.access %a[0] : !stencil.temp<?xf32>
    %z = stencil.access %a[1] : !stencil.temp<?xf32>
    %p = arith.mulf %x, %g : f32
    %s = arith.addf %y, %z : f32
    %u = arith.addf %s, %p : f32
    stencil.return %u : f32
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf32> to !stencil.field<[0,64]xf32>
  return
}

//--- smaller.mlir
func.func @sum(%in: !stencil.field<[-1,33]xf32>, %out: !stencil.field<[0,32]xf32>, %f: f32) {
  %t = stencil.load %in : !stencil.field<[-1,33]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf32>, %g = %f : f32) -> (!stencil.temp<?xf32>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf32>
    %p = arith.mulf %x, %g : f32
    stencil.return %p : f32
  }
  stencil.store %r to %out(<[0], [32]>) : !stencil.temp<?xf32> to !stencil.field<[0,32]xf32>
  return
}

//--- wrong.mlir
broken
