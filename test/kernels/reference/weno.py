"""A scalar's transport by the fifth-order WENO scheme, from its formula."""

import numpy as np

from bounded import where
from grid import CENTRE, inner

# Values at a face from three cells each, times six, the cell where the wind comes from third.
PARABOLAS = ((2, -7, 11, 0, 0), (0, -1, 5, 2, 0), (0, 0, 2, 5, -1))
BENT = ((1, -2, 1, 0, 0), (0, 1, -2, 1, 0), (0, 0, 1, -2, 1))
STEEP = ((1, -4, 3, 0, 0), (0, 1, 0, -1, 0), (0, 0, 3, -4, 1))
SHARES = (0.1, 0.6, 0.3)


def rough(random, shape):
    """Neighbours that differ, so that no parabola is so smooth that its weight is not bounded."""
    black = np.indices(shape).sum(axis=0) % 2
    return random.uniform(0.1, 0.4, shape) + 0.6 * black


def wind(random, shape):
    """Wind in both directions."""
    return random.uniform(-1.0, 1.0, shape)


def combined(weights, cells, c):
    """Weights times cells, where there are any."""
    terms = [c(weight) * cell for weight, cell in zip(weights, cells, strict=True) if weight]
    return sum(terms[1:], terms[0])


def flux(s, speed, at, c):
    """The flux through faces; `at` moves along the axis by a number of cells."""
    cells = [where(speed > 0.0, s(*at(n)), s(*at(1 - n))) for n in range(-2, 3)]
    shares, values = [], []
    for parabola, bent, steep, share in zip(PARABOLAS, BENT, STEEP, SHARES, strict=True):
        second, first = combined(bent, cells, c), combined(steep, cells, c)
        roughness = c(13) / c(12) * second * second + c(0.25) * first * first
        roughness = c.negligible(1e-6) + roughness
        shares.append(c(share) / (roughness * roughness))
        values.append(combined(parabola, cells, c) / c(6))
    mean = sum((share * value for share, value in zip(shares, values, strict=True)), 0.0)
    return speed * mean / sum(shares, 0.0)


def tendency(f, c):
    """What flows into each cell, less what flows out of it."""
    result = 0.0
    for axis, name in enumerate("wvu"):
        # The box, and a cell before it along the axis: the faces on both its sides.
        def cut(field, by, axis=axis):
            spans = zip(field.value.shape, range(3), strict=True)
            return field[
                tuple(
                    slice(3 - (other == axis) + by[other], extent - 3 + by[other])
                    for extent, other in spans
                )
            ]

        def at(n, axis=axis):
            return tuple(n * (axis == other) for other in range(3))

        through = flux(lambda *by: cut(f["scalar"], by), cut(f[name], CENTRE), at, c).settled()
        low, high = (
            tuple(part if axis == other else slice(None) for other in range(3))
            for part in (slice(None, -1), slice(1, None))
        )
        result = result + (through[low] - through[high])
    f["tendency"][inner(3, 3)] = result
