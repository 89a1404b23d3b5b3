"""The Gray-Scott model in a periodic box, in Devito."""

from devito import Eq, Grid, Operator, TimeFunction


def gray_scott(substrate, activator, steps):
    shape = substrate.shape
    grid = Grid(shape, extent=[n - 1 for n in shape], dtype=substrate.dtype.type)
    u = TimeFunction(name="u", grid=grid, space_order=2)
    v = TimeFunction(name="v", grid=grid, space_order=2)
    t = grid.stepping_dim
    ghosts = []
    for d, n in zip(grid.dimensions, shape):
        for outside, inside in ((-1, n - 1), (n, 0)):
            here, there = ([end if e is d else e for e in grid.dimensions]
                           for end in (outside, inside))
            ghosts += [Eq(f[(t, *here)], f[(t, *there)]) for f in (u, v)]
    u.data[0], v.data[0] = substrate, activator
    reaction = u * v * v
    Operator([*ghosts,
              Eq(u.forward, u + 0.16 * u.laplace - reaction + 0.035 * (1 - u)),
              Eq(v.forward, v + 0.08 * v.laplace + reaction - 0.095 * v)])(time_M=steps - 1)
    substrate[...], activator[...] = u.data[steps % 2], v.data[steps % 2]
