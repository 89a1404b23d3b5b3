// A curl of a curl in three dimensions: forward, then backward differences.
//
// First stage, with forward differences D: ax = dz Dz(y) - dy Dy(z) + x, ay = dz Dz(x) - dx Dx(z)
// + y, az = dy Dy(x) - dx Dx(y) + z. Second stage: the same of (ax, ay, az) with backward
// differences. Benchmark curl of STENCILGEN [Rawat et al., Domain-Specific Optimization and
// Generation of High-Performance GPU Code for Stencil Computations, Proceedings of the IEEE 2018].
// Two stages of radius 1, 450^3 cells, f64, one step; the outermost cell of the results is not
// written. FLOPs per point: 36 as the paper counts, 36 as written.
//
// The benchmark holds vectors of four components; here each component is an array, and the fourth,
// always zero, is left out. The scales dx, dy, dz are arguments.
//
// DEFINE: %{size} = --extents 13,11,17
// DEFINE: %{scales} = --arg dx=0.5 --arg dy=0.25 --arg dz=0.75
// RUN: stencilc run %s %{size} --on=emulator --verify --seed=1 %{scales} | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %{size} %}
//
// One kernel computes the first stage again at four offsets, instead of storing three fields: 48 bytes
// a point of large fields, instead of 96.
//
// CHECK: 78 FLOP
// CHECK: computes forward at 4 offsets (94 -> 47 bytes a point
// CHECK: verified: bit-identical

!field = !stencil.field<[0,450]x[0,450]x[0,450]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @curl(%x: !field, %y: !field, %z: !field, %cx: !field, %cy: !field, %cz: !field, %dx: f64,
    %dy: f64, %dz: f64) {
  %x_values = stencil.load %x : !field -> !temp
  %y_values = stencil.load %y : !field -> !temp
  %z_values = stencil.load %z : !field -> !temp
  %ax, %ay, %az = stencil.apply(%x = %x_values : !temp, %y = %y_values : !temp,
      %z = %z_values : !temp, %dx = %dx : f64, %dy = %dy : f64, %dz = %dz : f64)
      -> (!temp, !temp, !temp) attributes {stencil.stage = "forward"} {
    // Forward differences.
    %y_zp = stencil.access %y[1, 0, 0] : !temp
    %y_c = stencil.access %y[0, 0, 0] : !temp
    %z_yp = stencil.access %z[0, 1, 0] : !temp
    %z_c = stencil.access %z[0, 0, 0] : !temp
    %x_c = stencil.access %x[0, 0, 0] : !temp
    %dzp_y = arith.subf %y_zp, %y_c fastmath<reassoc,contract,arcp,afn> : f64
    %x0 = arith.mulf %dz, %dzp_y fastmath<reassoc,contract,arcp,afn> : f64
    %dyp_z = arith.subf %z_yp, %z_c fastmath<reassoc,contract,arcp,afn> : f64
    %x1 = arith.mulf %dy, %dyp_z fastmath<reassoc,contract,arcp,afn> : f64
    %x2 = arith.subf %x0, %x1 fastmath<reassoc,contract,arcp,afn> : f64
    %new_x = arith.addf %x2, %x_c fastmath<reassoc,contract,arcp,afn> : f64
    %x_zp = stencil.access %x[1, 0, 0] : !temp
    %z_xp = stencil.access %z[0, 0, 1] : !temp
    %dzp_x = arith.subf %x_zp, %x_c fastmath<reassoc,contract,arcp,afn> : f64
    %y0 = arith.mulf %dz, %dzp_x fastmath<reassoc,contract,arcp,afn> : f64
    %dxp_z = arith.subf %z_xp, %z_c fastmath<reassoc,contract,arcp,afn> : f64
    %y1 = arith.mulf %dx, %dxp_z fastmath<reassoc,contract,arcp,afn> : f64
    %y2 = arith.subf %y0, %y1 fastmath<reassoc,contract,arcp,afn> : f64
    %new_y = arith.addf %y2, %y_c fastmath<reassoc,contract,arcp,afn> : f64
    %x_yp = stencil.access %x[0, 1, 0] : !temp
    %y_xp = stencil.access %y[0, 0, 1] : !temp
    %dyp_x = arith.subf %x_yp, %x_c fastmath<reassoc,contract,arcp,afn> : f64
    %z0 = arith.mulf %dy, %dyp_x fastmath<reassoc,contract,arcp,afn> : f64
    %dxp_y = arith.subf %y_xp, %y_c fastmath<reassoc,contract,arcp,afn> : f64
    %z1 = arith.mulf %dx, %dxp_y fastmath<reassoc,contract,arcp,afn> : f64
    %z2 = arith.subf %z0, %z1 fastmath<reassoc,contract,arcp,afn> : f64
    %new_z = arith.addf %z2, %z_c fastmath<reassoc,contract,arcp,afn> : f64
    stencil.return %new_x, %new_y, %new_z : f64, f64, f64
  }
  %x_curl, %y_curl, %z_curl = stencil.apply(%ax = %ax : !temp, %ay = %ay : !temp,
      %az = %az : !temp, %dx = %dx : f64, %dy = %dy : f64, %dz = %dz : f64)
      -> (!temp, !temp, !temp) attributes {stencil.stage = "backward"} {
    // Backward differences.
    %ay_c = stencil.access %ay[0, 0, 0] : !temp
    %ay_zm = stencil.access %ay[-1, 0, 0] : !temp
    %az_c = stencil.access %az[0, 0, 0] : !temp
    %az_ym = stencil.access %az[0, -1, 0] : !temp
    %ax_c = stencil.access %ax[0, 0, 0] : !temp
    %dzm_ay = arith.subf %ay_c, %ay_zm fastmath<reassoc,contract,arcp,afn> : f64
    %x0 = arith.mulf %dz, %dzm_ay fastmath<reassoc,contract,arcp,afn> : f64
    %dym_az = arith.subf %az_c, %az_ym fastmath<reassoc,contract,arcp,afn> : f64
    %x1 = arith.mulf %dy, %dym_az fastmath<reassoc,contract,arcp,afn> : f64
    %x2 = arith.subf %x0, %x1 fastmath<reassoc,contract,arcp,afn> : f64
    %new_x = arith.addf %x2, %ax_c fastmath<reassoc,contract,arcp,afn> : f64
    %ax_zm = stencil.access %ax[-1, 0, 0] : !temp
    %az_xm = stencil.access %az[0, 0, -1] : !temp
    %dzm_ax = arith.subf %ax_c, %ax_zm fastmath<reassoc,contract,arcp,afn> : f64
    %y0 = arith.mulf %dz, %dzm_ax fastmath<reassoc,contract,arcp,afn> : f64
    %dxm_az = arith.subf %az_c, %az_xm fastmath<reassoc,contract,arcp,afn> : f64
    %y1 = arith.mulf %dx, %dxm_az fastmath<reassoc,contract,arcp,afn> : f64
    %y2 = arith.subf %y0, %y1 fastmath<reassoc,contract,arcp,afn> : f64
    %new_y = arith.addf %y2, %ay_c fastmath<reassoc,contract,arcp,afn> : f64
    %ax_ym = stencil.access %ax[0, -1, 0] : !temp
    %ay_xm = stencil.access %ay[0, 0, -1] : !temp
    %dym_ax = arith.subf %ax_c, %ax_ym fastmath<reassoc,contract,arcp,afn> : f64
    %z0 = arith.mulf %dy, %dym_ax fastmath<reassoc,contract,arcp,afn> : f64
    %dxm_ay = arith.subf %ay_c, %ay_xm fastmath<reassoc,contract,arcp,afn> : f64
    %z1 = arith.mulf %dx, %dxm_ay fastmath<reassoc,contract,arcp,afn> : f64
    %z2 = arith.subf %z0, %z1 fastmath<reassoc,contract,arcp,afn> : f64
    %new_z = arith.addf %z2, %az_c fastmath<reassoc,contract,arcp,afn> : f64
    stencil.return %new_x, %new_y, %new_z : f64, f64, f64
  }
  stencil.store %x_curl to %cx(<[1, 1, 1], [449, 449, 449]>) : !temp to !field
  stencil.store %y_curl to %cy(<[1, 1, 1], [449, 449, 449]>) : !temp to !field
  stencil.store %z_curl to %cz(<[1, 1, 1], [449, 449, 449]>) : !temp to !field
  return
}
