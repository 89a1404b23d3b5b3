"""Memory: what an argument of a program holds, and what the program holds beside it."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

from .boundaries import SIDES, Boundary, Sides
from .fields import Field

#: For each dimension the first coordinate and the one past the last.
Box = Tuple[Tuple[float, float], ...]


class Memory:
    """An argument that is an array: what it holds, and what is held beside it."""

    def __init__(self, field: Field, axes: Optional[Tuple[int, ...]], sides: Sides) -> None:
        self.field = field
        #: Dimensions of the grid, one for each axis; None for a table.
        self.axes = axes
        self.sides = sides
        self.halo = [tuple(_halo(pair[side], place) for place, side in enumerate(SIDES))
                     for pair in sides]
        #: Ghost cells below and above the array, along each axis.
        self.ghosts = [[0, 0] for _ in sides]
        #: Arrays that take turns, and those of them that are given.
        self.levels = 1
        self.live = 1
        self.is_written = False
        #: The points that are read of a temporary which is kept in memory.
        self.kept: Optional[Box] = None
        #: The boxes that statements of time loops store, each once.
        self.stored: List[Box] = []

    @property
    def box(self) -> "List[Tuple[int, int]]":
        """The cells of the array, along its axes."""
        if self.kept is not None:
            return [(int(low), int(high)) for low, high in self.kept]
        return [(-low, extent - low) for (low, _), extent in zip(self.halo, self.field.shape)]

    @property
    def whole(self) -> "List[Tuple[int, int]]":
        """The cells of the array and the ghost cells."""
        return [(low - ghosts[0], high + ghosts[1])
                for (low, high), ghosts in zip(self.box, self.ghosts)]

    @property
    def is_covered(self) -> bool:
        """Whether each step stores all cells of the array."""
        return any(covers(one, tuple(self.box)) for one in self.stored)

    @property
    def cells(self) -> List[Box]:
        """The cells that statements of time loops store: the array, or some boxes."""
        return [tuple(self.box)] if self.is_covered else list(self.stored)

    @property
    def has_ghosts(self) -> bool:
        """Whether anything reads ghost cells."""
        return any(count for pair in self.ghosts for count in pair)

    @property
    def is_private(self) -> bool:
        """Whether the program has memory of its own for it."""
        return self.has_ghosts or self.levels > 1


def _halo(boundary: Optional[Boundary], place: int) -> int:
    return boundary.widths[place] if boundary is not None and boundary.kind == "halo" else 0


def covers(one: Box, two: Box) -> bool:
    """Whether all points of the second box are points of the first."""
    return all(a[0] <= b[0] and a[1] >= b[1] for a, b in zip(one, two))


def without(box: Box, others: Sequence[Box]) -> List[Box]:
    """Boxes, apart from each other, of the points of a box that are in none of the others."""
    rest = [box] if all(low < high for low, high in box) else []
    for other in others:
        rest = [piece for one in rest for piece in _without(one, other)]
    return rest


def _without(box: Box, other: Box) -> List[Box]:
    common = [(max(a[0], b[0]), min(a[1], b[1])) for a, b in zip(box, other)]
    if any(low >= high for low, high in common):
        return [box]
    pieces, left = [], list(box)
    for axis, (low, high) in enumerate(common):
        for span in ((left[axis][0], low), (high, left[axis][1])):
            if span[0] < span[1]:
                pieces.append((*left[:axis], span, *left[axis + 1:]))
        left[axis] = (low, high)
    return pieces


def joined(one: Sequence[Box], two: Sequence[Box]) -> List[Box]:
    """The boxes of both, each once."""
    return [*one, *(box for box in two if box not in one)]


def union(one: Optional[Box], two: Optional[Box]) -> Optional[Box]:
    """The smallest box that holds both, of those that there are."""
    if one is None or two is None:
        return one or two
    return tuple((min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(one, two))
