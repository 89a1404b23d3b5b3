// An unrolled apply computes whole groups of points where its users need an odd number.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// CHECK: verified: bit-identical

!in = !stencil.field<[0,8]xf64>
!out = !stencil.field<[0,5]xf64>
!temp = !stencil.temp<?xf64>

func.func @main(%u: !in, %v: !out) {
  %values = stencil.load %u : !in -> !temp
  %pairs = stencil.apply(%t = %values : !temp) -> (!temp) {
    %left = stencil.access %t[0] : !temp
    %right = stencil.access %t[1] : !temp
    stencil.return %left, %right unroll <[2]> : f64, f64
  }
  %sums = stencil.apply(%t = %pairs : !temp) -> (!temp) {
    %here = stencil.access %t[0] : !temp
    %next = stencil.access %t[2] : !temp
    %sum = arith.addf %here, %next : f64
    stencil.return %sum : f64
  }
  stencil.store %sums to %v(<[0], [5]>) : !temp to !out
  return
}
