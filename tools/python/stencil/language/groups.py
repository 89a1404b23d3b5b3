"""Statements that become one `stencil.apply`.

Statements in a row are one apply with several results if none reads what another one of them
computes, and if all of them can be computed at the points of all: then their common expressions are
written once. What becomes one kernel is decided later, by the compiler.
"""

from __future__ import annotations

from typing import List, Sequence

from .fields import Field, Kept
from .layout import Layout
from .memory import Box
from .tracing import Statement


def grouped(layout: Layout, statements: Sequence[Statement],
            merge: bool) -> List[List[Statement]]:
    """The statements of a block in groups, in order; without `merge`, each by itself.

    Those of a scan are one group.
    """
    groups: List[List[Statement]] = []
    for statement in statements:
        if statement not in layout.boxes:
            continue
        if statement.scan is not None and groups and groups[-1][0].scan is statement.scan:
            groups[-1].append(statement)
        elif merge and groups and _joins(layout, groups[-1], statement):
            groups[-1].append(statement)
        else:
            groups.append([statement])
    return groups


def union(layout: Layout, group: Sequence[Statement]) -> Box:
    """The smallest box that holds the points of all statements of a group."""
    boxes = [layout.boxes[one] for one in group]
    return tuple((min(box[d][0] for box in boxes), max(box[d][1] for box in boxes))
                 for d in range(len(layout.extents)))


def _joins(layout: Layout, group: List[Statement], statement: Statement) -> bool:
    targets = [one.target for one in group]
    if statement.scan is not None or group[0].scan is not None:
        return False
    if any(one is statement.target for one in targets):
        return False
    if any(isinstance(one, Field) != isinstance(statement.target, Field) for one in targets):
        return False
    for read in layout.reads[statement]:
        if any(read.source is one for one in group):
            return False
        for one in group:
            if read.source is one.target and read.level == one.level:
                return False
    everyone = [*group, statement]
    if all(layout.boxes[one] == layout.boxes[group[0]] for one in everyone):
        return True
    return isinstance(statement.target, Field) and all(
        _can_be_computed(layout, one, union(layout, everyone)) for one in everyone)


def _can_be_computed(layout: Layout, statement: Statement, box: Box) -> bool:
    """Whether all that a statement reads is there at more points than it stores."""
    for read in layout.reads[statement]:
        if read.offsets is None:
            return False
        if isinstance(read.source, Statement):
            axes, whole = tuple(range(len(box))), layout.boxes[read.source]
        elif isinstance(read.source, Kept):
            # It has values where the statement reads it, perhaps not beside these points.
            return bool(layout.boxes[statement] == box)
        else:
            memory = layout.memories[read.source]
            # Ghost cells may not be filled for what would read them now.
            axes, whole = memory.axes or (), tuple(memory.box)
        for dimension, offset, (low, high) in zip(axes, read.offsets, whole):
            if box[dimension][0] + offset < low or box[dimension][1] + offset > high:
                return False
    return True
