// The op after a merged apply is the allocation of a field that it stores: the store goes behind
// both.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// CHECK: verified: bit-identical

!f = !stencil.field<[0,8]xf64>
!t = !stencil.temp<?xf64>
func.func @main(%a: !f) {
  %t = stencil.load %a : !f -> !t
  %r = stencil.apply(%x = %t : !t) -> (!t) {
    %u = stencil.access %x[0] : !t
    stencil.return %u : f64
  }
  %b = stencil.alloc : !f
  stencil.store %t to %b(<[0], [8]>) : !t to !f
  stencil.store %r to %a(<[0], [8]>) : !t to !f
  return
}
