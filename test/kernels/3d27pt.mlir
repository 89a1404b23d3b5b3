// A box of twenty-seven points, three dimensions, four weights.
//
// out = 0.125 in + 1.14 times the 6 face neighbours + 1.031 times the 12 edge neighbours + 0.75
// times the 8 corner neighbours. Kernel 3d27pt of the statement-reordering framework [Rawat et
// al., Register Optimizations for Stencils on GPUs, PPoPP 2018]. Radius 1, 512^3 points in arrays
// of 514^3, f64, one step; the outermost cell of the result is not written. FLOPs per point: 30 as
// the paper counts, 30 as written.
//
// DEFINE: %{size} = --extents 13,11,17
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 35 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,514]x[0,514]x[0,514]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @box_3d27pt(%in: !field, %out: !field) {
  %values = stencil.load %in : !field -> !temp
  %result = stencil.apply(%t = %values : !temp) -> (!temp) {
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
    %zm_ym_xm = stencil.access %t[-1, -1, -1] : !temp
    %zm_ym_xp = stencil.access %t[-1, -1, 1] : !temp
    %zm_yp_xm = stencil.access %t[-1, 1, -1] : !temp
    %zm_yp_xp = stencil.access %t[-1, 1, 1] : !temp
    %zp_ym_xm = stencil.access %t[1, -1, -1] : !temp
    %zp_ym_xp = stencil.access %t[1, -1, 1] : !temp
    %zp_yp_xm = stencil.access %t[1, 1, -1] : !temp
    %zp_yp_xp = stencil.access %t[1, 1, 1] : !temp
    %corners0 = arith.addf %zm_ym_xm, %zm_ym_xp fastmath<reassoc,contract,arcp,afn> : f64
    %corners1 = arith.addf %corners0, %zm_yp_xm fastmath<reassoc,contract,arcp,afn> : f64
    %corners2 = arith.addf %corners1, %zm_yp_xp fastmath<reassoc,contract,arcp,afn> : f64
    %corners3 = arith.addf %corners2, %zp_ym_xm fastmath<reassoc,contract,arcp,afn> : f64
    %corners4 = arith.addf %corners3, %zp_ym_xp fastmath<reassoc,contract,arcp,afn> : f64
    %corners5 = arith.addf %corners4, %zp_yp_xm fastmath<reassoc,contract,arcp,afn> : f64
    %corners = arith.addf %corners5, %zp_yp_xp fastmath<reassoc,contract,arcp,afn> : f64
    %w_c = arith.constant 0.125 : f64
    %w_faces = arith.constant 1.14 : f64
    %w_edges = arith.constant 1.031 : f64
    %w_corners = arith.constant 0.75 : f64
    %c = stencil.access %t[0, 0, 0] : !temp
    %p_c = arith.mulf %w_c, %c fastmath<reassoc,contract,arcp,afn> : f64
    %p_faces = arith.mulf %w_faces, %faces fastmath<reassoc,contract,arcp,afn> : f64
    %sum0 = arith.addf %p_c, %p_faces fastmath<reassoc,contract,arcp,afn> : f64
    %p_edges = arith.mulf %w_edges, %edges fastmath<reassoc,contract,arcp,afn> : f64
    %sum1 = arith.addf %sum0, %p_edges fastmath<reassoc,contract,arcp,afn> : f64
    %p_corners = arith.mulf %w_corners, %corners fastmath<reassoc,contract,arcp,afn> : f64
    %new = arith.addf %sum1, %p_corners fastmath<reassoc,contract,arcp,afn> : f64
    stencil.return %new : f64
  }
  stencil.store %result to %out(<[1, 1, 1], [513, 513, 513]>) : !temp to !field
  return
}
