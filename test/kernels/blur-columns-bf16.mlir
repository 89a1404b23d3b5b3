// A separable blur of an image in half precision, with sums in f32 and a low-rank weight per column.
//
// v = g(x) * (u(y-1) + 2 u(y) + u(y+1)) / 4, from f16 to bf16; the weight g lies in a 1-D field.
// Radius 1 along y, 45 x 70 pixels. 5 FLOPs per point as written.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// CHECK: verified: bit-identical

!in = !stencil.field<[-1,46]x[0,70]xf16>
!out = !stencil.field<[0,45]x[0,70]xbf16>

func.func @blur_columns(%u: !in, %g: !stencil.field<[0,70]xf32>, %v: !out) {
  %values = stencil.load %u : !in -> !stencil.temp<?x?xf16>
  %weights = stencil.load %g : !stencil.field<[0,70]xf32> -> !stencil.temp<?xf32>
  %result = stencil.apply(%t = %values : !stencil.temp<?x?xf16>, %w = %weights : !stencil.temp<?xf32>)
      -> (!stencil.temp<?x?xbf16>) {
    %up16 = stencil.access %t[-1, 0] : !stencil.temp<?x?xf16>
    %here16 = stencil.access %t[0, 0] : !stencil.temp<?x?xf16>
    %down16 = stencil.access %t[1, 0] : !stencil.temp<?x?xf16>
    %weight = stencil.access %w[_, 0] : !stencil.temp<?xf32>
    %up = arith.extf %up16 : f16 to f32
    %here = arith.extf %here16 : f16 to f32
    %down = arith.extf %down16 : f16 to f32
    %two = arith.constant 2.0 : f32
    %quarter = arith.constant 0.25 : f32
    %twice = arith.mulf %here, %two : f32
    %s0 = arith.addf %up, %twice : f32
    %s1 = arith.addf %s0, %down : f32
    %mean = arith.mulf %s1, %quarter : f32
    %scaled = arith.mulf %mean, %weight : f32
    %rounded = arith.truncf %scaled : f32 to bf16
    stencil.return %rounded : bf16
  }
  stencil.store %result to %v(<[0, 0], [45, 70]>) : !stencil.temp<?x?xbf16> to !out
  return
}
