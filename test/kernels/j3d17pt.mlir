// A box without the edges along z: seventeen points in three planes, four time steps.
//
// u' = (0.50 times the 4 diagonal neighbours in plane -1, + the 3 x 3 neighbours in plane 0 with
// the weights 0.51 0.71 0.91, 1.21 1.51 1.21, 0.91 0.71 0.51 row by row, + 0.52 times the 4
// diagonal neighbours in plane 1) / 159. Benchmark j3d17pt of STENCILGEN [Rawat et al.,
// Domain-Specific Optimization and Generation of High-Performance GPU Code for Stencil
// Computations, Proceedings of the IEEE 2018]. Radius 1, 512^3 cells, f64, four steps between two
// fields that change places; the outermost cell keeps its value. FLOPs per point and step: 28 as
// the paper counts, 28 as written.
//
// DEFINE: %{size} = --extents 13,11,17
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 25 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,512]x[0,512]x[0,512]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @j3d17pt(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %zm_ym_xm = stencil.access %t[-1, -1, -1] : !temp
      %zm_ym_xp = stencil.access %t[-1, -1, 1] : !temp
      %zm_yp_xm = stencil.access %t[-1, 1, -1] : !temp
      %zm_yp_xp = stencil.access %t[-1, 1, 1] : !temp
      %below0 = arith.addf %zm_ym_xm, %zm_ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %below1 = arith.addf %below0, %zm_yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %below = arith.addf %below1, %zm_yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %zp_ym_xm = stencil.access %t[1, -1, -1] : !temp
      %zp_ym_xp = stencil.access %t[1, -1, 1] : !temp
      %zp_yp_xm = stencil.access %t[1, 1, -1] : !temp
      %zp_yp_xp = stencil.access %t[1, 1, 1] : !temp
      %above0 = arith.addf %zp_ym_xm, %zp_ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %above1 = arith.addf %above0, %zp_yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %above = arith.addf %above1, %zp_yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %k0_50 = arith.constant 0.5 : f64
      %k0_51 = arith.constant 0.51 : f64
      %k0_71 = arith.constant 0.71 : f64
      %k0_91 = arith.constant 0.91 : f64
      %k1_21 = arith.constant 1.21 : f64
      %k1_51 = arith.constant 1.51 : f64
      %k0_52 = arith.constant 0.52 : f64
      %divisor = arith.constant 159.0 : f64
      %ym_xm = stencil.access %t[0, -1, -1] : !temp
      %ym = stencil.access %t[0, -1, 0] : !temp
      %ym_xp = stencil.access %t[0, -1, 1] : !temp
      %xm = stencil.access %t[0, 0, -1] : !temp
      %c = stencil.access %t[0, 0, 0] : !temp
      %xp = stencil.access %t[0, 0, 1] : !temp
      %yp_xm = stencil.access %t[0, 1, -1] : !temp
      %yp = stencil.access %t[0, 1, 0] : !temp
      %yp_xp = stencil.access %t[0, 1, 1] : !temp
      %p_below = arith.mulf %k0_50, %below fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym_xm = arith.mulf %k0_51, %ym_xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum0 = arith.addf %p_below, %p_ym_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym = arith.mulf %k0_71, %ym fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %sum0, %p_ym fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym_xp = arith.mulf %k0_91, %ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum2 = arith.addf %sum1, %p_ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_xm = arith.mulf %k1_21, %xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum3 = arith.addf %sum2, %p_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_c = arith.mulf %k1_51, %c fastmath<reassoc,contract,arcp,afn> : f64
      %sum4 = arith.addf %sum3, %p_c fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp = arith.mulf %k1_21, %xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum5 = arith.addf %sum4, %p_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp_xm = arith.mulf %k0_91, %yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum6 = arith.addf %sum5, %p_yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp = arith.mulf %k0_71, %yp fastmath<reassoc,contract,arcp,afn> : f64
      %sum7 = arith.addf %sum6, %p_yp fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp_xp = arith.mulf %k0_51, %yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum8 = arith.addf %sum7, %p_yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_above = arith.mulf %k0_52, %above fastmath<reassoc,contract,arcp,afn> : f64
      %sum9 = arith.addf %sum8, %p_above fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.divf %sum9, %divisor fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[1, 1, 1], [511, 511, 511]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
