// The heat equation inside insulated walls: ghost cells mirror the cells next to them.
//
// u' = u + a * (sum of the 6 face neighbours - 6 u), a = 1/8, as in heat3d; before each step the
// ghost cells outside each wall take the value of the cell inside it, so that nothing flows
// through [LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations,
// SIAM 2007, chapter 2]. Radius 1, 24 x 20 x 28 points, f64, four steps; two fields change places
// every step. 8 FLOPs per point and step.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --plan loop:mapping=block,loop:steps=1,loop:threads=1x2x32,loop:points=1x2x1 | FileCheck %s --check-prefix=SWEPT
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: verified: bit-identical
// SWEPT: kernel    heat3d_mirrored_loop:
// SWEPT: verified: bit-identical

!field = !stencil.field<[-1,25]x[-1,21]x[-1,29]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @heat3d_mirrored(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    // The walls along z; their planes include the ghost cells filled before.
    %for_z_low = stencil.load %now : !field -> !temp
    %z_low = stencil.apply(%t = %for_z_low : !temp) -> (!temp)
        attributes {stencil.stage = "z_low"} {
      %inside = stencil.access %t[1, 0, 0] : !temp
      stencil.return %inside : f64
    }
    stencil.store %z_low to %now(<[-1, -1, -1], [0, 21, 29]>) : !temp to !field
    %for_z_high = stencil.load %now : !field -> !temp
    %z_high = stencil.apply(%t = %for_z_high : !temp) -> (!temp)
        attributes {stencil.stage = "z_high"} {
      %inside = stencil.access %t[-1, 0, 0] : !temp
      stencil.return %inside : f64
    }
    stencil.store %z_high to %now(<[24, -1, -1], [25, 21, 29]>) : !temp to !field
    // The walls along y; their planes include the ghost cells filled before.
    %for_y_low = stencil.load %now : !field -> !temp
    %y_low = stencil.apply(%t = %for_y_low : !temp) -> (!temp)
        attributes {stencil.stage = "y_low"} {
      %inside = stencil.access %t[0, 1, 0] : !temp
      stencil.return %inside : f64
    }
    stencil.store %y_low to %now(<[-1, -1, -1], [25, 0, 29]>) : !temp to !field
    %for_y_high = stencil.load %now : !field -> !temp
    %y_high = stencil.apply(%t = %for_y_high : !temp) -> (!temp)
        attributes {stencil.stage = "y_high"} {
      %inside = stencil.access %t[0, -1, 0] : !temp
      stencil.return %inside : f64
    }
    stencil.store %y_high to %now(<[-1, 20, -1], [25, 21, 29]>) : !temp to !field
    // The walls along x; their planes include the ghost cells filled before.
    %for_x_low = stencil.load %now : !field -> !temp
    %x_low = stencil.apply(%t = %for_x_low : !temp) -> (!temp)
        attributes {stencil.stage = "x_low"} {
      %inside = stencil.access %t[0, 0, 1] : !temp
      stencil.return %inside : f64
    }
    stencil.store %x_low to %now(<[-1, -1, -1], [25, 21, 0]>) : !temp to !field
    %for_x_high = stencil.load %now : !field -> !temp
    %x_high = stencil.apply(%t = %for_x_high : !temp) -> (!temp)
        attributes {stencil.stage = "x_high"} {
      %inside = stencil.access %t[0, 0, -1] : !temp
      stencil.return %inside : f64
    }
    stencil.store %x_high to %now(<[-1, -1, 28], [25, 21, 29]>) : !temp to !field
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) attributes {stencil.stage = "step"} {
      %c = stencil.access %t[0, 0, 0] : !temp
      %zm = stencil.access %t[-1, 0, 0] : !temp
      %zp = stencil.access %t[1, 0, 0] : !temp
      %ym = stencil.access %t[0, -1, 0] : !temp
      %yp = stencil.access %t[0, 1, 0] : !temp
      %xm = stencil.access %t[0, 0, -1] : !temp
      %xp = stencil.access %t[0, 0, 1] : !temp
      %z = arith.addf %zm, %zp fastmath<reassoc,contract,arcp,afn> : f64
      %y = arith.addf %ym, %yp fastmath<reassoc,contract,arcp,afn> : f64
      %x = arith.addf %xm, %xp fastmath<reassoc,contract,arcp,afn> : f64
      %zy = arith.addf %z, %y fastmath<reassoc,contract,arcp,afn> : f64
      %faces = arith.addf %zy, %x fastmath<reassoc,contract,arcp,afn> : f64
      %quarter = arith.constant 0.25 : f64
      %eighth = arith.constant 0.125 : f64
      %kept = arith.mulf %quarter, %c fastmath<reassoc,contract,arcp,afn> : f64
      %flow = arith.mulf %eighth, %faces fastmath<reassoc,contract,arcp,afn> : f64
      %new = arith.addf %kept, %flow fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0, 0, 0], [24, 20, 28]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
