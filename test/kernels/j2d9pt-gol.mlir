// A box of nine points, the neighbourhood of the game of life, with integer weights.
//
// u' = the sum of the 3 x 3 neighbours with the weights 7 5 9, 12 15 12, 9 5 7 row by row, divided
// by 118. Benchmark j2d9pt-gol of STENCILGEN [Rawat et al., Domain-Specific Optimization and
// Generation of High-Performance GPU Code for Stencil Computations, Proceedings of the IEEE 2018].
// Radius 1, 8192^2 cells, f64, four steps between two fields that change places; the outermost
// cell keeps its value. FLOPs per point and step: 18 as the paper counts, 18 as written.
//
// DEFINE: %{size} = --extents 29,37
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 17 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,8192]x[0,8192]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @j2d9pt_gol(%u: !field, %v: !field {stencil.scratch}) {
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
      %ym_xm = stencil.access %t[-1, -1] : !temp
      %ym = stencil.access %t[-1, 0] : !temp
      %ym_xp = stencil.access %t[-1, 1] : !temp
      %xm = stencil.access %t[0, -1] : !temp
      %c = stencil.access %t[0, 0] : !temp
      %xp = stencil.access %t[0, 1] : !temp
      %yp_xm = stencil.access %t[1, -1] : !temp
      %yp = stencil.access %t[1, 0] : !temp
      %yp_xp = stencil.access %t[1, 1] : !temp
      %p_ym_xm = arith.mulf %seven, %ym_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym = arith.mulf %five, %ym fastmath<reassoc,contract,arcp,afn> : f64
      %sum0 = arith.addf %p_ym_xm, %p_ym fastmath<reassoc,contract,arcp,afn> : f64
      %p_ym_xp = arith.mulf %nine, %ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %sum0, %p_ym_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_xm = arith.mulf %twelve, %xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum2 = arith.addf %sum1, %p_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_c = arith.mulf %fifteen, %c fastmath<reassoc,contract,arcp,afn> : f64
      %sum3 = arith.addf %sum2, %p_c fastmath<reassoc,contract,arcp,afn> : f64
      %p_xp = arith.mulf %twelve, %xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum4 = arith.addf %sum3, %p_xp fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp_xm = arith.mulf %nine, %yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum5 = arith.addf %sum4, %p_yp_xm fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp = arith.mulf %five, %yp fastmath<reassoc,contract,arcp,afn> : f64
      %sum6 = arith.addf %sum5, %p_yp fastmath<reassoc,contract,arcp,afn> : f64
      %p_yp_xp = arith.mulf %seven, %yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %sum7 = arith.addf %sum6, %p_yp_xp fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.divf %sum7, %divisor fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[1, 1], [8191, 8191]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
