// A star of nine points with integer weights, two dimensions, radius two.
//
// u' = (7 u[-2,0] + 5 u[-1,0] + 9 u[0,-2] + 12 u[0,-1] + 15 u + 12 u[0,1] + 9 u[0,2] + 5 u[1,0] +
// 7 u[2,0]) / 118. Benchmark j2d9pt of STENCILGEN [Rawat et al., Domain-Specific Optimization and
// Generation of High-Performance GPU Code for Stencil Computations, Proceedings of the IEEE 2018].
// Radius 2, 8192^2 cells, f64, four steps between two fields that change places; the outermost two
// cells keep their values. FLOPs per point and step: 18 as the paper counts, 18 as written.
//
// DEFINE: %{size} = --extents 31,27
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 17 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,8192]x[0,8192]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @j2d9pt(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %seven = arith.constant 7.0 : f64
      %five = arith.constant 5.0 : f64
      %nine = arith.constant 9.0 : f64
      %twelve = arith.constant 12.0 : f64
      %fifteen = arith.constant 15.0 : f64
      %divisor = arith.constant 118.0 : f64
      %ym2 = stencil.access %t[-2, 0] : !temp
      %ym1 = stencil.access %t[-1, 0] : !temp
      %xm2 = stencil.access %t[0, -2] : !temp
      %xm1 = stencil.access %t[0, -1] : !temp
      %c = stencil.access %t[0, 0] : !temp
      %xp1 = stencil.access %t[0, 1] : !temp
      %xp2 = stencil.access %t[0, 2] : !temp
      %yp1 = stencil.access %t[1, 0] : !temp
      %yp2 = stencil.access %t[2, 0] : !temp
      %p_ym2 = arith.mulf %seven, %ym2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym1 = arith.mulf %five, %ym1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum0 = arith.addf %p_ym2, %p_ym1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_xm2 = arith.mulf %nine, %xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %sum0, %p_xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_xm1 = arith.mulf %twelve, %xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum2 = arith.addf %sum1, %p_xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_c = arith.mulf %fifteen, %c fastmath<reassoc,contract,arcp,afn> : f64
      %sum3 = arith.addf %sum2, %p_c fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp1 = arith.mulf %twelve, %xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum4 = arith.addf %sum3, %p_xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp2 = arith.mulf %nine, %xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum5 = arith.addf %sum4, %p_xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp1 = arith.mulf %five, %yp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum6 = arith.addf %sum5, %p_yp1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp2 = arith.mulf %seven, %yp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum7 = arith.addf %sum6, %p_yp2 fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.divf %sum7, %divisor fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[2, 2], [8190, 8190]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
