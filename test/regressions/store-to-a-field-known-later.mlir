// Which field a temp is stored to is chosen, or left by a loop, only after the apply.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 --function=selected --arg n=0 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --function=rotated --arg n=1 | FileCheck %s
// CHECK: verified: bit-identical

!f = !stencil.field<[0,8]xf64>
func.func @selected(%a: !f, %b: !f, %c: !f, %n: index) {
  %c1 = arith.constant 1 : index
  %t = stencil.load %a : !f -> !stencil.temp<?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %u = stencil.access %x[1] : !stencil.temp<?xf64>
    stencil.return %u : f64
  }
  %p = arith.cmpi slt, %n, %c1 : index
  %f = arith.select %p, %b, %c : !f
  stencil.store %r to %f(<[1], [7]>) : !stencil.temp<?xf64> to !f
  return
}

func.func @rotated(%a: !f, %b: !f, %c: !f, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = stencil.load %a : !f -> !stencil.temp<?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %u = stencil.access %x[1] : !stencil.temp<?xf64>
    stencil.return %u : f64
  }
  %L:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %b, %q = %c) -> (!f, !f) {
    scf.yield %q, %p : !f, !f
  }
  stencil.store %r to %L#0(<[1], [7]>) : !stencil.temp<?xf64> to !f
  return
}
