"""The acoustic wave equation, fourth order, in Devito."""

from devito import Eq, Function, Grid, Operator, TimeFunction


def acoustic(levels, medium, steps):
    before, newest = levels
    shape = [n - 4 for n in newest.shape]
    grid = Grid(shape, extent=[n - 1 for n in shape], dtype=newest.dtype.type)
    u = TimeFunction(name="u", grid=grid, time_order=2, space_order=(4, 2, 2))
    m = Function(name="m", grid=grid, space_order=(4, 2, 2))
    m.data_with_halo[:] = medium
    u.data_with_halo[0], u.data_with_halo[1], u.data_with_halo[2] = before, newest, newest
    Operator(Eq(u.forward, 2 * u - u.backward + m * u.laplace))(time_m=1, time_M=steps)
    before[...], newest[...] = u.data_with_halo[steps % 3], u.data_with_halo[(steps + 1) % 3]
