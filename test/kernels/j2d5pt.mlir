// A star of five points with integer weights, two dimensions, four time steps.
//
// u' = (5 u[-1,0] + 12 u[0,-1] + 15 u + 12 u[0,1] + 5 u[1,0]) / 118. Benchmark j2d5pt of
// STENCILGEN [Rawat et al., Domain-Specific Optimization and Generation of High-Performance GPU
// Code for Stencil Computations, Proceedings of the IEEE 2018]. Radius 1, 8192^2 cells, f64, four
// steps between two fields that change places; the outermost cell keeps its value. FLOPs per point
// and step: 10 as the paper counts, 10 as written.
//
// DEFINE: %{size} = --extents 29,37
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 9 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,8192]x[0,8192]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @j2d5pt(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %five = arith.constant 5.0 : f64
      %twelve = arith.constant 12.0 : f64
      %fifteen = arith.constant 15.0 : f64
      %divisor = arith.constant 118.0 : f64
      %ym = stencil.access %t[-1, 0] : !temp
      %xm = stencil.access %t[0, -1] : !temp
      %c = stencil.access %t[0, 0] : !temp
      %xp = stencil.access %t[0, 1] : !temp
      %yp = stencil.access %t[1, 0] : !temp
      %p_ym = arith.mulf %five, %ym fastmath<reassoc,contract,arcp,afn> : f64
      %p_xm = arith.mulf %twelve, %xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum0 = arith.addf %p_ym, %p_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_c = arith.mulf %fifteen, %c fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %sum0, %p_c fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp = arith.mulf %twelve, %xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum2 = arith.addf %sum1, %p_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp = arith.mulf %five, %yp fastmath<reassoc,contract,arcp,afn> : f64
      %sum3 = arith.addf %sum2, %p_yp fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.divf %sum3, %divisor fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[1, 1], [8191, 8191]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
