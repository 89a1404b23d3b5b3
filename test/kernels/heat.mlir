// The heat equation in three dimensions, explicit Euler steps, axis by axis.
//
// u' = u + 0.125 times the sum over the axes of (u+ - 2 u + u-). Benchmark heat of STENCILGEN
// [Rawat et al., Domain-Specific Optimization and Generation of High-Performance GPU Code for
// Stencil Computations, Proceedings of the IEEE 2018]. Radius 1, 512^3 cells, f64, four steps
// between two fields that change places; the outermost cell keeps its value. FLOPs per point and
// step: 15 as the paper counts, 15 as written, 13 with equal operations counted once.
//
// DEFINE: %{size} = --extents 13,11,17
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// CHECK: 13 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[0,512]x[0,512]x[0,512]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @heat(%u: !field, %v: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %eighth = arith.constant 0.125 : f64
      %two = arith.constant 2.0 : f64
      %zp = stencil.access %t[1, 0, 0] : !temp
      %c = stencil.access %t[0, 0, 0] : !temp
      %zm = stencil.access %t[-1, 0, 0] : !temp
      %yp = stencil.access %t[0, 1, 0] : !temp
      %ym = stencil.access %t[0, -1, 0] : !temp
      %xp = stencil.access %t[0, 0, 1] : !temp
      %xm = stencil.access %t[0, 0, -1] : !temp
      %p_c = arith.mulf %two, %c fastmath<reassoc,contract,arcp,afn> : f64
      %sum0 = arith.subf %zp, %p_c fastmath<reassoc,contract,arcp,afn> : f64
      %sum1 = arith.addf %sum0, %zm fastmath<reassoc,contract,arcp,afn> : f64
      %sum2 = arith.mulf %eighth, %sum1 fastmath<reassoc,contract,arcp,afn> : f64
      %p_c_2 = arith.mulf %two, %c fastmath<reassoc,contract,arcp,afn> : f64
      %sum3 = arith.subf %yp, %p_c_2 fastmath<reassoc,contract,arcp,afn> : f64
      %sum4 = arith.addf %sum3, %ym fastmath<reassoc,contract,arcp,afn> : f64
      %sum5 = arith.mulf %eighth, %sum4 fastmath<reassoc,contract,arcp,afn> : f64
      %sum6 = arith.addf %sum2, %sum5 fastmath<reassoc,contract,arcp,afn> : f64
      %p_c_3 = arith.mulf %two, %c fastmath<reassoc,contract,arcp,afn> : f64
      %sum7 = arith.subf %xp, %p_c_3 fastmath<reassoc,contract,arcp,afn> : f64
      %sum8 = arith.addf %sum7, %xm fastmath<reassoc,contract,arcp,afn> : f64
      %sum9 = arith.mulf %eighth, %sum8 fastmath<reassoc,contract,arcp,afn> : f64
      %sum10 = arith.addf %sum6, %sum9 fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.addf %sum10, %c fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[1, 1, 1], [511, 511, 511]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
