// Seismic waves in a medium of varying velocity, with absorbing sides and a point source.
//
// w' = (2 u - (1 - d) w + m L(u)) / (1 + d), L the eighth-order Laplacian with weights -1/560,
// 8/315, -1/5, 8/5, -205/72, 8/5, -1/5, 8/315, -1/560 along each axis, m = (v dt / h)^2 and d =
// (damping) dt / 2 two arrays [Fornberg, Generation of Finite Difference Formulas on Arbitrarily
// Spaced Grids, Mathematics of Computation 1988; Sochacki et al., Absorbing Boundary Conditions and
// Surface Waves, Geophysics 1987]. After each step m s[t] is added at the cell of the source, where
// s is a table indexed by the time step. Three fields change places every step, and the new values
// overwrite those of two steps ago. Radius 4, 22 x 20 x 28 points, f64, seven steps. 37 FLOPs per
// point and step.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --plan loop:mapping=block,loop:steps=1,loop:threads=1x8x32,loop:points=1x4x2 | FileCheck %s --check-prefix=SWEPT
// RUN: stencilc run %s --on=emulator --verify --seed=1 --steps=4 | FileCheck %s
// RUN: not stencilc run %s --on=emulator --seed=1 --steps=19 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: computes 'source' at some of its points
// CHECK: verified: bit-identical
// SWEPT: kernel    acoustic_so8_loop:
// SWEPT: verified: bit-identical
// MORE: error: argument 5 'source' has values for 7 time steps from 0 on, and 19 would be made; make fewer, or give it more cells and its access in the program a wider range

!field = !stencil.field<[-4,26]x[-4,24]x[-4,32]xf64>
!wavelet = !stencil.field<[0,7]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @acoustic_so8(%older: !field, %old: !field, %new: !field, %medium: !field,
    %damping: !field, %source: !wavelet) {
  %medium_values = stencil.load %medium : !field -> !temp
  %damping_values = stencil.load %damping : !field -> !temp
  %first = arith.constant 0 : index
  %steps = arith.constant 7 : index
  %one = arith.constant 1 : index
  %end:3 = scf.for %step = %first to %steps step %one
      iter_args(%before = %older, %now = %old, %next = %new) -> (!field, !field, !field) {
    %past = stencil.load %before : !field -> !temp
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%w = %past : !temp, %u = %values : !temp, %m = %medium_values : !temp,
        %d = %damping_values : !temp) -> (!temp) attributes {stencil.stage = "wave"} {
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
      %weight4 = arith.constant -0.0017857142857142857 : f64
      %weight3 = arith.constant 0.025396825396825397 : f64
      %weight2 = arith.constant -0.2 : f64
      %weight1 = arith.constant 1.6 : f64
      %centre = arith.constant -8.541666666666666 : f64
      %term4 = arith.mulf %weight4, %shell4 fastmath<reassoc,contract,arcp,afn> : f64
      %term3 = arith.mulf %weight3, %shell3 fastmath<reassoc,contract,arcp,afn> : f64
      %term2 = arith.mulf %weight2, %shell2 fastmath<reassoc,contract,arcp,afn> : f64
      %term1 = arith.mulf %weight1, %shell1 fastmath<reassoc,contract,arcp,afn> : f64
      %here = stencil.access %u[0, 0, 0] : !temp
      %term0 = arith.mulf %centre, %here fastmath<reassoc,contract,arcp,afn> : f64
      %far = arith.addf %term4, %term3 fastmath<reassoc,contract,arcp,afn> : f64
      %near = arith.addf %term2, %term1 fastmath<reassoc,contract,arcp,afn> : f64
      %outer = arith.addf %far, %near fastmath<reassoc,contract,arcp,afn> : f64
      %laplacian = arith.addf %outer, %term0 fastmath<reassoc,contract,arcp,afn> : f64
      // The damping is zero inside, and grows towards the sides.
      %one = arith.constant 1.0 : f64
      %two = arith.constant 2.0 : f64
      %damping = stencil.access %d[0, 0, 0] : !temp
      %past = stencil.access %w[0, 0, 0] : !temp
      %gained = arith.addf %one, %damping fastmath<reassoc,contract,arcp,afn> : f64
      %lost = arith.subf %one, %damping fastmath<reassoc,contract,arcp,afn> : f64
      %twice = arith.mulf %two, %here fastmath<reassoc,contract,arcp,afn> : f64
      %remembered = arith.mulf %lost, %past fastmath<reassoc,contract,arcp,afn> : f64
      %inertia = arith.subf %twice, %remembered fastmath<reassoc,contract,arcp,afn> : f64
      %velocity = stencil.access %m[0, 0, 0] : !temp
      %force = arith.mulf %velocity, %laplacian fastmath<reassoc,contract,arcp,afn> : f64
      %undamped = arith.addf %inertia, %force fastmath<reassoc,contract,arcp,afn> : f64
      %ahead = arith.divf %undamped, %gained fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %ahead : f64
    }
    stencil.store %stepped to %next(<[0, 0, 0], [22, 20, 28]>) : !temp to !field
    // The source: one cell of the new field.
    %unforced = stencil.load %next : !field -> !temp
    %forced = stencil.apply(%u = %unforced : !temp, %m = %medium_values : !temp,
        %s = %source : !wavelet, %time = %step : index)
        -> (!temp) attributes {stencil.stage = "source"} {
      %amplitude = stencil.dyn_access %s[%time] in <[0]> : <[6]> attributes {absolute} : !wavelet
      %m_c = stencil.access %m[0, 0, 0] : !temp
      %injected = arith.mulf %m_c, %amplitude fastmath<reassoc,contract,arcp,afn> : f64
      %u_c = stencil.access %u[0, 0, 0] : !temp
      %new = arith.addf %u_c, %injected fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %forced to %next(<[3, 5, 7], [4, 6, 8]>) : !temp to !field
    scf.yield %now, %next, %before : !field, !field, !field
  }
  return
}
