// A weighted blur of an image in half precision, computed in single precision.
//
// u' = sum of the 3 x 3 neighbours times the binomial weights 1 2 1, divided by 16, brightened by a gain
// of each column (a field of one dimension) and mixed with the original where a mask of integers says so
// [Jähne, Digital Image Processing, Springer 2005, chapter 11]. Radius 1, 60 x 100 points, f16, f32 and
// i8 fields. 12 FLOPs per point.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
//
// CHECK: 12 FLOP
// CHECK: verified: bit-identical

!image = !stencil.field<[-1,61]x[-1,101]xf16>
!temp = !stencil.temp<?x?xf16>

func.func @blur2d(%image: !image, %gain: !stencil.field<[0,100]xf32>, %mask: !stencil.field<[0,60]x[0,100]xi8>, %out: !image) {
  %values = stencil.load %image : !image -> !temp
  %gains = stencil.load %gain : !stencil.field<[0,100]xf32> -> !stencil.temp<?xf32>
  %marks = stencil.load %mask : !stencil.field<[0,60]x[0,100]xi8> -> !stencil.temp<?x?xi8>
  %blurred = stencil.apply(%t = %values : !temp, %g = %gains : !stencil.temp<?xf32>, %m = %marks : !stencil.temp<?x?xi8>)
      -> (!temp) {
    %nw16 = stencil.access %t[-1, -1] : !temp
    %n16 = stencil.access %t[-1, 0] : !temp
    %ne16 = stencil.access %t[-1, 1] : !temp
    %w16 = stencil.access %t[0, -1] : !temp
    %c16 = stencil.access %t[0, 0] : !temp
    %e16 = stencil.access %t[0, 1] : !temp
    %sw16 = stencil.access %t[1, -1] : !temp
    %s16 = stencil.access %t[1, 0] : !temp
    %se16 = stencil.access %t[1, 1] : !temp
    %nw = arith.extf %nw16 : f16 to f32
    %n = arith.extf %n16 : f16 to f32
    %ne = arith.extf %ne16 : f16 to f32
    %w = arith.extf %w16 : f16 to f32
    %c = arith.extf %c16 : f16 to f32
    %e = arith.extf %e16 : f16 to f32
    %sw = arith.extf %sw16 : f16 to f32
    %s = arith.extf %s16 : f16 to f32
    %se = arith.extf %se16 : f16 to f32
    %north = arith.addf %nw, %ne : f32
    %south = arith.addf %sw, %se : f32
    %corners = arith.addf %north, %south : f32
    %vertical = arith.addf %n, %s : f32
    %horizontal = arith.addf %w, %e : f32
    %edges = arith.addf %vertical, %horizontal : f32
    %two = arith.constant 2.0 : f32
    %four = arith.constant 4.0 : f32
    %sixteenth = arith.constant 0.0625 : f32
    %edges2 = arith.mulf %edges, %two fastmath<contract> : f32
    %ring = arith.addf %edges2, %corners fastmath<contract> : f32
    %centre = arith.mulf %c, %four fastmath<contract> : f32
    %sum = arith.addf %centre, %ring fastmath<contract> : f32
    %mean = arith.mulf %sum, %sixteenth : f32
    %column = stencil.access %g[_, 0] : !stencil.temp<?xf32>
    %bright = arith.mulf %mean, %column : f32
    %mark = stencil.access %m[0, 0] : !stencil.temp<?x?xi8>
    %zero = arith.constant 0 : i8
    %keep = arith.cmpi slt, %mark, %zero : i8
    %chosen = arith.select %keep, %c, %bright : f32
    %half = arith.truncf %chosen : f32 to f16
    stencil.return %half : f16
  }
  stencil.store %blurred to %out(<[0, 0], [60, 100]>) : !temp to !image
  return
}
