"""The transport of a scalar by a given wind, with fluxes that do not oscillate: WENO5.

ds/dt = -(the differences of w S, v S, u S between the faces of a cell), in units in which the mesh
width is one. S at a face is a mean of three parabolas through cells on the side where the wind
comes from, weighted by how smooth each is: fifth order [Jiang, Shu, Efficient Implementation of
Weighted ENO Schemes, Journal of Computational Physics 1996].
"""

from fractions import Fraction

import numpy
import stencil

k, j, i = stencil.indices("k j i")


def flux(s, wind, index):
    """The flux through the face behind the cell along an index."""
    def at(offset):
        return stencil.shift(s[k, j, i], index, offset)

    speed = wind[k, j, i]
    a, b, c, d, e = (stencil.where(speed > 0, at(low), at(high))
                     for low, high in ((-2, 3), (-1, 2), (0, 1), (1, 0), (2, -1)))
    parabolas = (2 * a - 7 * b + 11 * c, 5 * c - b + 2 * d, 2 * c + 5 * d - e)
    bends = (a - 2 * b + c, b - 2 * c + d, c - 2 * d + e)
    slopes = (a - 4 * b + 3 * c, b - d, 3 * c - 4 * d + e)
    rough = [1e-06 + (Fraction(13, 12) * (bend * bend) + 0.25 * (slope * slope))
             for bend, slope in zip(bends, slopes)]
    shares = [weight / (one * one) for weight, one in zip((0.1, 0.6, 0.3), rough)]
    mixed = shares[0] * parabolas[0] + shares[1] * parabolas[1] + shares[2] * parabolas[2]
    mean = mixed / (shares[0] + shares[1] + shares[2])
    return Fraction(1, 6) * speed * mean


@stencil.program(boundaries=stencil.halo(3), fast_math=True)
def weno(s, w, v, u, tendency):
    """The `tendency` of `s` in the wind `w`, `v`, `u`; (nz + 6, ny + 6, nx + 6) each."""
    fz, fy, fx = stencil.temporaries("fz fy fx")
    fz[k, j, i], fy[k, j, i], fx[k, j, i] = flux(s, w, k), flux(s, v, j), flux(s, u, i)
    tendency[k, j, i] = ((fz[k-1, j, i] - fz[k, j, i]) + (fy[k, j-1, i] - fy[k, j, i])
                         + (fx[k, j, i-1] - fx[k, j, i]))


if __name__ == "__main__":
    fields = numpy.random.default_rng(1).random((5, 20, 24, 28), "f4")
    weno(*fields)
    print(f"the tendency lies between {fields[4].min():.3f} and {fields[4].max():.3f}")
