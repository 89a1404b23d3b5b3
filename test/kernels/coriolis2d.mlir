// The Coriolis force on a staggered grid: both components of a wind, each from the mean of the other around it.
//
// du = f[i] (v + v[0,1] + v[-1,0] + v[-1,1]) / 4 at the faces of u, dv = -f[i] (u + u[0,-1] + u[1,0]
// + u[1,-1]) / 4 at those of v, with f by latitude: Arakawa's C grid [Arakawa and Lamb, Methods of
// Computational Physics 17, 1977]. Two applies that read the same fields and write one each.
// Radius 1, 61 x 83 points, f32.
//
// Two kernels would move 25 bytes a point; as one kernel they move 17.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s --implicit-check-not='kernel{{ }}'
//
// CHECK: kernel    coriolis_zonal_meridional
// CHECK: computes 'zonal' and 'meridional' together (25 -> 17 bytes a point)
// CHECK: verified: bit-identical

!field = !stencil.field<[-1,62]x[-1,84]xf32>
!line = !stencil.field<[-1,62]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @coriolis(%u: !field, %v: !field, %f: !line, %du: !field, %dv: !field) {
  %tu = stencil.load %u : !field -> !temp
  %tv = stencil.load %v : !field -> !temp
  %tf = stencil.load %f : !line -> !stencil.temp<?xf32>
  %zonal = stencil.apply(%x = %tu : !temp, %y = %tv : !temp, %c = %tf : !stencil.temp<?xf32>) -> (!temp)
      attributes {stencil.stage = "zonal"} {
    %quarter = arith.constant 2.5e-1 : f32
    %v0 = stencil.access %y[0, 0] : !temp
    %v1 = stencil.access %y[0, 1] : !temp
    %v2 = stencil.access %y[-1, 0] : !temp
    %v3 = stencil.access %y[-1, 1] : !temp
    %here = stencil.access %x[0, 0] : !temp
    %f0 = stencil.access %c[0, _] : !stencil.temp<?xf32>
    %s = arith.addf %v0, %v1 : f32
    %t = arith.addf %v2, %v3 : f32
    %sum = arith.addf %s, %t : f32
    %mean = arith.mulf %quarter, %sum : f32
    %force = arith.mulf %f0, %mean : f32
    %new = arith.addf %here, %force : f32
    stencil.return %new : f32
  }
  stencil.store %zonal to %du(<[0, 0], [61, 83]>) : !temp to !field
  %meridional = stencil.apply(%x = %tu : !temp, %y = %tv : !temp, %c = %tf : !stencil.temp<?xf32>) -> (!temp)
      attributes {stencil.stage = "meridional"} {
    %quarter = arith.constant 2.5e-1 : f32
    %u0 = stencil.access %x[0, 0] : !temp
    %u1 = stencil.access %x[0, -1] : !temp
    %u2 = stencil.access %x[1, 0] : !temp
    %u3 = stencil.access %x[1, -1] : !temp
    %here = stencil.access %y[0, 0] : !temp
    %f0 = stencil.access %c[0, _] : !stencil.temp<?xf32>
    %s = arith.addf %u0, %u1 : f32
    %t = arith.addf %u2, %u3 : f32
    %sum = arith.addf %s, %t : f32
    %mean = arith.mulf %quarter, %sum : f32
    %force = arith.mulf %f0, %mean : f32
    %new = arith.subf %here, %force : f32
    stencil.return %new : f32
  }
  stencil.store %meridional to %dv(<[0, 0], [61, 83]>) : !temp to !field
  return
}
