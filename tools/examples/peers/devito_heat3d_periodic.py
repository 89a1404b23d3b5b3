"""The heat equation in a periodic box, in Devito."""

from devito import Eq, Grid, Operator, TimeFunction


def heat(temperature, steps):
    grid = Grid(temperature.shape, extent=[n - 1 for n in temperature.shape],
                dtype=temperature.dtype.type)
    u = TimeFunction(name="u", grid=grid, space_order=2)
    t = grid.stepping_dim
    ghosts = []
    for d, n in zip(grid.dimensions, grid.shape):
        for outside, inside in ((-1, n - 1), (n, 0)):
            here, there = ([end if e is d else e for e in grid.dimensions]
                           for end in (outside, inside))
            ghosts.append(Eq(u[(t, *here)], u[(t, *there)]))
    u.data[0] = temperature
    Operator([*ghosts, Eq(u.forward, u + 0.125 * u.laplace)])(time_M=steps - 1)
    temperature[...] = u.data[steps % 2]
