"""Where everything lies: the domain, the points of each statement, ghost cells, levels of time.

Boxes are pairs of coordinates, half open, for each dimension; 0 is the first point of the domain.
The points of a temporary follow from its readers, those of a statement from its subscript and, next
to `fixed()` boundaries, from what it reads.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence, Set, Tuple

from . import boundaries
from .boundaries import EVERY, SIDES, Boundary
from .expressions import Index, Points, Value, binary, postorder
from .fields import Access, Field, Kept
from .kept import keep
from .locations import Location, refuse
from .memory import Box, Memory, union
from .reads import Levels, Read, axes_of, point_of, reads_of
from .scans import Assigned, Planes, check_columns, target_of
from .stores import Stored
from .tracing import Loop, Scan, Statement, Trace, around, statements_of

_EVERYWHERE = (-math.inf, math.inf)


class Layout:
    """The layout of a trace; raises `TraceError` where something does not fit."""

    def __init__(self, trace: Trace, fields: Sequence[Field],
                 declared: Mapping[str, List[Boundary]]) -> None:
        self.trace = trace
        trace.check_loops()
        keep(trace)
        self.statements = statements_of(trace.body)
        if not any(isinstance(one.target, Field) and not isinstance(one.target, Kept)
                   for one in self.statements):
            refuse(f"program '{trace.name}' assigns to no field",
                   "assign to a field at the current point, as in v[j, i] = ...", trace.at)
        self.names = self._named_grid()
        every = [*fields, *trace.kept]
        axes = axes_of(trace, self.statements, every)
        self.memories: Dict[Field, Memory] = {}
        for one in every:
            sides = self._sides(one, axes[one], declared)
            self.memories[one] = Memory(one, axes[one], sides)
        self.extents = self._extents()
        self._add_absorbing_layers(axes)
        self.reads: Dict[Statement, List[Read]] = {
            one: reads_of(one, axes, self.extents) for one in self.statements}
        self.levels: Dict[Loop, Levels] = {
            one: Levels(one, axes, self.extents) for one in trace.loops}
        self._check_levels()
        self.boxes: Dict[Statement, Box] = {}
        #: The scans and the planes of each, and where their statements are computed.
        self.planes: Dict[Scan, Planes] = {}
        self.computed: Dict[Statement, Box] = {}
        self._place()
        Assigned(self).check()
        Stored(self).check()

    # ---- the domain -----------------------------------------------------------------------------

    def _named_grid(self) -> Tuple[str, ...]:
        """The indices of the grid; where points alone are assigned to, their number says them."""
        if self.trace.indices is None:
            self.trace.indices = ("k", "j", "i")[-len(self.statements[0].points):]
        names = self.trace.indices
        for one in self.statements:
            if len(one.points) != len(names):
                refuse(f"{one.name}[{', '.join(map(str, one.points))}] is assigned to, and is not "
                       f"indexed by all indices of the grid in their order, ({', '.join(names)})",
                       "assign to fields of the grid's dimensions; arrays of fewer dimensions are "
                       "read only", one.at)
        return names

    def _sides(self, field: Field, own: Optional[Tuple[int, ...]],
               declared: Mapping[str, List[Boundary]]) -> boundaries.Sides:
        """The boundaries of a field; one that nothing reads has none, whatever is declared."""
        none: boundaries.Sides = [{"low": None, "high": None} for _ in range(field.ndim)]
        is_used = self._first_use(field) is not None
        if own is None and not is_used and field.ndim != len(self.names):
            return none
        if own is None and is_used:
            names = self._axes_of_table(field)
        else:
            names = tuple(self.names[d] for d in own or range(field.ndim))
        everywhere = declared.get(EVERY, []) if own is not None and len(own) == len(
            self.names) else []
        sides = boundaries.resolved(field.name, declared.get(field.name, everywhere), names,
                                    self.names)
        if is_used:
            boundaries.check_values(field.name, field.element, sides)
        return sides if is_used else none

    def _axes_of_table(self, field: Field) -> Tuple[str, ...]:
        """The index along each axis of an array that is read at points along others, or a number.
        """
        found: List[Set[str]] = [set() for _ in range(field.ndim)]
        for statement in self.statements:
            for node in _accesses(statement.value):
                for axis, place in enumerate(node.data.places if node.data.source is field else ()):
                    found[axis] |= {place.name} if isinstance(place, Index) else set()
        names = [one.pop() if len(one) == 1 else "" for one in found]
        return tuple(one if one and names.count(one) == 1 else str(axis)
                     for axis, one in enumerate(names))

    def _extents(self) -> Tuple[int, ...]:
        extents: Dict[int, Tuple[int, Field]] = {}
        for field, memory in self.memories.items():
            for axis, dimension in enumerate(() if isinstance(field, Kept) else memory.axes or ()):
                low, high = memory.halo[axis]
                extent = field.shape[axis] - low - high
                name = self.names[dimension]
                if extent < 1:
                    refuse(f"'{field.name}' has {field.shape[axis]} cells along {name}, and its "
                           f"halo takes {low + high}", "pass a larger array", self.trace.at)
                before = extents.setdefault(dimension, (extent, field))
                if before[0] != extent:
                    refuse(f"'{field.name}' has {extent} points along {name}, "
                           f"'{before[1].name}' has {before[0]}",
                           "all arrays of a program lie on one grid; if one has cells beyond it, "
                           f"declare them: boundaries={{'{field.name}': stencil.halo(width)}}",
                           self._first_use(field) or self.trace.at)
        if any(place not in extents for place in range(len(self.names))):
            refuse("no array has the dimensions of the grid", "index an array by all indices of "
                   f"the grid, ({', '.join(self.names)})", self.trace.at)
        return tuple(extents[dimension][0] for dimension in range(len(self.names)))

    def _first_use(self, field: Field) -> Optional[Location]:
        for statement in self.statements:
            if statement.target is field:
                return statement.at
            for node in _accesses(statement.value):
                if node.data.source is field:
                    return node.at
        return None

    def _add_absorbing_layers(self, axes: Dict[Field, Optional[Tuple[int, ...]]]) -> None:
        #: Fields that the caller does not give, and their boundary and dimension.
        self.profiles: Dict[Field, Tuple[Memory, int]] = {}
        made: Dict[Tuple[Field, int], Field] = {}
        for statement in self.statements:
            memory = self.memories.get(statement.target)
            if memory is None or any(one is not None for one in statement.points):
                continue
            for dimension, pair in enumerate(memory.sides):
                if not any(one is not None and one.kind == "absorbing" for one in pair.values()):
                    continue
                key = (statement.target, dimension)
                if key not in made:
                    name = f"{statement.name}_absorbing_{self.names[dimension]}"
                    profile = Field(self.trace, self.trace.unique(name), statement.target.element,
                                    (self.extents[dimension],))
                    made[key] = profile
                    axes[profile] = (dimension,)
                    self.profiles[profile] = (memory, dimension)
                    self.memories[profile] = Memory(profile, (dimension,),
                                                    [{"low": None, "high": None}])
                place = self.trace.index(dimension)
                factor = Value("access", (), Access(made[key], None, (place,)),
                               made[key].element, statement.at)
                statement.value = binary("mul", statement.value, factor)
                statement.value.at = statement.at

    # ---- levels ---------------------------------------------------------------------------------

    def _check_levels(self) -> None:
        for levels in self.levels.values():
            for field, count in levels.count.items():
                memory = self.memories[field]
                memory.levels = max(memory.levels, count)
                memory.live = max(memory.live, count - 1)
        for statement in self.statements:
            if statement.target in self.memories and not isinstance(statement.target, Kept):
                self.memories[statement.target].is_written = True

    # ---- boxes ----------------------------------------------------------------------------------

    def _place(self) -> None:
        valid: Dict[Any, List[Tuple[float, float]]] = {}
        for statement in self.statements:
            found = self._valid(statement, valid)
            valid[statement] = found
            if isinstance(statement.target, Kept):
                valid[statement.target] = _common(valid.get(statement.target, found), found)
        needed: Dict[Any, Optional[Box]] = {}
        for statement in reversed(self.statements):
            if statement.scan is not None:
                if statement is statement.scan.body[-1]:
                    self._place_scan(statement.scan, valid, needed)
                continue
            box = self._points(statement, valid, needed)
            if box is None:
                continue
            self.boxes[statement] = box
            for read in self.reads[statement]:
                self._require(statement, box, read, needed)
        self.statements = [one for one in self.statements if one in self.boxes]
        for statement in self.statements:
            if isinstance(statement.target, Kept) and (
                    statement.scan is None
                    or target_of(statement) in self.planes[statement.scan].stored):
                memory = self.memories[statement.target]
                memory.kept = union(memory.kept, self.boxes[statement])

    def _points(self, statement: Statement, valid: Mapping[Any, Any],
                needed: Mapping[Any, Optional[Box]]) -> Optional[Box]:
        """The points of a statement; None if nothing needs it."""
        if not isinstance(statement.target, Field):
            return needed.get(statement)
        if not isinstance(statement.target, Kept):
            return self._stored(statement, valid[statement])
        box = needed.get(statement.target)
        if box is None:
            return None
        return tuple(
            span if points is None else
            self._restricted(statement, dimension, valid[statement][dimension])
            for dimension, (points, span) in enumerate(zip(statement.points, box)))

    def _place_scan(self, scan: Scan, valid: Mapping[Any, Any],
                    needed: Dict[Any, Optional[Box]]) -> None:
        """The points of the statements of a scan: all are computed in the columns of all."""
        body, along = [one for one in scan.body if one in self.reads], scan.dimension
        spans, columns = [], None
        for statement in body:
            if isinstance(statement.target, Kept):
                spans.append(self._span(statement, along, valid[statement][along]))
                own = needed.get(statement.target)
            else:
                own = self._stored(statement, valid[statement])
                spans.append(own[along])
                self.boxes[statement] = own
            columns = own if columns is None else union(columns, own)
        if columns is None:
            return
        for statement, span in zip(body, spans):
            self.computed[statement] = (*columns[:along], span, *columns[along + 1:])
            if isinstance(statement.target, Kept):
                self.boxes[statement] = self.computed[statement]
        check_columns(scan, body, self.boxes, self.reads)
        self.planes[scan] = Planes(scan, body, self.boxes, lambda one: one in needed)
        for statement in body:
            for read in self.reads[statement]:
                self._require(statement, self.computed[statement], read, needed)

    def _span(self, statement: Statement, dimension: int,
              valid: Tuple[float, float]) -> Tuple[float, float]:
        """The points of a statement along a dimension of the domain."""
        if statement.points[dimension] is None:
            return max(0, valid[0]), min(self.extents[dimension], valid[1])
        return self._restricted(statement, dimension, valid)

    def _valid(self, statement: Statement,
               valid: Dict[Any, List[Tuple[float, float]]]) -> List[Tuple[float, float]]:
        """Where everything that it reads lies inside of arrays with `fixed()` boundaries."""
        box: List[Tuple[float, float]] = [_EVERYWHERE for _ in self.extents]
        for read in self.reads[statement]:
            if isinstance(read.source, (Kept, Statement)):
                source = valid.get(read.source, box)
                axes: Tuple[int, ...] = tuple(range(len(box)))
            else:
                memory = self.memories[read.source]
                source, axes = _clipping(memory), memory.axes or ()
            for axis, dimension, offset in read.moving(axes):
                (low, high), before = source[axis], box[dimension]
                box[dimension] = (max(before[0], low - offset), min(before[1], high - offset))
        return box

    def _stored(self, statement: Statement, valid: List[Tuple[float, float]]) -> Box:
        box: List[Tuple[float, float]] = []
        for dimension, extent in enumerate(self.extents):
            name = self.names[dimension]
            low, high = valid[dimension]
            if statement.points[dimension] is None:
                start, end = max(0, low), min(extent, high)
                if start >= end:
                    refuse(f"no point is left along {name}: of {extent}, statements with "
                           "stencil.fixed() boundaries compute those whose reads lie inside",
                           "pass larger arrays", statement.at)
            else:
                start, end = self._restricted(statement, dimension, (low, high))
            box.append((start, end))
        return tuple(box)

    def _restricted(self, statement: Statement, dimension: int,
                    valid: Tuple[float, float]) -> Tuple[int, int]:
        """The points that a subscript says, along a dimension."""
        (low, high), name = valid, self.names[dimension]
        start, end = _range(statement.points[dimension], self.extents[dimension], name,
                            statement.at)
        if start < low or end > high:
            refuse(f"{statement.name} is assigned to at {name} from {start} to {end - 1}, "
                   f"and what it reads lies inside of the arrays from {low} to {high - 1}",
                   f"restrict it further, {name}[{max(start, low)}:{min(end, high)}]",
                   statement.at)
        return start, end

    def _require(self, statement: Statement, box: Box, read: Read,
                 needed: Dict[Any, Optional[Box]]) -> None:
        if isinstance(read.source, (Kept, Statement)):
            assert read.offsets is not None
            if statement.scan is not None and self.planes[statement.scan].only_computes(read):
                return
            needed[read.source] = union(needed.get(read.source), tuple(
                (low + offset, high + offset) for (low, high), offset in zip(box, read.offsets)))
            return
        memory = self.memories[read.source]
        moving = {axis for axis, _, _ in read.moving(memory.axes or ())}
        for axis, ((low, high), inside) in enumerate(zip(self.reached(box, read), memory.box)):
            if axis not in moving and (low < inside[0] or high > inside[1]):
                refuse(f"{read.node.data} reads {low} along dimension {axis}, the array "
                       f"'{read.source.name}' has cells from {inside[0]} to {inside[1] - 1}",
                       "read inside of the array", read.node.at)
            for place, (side, beyond) in enumerate(
                    zip(SIDES, (inside[0] - low, high - inside[1]))):
                if beyond <= 0:
                    continue
                boundary = memory.sides[axis][side]
                if boundary is None or not boundary.makes_ghosts:
                    self._refuse_outside(read, memory, axis, low if place == 0 else high - 1)
                memory.ghosts[axis][place] = max(memory.ghosts[axis][place], beyond)
                self._check_depth(read, memory, axis, boundary, beyond)

    def reached(self, box: Box, read: Read) -> List[Tuple[int, int]]:
        """The cells of a field that a read at the points of a box takes, along each of its axes."""
        assert isinstance(read.source, Field)
        memory = self.memories[read.source]
        found = {axis: (int(box[dimension][0]) + offset, int(box[dimension][1]) + offset)
                 for axis, dimension, offset in read.moving(memory.axes or ())}
        for axis, place in enumerate(read.places):
            if axis not in found:
                point = point_of(place, memory.field.shape[axis] if memory.axes is None
                                 else self.extents[memory.axes[axis]])
                found[axis] = point, point + 1
        return [found[axis] for axis in range(len(found))]

    def may_leave(self, field: Field) -> bool:
        """Whether a field is read along an axis beyond whose sides are ghost cells."""
        memory = self.memories[field]
        return any(one is not None and one.makes_ghosts for reads in self.reads.values()
                   for read in reads if read.source is field
                   for axis, _, _ in read.moving(memory.axes or ())
                   for one in memory.sides[axis].values())

    def stepping(self, field: Field, loop: Optional[Loop]) -> Optional[Levels]:
        """The levels of a field in a loop, or in the one around it that steps the field."""
        return next((self.levels[one] for one in around(loop) if field in self.levels[one].new),
                    None)

    def _axis_name(self, read: Read, memory: Memory, axis: int) -> str:
        """What an axis is called that is read along an index."""
        place = read.places[axis]
        return place.name if isinstance(place, Index) else self.names[(memory.axes or ())[axis]]

    def _check_depth(self, read: Read, memory: Memory, axis: int, boundary: Boundary,
                     depth: int) -> None:
        low, high = memory.box[axis]
        most = high - low - (1 if boundary.at_point else 0)
        if boundary.kind in ("periodic", "mirror") and depth > most:
            name = self._axis_name(read, memory, axis)
            refuse(f"{read.node.data} reads {depth} cells beyond the side of '{memory.field.name}'"
                   f" along {name}, which has {most} cells for {boundary} to copy from",
                   "pass larger arrays", read.node.at)

    def _refuse_outside(self, read: Read, memory: Memory, axis: int, place: int) -> NoReturn:
        name = self._axis_name(read, memory, axis)
        low, high = memory.box[axis]
        field = memory.field.name
        boundary = next((one for one in memory.sides[axis].values() if one is not None), None)
        if boundary is not None and boundary.kind == "halo":
            refuse(f"{read.node.data} reads '{field}' at {name} = {place}, beyond its halo: it has "
                   f"cells from {low} to {high - 1}",
                   "give the array a wider halo, stencil.halo(width)", read.node.at)
        refuse(f"{read.node.data} reads '{field}' at {name} = {place}, the array has cells from "
               f"{low} to {high - 1}, and no boundary is declared there",
               f"declare one, @stencil.program(boundaries={{'{field}': stencil.periodic()}}), or "
               "mirror(), fixed(), fixed(0.0), halo(width); or restrict the statement, as in "
               f"{name}[1:-1] in the subscript that is assigned to", read.node.at)


def _accesses(value: Value) -> List[Value]:
    return [one for one in postorder([value]) if one.operation in ("access", "table")]


def _clipping(memory: Memory) -> List[Tuple[float, float]]:
    """The range of an array along each axis, where its boundary is `fixed()`; else everything."""
    found = []
    for (low, high), pair in zip(memory.box, memory.sides):
        ends = [one is not None and one.kind == "fixed" and one.value is None
                for one in (pair["low"], pair["high"])]
        found.append((low if ends[0] else -math.inf, high if ends[1] else math.inf))
    return found


def _range(points: Any, extent: int, name: str, at: Location) -> Tuple[int, int]:
    if isinstance(points, Points):
        start, end, _ = slice(points.start, points.stop).indices(extent)
        text = repr(points)
        ends = [one for one in (points.start, points.stop) if one is not None]
        if any(not -extent <= one <= extent for one in ends):
            refuse(f"{text} goes beyond the domain, which has {extent} points along {name}",
                   "ranges lie inside of the domain", at)
    else:
        start = point_of(points, extent)
        end, text = start + 1, f"{points} along {name}"
    if not 0 <= start < end <= extent:
        refuse(f"{text} is no point of the domain, which has {extent} points along {name}",
               "ranges lie inside of the domain and are not empty", at)
    return start, end


def _common(one: Sequence[Tuple[float, float]],
            two: Sequence[Tuple[float, float]]) -> List[Tuple[float, float]]:
    return [(max(a[0], b[0]), min(a[1], b[1])) for a, b in zip(one, two)]
