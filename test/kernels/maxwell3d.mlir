// Maxwell's equations in a box with perfectly conducting walls: six staggered fields, in place.
//
// E' = E + c curl H with backward differences, then H' = H - c curl E' with forward ones, c = 1/2,
// in units in which permittivity, permeability and light's speed are one [Yee, Numerical Solution
// of Initial Boundary Value Problems Involving Maxwell's Equations in Isotropic Media, IEEE
// Transactions on Antennas and Propagation 1966]. Cell (k, j, i) holds ex at (k, j, i + 1/2), hx at
// (k + 1/2, j + 1/2, i), and so on; the components of E along a wall and of H through it lie on the
// wall and are never stored. Two stages a step, each with three results that are stored on boxes of
// their own. Radius 1, 20 x 24 x 28 cells inside a ring that nothing stores, f64, five steps. 30
// FLOPs per point and step.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: verified: bit-identical

!field = !stencil.field<[-1,21]x[-1,25]x[-1,29]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @maxwell3d(%ex: !field, %ey: !field, %ez: !field, %hx: !field, %hy: !field, %hz: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 5 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    // The electric field from the magnetic one: backward differences, walls left out.
    %ex_at_e = stencil.load %ex : !field -> !temp
    %ey_at_e = stencil.load %ey : !field -> !temp
    %ez_at_e = stencil.load %ez : !field -> !temp
    %hx_at_e = stencil.load %hx : !field -> !temp
    %hy_at_e = stencil.load %hy : !field -> !temp
    %hz_at_e = stencil.load %hz : !field -> !temp
    %ex_stepped, %ey_stepped, %ez_stepped = stencil.apply(%ex = %ex_at_e : !temp,
        %ey = %ey_at_e : !temp, %ez = %ez_at_e : !temp, %hx = %hx_at_e : !temp,
        %hy = %hy_at_e : !temp, %hz = %hz_at_e : !temp)
        -> (!temp, !temp, !temp) attributes {stencil.stage = "electric"} {
      %courant = arith.constant 0.5 : f64
      // Along x.
      %hz_c = stencil.access %hz[0, 0, 0] : !temp
      %hz_ym = stencil.access %hz[0, -1, 0] : !temp
      %ex_first = arith.subf %hz_c, %hz_ym fastmath<reassoc,contract,arcp,afn> : f64
      %hy_c = stencil.access %hy[0, 0, 0] : !temp
      %hy_zm = stencil.access %hy[-1, 0, 0] : !temp
      %ex_second = arith.subf %hy_c, %hy_zm fastmath<reassoc,contract,arcp,afn> : f64
      %ex_curl = arith.subf %ex_first, %ex_second fastmath<reassoc,contract,arcp,afn> : f64
      %ex_change = arith.mulf %courant, %ex_curl fastmath<reassoc,contract,arcp,afn> : f64
      %ex_c = stencil.access %ex[0, 0, 0] : !temp
      %ex_new = arith.addf %ex_c, %ex_change fastmath<reassoc,contract,arcp,afn> : f64
      // Along y.
      %hx_c = stencil.access %hx[0, 0, 0] : !temp
      %hx_zm = stencil.access %hx[-1, 0, 0] : !temp
      %ey_first = arith.subf %hx_c, %hx_zm fastmath<reassoc,contract,arcp,afn> : f64
      %hz_xm = stencil.access %hz[0, 0, -1] : !temp
      %ey_second = arith.subf %hz_c, %hz_xm fastmath<reassoc,contract,arcp,afn> : f64
      %ey_curl = arith.subf %ey_first, %ey_second fastmath<reassoc,contract,arcp,afn> : f64
      %ey_change = arith.mulf %courant, %ey_curl fastmath<reassoc,contract,arcp,afn> : f64
      %ey_c = stencil.access %ey[0, 0, 0] : !temp
      %ey_new = arith.addf %ey_c, %ey_change fastmath<reassoc,contract,arcp,afn> : f64
      // Along z.
      %hy_xm = stencil.access %hy[0, 0, -1] : !temp
      %ez_first = arith.subf %hy_c, %hy_xm fastmath<reassoc,contract,arcp,afn> : f64
      %hx_ym = stencil.access %hx[0, -1, 0] : !temp
      %ez_second = arith.subf %hx_c, %hx_ym fastmath<reassoc,contract,arcp,afn> : f64
      %ez_curl = arith.subf %ez_first, %ez_second fastmath<reassoc,contract,arcp,afn> : f64
      %ez_change = arith.mulf %courant, %ez_curl fastmath<reassoc,contract,arcp,afn> : f64
      %ez_c = stencil.access %ez[0, 0, 0] : !temp
      %ez_new = arith.addf %ez_c, %ez_change fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %ex_new, %ey_new, %ez_new : f64, f64, f64
    }
    stencil.store %ex_stepped to %ex(<[1, 1, 0], [20, 24, 28]>) : !temp to !field
    stencil.store %ey_stepped to %ey(<[1, 0, 1], [20, 24, 28]>) : !temp to !field
    stencil.store %ez_stepped to %ez(<[0, 1, 1], [20, 24, 28]>) : !temp to !field
    // The magnetic field from the new electric one: forward differences.
    %ex_at_h = stencil.load %ex : !field -> !temp
    %ey_at_h = stencil.load %ey : !field -> !temp
    %ez_at_h = stencil.load %ez : !field -> !temp
    %hx_at_h = stencil.load %hx : !field -> !temp
    %hy_at_h = stencil.load %hy : !field -> !temp
    %hz_at_h = stencil.load %hz : !field -> !temp
    %hx_stepped, %hy_stepped, %hz_stepped = stencil.apply(%hx = %hx_at_h : !temp,
        %hy = %hy_at_h : !temp, %hz = %hz_at_h : !temp, %ex = %ex_at_h : !temp,
        %ey = %ey_at_h : !temp, %ez = %ez_at_h : !temp)
        -> (!temp, !temp, !temp) attributes {stencil.stage = "magnetic"} {
      %courant = arith.constant 0.5 : f64
      // Along x.
      %ez_yp = stencil.access %ez[0, 1, 0] : !temp
      %ez_c = stencil.access %ez[0, 0, 0] : !temp
      %hx_first = arith.subf %ez_yp, %ez_c fastmath<reassoc,contract,arcp,afn> : f64
      %ey_zp = stencil.access %ey[1, 0, 0] : !temp
      %ey_c = stencil.access %ey[0, 0, 0] : !temp
      %hx_second = arith.subf %ey_zp, %ey_c fastmath<reassoc,contract,arcp,afn> : f64
      %hx_curl = arith.subf %hx_first, %hx_second fastmath<reassoc,contract,arcp,afn> : f64
      %hx_change = arith.mulf %courant, %hx_curl fastmath<reassoc,contract,arcp,afn> : f64
      %hx_c = stencil.access %hx[0, 0, 0] : !temp
      %hx_new = arith.subf %hx_c, %hx_change fastmath<reassoc,contract,arcp,afn> : f64
      // Along y.
      %ex_zp = stencil.access %ex[1, 0, 0] : !temp
      %ex_c = stencil.access %ex[0, 0, 0] : !temp
      %hy_first = arith.subf %ex_zp, %ex_c fastmath<reassoc,contract,arcp,afn> : f64
      %ez_xp = stencil.access %ez[0, 0, 1] : !temp
      %hy_second = arith.subf %ez_xp, %ez_c fastmath<reassoc,contract,arcp,afn> : f64
      %hy_curl = arith.subf %hy_first, %hy_second fastmath<reassoc,contract,arcp,afn> : f64
      %hy_change = arith.mulf %courant, %hy_curl fastmath<reassoc,contract,arcp,afn> : f64
      %hy_c = stencil.access %hy[0, 0, 0] : !temp
      %hy_new = arith.subf %hy_c, %hy_change fastmath<reassoc,contract,arcp,afn> : f64
      // Along z.
      %ey_xp = stencil.access %ey[0, 0, 1] : !temp
      %hz_first = arith.subf %ey_xp, %ey_c fastmath<reassoc,contract,arcp,afn> : f64
      %ex_yp = stencil.access %ex[0, 1, 0] : !temp
      %hz_second = arith.subf %ex_yp, %ex_c fastmath<reassoc,contract,arcp,afn> : f64
      %hz_curl = arith.subf %hz_first, %hz_second fastmath<reassoc,contract,arcp,afn> : f64
      %hz_change = arith.mulf %courant, %hz_curl fastmath<reassoc,contract,arcp,afn> : f64
      %hz_c = stencil.access %hz[0, 0, 0] : !temp
      %hz_new = arith.subf %hz_c, %hz_change fastmath<reassoc,contract,arcp,afn> : f64
      stencil.return %hx_new, %hy_new, %hz_new : f64, f64, f64
    }
    stencil.store %hx_stepped to %hx(<[0, 0, 1], [20, 24, 28]>) : !temp to !field
    stencil.store %hy_stepped to %hy(<[0, 1, 0], [20, 24, 28]>) : !temp to !field
    stencil.store %hz_stepped to %hz(<[1, 0, 0], [20, 24, 28]>) : !temp to !field
  }
  return
}
