// A temp that is an operand and is never read has no bounds, and needs none.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// CHECK: verified: bit-identical

!field = !stencil.field<[0,7]xf64>
!temp = !stencil.temp<?xf64>

func.func @main(%in: !field, %out: !field) {
  %values = stencil.load %in : !field -> !temp
  %idle = stencil.apply(%t = %values : !temp) -> (!temp) {
    %v = stencil.access %t[0] : !temp
    stencil.return %v : f64
  }
  %result = stencil.apply(%t = %values : !temp, %unread = %idle : !temp) -> (!temp) {
    %v = stencil.access %t[0] : !temp
    stencil.return %v : f64
  }
  stencil.store %result to %out(<[0], [7]>) : !temp to !field
  return
}
