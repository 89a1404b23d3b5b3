// A Gaussian blur of five by five points with integer weights, four times.
//
// u' = the sum of the 5 x 5 neighbours with the weights 2 4 5 4 2, 4 9 12 9 4, 5 12 15 12 5, 4 9
// 12 9 4, 2 4 5 4 2 row by row, divided by 159. Benchmark gaussian of STENCILGEN [Rawat et al.,
// Domain-Specific Optimization and Generation of High-Performance GPU Code for Stencil
// Computations, Proceedings of the IEEE 2018]. Radius 2, 8192^2 cells, f64, four steps between two
// fields that change places; the outermost two cells keep their values. FLOPs per point and step:
// 50 as the paper counts, 50 as written.
//
// DEFINE: %{size} = --extents 31,27
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 39 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,8192]x[0,8192]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @gaussian(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %two = arith.constant 2.0 : f64
      %four = arith.constant 4.0 : f64
      %five = arith.constant 5.0 : f64
      %nine = arith.constant 9.0 : f64
      %twelve = arith.constant 12.0 : f64
      %fifteen = arith.constant 15.0 : f64
      %divisor = arith.constant 159.0 : f64
      %ym2_xm2 = stencil.access %t[-2, -2] : !temp
      %ym2_xm1 = stencil.access %t[-2, -1] : !temp
      %ym2 = stencil.access %t[-2, 0] : !temp
      %ym2_xp1 = stencil.access %t[-2, 1] : !temp
      %ym2_xp2 = stencil.access %t[-2, 2] : !temp
      %ym1_xm2 = stencil.access %t[-1, -2] : !temp
      %ym1_xm1 = stencil.access %t[-1, -1] : !temp
      %ym1 = stencil.access %t[-1, 0] : !temp
      %ym1_xp1 = stencil.access %t[-1, 1] : !temp
      %ym1_xp2 = stencil.access %t[-1, 2] : !temp
      %xm2 = stencil.access %t[0, -2] : !temp
      %xm1 = stencil.access %t[0, -1] : !temp
      %c = stencil.access %t[0, 0] : !temp
      %xp1 = stencil.access %t[0, 1] : !temp
      %xp2 = stencil.access %t[0, 2] : !temp
      %yp1_xm2 = stencil.access %t[1, -2] : !temp
      %yp1_xm1 = stencil.access %t[1, -1] : !temp
      %yp1 = stencil.access %t[1, 0] : !temp
      %yp1_xp1 = stencil.access %t[1, 1] : !temp
      %yp1_xp2 = stencil.access %t[1, 2] : !temp
      %yp2_xm2 = stencil.access %t[2, -2] : !temp
      %yp2_xm1 = stencil.access %t[2, -1] : !temp
      %yp2 = stencil.access %t[2, 0] : !temp
      %yp2_xp1 = stencil.access %t[2, 1] : !temp
      %yp2_xp2 = stencil.access %t[2, 2] : !temp
      %p_ym2_xm2 = arith.mulf %two, %ym2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym2_xm1 = arith.mulf %four, %ym2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum0 = arith.addf %p_ym2_xm2, %p_ym2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym2 = arith.mulf %five, %ym2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %sum0, %p_ym2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym2_xp1 = arith.mulf %four, %ym2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum2 = arith.addf %sum1, %p_ym2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym2_xp2 = arith.mulf %two, %ym2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum3 = arith.addf %sum2, %p_ym2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym1_xm2 = arith.mulf %four, %ym1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum4 = arith.addf %sum3, %p_ym1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym1_xm1 = arith.mulf %nine, %ym1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum5 = arith.addf %sum4, %p_ym1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym1 = arith.mulf %twelve, %ym1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum6 = arith.addf %sum5, %p_ym1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym1_xp1 = arith.mulf %nine, %ym1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum7 = arith.addf %sum6, %p_ym1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym1_xp2 = arith.mulf %four, %ym1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum8 = arith.addf %sum7, %p_ym1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_xm2 = arith.mulf %five, %xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum9 = arith.addf %sum8, %p_xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_xm1 = arith.mulf %twelve, %xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum10 = arith.addf %sum9, %p_xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_c = arith.mulf %fifteen, %c fastmath<reassoc,contract,arcp,afn> : f64
      %sum11 = arith.addf %sum10, %p_c fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp1 = arith.mulf %twelve, %xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum12 = arith.addf %sum11, %p_xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp2 = arith.mulf %five, %xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum13 = arith.addf %sum12, %p_xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp1_xm2 = arith.mulf %four, %yp1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum14 = arith.addf %sum13, %p_yp1_xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp1_xm1 = arith.mulf %nine, %yp1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum15 = arith.addf %sum14, %p_yp1_xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp1 = arith.mulf %twelve, %yp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum16 = arith.addf %sum15, %p_yp1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp1_xp1 = arith.mulf %nine, %yp1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum17 = arith.addf %sum16, %p_yp1_xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp1_xp2 = arith.mulf %four, %yp1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum18 = arith.addf %sum17, %p_yp1_xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp2_xm2 = arith.mulf %two, %yp2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum19 = arith.addf %sum18, %p_yp2_xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp2_xm1 = arith.mulf %four, %yp2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum20 = arith.addf %sum19, %p_yp2_xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp2 = arith.mulf %five, %yp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum21 = arith.addf %sum20, %p_yp2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp2_xp1 = arith.mulf %four, %yp2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum22 = arith.addf %sum21, %p_yp2_xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp2_xp2 = arith.mulf %two, %yp2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum23 = arith.addf %sum22, %p_yp2_xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.divf %sum23, %divisor fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[2, 2], [8190, 8190]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
