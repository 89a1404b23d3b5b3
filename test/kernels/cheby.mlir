// Chebyshev iteration for a 27-point operator: factors that depend on the time step.
//
// M = ac - h2inv (0.03 corners + 0.1 edges + 0.46 faces - 4.26 ac), the sums over the neighbours
// of ac; new = ac + c1[t] (ac - ap) + c2[t] dinv (rhs - M); then ap is what ac was, and ac is new.
// h2inv = 0.0025. Benchmark cheby of STENCILGEN [Rawat et al., Domain-Specific Optimization and
// Generation of High-Performance GPU Code for Stencil Computations, Proceedings of the IEEE 2018].
// Radius 1, 512^3 cells, f64, four steps between the fields ac and ap, which change places; the
// outermost cell keeps its value. The constants are rounded to single precision first, as in the
// benchmark's text. FLOPs per point and step: 39 as the paper counts, 39 as written.
//
// The result is in ac after the last step, the values before it in ap: both are results. The
// solver chooses c1 and c2; the reference beside these programs says how.
//
// DEFINE: %{size} = --extents 13,11,17
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 41 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,512]x[0,512]x[0,512]xf64>
!temp = !stencil.temp<?x?x?xf64>
!table = !stencil.field<[0,4]xf64>
!factors = !stencil.temp<?xf64>

func.func @cheby(%ac: !field, %ap: !field, %dinv: !field, %rhs: !field, %c1: !table, %c2: !table) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %ac, %past = %ap) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %before_values = stencil.load %past : !field -> !temp
    %inverse = stencil.load %dinv : !field -> !temp
    %right_side = stencil.load %rhs : !field -> !temp
    %factors1 = stencil.load %c1 : !table -> !factors
    %factors2 = stencil.load %c2 : !table -> !factors
    %stepped = stencil.apply(%a = %values : !temp, %p = %before_values : !temp,
        %d = %inverse : !temp, %b = %right_side : !temp, %c1 = %factors1 : !factors,
        %c2 = %factors2 : !factors, %t = %step : index) -> (!temp) {
      %zm = stencil.access %a[-1, 0, 0] : !temp
      %ym = stencil.access %a[0, -1, 0] : !temp
      %xm = stencil.access %a[0, 0, -1] : !temp
      %xp = stencil.access %a[0, 0, 1] : !temp
      %yp = stencil.access %a[0, 1, 0] : !temp
      %zp = stencil.access %a[1, 0, 0] : !temp
      %faces0 = arith.addf %zm, %ym fastmath<reassoc,contract,arcp,afn> : f64
      %faces1 = arith.addf %faces0, %xm fastmath<reassoc,contract,arcp,afn> : f64
      %faces2 = arith.addf %faces1, %xp fastmath<reassoc,contract,arcp,afn> : f64
      %faces3 = arith.addf %faces2, %yp fastmath<reassoc,contract,arcp,afn> : f64
      %faces = arith.addf %faces3, %zp fastmath<reassoc,contract,arcp,afn> : f64
      %zm_ym = stencil.access %a[-1, -1, 0] : !temp
      %zm_xm = stencil.access %a[-1, 0, -1] : !temp
      %zm_xp = stencil.access %a[-1, 0, 1] : !temp
      %zm_yp = stencil.access %a[-1, 1, 0] : !temp
      %ym_xm = stencil.access %a[0, -1, -1] : !temp
      %ym_xp = stencil.access %a[0, -1, 1] : !temp
      %yp_xm = stencil.access %a[0, 1, -1] : !temp
      %yp_xp = stencil.access %a[0, 1, 1] : !temp
      %zp_ym = stencil.access %a[1, -1, 0] : !temp
      %zp_xm = stencil.access %a[1, 0, -1] : !temp
      %zp_xp = stencil.access %a[1, 0, 1] : !temp
      %zp_yp = stencil.access %a[1, 1, 0] : !temp
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
      %zm_ym_xm = stencil.access %a[-1, -1, -1] : !temp
      %zm_ym_xp = stencil.access %a[-1, -1, 1] : !temp
      %zm_yp_xm = stencil.access %a[-1, 1, -1] : !temp
      %zm_yp_xp = stencil.access %a[-1, 1, 1] : !temp
      %zp_ym_xm = stencil.access %a[1, -1, -1] : !temp
      %zp_ym_xp = stencil.access %a[1, -1, 1] : !temp
      %zp_yp_xm = stencil.access %a[1, 1, -1] : !temp
      %zp_yp_xp = stencil.access %a[1, 1, 1] : !temp
      %corners0 = arith.addf %zm_ym_xm, %zm_ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %corners1 = arith.addf %corners0, %zm_yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %corners2 = arith.addf %corners1, %zm_yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %corners3 = arith.addf %corners2, %zp_ym_xm fastmath<reassoc,contract,arcp,afn> : f64
      %corners4 = arith.addf %corners3, %zp_ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %corners5 = arith.addf %corners4, %zp_yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %corners = arith.addf %corners5, %zp_yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %h2inv = arith.constant 0.0024999999441206455 : f64  // 0.0025f
      %w_corners = arith.constant 0.029999999329447746 : f64  // 0.03f
      %w_edges = arith.constant 0.10000000149011612 : f64  // 0.1f
      %w_faces = arith.constant 0.46000000834465027 : f64  // 0.46f
      %w_c = arith.constant 4.260000228881836 : f64  // 4.26f
      %c = stencil.access %a[0, 0, 0] : !temp
      %p_corners = arith.mulf %w_corners, %corners fastmath<reassoc,contract,arcp,afn> : f64
      %p_edges = arith.mulf %w_edges, %edges fastmath<reassoc,contract,arcp,afn> : f64
      %m0 = arith.addf %p_corners, %p_edges fastmath<reassoc,contract,arcp,afn> : f64
      %p_faces = arith.mulf %w_faces, %faces fastmath<reassoc,contract,arcp,afn> : f64
      %m1 = arith.addf %m0, %p_faces fastmath<reassoc,contract,arcp,afn> : f64
      %p_c = arith.mulf %w_c, %c fastmath<reassoc,contract,arcp,afn> : f64
      %m2 = arith.subf %m1, %p_c fastmath<reassoc,contract,arcp,afn> : f64
      %m3 = arith.mulf %h2inv, %m2 fastmath<reassoc,contract,arcp,afn> : f64
      %m = arith.subf %c, %m3 fastmath<reassoc,contract,arcp,afn> : f64
      %c1_t = stencil.dyn_access %c1[%t] in <[0]> : <[3]> attributes {absolute} : !factors
      %before = stencil.access %p[0, 0, 0] : !temp
      %c2_t = stencil.dyn_access %c2[%t] in <[0]> : <[3]> attributes {absolute} : !factors
      %diagonal = stencil.access %d[0, 0, 0] : !temp
      %right = stencil.access %b[0, 0, 0] : !temp
      %change = arith.subf %c, %before fastmath<reassoc,contract,arcp,afn> : f64
      %sum0 = arith.mulf %c1_t, %change fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %c, %sum0 fastmath<reassoc,contract,arcp,afn> : f64
      %sum2 = arith.mulf %c2_t, %diagonal fastmath<reassoc,contract,arcp,afn> : f64
      %sum3 = arith.subf %right, %m fastmath<reassoc,contract,arcp,afn> : f64
      %sum4 = arith.mulf %sum2, %sum3 fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.addf %sum1, %sum4 fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %past(<[1, 1, 1], [511, 511, 511]>) : !temp to !field
    scf.yield %past, %now : !field, !field
  }
  return
}
