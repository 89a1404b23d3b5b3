// The Cahn-Hilliard equation with fixed sides: a mixture separates into its two phases.
//
// u' = u + r L(mu), mu = u^3 - u - k L(u), L the sum of the four neighbours less four times the
// centre, r = dt / h^2 = 0.02, k = 1/2: fourth order, by two Laplacians with a cubic term between
// them [Cahn, Hilliard, Free Energy of a Nonuniform System, Journal of Chemical Physics 1958]. The
// two rows of cells outside each side hold what u is there, and are never stored; two fields change
// places every step. Two stages of radius 1, 46 x 52 points, f64, six steps. 17 FLOPs per point and
// step.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: verified: bit-identical

!field = !stencil.field<[-2,48]x[-2,54]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @cahn_hilliard2d_fixed(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 6 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %mu = stencil.apply(%u = %values : !temp) -> (!temp) attributes {stencil.stage = "potential"} {
      %u_ym = stencil.access %u[-1, 0] : !temp
      %u_yp = stencil.access %u[1, 0] : !temp
      %y = arith.addf %u_ym, %u_yp fastmath<reassoc,contract,arcp,afn> : f64
      %u_xm = stencil.access %u[0, -1] : !temp
      %u_xp = stencil.access %u[0, 1] : !temp
      %x = arith.addf %u_xm, %u_xp fastmath<reassoc,contract,arcp,afn> : f64
      %around = arith.addf %y, %x fastmath<reassoc,contract,arcp,afn> : f64
      %here = stencil.access %u[0, 0] : !temp
      %four = arith.constant 4.0 : f64
      %centre = arith.mulf %four, %here fastmath<reassoc,contract,arcp,afn> : f64
      %laplacian = arith.subf %around, %centre fastmath<reassoc,contract,arcp,afn> : f64
      // The derivative of the double well (u^2 - 1)^2 / 4, less the tension of the interface.
      %one = arith.constant 1.0 : f64
      %tension = arith.constant 0.5 : f64
      %squared = arith.mulf %here, %here fastmath<reassoc,contract,arcp,afn> : f64
      %well = arith.subf %squared, %one fastmath<reassoc,contract,arcp,afn> : f64
      %cubic = arith.mulf %well, %here fastmath<reassoc,contract,arcp,afn> : f64
      %bent = arith.mulf %tension, %laplacian fastmath<reassoc,contract,arcp,afn> : f64
      %potential = arith.subf %cubic, %bent fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %potential : f64
    }
    %stepped = stencil.apply(%w = %values : !temp, %mu = %mu : !temp) -> (!temp)
        attributes {stencil.stage = "step"} {
      %mu_ym = stencil.access %mu[-1, 0] : !temp
      %mu_yp = stencil.access %mu[1, 0] : !temp
      %y = arith.addf %mu_ym, %mu_yp fastmath<reassoc,contract,arcp,afn> : f64
      %mu_xm = stencil.access %mu[0, -1] : !temp
      %mu_xp = stencil.access %mu[0, 1] : !temp
      %x = arith.addf %mu_xm, %mu_xp fastmath<reassoc,contract,arcp,afn> : f64
      %around = arith.addf %y, %x fastmath<reassoc,contract,arcp,afn> : f64
      %here = stencil.access %mu[0, 0] : !temp
      %four = arith.constant 4.0 : f64
      %centre = arith.mulf %four, %here fastmath<reassoc,contract,arcp,afn> : f64
      %laplacian = arith.subf %around, %centre fastmath<reassoc,contract,arcp,afn> : f64
      %rate = arith.constant 0.02 : f64
      %flow = arith.mulf %rate, %laplacian fastmath<reassoc,contract,arcp,afn> : f64
      %w_c = stencil.access %w[0, 0] : !temp
      %new = arith.addf %w_c, %flow fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0, 0], [46, 52]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
