"""How reads are written: `stencil.access` at offsets, `stencil.dyn_access` at coordinates."""

from __future__ import annotations

from typing import List, Tuple

from .expressions import Value
from .fields import Field
from .layout import Layout
from .points import Operand, PointCode
from .reads import Read
from .tracing import Statement, Time


class Reader:
    """Writes the reads of a statement."""

    def __init__(self, layout: Layout, statement: Statement,
                 shift: Tuple[int, ...] = ()) -> None:
        self._layout = layout
        #: How far the points that are computed are from the point of the region; by dimension.
        self._shift = shift or (0,) * len(layout.extents)
        self._reads = {id(one.node): one for one in layout.reads[statement]}
        self._rank = len(layout.extents)
        self._box = layout.computed.get(statement, layout.boxes[statement])

    def read(self, code: PointCode, node: Value) -> Tuple[str, str]:
        """The text of a read, and a name for its result; or the name alone."""
        if node.operation == "coordinate":
            index = node.data
            offset = index.offset + self._shift[index.dimension]
            return code.coordinate(index.dimension, offset, self._rank, node.at), ""
        if node.operation == "scalar":
            return code.operand(node.data).inside, ""
        if node.operation == "time":
            time: Time = node.data
            return code.moved(code.operand(time.loop).inside, time.offset, node.at), ""
        read = self._reads[id(node)]
        operand = code.operand(
            (read.source, read.level if node.operation == "access" else None))
        if read.offsets is None:
            return self._absolute(code, node, read, operand)
        axes = tuple(range(self._rank))
        if isinstance(read.source, Field):
            axes = self._layout.memories[read.source].axes or axes
        written = ["_"] * self._rank
        suffix = ""
        for dimension, relative in zip(axes, read.offsets):
            offset = relative + self._shift[dimension]
            written[dimension] = str(offset)
            if offset:
                name = self._layout.names[dimension]
                suffix += f"_{name}{'m' if offset < 0 else 'p'}{abs(offset)}"
        return (f"stencil.access {operand.inside}[{', '.join(written)}] : {operand.type}",
                operand.inside[1:] + (suffix or "_c"))

    def _absolute(self, code: PointCode, node: Value, read: Read,
                  operand: Operand) -> Tuple[str, str]:
        field = read.source
        assert isinstance(field, Field)
        memory = self._layout.memories[field]
        if node.operation == "table":
            step = code.operand(node.data.loop).inside
            coordinates = [code.moved(step, read.level or 0, node.at)]
            lower, upper = ["0"], [str(field.shape[0] - 1)]
            return self._dynamic(operand, coordinates, lower, upper), f"{operand.inside[1:]}_now"
        coordinates, lower, upper = [], [], []
        for place, inside, (low, end) in zip(
                read.places, memory.box, self._layout.reached(self._box, read)):
            if isinstance(place, int):
                coordinates.append(code.index_constant(low, node.at))
            else:
                offset = place.offset + self._shift[place.dimension]
                coordinates.append(code.coordinate(place.dimension, offset, self._rank, node.at))
                # The whole array, and the ghost cells that are read.
                low, end = min(low, inside[0]), max(end, inside[1])
            lower.append(str(low))
            upper.append(str(end - 1))
        return self._dynamic(operand, coordinates, lower, upper), f"{operand.inside[1:]}_at"

    def _dynamic(self, operand: Operand, coordinates: List[str], lower: List[str],
                 upper: List[str]) -> str:
        return (f"stencil.dyn_access {operand.inside}[{', '.join(coordinates)}] in "
                f"<[{', '.join(lower)}]> : <[{', '.join(upper)}]> attributes {{absolute}} : "
                f"{operand.type}")
