// Horizontal diffusion of a weather model: a Laplacian, fluxes that are limited to go down the gradient, an update.
//
// l = u[-1] + u[1] + u[,-1] + u[,1] - 4 u, fx = l[1] - l, 0 where fx (u[1] - u) > 0, fy alike along
// the other axis, u' = u - c (fx - fx[-1] + fy - fy[,-1]) with a field of coefficients c: monotone
// fourth-order diffusion [Xue, High-Order Monotonic Numerical Diffusion and Smoothing, Monthly
// Weather Review 2000]. Radius 2, 45 x 41 x 13 points, f64.
//
// Four applies in a row would move 100 bytes a point; as one kernel they move 26.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s --implicit-check-not='kernel{{ }}'
//
// CHECK: kernel    horizontal_diffusion_update
// CHECK: 26 compulsory bytes
// CHECK: computes fly at 2 offsets ({{.*}}), flx at 2 offsets ({{.*}}), lap at 5 offsets (100 -> 69
// CHECK: verified: bit-identical

!field = !stencil.field<[-2,47]x[-2,43]x[0,13]xf64>
!temp = !stencil.temp<?x?x?xf64>
func.func @horizontal_diffusion(%in: !field, %coeff: !field, %out: !field) {
  %u = stencil.load %in : !field -> !temp
  %c = stencil.load %coeff : !field -> !temp
  %lap = stencil.apply(%x = %u : !temp) -> (!temp) attributes {stencil.stage = "lap"} {
    %four = arith.constant -4.0 : f64
    %w = stencil.access %x[-1, 0, 0] : !temp
    %e = stencil.access %x[1, 0, 0] : !temp
    %s = stencil.access %x[0, -1, 0] : !temp
    %n = stencil.access %x[0, 1, 0] : !temp
    %m = stencil.access %x[0, 0, 0] : !temp
    %a = arith.addf %w, %e : f64
    %b = arith.addf %s, %n : f64
    %d = arith.addf %a, %b : f64
    %f = arith.mulf %four, %m : f64
    %r = arith.addf %d, %f : f64
    stencil.return %r : f64
  }
  %flx = stencil.apply(%l = %lap : !temp, %x = %u : !temp) -> (!temp) attributes {stencil.stage = "flx"} {
    %zero = arith.constant 0.0 : f64
    %l0 = stencil.access %l[0, 0, 0] : !temp
    %l1 = stencil.access %l[1, 0, 0] : !temp
    %u0 = stencil.access %x[0, 0, 0] : !temp
    %u1 = stencil.access %x[1, 0, 0] : !temp
    %d = arith.subf %l1, %l0 : f64
    %g = arith.subf %u1, %u0 : f64
    %p = arith.mulf %d, %g : f64
    %q = arith.cmpf ogt, %p, %zero : f64
    %r = arith.select %q, %zero, %d : f64
    stencil.return %r : f64
  }
  %fly = stencil.apply(%l = %lap : !temp, %x = %u : !temp) -> (!temp) attributes {stencil.stage = "fly"} {
    %zero = arith.constant 0.0 : f64
    %l0 = stencil.access %l[0, 0, 0] : !temp
    %l1 = stencil.access %l[0, 1, 0] : !temp
    %u0 = stencil.access %x[0, 0, 0] : !temp
    %u1 = stencil.access %x[0, 1, 0] : !temp
    %d = arith.subf %l1, %l0 : f64
    %g = arith.subf %u1, %u0 : f64
    %p = arith.mulf %d, %g : f64
    %q = arith.cmpf ogt, %p, %zero : f64
    %r = arith.select %q, %zero, %d : f64
    stencil.return %r : f64
  }
  %res = stencil.apply(%x = %u : !temp, %fx = %flx : !temp, %fy = %fly : !temp, %k = %c : !temp) -> (!temp) attributes {stencil.stage = "update"} {
    %u0 = stencil.access %x[0, 0, 0] : !temp
    %c0 = stencil.access %k[0, 0, 0] : !temp
    %x0 = stencil.access %fx[0, 0, 0] : !temp
    %x1 = stencil.access %fx[-1, 0, 0] : !temp
    %y0 = stencil.access %fy[0, 0, 0] : !temp
    %y1 = stencil.access %fy[0, -1, 0] : !temp
    %a = arith.subf %x0, %x1 : f64
    %b = arith.subf %y0, %y1 : f64
    %s = arith.addf %a, %b : f64
    %t = arith.mulf %c0, %s : f64
    %r = arith.subf %u0, %t : f64
    stencil.return %r : f64
  }
  stencil.store %res to %out(<[0, 0, 0], [45, 41, 13]>) : !temp to !field
  return
}
