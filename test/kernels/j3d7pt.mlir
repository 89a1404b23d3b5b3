// A star of seven points, all weights different, three dimensions, four time steps.
//
// u' = 0.161 u[0,0,1] + 0.162 u[0,0,-1] + 0.163 u[0,1,0] + 0.164 u[0,-1,0] + 0.165 u[1,0,0] +
// 0.166 u[-1,0,0] - 1.67 u. Benchmark j3d7pt of STENCILGEN [Rawat et al., Domain-Specific
// Optimization and Generation of High-Performance GPU Code for Stencil Computations, Proceedings
// of the IEEE 2018]. Radius 1, 512^3 cells, f64, four steps between two fields that change places;
// the outermost cell keeps its value. The constants are rounded to single precision first, as in
// the benchmark's text. FLOPs per point and step: 13 as the paper counts, 13 as written.
//
// DEFINE: %{size} = --extents 13,11,17
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 13 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,512]x[0,512]x[0,512]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @j3d7pt(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %w_xp = arith.constant 0.16099999845027924 : f64  // 0.161f
      %w_xm = arith.constant 0.16200000047683716 : f64  // 0.162f
      %w_yp = arith.constant 0.16300000250339508 : f64  // 0.163f
      %w_ym = arith.constant 0.164000004529953 : f64  // 0.164f
      %w_zp = arith.constant 0.16500000655651093 : f64  // 0.165f
      %w_zm = arith.constant 0.16599999368190765 : f64  // 0.166f
      %w_c = arith.constant 1.6699999570846558 : f64  // 1.67f
      %xp = stencil.access %t[0, 0, 1] : !temp
      %xm = stencil.access %t[0, 0, -1] : !temp
      %yp = stencil.access %t[0, 1, 0] : !temp
      %ym = stencil.access %t[0, -1, 0] : !temp
      %zp = stencil.access %t[1, 0, 0] : !temp
      %zm = stencil.access %t[-1, 0, 0] : !temp
      %c = stencil.access %t[0, 0, 0] : !temp
      %p_xp = arith.mulf %w_xp, %xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_xm = arith.mulf %w_xm, %xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum0 = arith.addf %p_xp, %p_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp = arith.mulf %w_yp, %yp fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %sum0, %p_yp fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym = arith.mulf %w_ym, %ym fastmath<reassoc,contract,arcp,afn> : f64
      %sum2 = arith.addf %sum1, %p_ym fastmath<reassoc,contract,arcp,afn> : f64
      %p_zp = arith.mulf %w_zp, %zp fastmath<reassoc,contract,arcp,afn> : f64
      %sum3 = arith.addf %sum2, %p_zp fastmath<reassoc,contract,arcp,afn> : f64
      %p_zm = arith.mulf %w_zm, %zm fastmath<reassoc,contract,arcp,afn> : f64
      %sum4 = arith.addf %sum3, %p_zm fastmath<reassoc,contract,arcp,afn> : f64
      %p_c = arith.mulf %w_c, %c fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.subf %sum4, %p_c fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[1, 1, 1], [511, 511, 511]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
