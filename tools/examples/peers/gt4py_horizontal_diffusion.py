"""Horizontal diffusion of a weather model, in GT4Py."""

from gt4py.cartesian import gtscript
from gt4py.cartesian.gtscript import PARALLEL, Field, computation, interval


@gtscript.function
def laplacian(u):
    return u[-1, 0, 0] + u[1, 0, 0] + u[0, -1, 0] + u[0, 1, 0] - 4 * u


@gtscript.stencil(backend="numpy")
def diffusion(u: Field[float], c: Field[float], out: Field[float]):
    with computation(PARALLEL), interval(...):
        lap = laplacian(u)
        fx = lap[1, 0, 0] - lap
        flx = 0.0 if fx * (u[1, 0, 0] - u) > 0 else fx
        fy = lap[0, 1, 0] - lap
        fly = 0.0 if fy * (u[0, 1, 0] - u) > 0 else fy
        out = u - c * (flx - flx[-1, 0, 0] + fly - fly[0, -1, 0])


def diffuse(u, c, out):
    diffusion(u, c, out, origin=(2, 2, 0), domain=(u.shape[0] - 4, u.shape[1] - 4, u.shape[2]))
