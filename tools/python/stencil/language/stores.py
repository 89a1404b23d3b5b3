"""What statements store: refuses what nothing reads, and reads of what is not there yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, Tuple

from .fields import Field, Kept
from .locations import refuse
from .memory import Box, covers
from .reads import Read
from .tracing import Loop, Statement

if TYPE_CHECKING:
    from .layout import Layout


class Stored:
    """The stores of a program, while statements follow one another."""

    def __init__(self, layout: "Layout") -> None:
        self._layout = layout

    def check(self) -> None:
        """Refuses stores that nothing reads, and reads of points that are stored later."""
        self._check_stores()
        self._check_partial_levels()

    def _check_stores(self) -> None:
        last: Dict[Tuple[Field, Optional[Loop]], Statement] = {}
        unread: Dict[Statement, bool] = {}
        boxes = self._layout.boxes
        for statement in self._layout.statements:
            for read in self._layout.reads[statement]:
                if isinstance(read.source, Field):
                    new = self._layout.levels[statement.loop].new.get(read.source) \
                        if statement.loop is not None else None
                    for (field, loop), stored_last in last.items():
                        if field is read.source and (loop is not statement.loop
                                                     or read.level == new):
                            unread[stored_last] = False
            if not isinstance(statement.target, Field):
                continue
            stored = self._layout.memories[statement.target].stored
            if statement.loop is not None and not isinstance(statement.target, Kept) \
                    and boxes[statement] not in stored:
                stored.append(boxes[statement])
            key = (statement.target, statement.loop)
            before = last.pop(key, None)
            if statement.scan is not None or isinstance(statement.target, Kept):
                continue
            if before is not None and unread[before] and covers(boxes[statement], boxes[before]):
                refuse(f"'{statement.name}' is assigned to again at all points of line "
                       f"{before.at.line}, and nothing has read what that line computed",
                       "assign once, or restrict the later statement to some points, as in "
                       f"{self._layout.names[-1]}[0]", statement.at)
            last[key] = statement
            unread[statement] = True

    def _check_partial_levels(self) -> None:
        """Refuses reads of a new level at points that only later statements of the step store."""
        boxes = self._layout.boxes
        for loop, levels in self._layout.levels.items():
            body = [one for one in loop.statements if one in boxes]
            for place, statement in enumerate(body):
                for read in self._layout.reads[statement]:
                    if not isinstance(read.source, Field) or read.node.operation == "table" \
                            or read.level is None or read.node.data.loop is not loop \
                            or read.level != levels.new[read.source]:
                        continue
                    stores = [one for one in body if one.target is read.source]
                    before = [one for one in stores
                              if _is_before(one, body.index(one) < place, statement, read)]
                    self._check_stored(statement, read, [boxes[one] for one in before], [
                        one for one in stores if one not in before])

    def _check_stored(self, statement: Statement, read: Read, before: List[Box],
                      later: List[Statement]) -> None:
        assert isinstance(read.source, Field)
        memory = self._layout.memories[read.source]
        found = []
        for (low, high), (first, last) in zip(
                self._layout.reached(self._layout.boxes[statement], read), memory.box):
            # Ghost cells are copied from somewhere inside.
            found.append((low, high) if first <= low and high <= last else (first, last))
        for one in later:
            common = tuple((max(a[0], b[0]), min(a[1], b[1]))
                           for a, b in zip(found, self._layout.boxes[one]))
            if all(low < high for low, high in common) and not any(
                    covers(box, common) for box in before):
                refuse(f"{read.node.data} reads points that nothing has assigned to yet in the "
                       "step",
                       "assign to all points first, or restrict the statement to points that are "
                       "assigned to before it", read.node.at)


def _is_before(store: Statement, is_written_before: bool, reader: Statement, read: Read) -> bool:
    """Whether a statement of a step has computed what another one reads of it."""
    if store.scan is None or store.scan is not reader.scan:
        return is_written_before
    assert read.offsets is not None
    offset = read.offsets[store.scan.dimension]
    ahead = -offset if store.scan.is_backward else offset
    # A plane is computed after those before it, all statements of one in their order.
    return ahead < 0 or (ahead == 0 and is_written_before)


__all__ = ["Stored"]
