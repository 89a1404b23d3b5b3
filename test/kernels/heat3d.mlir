// The heat equation in three dimensions, explicit Euler steps: an example to start from.
//
// u' = u + a * (sum of the 6 face neighbours - 6 u), a = 1/8, as in the seven-point kernel "heat" of
// the STENCILGEN benchmarks. Radius 1, 64^3 points inside a halo of fixed cells, f64; two fields
// change places every step. 8 FLOPs per point.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: stencil-opt %s | stencil-opt | FileCheck %s --check-prefix=TEXT
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: verified: bit-identical
// TEXT-LABEL: func.func @heat3d

!field = !stencil.field<[-1,65]x[-1,65]x[-1,65]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @heat3d(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 6 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %c = stencil.access %t[0, 0, 0] : !temp
      %zm = stencil.access %t[-1, 0, 0] : !temp
      %zp = stencil.access %t[1, 0, 0] : !temp
      %ym = stencil.access %t[0, -1, 0] : !temp
      %yp = stencil.access %t[0, 1, 0] : !temp
      %xm = stencil.access %t[0, 0, -1] : !temp
      %xp = stencil.access %t[0, 0, 1] : !temp
      %z = arith.addf %zm, %zp : f64
      %y = arith.addf %ym, %yp : f64
      %x = arith.addf %xm, %xp : f64
      %zy = arith.addf %z, %y : f64
      %faces = arith.addf %zy, %x : f64
      // The products may be fused with the sums that use them.
      %quarter = arith.constant 0.25 : f64
      %eighth = arith.constant 0.125 : f64
      %kept = arith.mulf %c, %quarter fastmath<contract> : f64
      %flow = arith.mulf %faces, %eighth fastmath<contract> : f64
      %new = arith.addf %kept, %flow fastmath<contract> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0, 0, 0], [64, 64, 64]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
