// A box of twenty-seven points, three dimensions, four time steps.
//
// u' = the 3 x 3 x 3 neighbours with the weights 0.5 0.7 0.9, 1.2 1.5 1.2, 0.9 0.7 0.5 row by row
// in plane -1, all of them 0.01 more in plane 0 and 0.02 more in plane 1, divided by 159.
// Benchmark j3d27pt of STENCILGEN [Rawat et al., Domain-Specific Optimization and Generation of
// High-Performance GPU Code for Stencil Computations, Proceedings of the IEEE 2018]. Radius 1,
// 512^3 cells, f64, four steps between two fields that change places; the outermost cell keeps its
// value. FLOPs per point and step: 54 as the paper counts, 54 as written.
//
// DEFINE: %{size} = --extents 13,11,17
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 41 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,512]x[0,512]x[0,512]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @j3d27pt(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %k0_50 = arith.constant 0.5 : f64
      %k0_70 = arith.constant 0.7 : f64
      %k0_90 = arith.constant 0.9 : f64
      %k1_20 = arith.constant 1.2 : f64
      %k1_50 = arith.constant 1.5 : f64
      %k0_51 = arith.constant 0.51 : f64
      %k0_71 = arith.constant 0.71 : f64
      %k0_91 = arith.constant 0.91 : f64
      %k1_21 = arith.constant 1.21 : f64
      %k1_51 = arith.constant 1.51 : f64
      %k0_52 = arith.constant 0.52 : f64
      %k0_72 = arith.constant 0.72 : f64
      %k0_92 = arith.constant 0.92 : f64
      %k1_22 = arith.constant 1.22 : f64
      %k1_52 = arith.constant 1.52 : f64
      %divisor = arith.constant 159.0 : f64
      %zm_ym_xm = stencil.access %t[-1, -1, -1] : !temp
      %zm_ym = stencil.access %t[-1, -1, 0] : !temp
      %zm_ym_xp = stencil.access %t[-1, -1, 1] : !temp
      %zm_xm = stencil.access %t[-1, 0, -1] : !temp
      %zm = stencil.access %t[-1, 0, 0] : !temp
      %zm_xp = stencil.access %t[-1, 0, 1] : !temp
      %zm_yp_xm = stencil.access %t[-1, 1, -1] : !temp
      %zm_yp = stencil.access %t[-1, 1, 0] : !temp
      %zm_yp_xp = stencil.access %t[-1, 1, 1] : !temp
      %ym_xm = stencil.access %t[0, -1, -1] : !temp
      %ym = stencil.access %t[0, -1, 0] : !temp
      %ym_xp = stencil.access %t[0, -1, 1] : !temp
      %xm = stencil.access %t[0, 0, -1] : !temp
      %c = stencil.access %t[0, 0, 0] : !temp
      %xp = stencil.access %t[0, 0, 1] : !temp
      %yp_xm = stencil.access %t[0, 1, -1] : !temp
      %yp = stencil.access %t[0, 1, 0] : !temp
      %yp_xp = stencil.access %t[0, 1, 1] : !temp
      %zp_ym_xm = stencil.access %t[1, -1, -1] : !temp
      %zp_ym = stencil.access %t[1, -1, 0] : !temp
      %zp_ym_xp = stencil.access %t[1, -1, 1] : !temp
      %zp_xm = stencil.access %t[1, 0, -1] : !temp
      %zp = stencil.access %t[1, 0, 0] : !temp
      %zp_xp = stencil.access %t[1, 0, 1] : !temp
      %zp_yp_xm = stencil.access %t[1, 1, -1] : !temp
      %zp_yp = stencil.access %t[1, 1, 0] : !temp
      %zp_yp_xp = stencil.access %t[1, 1, 1] : !temp
      %p_zm_ym_xm = arith.mulf %k0_50, %zm_ym_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_zm_ym = arith.mulf %k0_70, %zm_ym fastmath<reassoc,contract,arcp,afn> : f64
      %sum0 = arith.addf %p_zm_ym_xm, %p_zm_ym fastmath<reassoc,contract,arcp,afn> : f64
      %p_zm_ym_xp = arith.mulf %k0_90, %zm_ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %sum0, %p_zm_ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_zm_xm = arith.mulf %k1_20, %zm_xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum2 = arith.addf %sum1, %p_zm_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_zm = arith.mulf %k1_50, %zm fastmath<reassoc,contract,arcp,afn> : f64
      %sum3 = arith.addf %sum2, %p_zm fastmath<reassoc,contract,arcp,afn> : f64
      %p_zm_xp = arith.mulf %k1_20, %zm_xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum4 = arith.addf %sum3, %p_zm_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_zm_yp_xm = arith.mulf %k0_90, %zm_yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum5 = arith.addf %sum4, %p_zm_yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_zm_yp = arith.mulf %k0_70, %zm_yp fastmath<reassoc,contract,arcp,afn> : f64
      %sum6 = arith.addf %sum5, %p_zm_yp fastmath<reassoc,contract,arcp,afn> : f64
      %p_zm_yp_xp = arith.mulf %k0_50, %zm_yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum7 = arith.addf %sum6, %p_zm_yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym_xm = arith.mulf %k0_51, %ym_xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum8 = arith.addf %sum7, %p_ym_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym = arith.mulf %k0_71, %ym fastmath<reassoc,contract,arcp,afn> : f64
      %sum9 = arith.addf %sum8, %p_ym fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym_xp = arith.mulf %k0_91, %ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum10 = arith.addf %sum9, %p_ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_xm = arith.mulf %k1_21, %xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum11 = arith.addf %sum10, %p_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_c = arith.mulf %k1_51, %c fastmath<reassoc,contract,arcp,afn> : f64
      %sum12 = arith.addf %sum11, %p_c fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp = arith.mulf %k1_21, %xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum13 = arith.addf %sum12, %p_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp_xm = arith.mulf %k0_91, %yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum14 = arith.addf %sum13, %p_yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp = arith.mulf %k0_71, %yp fastmath<reassoc,contract,arcp,afn> : f64
      %sum15 = arith.addf %sum14, %p_yp fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp_xp = arith.mulf %k0_51, %yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum16 = arith.addf %sum15, %p_yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_zp_ym_xm = arith.mulf %k0_52, %zp_ym_xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum17 = arith.addf %sum16, %p_zp_ym_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_zp_ym = arith.mulf %k0_72, %zp_ym fastmath<reassoc,contract,arcp,afn> : f64
      %sum18 = arith.addf %sum17, %p_zp_ym fastmath<reassoc,contract,arcp,afn> : f64
      %p_zp_ym_xp = arith.mulf %k0_92, %zp_ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum19 = arith.addf %sum18, %p_zp_ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_zp_xm = arith.mulf %k1_22, %zp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum20 = arith.addf %sum19, %p_zp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_zp = arith.mulf %k1_52, %zp fastmath<reassoc,contract,arcp,afn> : f64
      %sum21 = arith.addf %sum20, %p_zp fastmath<reassoc,contract,arcp,afn> : f64
      %p_zp_xp = arith.mulf %k1_22, %zp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum22 = arith.addf %sum21, %p_zp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_zp_yp_xm = arith.mulf %k0_92, %zp_yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum23 = arith.addf %sum22, %p_zp_yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_zp_yp = arith.mulf %k0_72, %zp_yp fastmath<reassoc,contract,arcp,afn> : f64
      %sum24 = arith.addf %sum23, %p_zp_yp fastmath<reassoc,contract,arcp,afn> : f64
      %p_zp_yp_xp = arith.mulf %k0_52, %zp_yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum25 = arith.addf %sum24, %p_zp_yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.divf %sum25, %divisor fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[1, 1, 1], [511, 511, 511]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
