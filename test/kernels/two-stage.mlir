// Two stages through temps, three dimensions, f32: differences of u, then a product of both.
//
// First stage: d = u(z+1) - u(z-1) and e = d * u(x+1). Second: v = d(y+1) - d(y-1) + e(x-1), and e
// is stored too, so that one temp is read by an apply and written to a field. Radius 1 per stage,
// 20 x 24 x 36 points. 4 FLOPs per point in all.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// CHECK: verified: bit-identical

!in = !stencil.field<[-2,22]x[-2,26]x[-2,38]xf32>
!out = !stencil.field<[0,20]x[0,24]x[0,36]xf32>
!temp = !stencil.temp<?x?x?xf32>

func.func @two_stage(%u: !in, %v: !out, %w: !out) {
  %values = stencil.load %u : !in -> !temp
  %d, %e = stencil.apply(%t = %values : !temp) -> (!temp, !temp) {
    %zm = stencil.access %t[-1, 0, 0] : !temp
    %zp = stencil.access %t[1, 0, 0] : !temp
    %xp = stencil.access %t[0, 0, 1] : !temp
    %difference = arith.subf %zp, %zm : f32
    %product = arith.mulf %difference, %xp : f32
    stencil.return %difference, %product : f32, f32
  }
  %result = stencil.apply(%first = %d : !temp, %second = %e : !temp) -> (!temp) {
    %ym = stencil.access %first[0, -1, 0] : !temp
    %yp = stencil.access %first[0, 1, 0] : !temp
    %xm = stencil.access %second[0, 0, -1] : !temp
    %difference = arith.subf %yp, %ym : f32
    %sum = arith.addf %difference, %xm : f32
    stencil.return %sum : f32
  }
  stencil.store %result to %v(<[0, 0, 0], [20, 24, 36]>) : !temp to !out
  stencil.store %e to %w(<[0, 0, 0], [20, 24, 36]>) : !temp to !out
  return
}
