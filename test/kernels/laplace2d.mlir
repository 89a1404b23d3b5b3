// Jacobi's iteration for the Laplace equation in two dimensions: one sweep, single precision.
//
// u' = (u[-1,0] + u[1,0] + u[0,-1] + u[0,1]) / 4, the textbook five-point scheme [LeVeque, Finite
// Difference Methods for Ordinary and Partial Differential Equations, SIAM 2007, chapter 4].
// Radius 1, 120 x 200 points from (-8, 16) on, inside a halo of fixed cells, f32. 4 FLOPs per point.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
//
// CHECK: 4 FLOP and 8 compulsory bytes per point
// CHECK: verified: bit-identical

!field = !stencil.field<[-9,113]x[15,217]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @laplace2d(%u: !field, %v: !field) {
  %values = stencil.load %u : !field -> !temp
  %mean = stencil.apply(%t = %values : !temp) -> (!temp) {
    %ym = stencil.access %t[-1, 0] : !temp
    %yp = stencil.access %t[1, 0] : !temp
    %xm = stencil.access %t[0, -1] : !temp
    %xp = stencil.access %t[0, 1] : !temp
    %y = arith.addf %ym, %yp : f32
    %x = arith.addf %xm, %xp : f32
    %sum = arith.addf %y, %x : f32
    %quarter = arith.constant 0.25 : f32
    %mean = arith.mulf %sum, %quarter : f32
    stencil.return %mean : f32
  }
  stencil.store %mean to %v(<[-8, 16], [112, 216]>) : !temp to !field
  return
}
