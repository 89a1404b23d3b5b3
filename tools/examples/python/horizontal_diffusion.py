"""Horizontal diffusion of a weather model: a Laplacian, fluxes that are limited, an update.

l = u[-1] + u[1] + u[,-1] + u[,1] - 4 u, fx = l[1] - l, 0 where fx (u[1] - u) > 0, fy alike along
the other axis, u' = u - c (fx - fx[-1] + fy - fy[,-1]) with a coefficient at each point: monotone
fourth-order diffusion [Xue, High-Order Monotonic Numerical Diffusion and Smoothing, Monthly Weather
Review 2000]. Columns lie next to each other in memory: the vertical is the last dimension.
"""

import numpy
import stencil

x, y, z = stencil.indices("x y z")


def limited(change, gradient):
    """A flux that goes down the gradient, or none."""
    return stencil.where(change * gradient > 0, 0, change)


@stencil.program(boundaries=stencil.halo(2, x, y))
def diffuse(u, c, out):
    """One step from `u` to `out` with coefficients `c`, (nx + 4, ny + 4, nz) each."""
    lap, flx, fly = stencil.temporaries("lap flx fly")
    around = (u[x-1, y, z] + u[x+1, y, z]) + (u[x, y-1, z] + u[x, y+1, z])
    lap[x, y, z] = around + -4 * u[x, y, z]
    flx[x, y, z] = limited(lap[x+1, y, z] - lap[x, y, z], u[x+1, y, z] - u[x, y, z])
    fly[x, y, z] = limited(lap[x, y+1, z] - lap[x, y, z], u[x, y+1, z] - u[x, y, z])
    net = (flx[x, y, z] - flx[x-1, y, z]) + (fly[x, y, z] - fly[x, y-1, z])
    out[x, y, z] = u[x, y, z] - c[x, y, z] * net


if __name__ == "__main__":
    before, after = numpy.random.default_rng(1).random((2, 49, 45, 13))
    diffuse(before, numpy.full((49, 45, 13), 0.025), after)
    inside = (slice(2, -2), slice(2, -2))
    print(f"variance {before[inside].var():.4f} before, {after[inside].var():.4f} after")
