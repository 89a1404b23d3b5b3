"""The heat equation in a periodic box.

u' = u + a * (sum of the 6 face neighbours - 6 u), a = 1/8. `u` is the temperature at (nz, ny, nx)
points; beyond each side of the box lies its other side.
"""

import numpy
import stencil

k, j, i = stencil.indices("k j i")


@stencil.program(boundaries={"u": stencil.periodic()}, fast_math=True)
def heat(u, steps):
    """Advances the temperature `u` (nz, ny, nx) by `steps` time steps."""
    for t in stencil.steps(steps):
        z = u[t, k-1, j, i] + u[t, k+1, j, i]
        y = u[t, k, j-1, i] + u[t, k, j+1, i]
        x = u[t, k, j, i-1] + u[t, k, j, i+1]
        u[t+1, k, j, i] = 0.25 * u[t, k, j, i] + 0.125 * (z + y + x)


if __name__ == "__main__":
    start = numpy.zeros((24, 20, 28))
    start[0, 0, 0] = 1.0
    heat(start, 10)
    print(f"{start.sum():.6f} of 1 is left, {start[0, 0, 0]:.3f} of it where it began")
