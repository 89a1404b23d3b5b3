"""Maxwell's equations in a box with perfectly conducting walls: six staggered fields, in place.

E' = E + c curl H with backward differences, then H' = H - c curl E' with forward ones, c = 1/2, in
units in which permittivity, permeability and light's speed are one [Yee, Numerical Solution of
Initial Boundary Value Problems Involving Maxwell's Equations in Isotropic Media, IEEE Transactions
on Antennas and Propagation 1966]. Components of E along a wall and of H through it lie on the wall
and are never assigned to.
"""

import numpy
import stencil

k, j, i = stencil.indices("k j i")


def behind(f, index):
    """The backward difference along an index."""
    return stencil.derivative(f[k, j, i], index, at=-0.5)


def ahead(f, index):
    """The forward difference along an index."""
    return stencil.derivative(f[k, j, i], index, at=0.5)


@stencil.program(boundaries=stencil.halo(1), fast_math=True)
def maxwell(ex, ey, ez, hx, hy, hz, steps):
    """Advances the fields, (nz + 2, ny + 2, nx + 2) each with a ring of walls, by `steps` steps."""
    for _ in stencil.steps(steps):
        ex[k[1:], j[1:], i] = ex[k, j, i] + 0.5 * (behind(hz, j) - behind(hy, k))
        ey[k[1:], j, i[1:]] = ey[k, j, i] + 0.5 * (behind(hx, k) - behind(hz, i))
        ez[k, j[1:], i[1:]] = ez[k, j, i] + 0.5 * (behind(hy, i) - behind(hx, j))
        hx[k, j, i[1:]] = hx[k, j, i] - 0.5 * (ahead(ez, j) - ahead(ey, k))
        hy[k, j[1:], i] = hy[k, j, i] - 0.5 * (ahead(ex, k) - ahead(ez, i))
        hz[k[1:], j, i] = hz[k, j, i] - 0.5 * (ahead(ey, i) - ahead(ex, j))


if __name__ == "__main__":
    fields = list(numpy.zeros((6, 22, 26, 30)))
    fields[2][10, 12, 14] = 1.0
    maxwell(*fields, 10)
    print(f"{sum((one ** 2).sum() for one in fields):.4f} is the energy")
