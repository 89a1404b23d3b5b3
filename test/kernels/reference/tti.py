"""Waves in tilted layers, from their formula."""

from fractions import Fraction

from acoustic import laplacian8
from bounded import sqrt
from grid import CENTRE, Window, inner, total

FIRST = (Fraction(4, 5), Fraction(-1, 5), Fraction(4, 105), Fraction(-1, 280))
FIELDS = ("p0", "p1", "p2", "q0", "q1", "q2")


def tilt(random, shape):
    """A component of the axis of symmetry, so short that the third one is never zero."""
    return random.uniform(-0.5, 0.5, shape)


def slow(random, shape):
    """Velocities for which waves do not grow."""
    return random.uniform(0.05, 0.1, shape)


def slope(field, axis, c):
    """The derivative along an axis, four cells less at each end of all axes."""
    u = Window(field, 4)

    def cell(n):
        return u(*(n * (axis == other) for other in range(3)))

    return total(c(weight) * (cell(n) - cell(-n)) for n, weight in enumerate(FIRST, start=1))


def along(field, normal, c):
    """The slope along the axis of symmetry, as a vector."""
    steep = total(normal[axis] * slope(field, axis, c) for axis in range(3))
    # What an apply hands to the next one is settled.
    return [(part * steep).settled() for part in normal]


def waves(f, c):
    """Three fields in turn of each unknown."""
    p, q = [f["p0"], f["p1"], f["p2"]], [f["q0"], f["q1"], f["q2"]]
    x, y = (Window(f[name], 4)(*CENTRE) for name in ("nx", "ny"))
    normal = (sqrt(c(1.0) - x * x - y * y), y, x)
    m, e, d = (Window(f[name], 8)(*CENTRE) for name in ("medium", "across", "coupling"))
    box = inner(3, 8)
    for _ in range(4):
        p_axial, q_axial = (
            total(slope(part, axis, c) for axis, part in enumerate(along(field[1], normal, c)))
            for field in (p, q)
        )
        flat = laplacian8(Window(p[1], 8), c) - p_axial
        forces = (m * (e * flat + d * q_axial), m * (d * flat + q_axial))
        for field, force in zip((p, q), forces, strict=True):
            field[2][box] = c(2.0) * field[1][box] - field[0][box] + force
            field[:] = [field[1], field[2], field[0]]
