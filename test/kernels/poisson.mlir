// A box without its corners: nineteen points of a compact Poisson operator.
//
// u' = 2.666 u - 0.166 times the 6 face neighbours - 0.0833 times the 12 edge neighbours.
// Benchmark poisson of STENCILGEN [Rawat et al., Domain-Specific Optimization and Generation of
// High-Performance GPU Code for Stencil Computations, Proceedings of the IEEE 2018]. Radius 1,
// 512^3 cells, f64, four steps between two fields that change places; the outermost cell keeps its
// value. The constants are rounded to single precision first, as in the benchmark's text. FLOPs
// per point and step: 21 as the paper counts, 21 as written.
//
// DEFINE: %{size} = --extents 13,11,17
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 28 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,512]x[0,512]x[0,512]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @poisson(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %zm = stencil.access %t[-1, 0, 0] : !temp
      %ym = stencil.access %t[0, -1, 0] : !temp
      %xm = stencil.access %t[0, 0, -1] : !temp
      %xp = stencil.access %t[0, 0, 1] : !temp
      %yp = stencil.access %t[0, 1, 0] : !temp
      %zp = stencil.access %t[1, 0, 0] : !temp
      %faces0 = arith.addf %zm, %ym fastmath<reassoc,contract,arcp,afn> : f64
      %faces1 = arith.addf %faces0, %xm fastmath<reassoc,contract,arcp,afn> : f64
      %faces2 = arith.addf %faces1, %xp fastmath<reassoc,contract,arcp,afn> : f64
      %faces3 = arith.addf %faces2, %yp fastmath<reassoc,contract,arcp,afn> : f64
      %faces = arith.addf %faces3, %zp fastmath<reassoc,contract,arcp,afn> : f64
      %zm_ym = stencil.access %t[-1, -1, 0] : !temp
      %zm_xm = stencil.access %t[-1, 0, -1] : !temp
      %zm_xp = stencil.access %t[-1, 0, 1] : !temp
      %zm_yp = stencil.access %t[-1, 1, 0] : !temp
      %ym_xm = stencil.access %t[0, -1, -1] : !temp
      %ym_xp = stencil.access %t[0, -1, 1] : !temp
      %yp_xm = stencil.access %t[0, 1, -1] : !temp
      %yp_xp = stencil.access %t[0, 1, 1] : !temp
      %zp_ym = stencil.access %t[1, -1, 0] : !temp
      %zp_xm = stencil.access %t[1, 0, -1] : !temp
      %zp_xp = stencil.access %t[1, 0, 1] : !temp
      %zp_yp = stencil.access %t[1, 1, 0] : !temp
      %edges0 = arith.addf %zm_ym, %zm_xm fastmath<reassoc,contract,arcp,afn> : f64
      %edges1 = arith.addf %edges0, %zm_xp fastmath<reassoc,contract,arcp,afn> : f64
      %edges2 = arith.addf %edges1, %zm_yp fastmath<reassoc,contract,arcp,afn> : f64
      %edges3 = arith.addf %edges2, %ym_xm fastmath<reassoc,contract,arcp,afn> : f64
      %edges4 = arith.addf %edges3, %ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %edges5 = arith.addf %edges4, %yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %edges6 = arith.addf %edges5, %yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %edges7 = arith.addf %edges6, %zp_ym fastmath<reassoc,contract,arcp,afn> : f64
      %edges8 = arith.addf %edges7, %zp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %edges9 = arith.addf %edges8, %zp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %edges = arith.addf %edges9, %zp_yp fastmath<reassoc,contract,arcp,afn> : f64
      %w_c = arith.constant 2.6659998893737793 : f64  // 2.666f
      %w_faces = arith.constant 0.16599999368190765 : f64  // 0.166f
      %w_edges = arith.constant 0.08330000191926956 : f64  // 0.0833f
      %c = stencil.access %t[0, 0, 0] : !temp
      %p_c = arith.mulf %w_c, %c fastmath<reassoc,contract,arcp,afn> : f64
      %p_faces = arith.mulf %w_faces, %faces fastmath<reassoc,contract,arcp,afn> : f64
      %sum0 = arith.subf %p_c, %p_faces fastmath<reassoc,contract,arcp,afn> : f64
      %p_edges = arith.mulf %w_edges, %edges fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.subf %sum0, %p_edges fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[1, 1, 1], [511, 511, 511]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
