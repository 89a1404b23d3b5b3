// Corners of an image: gradients, their products, sums over a window, the response of each pixel.
//
// Gx, Gy are Sobel's gradients over 12; Sxx, Sxy, Syy sums of Gx^2, Gx Gy, Gy^2 over windows of 3 x
// 3; the response is Sxx Syy - Sxy^2 - 0.04 (Sxx + Syy)^2: positive at a corner, negative along an
// edge [Harris, Stephens, A Combined Corner and Edge Detector, Alvey Vision Conference 1988]. Four
// applies in a row through temps of two and three results, one image in and one out. Radius 2, 75 x
// 70 pixels, f32. 50 FLOPs per pixel.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
// RUN: %if numpy %{ %python %S/reference/check.py %s %}
//
// CHECK: verified: bit-identical

!image = !stencil.field<[-2,77]x[-2,72]xf32>
!out = !stencil.field<[0,75]x[0,70]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @harris(%image: !image, %response: !out) {
  %pixels = stencil.load %image : !image -> !temp
  %gx, %gy = stencil.apply(%i = %pixels : !temp) -> (!temp, !temp)
      attributes {stencil.stage = "gradient"} {
    %twelfth = arith.constant 0.083333336 : f32
    %two = arith.constant 2.0 : f32
    %i_ymxp = stencil.access %i[-1, 1] : !temp
    %i_ypxp = stencil.access %i[1, 1] : !temp
    %right = arith.addf %i_ymxp, %i_ypxp fastmath<reassoc,contract,arcp,afn> : f32
    %i_ymxm = stencil.access %i[-1, -1] : !temp
    %i_ypxm = stencil.access %i[1, -1] : !temp
    %left = arith.addf %i_ymxm, %i_ypxm fastmath<reassoc,contract,arcp,afn> : f32
    %i_xp = stencil.access %i[0, 1] : !temp
    %twice_right = arith.mulf %two, %i_xp fastmath<reassoc,contract,arcp,afn> : f32
    %i_xm = stencil.access %i[0, -1] : !temp
    %twice_left = arith.mulf %two, %i_xm fastmath<reassoc,contract,arcp,afn> : f32
    %east = arith.addf %right, %twice_right fastmath<reassoc,contract,arcp,afn> : f32
    %west = arith.addf %left, %twice_left fastmath<reassoc,contract,arcp,afn> : f32
    %across = arith.subf %east, %west fastmath<reassoc,contract,arcp,afn> : f32
    %gx = arith.mulf %twelfth, %across fastmath<reassoc,contract,arcp,afn> : f32
    %below = arith.addf %i_ypxm, %i_ypxp fastmath<reassoc,contract,arcp,afn> : f32
    %above = arith.addf %i_ymxm, %i_ymxp fastmath<reassoc,contract,arcp,afn> : f32
    %i_yp = stencil.access %i[1, 0] : !temp
    %twice_below = arith.mulf %two, %i_yp fastmath<reassoc,contract,arcp,afn> : f32
    %i_ym = stencil.access %i[-1, 0] : !temp
    %twice_above = arith.mulf %two, %i_ym fastmath<reassoc,contract,arcp,afn> : f32
    %south = arith.addf %below, %twice_below fastmath<reassoc,contract,arcp,afn> : f32
    %north = arith.addf %above, %twice_above fastmath<reassoc,contract,arcp,afn> : f32
    %down = arith.subf %south, %north fastmath<reassoc,contract,arcp,afn> : f32
    %gy = arith.mulf %twelfth, %down fastmath<reassoc,contract,arcp,afn> : f32
    stencil.return %gx, %gy : f32, f32
  }
  %xx, %xy, %yy = stencil.apply(%gx = %gx : !temp, %gy = %gy : !temp) -> (!temp, !temp, !temp)
      attributes {stencil.stage = "products"} {
    %x = stencil.access %gx[0, 0] : !temp
    %y = stencil.access %gy[0, 0] : !temp
    %xx = arith.mulf %x, %x fastmath<reassoc,contract,arcp,afn> : f32
    %xy = arith.mulf %x, %y fastmath<reassoc,contract,arcp,afn> : f32
    %yy = arith.mulf %y, %y fastmath<reassoc,contract,arcp,afn> : f32
    stencil.return %xx, %xy, %yy : f32, f32, f32
  }
  %sxx, %sxy, %syy = stencil.apply(%xx = %xx : !temp, %xy = %xy : !temp, %yy = %yy : !temp)
      -> (!temp, !temp, !temp) attributes {stencil.stage = "sums"} {
    %xx_ymxm = stencil.access %xx[-1, -1] : !temp
    %xx_ym = stencil.access %xx[-1, 0] : !temp
    %xx_above0 = arith.addf %xx_ymxm, %xx_ym fastmath<reassoc,contract,arcp,afn> : f32
    %xx_ymxp = stencil.access %xx[-1, 1] : !temp
    %xx_above = arith.addf %xx_above0, %xx_ymxp fastmath<reassoc,contract,arcp,afn> : f32
    %xx_xm = stencil.access %xx[0, -1] : !temp
    %xx_c = stencil.access %xx[0, 0] : !temp
    %xx_here0 = arith.addf %xx_xm, %xx_c fastmath<reassoc,contract,arcp,afn> : f32
    %xx_xp = stencil.access %xx[0, 1] : !temp
    %xx_here = arith.addf %xx_here0, %xx_xp fastmath<reassoc,contract,arcp,afn> : f32
    %xx_ypxm = stencil.access %xx[1, -1] : !temp
    %xx_yp = stencil.access %xx[1, 0] : !temp
    %xx_below0 = arith.addf %xx_ypxm, %xx_yp fastmath<reassoc,contract,arcp,afn> : f32
    %xx_ypxp = stencil.access %xx[1, 1] : !temp
    %xx_below = arith.addf %xx_below0, %xx_ypxp fastmath<reassoc,contract,arcp,afn> : f32
    %xx_upper = arith.addf %xx_above, %xx_here fastmath<reassoc,contract,arcp,afn> : f32
    %xx_sum = arith.addf %xx_upper, %xx_below fastmath<reassoc,contract,arcp,afn> : f32
    %xy_ymxm = stencil.access %xy[-1, -1] : !temp
    %xy_ym = stencil.access %xy[-1, 0] : !temp
    %xy_above0 = arith.addf %xy_ymxm, %xy_ym fastmath<reassoc,contract,arcp,afn> : f32
    %xy_ymxp = stencil.access %xy[-1, 1] : !temp
    %xy_above = arith.addf %xy_above0, %xy_ymxp fastmath<reassoc,contract,arcp,afn> : f32
    %xy_xm = stencil.access %xy[0, -1] : !temp
    %xy_c = stencil.access %xy[0, 0] : !temp
    %xy_here0 = arith.addf %xy_xm, %xy_c fastmath<reassoc,contract,arcp,afn> : f32
    %xy_xp = stencil.access %xy[0, 1] : !temp
    %xy_here = arith.addf %xy_here0, %xy_xp fastmath<reassoc,contract,arcp,afn> : f32
    %xy_ypxm = stencil.access %xy[1, -1] : !temp
    %xy_yp = stencil.access %xy[1, 0] : !temp
    %xy_below0 = arith.addf %xy_ypxm, %xy_yp fastmath<reassoc,contract,arcp,afn> : f32
    %xy_ypxp = stencil.access %xy[1, 1] : !temp
    %xy_below = arith.addf %xy_below0, %xy_ypxp fastmath<reassoc,contract,arcp,afn> : f32
    %xy_upper = arith.addf %xy_above, %xy_here fastmath<reassoc,contract,arcp,afn> : f32
    %xy_sum = arith.addf %xy_upper, %xy_below fastmath<reassoc,contract,arcp,afn> : f32
    %yy_ymxm = stencil.access %yy[-1, -1] : !temp
    %yy_ym = stencil.access %yy[-1, 0] : !temp
    %yy_above0 = arith.addf %yy_ymxm, %yy_ym fastmath<reassoc,contract,arcp,afn> : f32
    %yy_ymxp = stencil.access %yy[-1, 1] : !temp
    %yy_above = arith.addf %yy_above0, %yy_ymxp fastmath<reassoc,contract,arcp,afn> : f32
    %yy_xm = stencil.access %yy[0, -1] : !temp
    %yy_c = stencil.access %yy[0, 0] : !temp
    %yy_here0 = arith.addf %yy_xm, %yy_c fastmath<reassoc,contract,arcp,afn> : f32
    %yy_xp = stencil.access %yy[0, 1] : !temp
    %yy_here = arith.addf %yy_here0, %yy_xp fastmath<reassoc,contract,arcp,afn> : f32
    %yy_ypxm = stencil.access %yy[1, -1] : !temp
    %yy_yp = stencil.access %yy[1, 0] : !temp
    %yy_below0 = arith.addf %yy_ypxm, %yy_yp fastmath<reassoc,contract,arcp,afn> : f32
    %yy_ypxp = stencil.access %yy[1, 1] : !temp
    %yy_below = arith.addf %yy_below0, %yy_ypxp fastmath<reassoc,contract,arcp,afn> : f32
    %yy_upper = arith.addf %yy_above, %yy_here fastmath<reassoc,contract,arcp,afn> : f32
    %yy_sum = arith.addf %yy_upper, %yy_below fastmath<reassoc,contract,arcp,afn> : f32
    stencil.return %xx_sum, %xy_sum, %yy_sum : f32, f32, f32
  }
  %corners = stencil.apply(%xx = %sxx : !temp, %xy = %sxy : !temp, %yy = %syy : !temp) -> (!temp)
      attributes {stencil.stage = "response"} {
    %sensitivity = arith.constant 0.04 : f32
    %x = stencil.access %xx[0, 0] : !temp
    %y = stencil.access %yy[0, 0] : !temp
    %mixed = stencil.access %xy[0, 0] : !temp
    %product = arith.mulf %x, %y fastmath<reassoc,contract,arcp,afn> : f32
    %mixed_squared = arith.mulf %mixed, %mixed fastmath<reassoc,contract,arcp,afn> : f32
    %determinant = arith.subf %product, %mixed_squared fastmath<reassoc,contract,arcp,afn> : f32
    %trace = arith.addf %x, %y fastmath<reassoc,contract,arcp,afn> : f32
    %trace_squared = arith.mulf %trace, %trace fastmath<reassoc,contract,arcp,afn> : f32
    %edge = arith.mulf %sensitivity, %trace_squared fastmath<reassoc,contract,arcp,afn> : f32
    %response = arith.subf %determinant, %edge fastmath<reassoc,contract,arcp,afn> : f32
    stencil.return %response : f32
  }
  stencil.store %corners to %response(<[0, 0], [75, 70]>) : !temp to !out
  return
}
