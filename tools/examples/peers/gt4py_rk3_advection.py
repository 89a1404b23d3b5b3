"""Advection by three stages of Runge-Kutta, in GT4Py."""

from gt4py.cartesian import gtscript
from gt4py.cartesian.gtscript import PARALLEL, Field, computation, interval


@gtscript.function
def advected(u):
    slope_z = 2 * u[1, 0, 0] - 6 * u[-1, 0, 0] + u[-2, 0, 0] + 3 * u
    slope_y = 2 * u[0, 1, 0] - 6 * u[0, -1, 0] + u[0, -2, 0] + 3 * u
    slope_x = 2 * u[0, 0, 1] - 6 * u[0, 0, -1] + u[0, 0, -2] + 3 * u
    return u - (0.125 * slope_z + 0.1875 * slope_y + 0.25 * slope_x) / 6


@gtscript.stencil(backend="numpy")
def stage(start: Field[float], value: Field[float], new: Field[float], share: float):
    with computation(PARALLEL), interval(...):
        new = (1 - share) * start + share * advected(value)


def advect(u, steps):
    now, first, second, new = (u.copy() for _ in range(4))
    for _ in range(steps):
        value = now
        for result, share, margin in ((first, 1.0, 2), (second, 0.25, 1), (new, 2 / 3, 0)):
            stage(now, value, result, share, origin=3 * (6 - 2 * margin,),
                  domain=[n - 9 + 3 * margin for n in u.shape])
            value = result
        now, new = new, now
    u[...] = now
