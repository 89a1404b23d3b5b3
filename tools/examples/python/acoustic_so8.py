"""Seismic waves in a medium of varying velocity, with absorbing sides and a point source.

u'' = (2 u - (1 - d) u_old + m L(u)) / (1 + d), L the Laplacian of eighth order, m = (v dt / h)^2
and d = (damping) dt / 2 at each point [Sochacki et al., Absorbing Boundary Conditions and Surface
Waves, Geophysics 1987]. After each step m s[t] is added at the cell of the source.
"""

from fractions import Fraction

import numpy
import stencil

k, j, i = stencil.indices("k j i")
#: The cell of the source.
SOURCE = (3, 5, 7)


def shell(u, t, distance):
    """The sum of the six values at a distance along the axes."""
    z = u[t, k-distance, j, i] + u[t, k+distance, j, i]
    y = u[t, k, j-distance, i] + u[t, k, j+distance, i]
    x = u[t, k, j, i-distance] + u[t, k, j, i+distance]
    return z + y + x


def laplacian(u, t):
    """The Laplacian, its weights exact and rounded once: the two outer shells, the two inner."""
    weights = dict(zip(range(-4, 5), stencil.weights(2, range(-4, 5))))
    outer = weights[4] * shell(u, t, 4) + weights[3] * shell(u, t, 3)
    inner = weights[2] * shell(u, t, 2) + weights[1] * shell(u, t, 1)
    return outer + inner + 3 * weights[0] * u[t, k, j, i]


@stencil.program(boundaries=stencil.halo(4), fast_math=True)
def acoustic(u, m, d, source, steps):
    """Advances the pressure `u`, two levels of (nz + 8, ny + 8, nx + 8); `source` is (steps,)."""
    for t in stencil.steps(steps):
        inertia = 2 * u[t, k, j, i] - (1 - d[k, j, i]) * u[t-1, k, j, i]
        undamped = inertia + m[k, j, i] * laplacian(u, t)
        u[t+1, k, j, i] = undamped / (1 + d[k, j, i])
        u[(t+1, *SOURCE)] = u[(t+1, *SOURCE)] + m[SOURCE] * source[t]


if __name__ == "__main__":
    before, newest, medium, damping = numpy.zeros((4, 30, 28, 36))
    medium[...] = 0.1
    assert Fraction(-205, 72) == stencil.weights(2, range(-4, 5))[4]
    acoustic((before, newest), medium, damping, numpy.sin(numpy.arange(7.0)), 7)
    print(f"the wave has {newest.max():.4f} at its highest point")
