// What is around a time loop is computed again by each piece of the steps, if that changes nothing.
//
// RUN: stencil-opt %s --stencil-decompose-domain='devices=2 steps=4' | FileCheck %s

!field = !stencil.field<[0,64]xf64>
!padded = !stencil.field<[-1,65]xf64>
!temp = !stencil.temp<?xf64>

// Time levels in memory of the function: the first is copied from a field, and the newest goes back
// to it. Its ghost cells and a coefficient are computed before the loop, and what comes after the
// loop is computed in every piece.
// CHECK-LABEL: func.func @levels
// CHECK-SAME:  %{{[a-z0-9]+}}: !stencil.field<[0,36]xf64> {stencil.cut = array<i64: 0, 0, 64>, stencil.received = [array<i64: 32, 36>, array<i64: 0, 4>]}
// CHECK-SAME:  %{{[a-z0-9]+}}: !stencil.field<[0,36]xf64> {stencil.cut = array<i64: 0, 0, 64>, stencil.received = [array<i64>, array<i64>]}
// CHECK-SAME:  halo = 5 : i64, {{.*}}steps = 4 : i64
func.func @levels(%u: !field, %squares: !field, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %level0 = stencil.alloc : !padded
  %level1 = stencil.alloc : !padded
  %coefficient = stencil.alloc : !field
  %constant = stencil.apply() -> (!temp) {
    %half = arith.constant 5.0e-01 : f64
    stencil.return %half : f64
  }
  stencil.store %constant to %coefficient(<[0], [64]>) : !temp to !field
  stencil.store %constant to %level0(<[-1], [65]>) : !temp to !padded
  stencil.store %constant to %level1(<[-1], [65]>) : !temp to !padded
  %given = stencil.load %u : !field -> !temp
  stencil.store %given to %level0(<[0], [64]>) : !temp to !padded
  %c = stencil.load %coefficient : !field -> !temp
  %end:2 = scf.for %step = %zero to %steps step %one iter_args(%now = %level0, %next = %level1)
      -> (!padded, !padded) {
    %t = stencil.load %now : !padded -> !temp
    %r = stencil.apply(%x = %t : !temp, %k = %c : !temp) -> (!temp) {
      %w = stencil.access %x[-1] : !temp
      %e = stencil.access %x[1] : !temp
      %factor = stencil.access %k[0] : !temp
      %sum = arith.addf %w, %e : f64
      %mean = arith.mulf %sum, %factor : f64
      stencil.return %mean : f64
    }
    stencil.store %r to %next(<[0], [64]>) : !temp to !padded
    scf.yield %next, %now : !padded, !padded
  }
  %newest = stencil.load %end#0 : !padded -> !temp
  stencil.store %newest to %u(<[0], [64]>) : !temp to !field
  %square = stencil.apply(%x = %newest : !temp) -> (!temp) {
    %a = stencil.access %x[0] : !temp
    %b = arith.mulf %a, %a : f64
    stencil.return %b : f64
  }
  stencil.store %square to %squares(<[0], [64]>) : !temp to !field
  return
}
