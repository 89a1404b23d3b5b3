"""Shallow water in a basin: depth and flow in conservative form, with reflecting walls.

(h, p, q)' = the mean of the four neighbours - r (F(east) - F(west) + G(north) - G(south)), with
depth h and flow (p, q) = (h u, h v), in units in which gravity is one, r = dt / (2 dx) = 0.05: the
scheme of Lax and Friedrichs [LeVeque, Finite Volume Methods for Hyperbolic Problems, Cambridge
2002, chapters 4 and 13]. The flow through a wall changes its sign in the mirror.
"""

import numpy
import stencil

j, i = stencil.indices("j i")

WALLS = {"h": stencil.mirror(),
         "p": [stencil.mirror(j), stencil.mirror(i, sign=-1)],
         "q": [stencil.mirror(j, sign=-1), stencil.mirror(i)]}


def flows(h, along, across):
    """What flows along an axis: momentum along it, and momentum across it."""
    speed = along / h
    return along * speed + 0.5 * (h * h), across * speed


def mean(f, t):
    """The mean of the four neighbours."""
    return 0.25 * ((f[t, j, i-1] + f[t, j, i+1]) + (f[t, j-1, i] + f[t, j+1, i]))


@stencil.program(boundaries=WALLS, fast_math=True)
def shallow(h, p, q, steps):
    """Advances depth `h` and flow `p`, `q` along x and y, (ny, nx) each, by `steps` time steps."""
    for t in stencil.steps(steps):
        west, west_q = flows(h[t, j, i-1], p[t, j, i-1], q[t, j, i-1])
        east, east_q = flows(h[t, j, i+1], p[t, j, i+1], q[t, j, i+1])
        south, south_p = flows(h[t, j-1, i], q[t, j-1, i], p[t, j-1, i])
        north, north_p = flows(h[t, j+1, i], q[t, j+1, i], p[t, j+1, i])
        net = (p[t, j, i+1] - p[t, j, i-1]) + (q[t, j+1, i] - q[t, j-1, i])
        h[t+1, j, i] = mean(h, t) - 0.05 * net
        p[t+1, j, i] = mean(p, t) - 0.05 * ((east - west) + (north_p - south_p))
        q[t+1, j, i] = mean(q, t) - 0.05 * ((east_q - west_q) + (north - south))


if __name__ == "__main__":
    depth, flow_x, flow_y = numpy.ones((46, 52)), numpy.zeros((46, 52)), numpy.zeros((46, 52))
    depth[20:26, 20:26] = 1.5
    shallow(depth, flow_x, flow_y, 20)
    print(f"{depth.mean():.6f} is the mean depth, {depth.max():.3f} the highest")
