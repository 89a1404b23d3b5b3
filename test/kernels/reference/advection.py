"""Advection at a constant velocity, from its formula."""

from fractions import Fraction

from grid import CENTRE, Window, inner

COURANT = (Fraction(1, 8), Fraction(3, 16), Fraction(1, 4))
# Third order, leaning against the wind, times six.
SLOPE = {1: 2, 0: 3, -1: -6, -2: 1}


def advected(u, c):
    """A step of Euler's; two cells less before the box, one less after it."""
    near = Window(u, 2, 1)
    result = near(*CENTRE)
    for axis, courant in enumerate(COURANT):
        for distance, weight in SLOPE.items():
            at = tuple(distance * (axis == other) for other in range(3))
            result = result - c(courant) * (c(weight) * near(*at) / c(6.0))
    return result


def runge_kutta(f, c):
    """Three stages a step, each a mean of the start and a further step."""
    now, after = f["u"], f["v"]
    for _ in range(3):
        stage = advected(now, c).settled()
        for low, high, start in ((4, 2, Fraction(3, 4)), (6, 3, Fraction(1, 3))):
            moved = advected(stage, c)
            stage = (c(start) * now[inner(3, low, high)] + c(1 - start) * moved).settled()
        after[inner(3, 6, 3)] = stage
        now, after = after, now
