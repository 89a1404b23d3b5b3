"""The acoustic wave equation in three dimensions, in a medium of varying velocity.

u'' = 2 u - u_old + m L(u), L the Laplacian of fourth order, m = (v dt / h)^2 at each point. Two
levels of time are kept, and two rings of cells around the domain stay what they are.
"""

import numpy
import stencil

k, j, i = stencil.indices("k j i")


@stencil.program(boundaries=stencil.halo(2), fast_math="contract")
def acoustic(u, m, steps):
    """Advances the pressure `u`: the level before and the newest, (nz + 4, ny + 4, nx + 4) each."""
    for t in stencil.steps(steps):
        now = u[t, k, j, i]
        force = m[k, j, i] * stencil.laplace(now, order=4)
        u[t+1, k, j, i] = force + (now * 2 - u[t-1, k, j, i])


if __name__ == "__main__":
    before, newest = numpy.zeros((2, 36, 36, 36))
    newest[18, 18, 18] = 1.0
    acoustic((before, newest), numpy.full((36, 36, 36), 0.1), 10)
    print(f"the wave has {newest.max():.4f} at its highest point")
