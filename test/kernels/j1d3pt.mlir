// A line of three points with integer weights, one dimension, four time steps.
//
// u' = (2 u[-1] + 5 u + 3 u[1]) / 10. Radius 1, 2^26 cells, f64, four steps between two fields
// that change places; the outermost cell keeps its value. Not a benchmark of the papers: what is
// left of a stencil without an axis to stream along. FLOPs per point and step: 6.
//
// DEFINE: %{size} = --extents 611
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 5 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,67108864]xf64>
!temp = !stencil.temp<?xf64>

func.func @j1d3pt(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %two = arith.constant 2.0 : f64
      %three = arith.constant 3.0 : f64
      %five = arith.constant 5.0 : f64
      %divisor = arith.constant 10.0 : f64
      %xm1 = stencil.access %t[-1] : !temp
      %c = stencil.access %t[0] : !temp
      %xp1 = stencil.access %t[1] : !temp
      %p_xm1 = arith.mulf %two, %xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_c = arith.mulf %five, %c fastmath<reassoc,contract,arcp,afn> : f64
      %sum0 = arith.addf %p_xm1, %p_c fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp1 = arith.mulf %three, %xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %sum0, %p_xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.divf %sum1, %divisor fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[1], [67108863]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
