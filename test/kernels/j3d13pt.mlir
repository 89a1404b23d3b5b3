// A star of thirteen points, three dimensions, radius two, four time steps.
//
// u' = 0.083 times each of the 12 neighbours at distance 1 and 2 along the axes, - 0.996 u.
// Benchmark j3d13pt of STENCILGEN [Rawat et al., Domain-Specific Optimization and Generation of
// High-Performance GPU Code for Stencil Computations, Proceedings of the IEEE 2018]. Radius 2,
// 512^3 cells, f64, four steps between two fields that change places; the outermost two cells keep
// their values. The constants are rounded to single precision first, as in the benchmark's text.
// FLOPs per point and step: 25 as the paper counts, 25 as written.
//
// DEFINE: %{size} = --extents 11,13,15
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 25 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,512]x[0,512]x[0,512]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @j3d13pt(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %near = arith.constant 0.08299999684095383 : f64  // 0.083f
      %centre = arith.constant 0.9959999918937683 : f64  // 0.996f
      %xm2 = stencil.access %t[0, 0, -2] : !temp
      %xm1 = stencil.access %t[0, 0, -1] : !temp
      %xp1 = stencil.access %t[0, 0, 1] : !temp
      %xp2 = stencil.access %t[0, 0, 2] : !temp
      %ym2 = stencil.access %t[0, -2, 0] : !temp
      %ym1 = stencil.access %t[0, -1, 0] : !temp
      %yp1 = stencil.access %t[0, 1, 0] : !temp
      %yp2 = stencil.access %t[0, 2, 0] : !temp
      %zm2 = stencil.access %t[-2, 0, 0] : !temp
      %zm1 = stencil.access %t[-1, 0, 0] : !temp
      %zp1 = stencil.access %t[1, 0, 0] : !temp
      %zp2 = stencil.access %t[2, 0, 0] : !temp
      %c = stencil.access %t[0, 0, 0] : !temp
      %p_xm2 = arith.mulf %near, %xm2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_xm1 = arith.mulf %near, %xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum0 = arith.addf %p_xm2, %p_xm1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp1 = arith.mulf %near, %xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %sum0, %p_xp1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp2 = arith.mulf %near, %xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum2 = arith.addf %sum1, %p_xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym2 = arith.mulf %near, %ym2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum3 = arith.addf %sum2, %p_ym2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym1 = arith.mulf %near, %ym1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum4 = arith.addf %sum3, %p_ym1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp1 = arith.mulf %near, %yp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum5 = arith.addf %sum4, %p_yp1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp2 = arith.mulf %near, %yp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum6 = arith.addf %sum5, %p_yp2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_zm2 = arith.mulf %near, %zm2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum7 = arith.addf %sum6, %p_zm2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_zm1 = arith.mulf %near, %zm1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum8 = arith.addf %sum7, %p_zm1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_zp1 = arith.mulf %near, %zp1 fastmath<reassoc,contract,arcp,afn> : f64
      %sum9 = arith.addf %sum8, %p_zp1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_zp2 = arith.mulf %near, %zp2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum10 = arith.addf %sum9, %p_zp2 fastmath<reassoc,contract,arcp,afn> : f64
      %p_c = arith.mulf %centre, %c fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.subf %sum10, %p_c fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[2, 2, 2], [510, 510, 510]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
