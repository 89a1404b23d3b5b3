"""The code of a column: the region of a `stencil.apply` that computes a scan.

The region's point is the first one of the column that has a result; others are at offsets from it.
"""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from .expressions import Value
from .layout import Layout
from .memory import Box
from .points import Operand, PointCode
from .printing import Names, Text
from .readers import Reader
from .scans import Target, is_own, target_of
from .tracing import Scan, Statement


class Column:
    """Writes the statements of a scan, plane by plane."""

    def __init__(self, layout: Layout, scan: Scan, text: Text, names: Names, flags: str) -> None:
        self._layout = layout
        self._scan = scan
        self._text = text
        self._names = names
        self._flags = flags
        self._found = layout.planes[scan]
        self.targets: List[Target] = list(self._found.stored)
        #: The planes that have results.
        self.planes = range(self._found.first, self._found.end)
        #: What has been computed, by target and plane.
        self._values: Dict[Tuple[Target, int], str] = {}

    @property
    def read_before(self) -> List[Target]:
        """Targets that keep what they held at planes between those that are computed."""
        computed = {(target_of(one), plane) for plane, one in self._found.turns}
        return [target for target, (low, high) in self._found.stored.items()
                if any((target, plane) not in computed for plane in range(low, high))]

    def box(self, target: Target) -> Box:
        """The points that are stored."""
        statement = next(one for one in self._found.body
                         if one.target is target[0] and one.level == target[1])
        box = list(self._layout.boxes[statement])
        box[self._scan.dimension] = self._found.stored[target]
        return tuple(box)

    def written(self, keys: Dict[Any, Operand]) -> Tuple[List[str], str]:
        """Writes everything; gives the values of all targets, plane after plane, and the unroll."""
        known: Dict[str, str] = {}
        for plane, statement in self._found.turns:
            reader = _PlaneReader(self, statement, plane)
            code = PointCode(self._text, self._names, self._flags, reader.read, keys, known)
            self._values[target_of(statement), plane] = code.value(statement.value)
        code = PointCode(self._text, self._names, self._flags, _unread, keys, known)
        unroll = ["1"] * len(self._layout.extents)
        unroll[self._scan.dimension] = str(len(self.planes))
        return [self._result(target, plane, code) for target in self.targets
                for plane in self.planes], ", ".join(unroll)

    def _result(self, target: Target, plane: int, code: PointCode) -> str:
        if (target, plane) in self._values:
            return self._values[target, plane]
        at, (low, high) = self._scan.at, self._found.stored[target]
        if not low <= plane < high:
            # The apply has a value for each plane; this one is stored nowhere.
            zero = Value("constant", (), 0, target[0].element, at)
            return code.value(zero)
        operand = code.operand(target)
        offsets = ["0"] * len(self._layout.extents)
        offsets[self._scan.dimension] = str(plane - self.planes[0])
        return code.operation(
            f"stencil.access {operand.inside}[{', '.join(offsets)}] : {operand.type}",
            f"{operand.inside[1:]}_before", at)

    def own(self, statement: Statement, node: Value, plane: int) -> str:
        """What the scan has computed for a read, or nothing."""
        read = next((one for one in self._layout.reads[statement] if one.node is node), None)
        if read is None or read.offsets is None or not is_own(self._found.body, read):
            return ""
        wanted = plane + read.offsets[self._scan.dimension]
        return self._values.get(((read.source, read.level), wanted), "")

    def shift(self, plane: int) -> Tuple[int, ...]:
        """How far a plane is from the region's point."""
        return tuple(plane - self.planes[0] if d == self._scan.dimension else 0
                     for d in range(len(self._layout.extents)))

    def reader(self, statement: Statement, plane: int) -> Reader:
        """What reads the fields of a statement at a plane."""
        return Reader(self._layout, statement, self.shift(plane))


class _PlaneReader:
    """Reads of a statement at one plane."""

    def __init__(self, column: Column, statement: Statement, plane: int) -> None:
        self._column = column
        self._statement = statement
        self._plane = plane
        self._reader = column.reader(statement, plane)

    def read(self, code: PointCode, node: Value) -> Tuple[str, str]:
        """The text of a read and a name for its result; or the name alone."""
        own = self._column.own(self._statement, node, self._plane)
        return (own, "") if own else self._reader.read(code, node)


def _unread(code: PointCode, node: Value) -> Tuple[str, str]:
    raise AssertionError("a constant reads nothing")


__all__ = ["Column"]
