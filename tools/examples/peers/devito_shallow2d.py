"""Shallow water in a basin with reflecting walls, the scheme of Lax and Friedrichs, in Devito."""

from devito import Eq, Grid, Operator, TimeFunction


def shallow(depth, flow_x, flow_y, steps):
    grid = Grid(depth.shape, extent=[n - 1 for n in depth.shape], dtype=depth.dtype.type)
    h, p, q = (TimeFunction(name=name, grid=grid, space_order=2) for name in "hpq")
    t, (y, x), (rows, columns) = grid.stepping_dim, grid.dimensions, grid.shape
    walls = []
    for f, sign_y, sign_x in ((h, 1, 1), (p, 1, -1), (q, -1, 1)):
        walls += [Eq(f[t, y, -1], sign_x * f[t, y, 0]),
                  Eq(f[t, y, columns], sign_x * f[t, y, columns - 1]),
                  Eq(f[t, -1, x], sign_y * f[t, 0, x]),
                  Eq(f[t, rows, x], sign_y * f[t, rows - 1, x])]

    def mean(f):
        return 0.25 * (f[t, y, x-1] + f[t, y, x+1] + f[t, y-1, x] + f[t, y+1, x])

    def change(flux_x, flux_y):
        east, west, north, south = (
            flux(*(f[t, y + dy, x + dx] for f in (h, p, q)))
            for flux, dy, dx in ((flux_x, 0, 1), (flux_x, 0, -1), (flux_y, 1, 0), (flux_y, -1, 0)))
        return 0.05 * (east - west + north - south)

    h.data[0], p.data[0], q.data[0] = depth, flow_x, flow_y
    Operator([
        *walls,
        Eq(h[t+1, y, x], mean(h) - change(lambda h, p, q: p, lambda h, p, q: q)),
        Eq(p[t+1, y, x], mean(p) - change(lambda h, p, q: p * p / h + 0.5 * h * h,
                                          lambda h, p, q: p * q / h)),
        Eq(q[t+1, y, x], mean(q) - change(lambda h, p, q: p * q / h,
                                          lambda h, p, q: q * q / h + 0.5 * h * h)),
    ])(time_M=steps - 1)
    depth[...], flow_x[...], flow_y[...] = (f.data[steps % 2] for f in (h, p, q))
