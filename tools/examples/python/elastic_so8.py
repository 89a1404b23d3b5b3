"""Elastic waves: three velocities and six stresses on a staggered grid, in place.

v' = v + b div T, then T' = T + l (div v') I + m (grad v' + its transpose), with eighth-order
differences between half cells, b = dt / (h density), l and m = dt / h times Lame's parameters at
each point [Virieux, P-SV Wave Propagation in Heterogeneous Media, Geophysics 1986; Levander,
Fourth-Order Finite-Difference P-SV Seismograms, Geophysics 1988]. Cell (k, j, i) holds vx at (k, j,
i + 1/2), txy at (k, j + 1/2, i + 1/2), the stresses along the axes at (k, j, i), and so on. Four
cells outside each side stay what they are.
"""

from fractions import Fraction

import numpy
import stencil

k, j, i = stencil.indices("k j i")
#: The weights of the four pairs of cells, the nearest first: 1225/1024, -245/3072, ...
WEIGHTS = stencil.weights(1, range(-3, 5), Fraction(1, 2))[4:]


def difference(f, index, first):
    """The derivative between `first` - 1 and `first`, from four pairs of cells around."""
    def at(offset):
        return stencil.shift(f[k, j, i], index, offset)

    near, next_, further, far = (weight * (at(first + n) - at(first - 1 - n))
                                 for n, weight in enumerate(WEIGHTS))
    return (near + next_) + (further + far)


def ahead(f, index):
    """The derivative half a cell ahead."""
    return difference(f, index, 1)


def behind(f, index):
    """The derivative half a cell behind."""
    return difference(f, index, 0)


@stencil.program(boundaries=stencil.halo(4), fast_math=True)
def elastic(vx, vy, vz, txx, tyy, tzz, txy, txz, tyz, b, l, m, steps):
    """Advances velocities and stresses, (nz + 8, ny + 8, nx + 8) each, by `steps` time steps."""
    here = (k, j, i)
    for _ in stencil.steps(steps):
        vx[here] = vx[here] + b[here] * (ahead(txx, i) + behind(txy, j) + behind(txz, k))
        vy[here] = vy[here] + b[here] * (behind(txy, i) + ahead(tyy, j) + behind(tyz, k))
        vz[here] = vz[here] + b[here] * (behind(txz, i) + behind(tyz, j) + ahead(tzz, k))
        pressure = l[here] * (behind(vx, i) + behind(vy, j) + behind(vz, k))
        twice = m[here] + m[here]
        txx[here] = txx[here] + (pressure + twice * behind(vx, i))
        tyy[here] = tyy[here] + (pressure + twice * behind(vy, j))
        tzz[here] = tzz[here] + (pressure + twice * behind(vz, k))
        txy[here] = txy[here] + m[here] * (ahead(vx, j) + ahead(vy, i))
        txz[here] = txz[here] + m[here] * (ahead(vx, k) + ahead(vz, i))
        tyz[here] = tyz[here] + m[here] * (ahead(vy, k) + ahead(vz, j))


if __name__ == "__main__":
    moving = list(numpy.zeros((9, 26, 28, 30), "f4"))
    medium = [numpy.full((26, 28, 30), value, "f4") for value in (0.25, 0.2, 0.2)]
    moving[0][13, 14, 15] = 1.0
    elastic(*moving, *medium, 10)
    print(f"{sum(float((one ** 2).sum()) for one in moving[:3]):.4f} is the squared velocity")
