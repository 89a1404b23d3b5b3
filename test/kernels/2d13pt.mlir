// A star of thirteen points of one weight, two dimensions, radius three.
//
// u' = 0.2 times the sum of a point and its neighbours at the distances 1, 2 and 3 along each
// axis. Radius 3, 8192^2 cells, f64, four steps between two fields that change places; the
// outermost three cells keep their values. Not a benchmark of the papers: a star whose terms are
// equal, so that a sum in the order of planes costs no more than one in any other. FLOPs per point
// and step: 13.
//
// DEFINE: %{size} = --extents 29,37
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 25 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,8192]x[0,8192]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @star_2d13pt(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %weight = arith.constant 0.2 : f64
      %ym3 = stencil.access %t[-3, 0] : !temp
      %ym2 = stencil.access %t[-2, 0] : !temp
      %ym1 = stencil.access %t[-1, 0] : !temp
      %xm3 = stencil.access %t[0, -3] : !temp
      %xm2 = stencil.access %t[0, -2] : !temp
      %xm1 = stencil.access %t[0, -1] : !temp
      %c = stencil.access %t[0, 0] : !temp
      %xp1 = stencil.access %t[0, 1] : !temp
      %xp2 = stencil.access %t[0, 2] : !temp
      %xp3 = stencil.access %t[0, 3] : !temp
      %yp1 = stencil.access %t[1, 0] : !temp
      %yp2 = stencil.access %t[2, 0] : !temp
      %yp3 = stencil.access %t[3, 0] : !temp
      %sum0 = arith.addf %ym3, %ym2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %sum0, %ym1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum2 = arith.addf %sum1, %xm3 fastmath<reassoc,contract,arcp,afn> : f64
      %sum3 = arith.addf %sum2, %xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum4 = arith.addf %sum3, %xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum5 = arith.addf %sum4, %c fastmath<reassoc,contract,arcp,afn> : f64
      %sum6 = arith.addf %sum5, %xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum7 = arith.addf %sum6, %xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum8 = arith.addf %sum7, %xp3 fastmath<reassoc,contract,arcp,afn> : f64
      %sum9 = arith.addf %sum8, %yp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum10 = arith.addf %sum9, %yp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum11 = arith.addf %sum10, %yp3 fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.mulf %weight, %sum11 fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[3, 3], [8189, 8189]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
