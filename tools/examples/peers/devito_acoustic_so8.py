"""Seismic waves, eighth order, with damping and a point source, in Devito."""

from devito import Eq, Function, Grid, Operator, SparseTimeFunction, TimeFunction

SOURCE = (3, 5, 7)


def acoustic(levels, medium, damping, source, steps):
    before, newest = levels
    shape = [n - 8 for n in newest.shape]
    grid = Grid(shape, extent=[n - 1 for n in shape], dtype=newest.dtype.type)
    u = TimeFunction(name="u", grid=grid, time_order=2, space_order=(8, 4, 4))
    m = Function(name="m", grid=grid, space_order=(8, 4, 4))
    d = Function(name="d", grid=grid, space_order=(8, 4, 4))
    m.data_with_halo[:], d.data_with_halo[:] = medium, damping
    u.data_with_halo[0], u.data_with_halo[1], u.data_with_halo[2] = before, newest, newest
    s = SparseTimeFunction(name="s", grid=grid, npoint=1, nt=steps + 1, coordinates=[SOURCE])
    s.data[1:, 0] = source
    update = Eq(u.forward, (2 * u - (1 - d) * u.backward + m * u.laplace) / (1 + d))
    Operator([update, s.inject(field=u.forward, expr=s * m)])(time_m=1, time_M=steps)
    before[...], newest[...] = u.data_with_halo[steps % 3], u.data_with_halo[(steps + 1) % 3]
