"""What the formulas are written with: cells near a point, constants, time steps."""

from itertools import product

import numpy as np

CUBE = list(product((-1, 0, 1), repeat=3))
# The neighbours of a cell in three dimensions, by how many axes lead to them.
CENTRE = (0, 0, 0)
FACES = [at for at in CUBE if sum(map(abs, at)) == 1]
EDGES = [at for at in CUBE if sum(map(abs, at)) == 2]
CORNERS = [at for at in CUBE if sum(map(abs, at)) == 3]


class Window:
    """A field seen from all points of a box at once: `u(0, 1)` is the next cell along the last
    axis.

    The box leaves out `low` cells at the beginning and `high` cells at the end of each axis. A
    field of one dimension lies along `axis` of `rank`, and takes one offset.
    """

    def __init__(self, field, low, high=None, axis=None, rank=None):
        self.field, self.low = field, low
        self.high = low if high is None else high
        self.axis, self.rank = axis, rank

    def __call__(self, *offsets):
        extents = self.field.value.shape
        index = [
            slice(self.low + offset, extent - self.high + offset)
            for offset, extent in zip(offsets, extents, strict=True)
        ]
        if self.axis is not None:
            index = [index[0] if axis == self.axis else None for axis in range(self.rank)]
        return self.field[tuple(index)]


class Coefficients:
    """The constants of a formula in a type, one of which may be changed a little.

    A check that nobody notices checks nothing: the comparison must fail for every constant that is
    changed by CHANGE, relative to it. Constants that are there for special cases alone are
    `negligible`.
    """

    CHANGE = {"f64": 1e-6, "f32": 5e-2}

    def __init__(self, element, changed=None):
        self.element, self.changed = element, changed
        self.seen = set()

    def __call__(self, value):
        """A constant, rounded to the type of the program."""
        value = float(np.float32(float(value)) if self.element == "f32" else value)
        self.seen.add(value)
        return value * (1.0 + self.CHANGE[self.element]) if value == self.changed else value

    def single(self, value):
        """A constant that is rounded to single precision first."""
        return self(np.float32(value))

    def negligible(self, value):
        """A constant in single precision that changes nothing with inputs like ours."""
        return float(np.float32(value))


def inner(rank, low, high=None):
    """The index of the box of a Window."""
    high = low if high is None else high
    return tuple(slice(low, -high if high else None) for _ in range(rank))


def wrapped(field, radius=1):
    """Ghost cells take the values at the other end, one axis after the other."""
    rank = field.value.ndim
    for axis in range(rank):
        for to, source in (
            (slice(0, radius), slice(-2 * radius, -radius)),
            (slice(-radius, None), slice(radius, 2 * radius)),
        ):
            to, source = (
                tuple(part if axis == other else slice(None) for other in range(rank))
                for part in (to, source)
            )
            field[to] = field[source]


def rotate(update, old, new, margin, steps=4):
    """Steps between two fields that change places; cells of the margin keep their values."""
    box = inner(old.value.ndim, margin)
    for _ in range(steps):
        new[box] = update(old)
        old, new = new, old


def total(parts):
    """The sum of what may be arrays."""
    result = None
    for part in parts:
        result = part if result is None else result + part
    return result
