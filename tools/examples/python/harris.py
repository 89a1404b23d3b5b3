"""Corners of an image: gradients, their products, sums over a window, the response of each pixel.

Gx, Gy are Sobel's gradients over 12; Sxx, Sxy, Syy sums of Gx^2, Gx Gy, Gy^2 over windows of 3 x
3; the response is Sxx Syy - Sxy^2 - 0.04 (Sxx + Syy)^2: positive at a corner, negative along an
edge [Harris, Stephens, A Combined Corner and Edge Detector, Alvey Vision Conference 1988].
"""

from fractions import Fraction

import numpy
import stencil

j, i = stencil.indices("j i")


def window(f):
    """The sum over 3 x 3 pixels, row by row."""
    above, here, below = (f[j+dy, i-1] + f[j+dy, i] + f[j+dy, i+1] for dy in (-1, 0, 1))
    return above + here + below


@stencil.program(boundaries={"image": stencil.halo(2)}, fast_math=True)
def harris(image, response):
    """The `response` (ny, nx) of an `image` (ny + 4, nx + 4)."""
    gx, gy, xx, xy, yy, sxx, sxy, syy = stencil.temporaries("gx gy xx xy yy sxx sxy syy")
    east = (image[j-1, i+1] + image[j+1, i+1]) + 2 * image[j, i+1]
    west = (image[j-1, i-1] + image[j+1, i-1]) + 2 * image[j, i-1]
    south = (image[j+1, i-1] + image[j+1, i+1]) + 2 * image[j+1, i]
    north = (image[j-1, i-1] + image[j-1, i+1]) + 2 * image[j-1, i]
    gx[j, i] = Fraction(1, 12) * (east - west)
    gy[j, i] = Fraction(1, 12) * (south - north)
    xx[j, i] = gx[j, i] * gx[j, i]
    xy[j, i] = gx[j, i] * gy[j, i]
    yy[j, i] = gy[j, i] * gy[j, i]
    sxx[j, i], sxy[j, i], syy[j, i] = window(xx), window(xy), window(yy)
    determinant = sxx[j, i] * syy[j, i] - sxy[j, i] * sxy[j, i]
    trace = sxx[j, i] + syy[j, i]
    response[j, i] = determinant - 0.04 * (trace * trace)


if __name__ == "__main__":
    picture, corners = numpy.zeros((79, 74), "f4"), numpy.zeros((75, 70), "f4")
    picture[20:, 20:] = 1.0
    harris(picture, corners)
    print("the corner is at", tuple(map(int, numpy.unravel_index(corners.argmax(), corners.shape))))
