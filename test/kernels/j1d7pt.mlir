// A line of seven points with integer weights, one dimension, four time steps.
//
// u' = (u[-3] + 4 u[-2] + 6 u[-1] + 9 u + 7 u[1] + 3 u[2] + 2 u[3]) / 32. Radius 3, 2^26 cells,
// f64, four steps between two fields that change places; the outermost three cells keep their
// values. Not a benchmark of the papers: what is left of a stencil without an axis to stream
// along. FLOPs per point and step: 14.
//
// DEFINE: %{size} = --extents 611
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 13 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,67108864]xf64>
!temp = !stencil.temp<?xf64>

func.func @j1d7pt(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %one_part = arith.constant 1.0 : f64
      %two = arith.constant 2.0 : f64
      %three = arith.constant 3.0 : f64
      %four = arith.constant 4.0 : f64
      %six = arith.constant 6.0 : f64
      %seven = arith.constant 7.0 : f64
      %nine = arith.constant 9.0 : f64
      %divisor = arith.constant 32.0 : f64
      %xm3 = stencil.access %t[-3] : !temp
      %xm2 = stencil.access %t[-2] : !temp
      %xm1 = stencil.access %t[-1] : !temp
      %c = stencil.access %t[0] : !temp
      %xp1 = stencil.access %t[1] : !temp
      %xp2 = stencil.access %t[2] : !temp
      %xp3 = stencil.access %t[3] : !temp
      %p_xm3 = arith.mulf %one_part, %xm3 fastmath<reassoc,contract,arcp,afn> : f64
      %p_xm2 = arith.mulf %four, %xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum0 = arith.addf %p_xm3, %p_xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_xm1 = arith.mulf %six, %xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %sum0, %p_xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_c = arith.mulf %nine, %c fastmath<reassoc,contract,arcp,afn> : f64
      %sum2 = arith.addf %sum1, %p_c fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp1 = arith.mulf %seven, %xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum3 = arith.addf %sum2, %p_xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp2 = arith.mulf %three, %xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum4 = arith.addf %sum3, %p_xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp3 = arith.mulf %two, %xp3 fastmath<reassoc,contract,arcp,afn> : f64
      %sum5 = arith.addf %sum4, %p_xp3 fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.divf %sum5, %divisor fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[3], [67108861]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
