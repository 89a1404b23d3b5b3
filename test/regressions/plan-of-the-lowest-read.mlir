// The distance of a read at the lowest coordinate of all has no negative.
//
// RUN: stencil-opt %s --stencil-select-plan | FileCheck %s
// CHECK: stencil.apply{{.*}}stencil.plan = #stencil.plan<

!f = !stencil.field<[0,10]x[0,12]xf64>
!t = !stencil.temp<[0,10]x[0,12]xf64>
func.func @lowest(%u: !f, %v: !f) {
  %a = stencil.load %u : !f -> !t
  %r = stencil.apply(%x = %a : !t) -> (!t) {
    %l = stencil.access %x[0, -9223372036854775808] : !t
    stencil.return %l : f64
  }
  stencil.store %r to %v(<[0, 0], [10, 12]>) : !t to !f
  return
}
