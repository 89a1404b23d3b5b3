// The inverse of a gradient's length, added to the value: a root and a division.
//
// u' = u + 1 / sqrt(0.0001 + the sum over the four neighbours n of (u - n)^2). Benchmark gradient
// of STENCILGEN [Rawat et al., Domain-Specific Optimization and Generation of High-Performance GPU
// Code for Stencil Computations, Proceedings of the IEEE 2018]. Radius 1, 8192^2 cells, f64, four
// steps between two fields that change places; the outermost cell keeps its value. The constants
// are rounded to single precision first, as in the benchmark's text. FLOPs per point and step: 18
// as the paper counts, 15 as written. (The paper counts each difference twice and no root.)
//
// DEFINE: %{size} = --extents 29,37
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 29 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,8192]x[0,8192]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @gradient(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %c = stencil.access %t[0, 0] : !temp
      %ym = stencil.access %t[-1, 0] : !temp
      %dym = arith.subf %c, %ym fastmath<reassoc,contract,arcp,afn> : f64
      %yp = stencil.access %t[1, 0] : !temp
      %dyp = arith.subf %c, %yp fastmath<reassoc,contract,arcp,afn> : f64
      %xm = stencil.access %t[0, -1] : !temp
      %dxm = arith.subf %c, %xm fastmath<reassoc,contract,arcp,afn> : f64
      %xp = stencil.access %t[0, 1] : !temp
      %dxp = arith.subf %c, %xp fastmath<reassoc,contract,arcp,afn> : f64
      %flat = arith.constant 9.999999747378752e-05 : f64  // 0.0001f
      %dym_squared = arith.mulf %dym, %dym fastmath<reassoc,contract,arcp,afn> : f64
      %length0 = arith.addf %flat, %dym_squared fastmath<reassoc,contract,arcp,afn> : f64
      %dyp_squared = arith.mulf %dyp, %dyp fastmath<reassoc,contract,arcp,afn> : f64
      %length1 = arith.addf %length0, %dyp_squared fastmath<reassoc,contract,arcp,afn> : f64
      %dxm_squared = arith.mulf %dxm, %dxm fastmath<reassoc,contract,arcp,afn> : f64
      %length2 = arith.addf %length1, %dxm_squared fastmath<reassoc,contract,arcp,afn> : f64
      %dxp_squared = arith.mulf %dxp, %dxp fastmath<reassoc,contract,arcp,afn> : f64
      %length3 = arith.addf %length2, %dxp_squared fastmath<reassoc,contract,arcp,afn> : f64
      %length = math.sqrt %length3 fastmath<reassoc,contract,arcp,afn> : f64
      %one = arith.constant 1.0 : f64
      %sum0 = arith.divf %one, %length fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.addf %c, %sum0 fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[1, 1], [8191, 8191]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
