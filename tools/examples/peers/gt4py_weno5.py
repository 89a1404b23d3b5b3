"""The transport of a scalar by fluxes that do not oscillate (WENO5), in GT4Py."""

from gt4py.cartesian import gtscript
from gt4py.cartesian.gtscript import PARALLEL, Field, computation, interval


@gtscript.function
def flux(speed, far, behind, here, ahead, farther, farthest):
    a = far if speed > 0 else farthest
    b = behind if speed > 0 else farther
    c = here if speed > 0 else ahead
    d = ahead if speed > 0 else here
    e = farther if speed > 0 else behind
    first = 1e-06 + 13 / 12 * (a - 2 * b + c) ** 2 + 0.25 * (a - 4 * b + 3 * c) ** 2
    second = 1e-06 + 13 / 12 * (b - 2 * c + d) ** 2 + 0.25 * (b - d) ** 2
    third = 1e-06 + 13 / 12 * (c - 2 * d + e) ** 2 + 0.25 * (3 * c - 4 * d + e) ** 2
    one = 0.1 / (first * first)
    two = 0.6 / (second * second)
    three = 0.3 / (third * third)
    mixed = one * (2 * a - 7 * b + 11 * c) + two * (5 * c - b + 2 * d) + three * (2 * c + 5 * d - e)
    return speed * mixed / (one + two + three) / 6


@gtscript.stencil(backend="numpy")
def divergence(s: Field[float], w: Field[float], v: Field[float], u: Field[float],
               tendency: Field[float]):
    with computation(PARALLEL), interval(...):
        fz = flux(w, s[-2, 0, 0], s[-1, 0, 0], s, s[1, 0, 0], s[2, 0, 0], s[3, 0, 0])
        fy = flux(v, s[0, -2, 0], s[0, -1, 0], s, s[0, 1, 0], s[0, 2, 0], s[0, 3, 0])
        fx = flux(u, s[0, 0, -2], s[0, 0, -1], s, s[0, 0, 1], s[0, 0, 2], s[0, 0, 3])
        # A temporary has no levels outside of the domain, so its neighbour is computed again.
        before = flux(u[0, 0, -1], s[0, 0, -3], s[0, 0, -2], s[0, 0, -1], s, s[0, 0, 1],
                      s[0, 0, 2])
        tendency = fz[-1, 0, 0] - fz + fy[0, -1, 0] - fy + before - fx


def weno(s, w, v, u, tendency):
    divergence(s, w, v, u, tendency, origin=(3, 3, 3), domain=[n - 6 for n in s.shape])
