"""The Cahn-Hilliard equation in a periodic box, in Devito."""

from itertools import product

from devito import Eq, Grid, Operator, TimeFunction


def cahn_hilliard(mixture, steps):
    shape = mixture.shape
    grid = Grid(shape, extent=[n - 1 for n in shape], dtype=mixture.dtype.type)
    u = TimeFunction(name="u", grid=grid, space_order=(2, 2, 2))
    t = grid.stepping_dim
    ends = [[(d, d), (-1, n - 1), (-2, n - 2), (n, 0), (n + 1, 1)]
            for d, n in zip(grid.dimensions, shape)]
    ghosts = [Eq(u[t, here_y, here_x], u[t, there_y, there_x])
              for (here_y, there_y), (here_x, there_x) in list(product(*ends))[1:]]
    u.data[0] = mixture
    mu = u ** 3 - u - 0.5 * u.laplace
    Operator([*ghosts, Eq(u.forward, u + 0.02 * mu.laplace)])(time_M=steps - 1)
    mixture[...] = u.data[steps % 2]
