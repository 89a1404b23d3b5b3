"""The Cahn-Hilliard equation in a periodic box: a mixture separates into its two phases.

u' = u + r L(mu), mu = u^3 - u - k L(u), L the sum of the four neighbours less four times the
centre, r = dt / h^2 = 0.02, k = 1/2 [Cahn, Hilliard, Free Energy of a Nonuniform System, Journal
of Chemical Physics 1958].
"""

import numpy
import stencil

j, i = stencil.indices("j i")


def laplacian(value):
    """The sum of the four neighbours, less four times the centre."""
    y = stencil.shift(value, j, -1) + stencil.shift(value, j, 1)
    x = stencil.shift(value, i, -1) + stencil.shift(value, i, 1)
    return (y + x) - 4 * value


@stencil.program(boundaries={"u": stencil.periodic()}, fast_math=True)
def cahn_hilliard(u, steps):
    """Advances the mixture `u` (ny, nx), between -1 and 1, by `steps` time steps."""
    mu = stencil.temporary("mu")
    for t in stencil.steps(steps):
        here = u[t, j, i]
        mu[j, i] = (here * here - 1) * here - 0.5 * laplacian(here)
        u[t+1, j, i] = here + 0.02 * laplacian(mu[j, i])


if __name__ == "__main__":
    mixture = numpy.random.default_rng(1).uniform(-0.1, 0.1, (46, 52))
    cahn_hilliard(mixture, 200)
    print(f"{mixture.mean():.6f} is the mean, from {mixture.min():.3f} to {mixture.max():.3f}")
