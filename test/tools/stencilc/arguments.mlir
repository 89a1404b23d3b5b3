// Arguments go by position or by name, fields come from files and go to files, and what is not
// given is random by seed: equal command lines give equal results on every backend.
//
// RUN: stencilc run %s --on=interpreter --arg k=2.5 --seed=3 --out-dir %t.a
// RUN: stencilc run %s --on=emulator --arg 2=2.5 --seed=3 --out-dir %t.b | FileCheck %s
// RUN: cmp %t.a/in.npy %t.b/in.npy
// RUN: cmp %t.a/out.npy %t.b/out.npy
// RUN: not ls %t.a/k.npy
//
// Another seed is another field; the field of a file does not depend on the seed.
// RUN: stencilc run %s --on=interpreter --arg k=2.5 --seed=4 --out-dir %t.c
// RUN: not cmp %t.a/in.npy %t.c/in.npy
// RUN: stencilc run %s --on=emulator --arg k=2.5 --seed=4 --arg in=%t.a/in.npy --arg out=%t.a/out.npy --out-dir %t.d
// RUN: cmp %t.a/out.npy %t.d/out.npy

// CHECK: run {{.*}}emulator: 1 launches
// CHECK: wrote {{.*}}.b/in.npy
// CHECK: wrote {{.*}}.b/out.npy
func.func @scale(%in: !stencil.field<[-1,9]x[0,5]xf64>, %out: !stencil.field<[0,8]x[0,5]xf64>, %k: f64) {
  %t = stencil.load %in : !stencil.field<[-1,9]x[0,5]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>, %f = %k : f64) -> (!stencil.temp<?x?xf64>) {
    %x = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
    %y = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
    %d = arith.subf %y, %x : f64
    %s = arith.mulf %d, %f : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 5]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,8]x[0,5]xf64>
  return
}
