"""The acoustic wave equation in a medium of varying velocity, from its formula."""

from fractions import Fraction

from grid import CENTRE, FACES, Window, inner, rotate, total

EIGHTH = (Fraction(8, 5), Fraction(-1, 5), Fraction(8, 315), Fraction(-1, 560))


def star(u, distance):
    """The sum of the six cells at a distance along the axes."""
    return total(u(*(distance * n for n in face)) for face in FACES)


def so4(f, c):
    """Three fields in turn; the new one overwrites that of two steps ago."""
    before, now, after = f["older"], f["old"], f["new"]
    inside = inner(3, 2)
    for _ in range(9):
        u = Window(now, 2)
        laplacian = (16 * star(u, 1) - star(u, 2)) / c(12.0) - c(7.5) * u(*CENTRE)
        after[inside] = c(2.0) * u(*CENTRE) - before[inside] + f["medium"][inside] * laplacian
        before, now, after = now, after, before


def laplacian8(u, c, scale=1):
    """The eighth-order Laplacian, times a number."""
    near = (c(scale * weight) * star(u, n) for n, weight in enumerate(EIGHTH, start=1))
    return total(near) - c(scale * Fraction(205, 24)) * u(*CENTRE)


def so8(f, c):
    """The same three fields, with damping and a source."""
    before, now, after = f["older"], f["old"], f["new"]
    inside, source = inner(3, 4), (7, 9, 11)
    m, d = f["medium"], f["damping"][inside]
    for step in range(7):
        u = Window(now, 4)
        moved = c(2.0) * u(*CENTRE) - (c(1.0) - d) * before[inside]
        after[inside] = (moved + m[inside] * laplacian8(u, c)) / (c(1.0) + d)
        after[source] = after[source] + m[source] * f["source"][step]
        before, now, after = now, after, before


def star25(f, c):
    """The operator without the terms in time."""

    def update(u):
        u = Window(u, 4)
        return u(*CENTRE) + laplacian8(u, c, Fraction(1, 10))

    rotate(update, f["u"], f["v"], 4)
