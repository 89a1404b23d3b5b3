"""Ghost cells: which strips of a field hold what, and in which order they are filled.

A side of `periodic` is one strip that copies from the other end, one of `mirror` a strip for each
layer of cells. Dimensions are filled one after the other, periodic ones first; a later strip
includes the ghost cells of earlier ones, so that edges and corners hold what follows from both.
"""

from __future__ import annotations

from typing import List, NamedTuple, Tuple

from .memory import Memory
from .types import Number


class Strip(NamedTuple):
    """Cells of a field that are copied from others, or hold a number."""

    #: What strips of several fields must have in common to be filled together.
    order: Tuple[int, int, int, int]
    box: Tuple[Tuple[int, int], ...]
    offset: Tuple[int, ...]
    sign: int
    name: str

    @property
    def is_periodic(self) -> bool:
        """Whether it copies from the other end of the array."""
        return self.order[0] == 0


def strips(memory: Memory, names: Tuple[str, ...]) -> List[Strip]:
    """The strips that are filled before each reader, in order; `names` are those of the axes."""
    found: List[Strip] = []
    box, whole = memory.box, memory.whole
    # Along an axis with ghost cells of a fixed value, these are there from the beginning.
    spans = [list(whole[axis]) if is_constant(memory, axis) else list(box[axis])
             for axis in range(len(box))]
    for rank, kind in enumerate(("periodic", "mirror")):
        for axis in range(len(box)):
            for place, side in enumerate(("low", "high")):
                boundary, count = memory.sides[axis][side], memory.ghosts[axis][place]
                if boundary is None or boundary.kind != kind or count == 0:
                    continue
                for first, last, shift in _layers(memory, axis, place, count):
                    cells = [tuple(span) for span in spans]
                    cells[axis] = (first, last)
                    offset = [0] * len(box)
                    offset[axis] = shift
                    found.append(Strip((rank, axis, place, abs(shift)),
                                       tuple((low, high) for low, high in cells), tuple(offset),
                                       boundary.sign, f"{names[axis]}_{side}"))
            if any(one is not None and one.kind == kind for one in memory.sides[axis].values()):
                spans[axis] = list(whole[axis])
    return found


def is_constant(memory: Memory, axis: int) -> bool:
    """Whether ghost cells along an axis, if there are any, are only those of a fixed value."""
    return all(one is None or one.kind not in ("periodic", "mirror")
               for one in memory.sides[axis].values())


def _layers(memory: Memory, axis: int, place: int, count: int) -> List[Tuple[int, int, int]]:
    """Strips of one side: first cell, the one past the last, and how far away the source is."""
    low, high = memory.box[axis]
    boundary = memory.sides[axis][("low", "high")[place]]
    assert boundary is not None
    if boundary.kind == "periodic":
        return [(low - count, low, high - low) if place == 0
                else (high, high + count, low - high)]
    layers = []
    for depth in range(count):
        shift = 2 * depth + (2 if boundary.at_point else 1)
        layers.append((low - depth - 1, low - depth, shift) if place == 0
                      else (high + depth, high + depth + 1, -shift))
    return layers


def constants(memory: Memory) -> List[Tuple[Tuple[Tuple[int, int], ...], Number]]:
    """The boxes of ghost cells that hold a number, and the number."""
    found = []
    for axis, pair in enumerate(memory.sides):
        for place, side in enumerate(("low", "high")):
            boundary, count = pair[side], memory.ghosts[axis][place]
            if boundary is None or boundary.value is None or count == 0:
                continue
            low, high = memory.box[axis]
            cells = [tuple(one) for one in memory.whole]
            cells[axis] = (low - count, low) if place == 0 else (high, high + count)
            found.append((tuple((one, two) for one, two in cells), boundary.value))
    return found
