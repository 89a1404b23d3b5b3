// Diffusion between an insulated wall and a cooled one: other formulas on strips of the domain.
//
// Inside: u' = u + (sum of the 4 neighbours - 4 u) / 8. In the first row the neighbour outside is u
// itself (a combine of two applies, at row 1); in the last column heat leaves at a rate of its own (an
// apply and a store on a strip one cell wide, as Devito writes boundaries). Ghost cells as in [LeVeque,
// Finite Difference Methods for Ordinary and Partial Differential Equations, SIAM 2007, chapter 2].
// Radius 1, 64 x 64 points, f64, four steps. 6 FLOPs per point inside, 5 and 2 on the strips.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
//
// CHECK: verified: bit-identical

!field = !stencil.field<[0,65]x[-1,65]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @boundary2d(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %wall = stencil.apply(%t = %values : !temp) -> (!temp) attributes {stencil.stage = "wall"} {
      %here = stencil.access %t[0, 0] : !temp
      %yp = stencil.access %t[1, 0] : !temp
      %xm = stencil.access %t[0, -1] : !temp
      %xp = stencil.access %t[0, 1] : !temp
      %x = arith.addf %xm, %xp : f64
      %sum = arith.addf %x, %yp : f64
      %eighth = arith.constant 0.125 : f64
      %five_eighths = arith.constant 0.625 : f64
      %kept = arith.mulf %here, %five_eighths : f64
      %flow = arith.mulf %sum, %eighth fastmath<contract> : f64
      %new = arith.addf %flow, %kept fastmath<contract> : f64
      stencil.return %new : f64
    }
    %inside = stencil.apply(%t = %values : !temp) -> (!temp) attributes {stencil.stage = "inside"} {
      %here = stencil.access %t[0, 0] : !temp
      %ym = stencil.access %t[-1, 0] : !temp
      %yp = stencil.access %t[1, 0] : !temp
      %xm = stencil.access %t[0, -1] : !temp
      %xp = stencil.access %t[0, 1] : !temp
      %y = arith.addf %ym, %yp : f64
      %x = arith.addf %xm, %xp : f64
      %sum = arith.addf %y, %x : f64
      %eighth = arith.constant 0.125 : f64
      %half = arith.constant 0.5 : f64
      %kept = arith.mulf %here, %half : f64
      %flow = arith.mulf %sum, %eighth fastmath<contract> : f64
      %new = arith.addf %flow, %kept fastmath<contract> : f64
      stencil.return %new : f64
    }
    %all = stencil.combine 0 at 1 lower = (%wall : !temp) upper = (%inside : !temp) : !temp
    stencil.store %all to %next(<[0, 0], [64, 63]>) : !temp to !field
    %cooled = stencil.apply(%t = %values : !temp) -> (!temp) attributes {stencil.stage = "cooled"} {
      %here = stencil.access %t[0, 0] : !temp
      %xm = stencil.access %t[0, -1] : !temp
      %rate = arith.constant 0.4375 : f64
      %sum = arith.addf %here, %xm : f64
      %new = arith.mulf %sum, %rate : f64
      stencil.return %new : f64
    }
    stencil.store %cooled to %next(<[0, 63], [64, 64]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
