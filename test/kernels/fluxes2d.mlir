// Diffusion through faces: one apply computes the flux through two faces of a cell, another its divergence.
//
// fy = k (u[1,0] - u), fx = k (u[0,1] - u), u' = u + (fy - fy[-1,0]) + (fx - fx[0,-1]), with k a field:
// the finite-volume form, which conserves the sum of u [LeVeque, Finite Volume Methods for Hyperbolic
// Problems, Cambridge 2002, chapter 4]. The fluxes are temporaries of one apply with two results.
// Radius 1 each, 90 x 70 points, f64. 4 and 4 FLOPs per point; each flux is computed at both cells of
// its face by one kernel, or once by a kernel of its own.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s --implicit-check-not='kernel{{ }}'
// RUN: stencilc run %s --on=emulator --verify --seed=1 --plan flux:points=1 | FileCheck %s --check-prefix=TWO
//
// CHECK: kernel    fluxes2d_divergence
// CHECK: 12 FLOP and 25 compulsory bytes
// CHECK: computes flux at 3 offsets (64 -> 25 bytes a point
// CHECK: verified: bit-identical
// TWO: kernel    fluxes2d_flux
// TWO: 4 FLOP
// TWO: kernel    fluxes2d_divergence
// TWO: 4 FLOP
// TWO: verified: bit-identical

!field = !stencil.field<[-2,92]x[-2,72]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @fluxes2d(%u: !field, %k: !field, %v: !field) {
  %values = stencil.load %u : !field -> !temp
  %conductivity = stencil.load %k : !field -> !temp
  %flux_y, %flux_x = stencil.apply(%t = %values : !temp, %c = %conductivity : !temp) -> (!temp, !temp)
      attributes {stencil.stage = "flux"} {
    %here = stencil.access %t[0, 0] : !temp
    %yp = stencil.access %t[1, 0] : !temp
    %xp = stencil.access %t[0, 1] : !temp
    %k_ = stencil.access %c[0, 0] : !temp
    %dy = arith.subf %yp, %here : f64
    %dx = arith.subf %xp, %here : f64
    %fy = arith.mulf %k_, %dy : f64
    %fx = arith.mulf %k_, %dx : f64
    stencil.return %fy, %fx : f64, f64
  }
  %stepped = stencil.apply(%t = %values : !temp, %fy = %flux_y : !temp, %fx = %flux_x : !temp) -> (!temp)
      attributes {stencil.stage = "divergence"} {
    %here = stencil.access %t[0, 0] : !temp
    %yp = stencil.access %fy[0, 0] : !temp
    %ym = stencil.access %fy[-1, 0] : !temp
    %xp = stencil.access %fx[0, 0] : !temp
    %xm = stencil.access %fx[0, -1] : !temp
    %net_y = arith.subf %yp, %ym : f64
    %net_x = arith.subf %xp, %xm : f64
    %with_y = arith.addf %here, %net_y : f64
    %new = arith.addf %with_y, %net_x : f64
    stencil.return %new : f64
  }
  stencil.store %stepped to %v(<[0, 0], [90, 70]>) : !temp to !field
  return
}
