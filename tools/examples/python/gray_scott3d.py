"""The Gray-Scott model in a periodic box: two substances that react and spread.

u' = u + Du L(u) - u v^2 + F (1 - u), v' = v + Dv L(v) + u v^2 - (F + k) v, L the sum of the six
face neighbours less six times the centre, forward Euler with steps of one [Pearson, Complex
Patterns in a Simple System, Science 1993].
"""

import numpy
import stencil

k, j, i = stencil.indices("k j i")


def laplacian(u, t):
    """The sum of the six neighbours, less six times the centre."""
    z = u[t, k-1, j, i] + u[t, k+1, j, i]
    y = u[t, k, j-1, i] + u[t, k, j+1, i]
    x = u[t, k, j, i-1] + u[t, k, j, i+1]
    return (z + y + x) - 6 * u[t, k, j, i]


@stencil.program(boundaries=stencil.periodic(), fast_math=True)
def gray_scott(u, v, steps):
    """Advances the concentrations `u` and `v`, (nz, ny, nx) each, by `steps` time steps."""
    for t in stencil.steps(steps):
        here, there = u[t, k, j, i], v[t, k, j, i]
        reaction = here * (there * there)
        u[t+1, k, j, i] = here + (0.16 * laplacian(u, t) - reaction) + 0.035 * (1 - here)
        v[t+1, k, j, i] = there + (0.08 * laplacian(v, t) + reaction) - 0.095 * there


if __name__ == "__main__":
    substrate, activator = numpy.ones((32, 32, 32)), numpy.zeros((32, 32, 32))
    substrate[12:20, 12:20, 12:20] = 0.5
    activator[12:20, 12:20, 12:20] = 0.25
    gray_scott(substrate, activator, 20)
    print(f"{activator.sum():.3f} of the activator after 20 steps")
