// The module of the kernels takes a name that no function has.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// CHECK: verified: bit-identical

!field = !stencil.field<[0,9]xf32>
!temp = !stencil.temp<?xf32>

func.func @kernels(%in: !field, %out: !field) {
  %values = stencil.load %in : !field -> !temp
  %doubled = stencil.apply(%t = %values : !temp) -> (!temp) {
    %v = stencil.access %t[0] : !temp
    %sum = arith.addf %v, %v : f32
    stencil.return %sum : f32
  }
  stencil.store %doubled to %out(<[0], [9]>) : !temp to !field
  return
}
