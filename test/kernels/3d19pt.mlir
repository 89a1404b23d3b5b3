// A star of nineteen points of one weight, three dimensions, radius three.
//
// u' = 0.05 times the sum of a point and its neighbours at the distances 1, 2 and 3 along each
// axis. Radius 3, 512^3 cells, f64, four steps between two fields that change places; the
// outermost three cells keep their values. Not a benchmark of the papers: a star whose terms are
// equal, so that a sum in the order of planes costs no more than one in any other. FLOPs per point
// and step: 19.
//
// DEFINE: %{size} = --extents 9,7,11
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 37 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,512]x[0,512]x[0,512]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @star_3d19pt(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %weight = arith.constant 0.05 : f64
      %zm3 = stencil.access %t[-3, 0, 0] : !temp
      %zm2 = stencil.access %t[-2, 0, 0] : !temp
      %zm1 = stencil.access %t[-1, 0, 0] : !temp
      %ym3 = stencil.access %t[0, -3, 0] : !temp
      %ym2 = stencil.access %t[0, -2, 0] : !temp
      %ym1 = stencil.access %t[0, -1, 0] : !temp
      %xm3 = stencil.access %t[0, 0, -3] : !temp
      %xm2 = stencil.access %t[0, 0, -2] : !temp
      %xm1 = stencil.access %t[0, 0, -1] : !temp
      %c = stencil.access %t[0, 0, 0] : !temp
      %xp1 = stencil.access %t[0, 0, 1] : !temp
      %xp2 = stencil.access %t[0, 0, 2] : !temp
      %xp3 = stencil.access %t[0, 0, 3] : !temp
      %yp1 = stencil.access %t[0, 1, 0] : !temp
      %yp2 = stencil.access %t[0, 2, 0] : !temp
      %yp3 = stencil.access %t[0, 3, 0] : !temp
      %zp1 = stencil.access %t[1, 0, 0] : !temp
      %zp2 = stencil.access %t[2, 0, 0] : !temp
      %zp3 = stencil.access %t[3, 0, 0] : !temp
      %sum0 = arith.addf %zm3, %zm2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %sum0, %zm1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum2 = arith.addf %sum1, %ym3 fastmath<reassoc,contract,arcp,afn> : f64
      %sum3 = arith.addf %sum2, %ym2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum4 = arith.addf %sum3, %ym1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum5 = arith.addf %sum4, %xm3 fastmath<reassoc,contract,arcp,afn> : f64
      %sum6 = arith.addf %sum5, %xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum7 = arith.addf %sum6, %xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum8 = arith.addf %sum7, %c fastmath<reassoc,contract,arcp,afn> : f64
      %sum9 = arith.addf %sum8, %xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum10 = arith.addf %sum9, %xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum11 = arith.addf %sum10, %xp3 fastmath<reassoc,contract,arcp,afn> : f64
      %sum12 = arith.addf %sum11, %yp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum13 = arith.addf %sum12, %yp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum14 = arith.addf %sum13, %yp3 fastmath<reassoc,contract,arcp,afn> : f64
      %sum15 = arith.addf %sum14, %zp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum16 = arith.addf %sum15, %zp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum17 = arith.addf %sum16, %zp3 fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.mulf %weight, %sum17 fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[3, 3, 3], [509, 509, 509]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
