"""What statements read: fields at offsets, or at coordinates; and which level of time that is."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from .expressions import Index, Value, postorder
from .fields import Access, Field
from .locations import refuse
from .tracing import Loop, Statement, Trace

#: Levels of time of one field.
LEVELS_MAX = 1024

#: A read at a constant distance from the point, one number for each axis of what is read.
Offsets = Tuple[int, ...]


class Read(NamedTuple):
    """A read of one statement. `offsets` is None where coordinates are absolute."""

    node: Value
    source: Union[Field, Statement]
    level: Optional[int]
    offsets: Optional[Offsets]
    places: Tuple[Any, ...]

    def moving(self, axes: Sequence[int]) -> List[Tuple[int, int, int]]:
        """Each axis along which what is read moves with the point: its number, the dimension of the
        grid, and the offset. `axes` are the dimensions of the axes of what is read."""
        if self.offsets is not None:
            return [(axis, dimension, offset)
                    for axis, (dimension, offset) in enumerate(zip(axes, self.offsets))]
        return [(axis, place.dimension, place.offset)
                for axis, place in enumerate(self.places) if isinstance(place, Index)]


def reads_of(statement: Statement, axes: "Dict[Field, Optional[Tuple[int, ...]]]",
             extents: Tuple[int, ...]) -> List[Read]:
    """The reads of a statement, in the order in which they are evaluated."""
    found = []
    for node in postorder([statement.value]):
        if node.operation not in ("access", "table"):
            continue
        access: Access = node.data
        offsets = None
        if node.operation == "access":
            offsets = _offsets(statement, access, axes, extents)
        found.append(Read(node, access.source, access.level, offsets, access.places))
    return found


def point_of(place: int, extent: int) -> int:
    """A coordinate; one below zero counts from the end."""
    return place + extent if place < 0 else place


def _offsets(statement: Statement, access: Access,
             axes: "Dict[Field, Optional[Tuple[int, ...]]]",
             extents: Tuple[int, ...]) -> Optional[Offsets]:
    source = access.source
    own = axes[source] if isinstance(source, Field) else tuple(range(len(extents)))
    if own is None:
        return None
    offsets = []
    for dimension, place in zip(own, access.places):
        if isinstance(place, Index):
            if place.dimension != dimension:
                # The array is read along another dimension than its own.
                return None
            offsets.append(place.offset)
            continue
        target = statement.points[dimension] if statement.points else None
        if not isinstance(target, int):
            return None
        extent = extents[dimension]
        offsets.append(point_of(place, extent) - point_of(target, extent))
    return tuple(offsets)


def axes_of(trace: Trace, statements: List[Statement],
            fields: List[Field]) -> "Dict[Field, Optional[Tuple[int, ...]]]":
    """The dimensions of the grid that each field's axes are; None for tables."""
    rank = len(trace.indices or ())
    axes: Dict[Field, Optional[Tuple[int, ...]]] = {one: None for one in fields}
    for statement in statements:
        if isinstance(statement.target, Field):
            axes[statement.target] = tuple(range(rank))
        for node in postorder([statement.value]):
            if node.operation != "access" or not isinstance(node.data.source, Field):
                continue
            source, places = node.data.source, node.data.places
            if source.ndim == rank:
                # Points alone are those of a table, unless something else says otherwise.
                if rank > 1 or any(isinstance(one, Index) for one in places):
                    axes[source] = tuple(range(rank))
                continue
            if not all(isinstance(one, Index) for one in places):
                continue
            found = tuple(one.dimension for one in places)
            before = axes[source]
            if before is not None and before != found:
                names = trace.indices or ()
                refuse(f"'{source.name}' is indexed by ({', '.join(names[d] for d in found)}) and "
                       f"by ({', '.join(names[d] for d in before)})",
                       "an array of fewer dimensions lies along the same axes everywhere; pass it "
                       "as two arguments", node.at)
            axes[source] = found
    for statement in statements:
        for node in postorder([statement.value]):
            if node.operation == "table" and axes[node.data.source] is not None:
                name = node.data.source.name
                refuse(f"'{name}' lies on the grid and is indexed by the time step alone",
                       f"write {name}[t, {', '.join(trace.indices or ())}]", node.at)
    return axes


class Levels:
    """The levels of time of the fields that one loop steps; loops inside it may read them."""

    def __init__(self, loop: Loop, axes: "Dict[Field, Optional[Tuple[int, ...]]]",
                 extents: Tuple[int, ...]) -> None:
        self._loop = loop
        #: The level that each field's statements store, and how many levels take turns.
        self.new: Dict[Field, int] = {}
        self.count: Dict[Field, int] = {}
        stored: Dict[Field, Statement] = {}
        for statement in loop.statements:
            target = statement.target
            if not isinstance(target, Field) or statement.level is None \
                    or statement.loop is not loop:
                continue
            before = stored.setdefault(target, statement)
            if before.level != statement.level:
                refuse(f"'{target.name}' is assigned to at two levels, t{before.level:+d} in line "
                       f"{before.at.line} and t{statement.level:+d}",
                       "each step computes one new level of a field", statement.at)
            self.new[target] = statement.level
        #: Fields that loops inside it step.
        self._inside = {one.target for one in loop.statements
                        if one.loop is not loop and one.level is not None}
        self._check(axes, extents)

    def _check(self, axes: "Dict[Field, Optional[Tuple[int, ...]]]",
               extents: Tuple[int, ...]) -> None:
        written: Dict[Field, bool] = {}
        oldest = {field: level - 1 for field, level in self.new.items()}
        for statement in self._loop.statements:
            for read in reads_of(statement, axes, extents):
                if read.node.operation == "table" or not isinstance(read.source, Field):
                    continue
                if read.level is not None and read.node.data.loop is not self._loop:
                    # A level of another loop, which checks it.
                    continue
                own = axes[read.source]
                self._check_read(read, written, own is not None and len(own) == len(extents),
                                 statement.loop is not self._loop)
                if read.level is not None:
                    oldest[read.source] = min(oldest[read.source], read.level)
            if isinstance(statement.target, Field):
                if statement.target in self.new:
                    self._check_store(statement)
                written[statement.target] = True
        self.count = {field: level - oldest[field] + 1 for field, level in self.new.items()}
        for field, count in self.count.items():
            if count > LEVELS_MAX:
                first, last = (f"t{one:+d}" if one else "t"
                               for one in (oldest[field], self.new[field]))
                refuse(f"'{field.name}' has {count} levels of time, from {first} to {last}",
                       f"a level is an array of its own: a field has {LEVELS_MAX} at most",
                       self._loop.body[0].at)

    def _check_read(self, read: Read, written: Dict[Field, bool], is_on_grid: bool,
                    is_inside: bool) -> None:
        field, level = read.source, read.level
        assert isinstance(field, Field)
        if level is None:
            if field in self.new:
                self._refuse_mixed(field, read.node.at, is_inside)
            return
        new = self.new.get(field)
        if new is None and not is_on_grid:
            refuse(f"{read.node.data} is a level of time, and '{field.name}' has none: it does not "
                   "lie on the whole grid",
                   f"a table has a value for each time step, {field.name}[t]; or read "
                   "it without the time step if it is the same in every step", read.node.at)
        if new is None and field in self._inside:
            refuse(f"{read.node.data} is a level of time of the loop of line "
                   f"{self._loop.at.line}, and a loop inside of it steps '{field.name}'",
                   "read the newest level, without the time step, or in the inner loop a level of "
                   "its time step", read.node.at)
        if new is None:
            refuse(f"{read.node.data} is a level of time, and the loop assigns to no level of "
                   f"'{field.name}'",
                   f"assign to {field.name}[t+1, ...] in the loop, or read it without the time "
                   "step if it is the same in every step", read.node.at)
        if level > new:
            refuse(f"{read.node.data} is read, and level t{level:+d} is never assigned to",
                   f"the newest level is the one assigned to, t{new:+d}", read.node.at)
        if level == new and field not in written:
            refuse(f"{read.node.data} is read before it is assigned to in the step",
                   f"read level t{new - 1:+d}" if new - 1 else "read level t, or assign first",
                   read.node.at)

    def _check_store(self, statement: Statement) -> None:
        if statement.loop is not self._loop:
            refuse(f"'{statement.name}' has levels of time in the loop of line "
                   f"{self._loop.at.line}, and is assigned to in a loop inside of it",
                   "one loop steps a field: assign to it before or after the inner loop, or have "
                   "the inner loop step another field", statement.at)
        if statement.level is None:
            self._refuse_mixed(statement.target, statement.at)

    def _refuse_mixed(self, field: Field, at: Any, is_inside: bool = False) -> None:
        where = f"the loop of line {self._loop.at.line}" if is_inside else "this loop"
        refuse(f"'{field.name}' has levels of time in {where} and is used without one",
               f"write {field.name}[t, ...] or {field.name}[t+1, ...]", at)

    def age(self, field: Field, level: int) -> int:
        """How old a level is: 0 for the newest before the step, -1 for the one it computes."""
        return self.new[field] - 1 - level
