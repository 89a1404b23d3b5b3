// The eighth-order Laplacian in three dimensions: a star of 25 points with constant weights.
//
// u' = u + L(u) / 10, L with weights -1/560, 8/315, -1/5, 8/5, -205/72, 8/5, -1/5, 8/315, -1/560
// along each axis: the operator of seismic codes without the terms in time [Fornberg, Generation of
// Finite Difference Formulas on Arbitrarily Spaced Grids, Mathematics of Computation 1988]. Radius
// 4, 24 x 20 x 28 points, f64, four steps; two fields change places every step. 29 FLOPs per point
// and step.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: verified: bit-identical

!field = !stencil.field<[-4,28]x[-4,24]x[-4,32]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @star25(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%u = %values : !temp) -> (!temp) {
      // Sums of the six cells at each distance, the farthest first.
      %u_zm4 = stencil.access %u[-4, 0, 0] : !temp
      %u_zp4 = stencil.access %u[4, 0, 0] : !temp
      %z4 = arith.addf %u_zm4, %u_zp4 fastmath<reassoc,contract,arcp,afn> : f64
      %u_ym4 = stencil.access %u[0, -4, 0] : !temp
      %u_yp4 = stencil.access %u[0, 4, 0] : !temp
      %y4 = arith.addf %u_ym4, %u_yp4 fastmath<reassoc,contract,arcp,afn> : f64
      %u_xm4 = stencil.access %u[0, 0, -4] : !temp
      %u_xp4 = stencil.access %u[0, 0, 4] : !temp
      %x4 = arith.addf %u_xm4, %u_xp4 fastmath<reassoc,contract,arcp,afn> : f64
      %zy4 = arith.addf %z4, %y4 fastmath<reassoc,contract,arcp,afn> : f64
      %shell4 = arith.addf %zy4, %x4 fastmath<reassoc,contract,arcp,afn> : f64
      %u_zm3 = stencil.access %u[-3, 0, 0] : !temp
      %u_zp3 = stencil.access %u[3, 0, 0] : !temp
      %z3 = arith.addf %u_zm3, %u_zp3 fastmath<reassoc,contract,arcp,afn> : f64
      %u_ym3 = stencil.access %u[0, -3, 0] : !temp
      %u_yp3 = stencil.access %u[0, 3, 0] : !temp
      %y3 = arith.addf %u_ym3, %u_yp3 fastmath<reassoc,contract,arcp,afn> : f64
      %u_xm3 = stencil.access %u[0, 0, -3] : !temp
      %u_xp3 = stencil.access %u[0, 0, 3] : !temp
      %x3 = arith.addf %u_xm3, %u_xp3 fastmath<reassoc,contract,arcp,afn> : f64
      %zy3 = arith.addf %z3, %y3 fastmath<reassoc,contract,arcp,afn> : f64
      %shell3 = arith.addf %zy3, %x3 fastmath<reassoc,contract,arcp,afn> : f64
      %u_zm2 = stencil.access %u[-2, 0, 0] : !temp
      %u_zp2 = stencil.access %u[2, 0, 0] : !temp
      %z2 = arith.addf %u_zm2, %u_zp2 fastmath<reassoc,contract,arcp,afn> : f64
      %u_ym2 = stencil.access %u[0, -2, 0] : !temp
      %u_yp2 = stencil.access %u[0, 2, 0] : !temp
      %y2 = arith.addf %u_ym2, %u_yp2 fastmath<reassoc,contract,arcp,afn> : f64
      %u_xm2 = stencil.access %u[0, 0, -2] : !temp
      %u_xp2 = stencil.access %u[0, 0, 2] : !temp
      %x2 = arith.addf %u_xm2, %u_xp2 fastmath<reassoc,contract,arcp,afn> : f64
      %zy2 = arith.addf %z2, %y2 fastmath<reassoc,contract,arcp,afn> : f64
      %shell2 = arith.addf %zy2, %x2 fastmath<reassoc,contract,arcp,afn> : f64
      %u_zm = stencil.access %u[-1, 0, 0] : !temp
      %u_zp = stencil.access %u[1, 0, 0] : !temp
      %z1 = arith.addf %u_zm, %u_zp fastmath<reassoc,contract,arcp,afn> : f64
      %u_ym = stencil.access %u[0, -1, 0] : !temp
      %u_yp = stencil.access %u[0, 1, 0] : !temp
      %y1 = arith.addf %u_ym, %u_yp fastmath<reassoc,contract,arcp,afn> : f64
      %u_xm = stencil.access %u[0, 0, -1] : !temp
      %u_xp = stencil.access %u[0, 0, 1] : !temp
      %x1 = arith.addf %u_xm, %u_xp fastmath<reassoc,contract,arcp,afn> : f64
      %zy1 = arith.addf %z1, %y1 fastmath<reassoc,contract,arcp,afn> : f64
      %shell1 = arith.addf %zy1, %x1 fastmath<reassoc,contract,arcp,afn> : f64
      %weight4 = arith.constant -0.00017857142857142857 : f64
      %weight3 = arith.constant 0.0025396825396825397 : f64
      %weight2 = arith.constant -0.02 : f64
      %weight1 = arith.constant 0.16 : f64
      %weight0 = arith.constant 0.14583333333333334 : f64
      %term4 = arith.mulf %weight4, %shell4 fastmath<reassoc,contract,arcp,afn> : f64
      %term3 = arith.mulf %weight3, %shell3 fastmath<reassoc,contract,arcp,afn> : f64
      %term2 = arith.mulf %weight2, %shell2 fastmath<reassoc,contract,arcp,afn> : f64
      %term1 = arith.mulf %weight1, %shell1 fastmath<reassoc,contract,arcp,afn> : f64
      %u_c = stencil.access %u[0, 0, 0] : !temp
      %term0 = arith.mulf %weight0, %u_c fastmath<reassoc,contract,arcp,afn> : f64
      %far = arith.addf %term4, %term3 fastmath<reassoc,contract,arcp,afn> : f64
      %near = arith.addf %term2, %term1 fastmath<reassoc,contract,arcp,afn> : f64
      %outer = arith.addf %far, %near fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.addf %outer, %term0 fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0, 0, 0], [24, 20, 28]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
