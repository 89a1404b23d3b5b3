"""Corners of an image, in GT4Py."""

import numpy
from gt4py.cartesian import gtscript
from gt4py.cartesian.gtscript import PARALLEL, Field, computation, interval


@gtscript.function
def window(f):
    above = f[-1, -1, 0] + f[-1, 0, 0] + f[-1, 1, 0]
    here = f[0, -1, 0] + f + f[0, 1, 0]
    below = f[1, -1, 0] + f[1, 0, 0] + f[1, 1, 0]
    return above + here + below


@gtscript.stencil(backend="numpy")
def corners(image: Field[float], response: Field[float]):
    with computation(PARALLEL), interval(...):
        east = image[-1, 1, 0] + image[1, 1, 0] + 2 * image[0, 1, 0]
        west = image[-1, -1, 0] + image[1, -1, 0] + 2 * image[0, -1, 0]
        south = image[1, -1, 0] + image[1, 1, 0] + 2 * image[1, 0, 0]
        north = image[-1, -1, 0] + image[-1, 1, 0] + 2 * image[-1, 0, 0]
        gx = (east - west) / 12
        gy = (south - north) / 12
        xx = gx * gx
        xy = gx * gy
        yy = gy * gy
        sxx = window(xx)
        sxy = window(xy)
        syy = window(yy)
        response = sxx * syy - sxy * sxy - 0.04 * (sxx + syy) * (sxx + syy)


def harris(image, response):
    result = numpy.zeros((*image.shape, 1))
    corners(image[:, :, None], result, origin=(2, 2, 0), domain=(*response.shape, 1))
    response[...] = result[2:-2, 2:-2, 0]
