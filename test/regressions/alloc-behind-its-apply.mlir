// An apply may write a field that is allocated only after it, right before the store.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// CHECK: verified: bit-identical

!field = !stencil.field<[0,9]xf32>
!temp = !stencil.temp<?xf32>

func.func @main(%in: !field, %out: !field) {
  %values = stencil.load %in : !field -> !temp
  %doubled = stencil.apply(%t = %values : !temp) -> (!temp) {
    %v = stencil.access %t[0] : !temp
    %sum = arith.addf %v, %v : f32
    stencil.return %sum : f32
  }
  %between = stencil.alloc : !field
  stencil.store %doubled to %between(<[0], [9]>) : !temp to !field
  %again = stencil.load %between : !field -> !temp
  %squared = stencil.apply(%t = %again : !temp) -> (!temp) {
    %v = stencil.access %t[0] : !temp
    %square = arith.mulf %v, %v : f32
    stencil.return %square : f32
  }
  stencil.store %squared to %out(<[0], [9]>) : !temp to !field
  return
}
