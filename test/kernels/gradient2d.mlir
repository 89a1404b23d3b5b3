// The direction of steepest ascent in two dimensions, made of unit length: a root and two divisions.
//
// gx = (u[0,1] - u[0,-1]) / 2, gy likewise, n = sqrt(gx^2 + gy^2 + e^2); gx / n and gy / n are two
// fields. It is the first half of total-variation denoising [Rudin, Osher, Fatemi, Nonlinear Total
// Variation Based Noise Removal Algorithms, Physica D 1992]; e = 1/1024 keeps flat places finite.
// Radius 1, 61 x 77 points, f64. 11 FLOPs per point.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
//
// CHECK: 11 FLOP
// CHECK: verified: bit-identical

!field = !stencil.field<[-1,62]x[-1,78]xf64>
!inner = !stencil.field<[0,61]x[0,77]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @gradient2d(%u: !field, %along_y: !inner, %along_x: !inner) {
  %values = stencil.load %u : !field -> !temp
  %dy, %dx = stencil.apply(%t = %values : !temp) -> (!temp, !temp) {
    %ym = stencil.access %t[-1, 0] : !temp
    %yp = stencil.access %t[1, 0] : !temp
    %xm = stencil.access %t[0, -1] : !temp
    %xp = stencil.access %t[0, 1] : !temp
    %half = arith.constant 0.5 : f64
    %y2 = arith.subf %yp, %ym : f64
    %x2 = arith.subf %xp, %xm : f64
    %gy = arith.mulf %y2, %half : f64
    %gx = arith.mulf %x2, %half : f64
    %flat = arith.constant 9.5367431640625e-07 : f64
    %gyy = arith.mulf %gy, %gy : f64
    %gxx = arith.mulf %gx, %gx : f64
    %sum = arith.addf %gyy, %gxx : f64
    %square = arith.addf %sum, %flat : f64
    %norm = math.sqrt %square : f64
    %ny = arith.divf %gy, %norm : f64
    %nx = arith.divf %gx, %norm : f64
    stencil.return %ny, %nx : f64, f64
  }
  stencil.store %dy to %along_y(<[0, 0], [61, 77]>) : !temp to !inner
  stencil.store %dx to %along_x(<[0, 0], [61, 77]>) : !temp to !inner
  return
}
