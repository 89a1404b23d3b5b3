"""Statements of a block, what lies between the beginnings and ends of loops, as applies."""

from __future__ import annotations

from typing import AbstractSet, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import fills, printing
from .columns import Column
from .expressions import Value
from .fields import Field, Kept
from .groups import grouped
from .layout import Layout
from .locations import Location
from .memory import Box, Memory, joined
from .points import Operand, PointCode, needed
from .printing import Names
from .readers import Reader
from .reads import Read
from .tracing import Loop, Statement
from .writer import Writer


class Scalar(NamedTuple):
    """An argument that is a number."""

    name: str
    element: str


class BlockWriter(Writer):
    """Writes statements that follow one another."""

    def __init__(self, layout: Layout, arguments: Sequence[Any], flags: str, merge: bool,
                 with_locations: bool) -> None:
        super().__init__(layout, flags, with_locations)
        self._merge = merge
        #: The arguments of the program, in order.
        self._arguments = list(arguments)
        self._temps: Dict[Statement, str] = {}
        self._scalars: Dict[Scalar, str] = {}
        #: The step of each loop that is around.
        self._steps: Dict[Loop, str] = {}
        #: Boxes outside of which all levels of a field have the same.
        self._apart: Dict[Field, List[Box]] = {}

    def _block(self, statements: Sequence[Statement], loop: Optional[Loop]) -> None:
        for field, boxes in self._stored(statements).items():
            if loop is None or field not in self.layout.levels[loop].count:
                self._apart[field] = joined(self._apart[field], boxes)
        for group in grouped(self.layout, statements, self._merge):
            if group[0].scan is None:
                self._group(group, loop)
            else:
                self._scan(group, loop)

    def _stored(self, statements: Sequence[Statement]) -> Dict[Field, List[Box]]:
        """The boxes of fields that statements assign to."""
        stored: Dict[Field, List[Box]] = {}
        for one in statements:
            if isinstance(one.target, Field) and one in self.layout.boxes:
                stored.setdefault(one.target, []).append(self.layout.boxes[one])
        return stored

    def _slot(self, field: Field, level: Optional[int], loop: Optional[Loop]) -> str:
        """The memory of a level."""
        slots = self.memory[field]
        levels = None if level is None else self.layout.stepping(field, loop)
        if level is None or levels is None:
            return slots[0]
        # The last one is that of the level which a step computes.
        return slots[levels.age(field, level)]

    def _operands(self, group: List[Statement], loop: Optional[Loop],
                  inner: Names) -> Dict[Any, Operand]:
        """What the statements of a group read."""
        keys: Dict[Any, Operand] = {}
        for statement in group:
            reads = {id(one.node): one for one in self.layout.reads[statement]}
            for node in needed([statement.value]):
                read = reads.get(id(node))
                if read is None or statement.scan is None or not \
                        self.layout.planes[statement.scan].only_computes(read):
                    self._bind(node, read, loop, keys, inner)
        return keys

    def _scan(self, group: List[Statement], loop: Optional[Loop]) -> None:
        """An apply that computes all points of a column, from one plane to the next."""
        at, inner = group[0].at, Names()
        self._fill_for(group, loop)
        scan = group[0].scan
        assert scan is not None
        column = Column(self.layout, scan, self.text, inner, self._flags)
        keys = self._operands(group, loop, inner)
        for target, level in column.read_before:
            if (target, level) not in keys:
                self._bind_field(target, level, loop, keys, inner, at)
        targets = column.targets
        temps = [self.text.alias(printing.temp_type(len(self.layout.extents), one[0].element),
                                 "temp") for one in targets]
        results = [self.names.take(f"{one[0].name}_new") for one in targets]
        stage = "_".join(one[0].name for one in targets[:3])
        with self._apply(results, temps, self._ordered(group, keys), stage, at):
            values, unroll = column.written(keys)
            elements = ", ".join(target.element for target, _ in targets for _ in column.planes)
            self.text.line(f"stencil.return {', '.join(values)} unroll <[{unroll}]> : {elements}",
                           at)
        for (target, level), result, temp in zip(targets, results, temps):
            slot = self._slot(target, level, loop)
            self._store(result, slot, column.box((target, level)), temp,
                        self._memory_type(self.layout.memories[target]), at)
            self._filled.discard(slot)

    def _group(self, group: List[Statement], loop: Optional[Loop]) -> None:
        at = group[0].at
        self._fill_for(group, loop)
        inner = Names()
        keys = self._operands(group, loop, inner)
        results, temps = [], []
        for statement in group:
            element = str(statement.value.element)
            temps.append(self.text.alias(
                printing.temp_type(len(self.layout.extents), element), "temp"))
            results.append(self.names.take(
                statement.name if not isinstance(statement.target, Field)
                else f"{statement.name}_new"))
        operands = self._ordered(group, keys)
        stage = "_".join(one.name for one in group[:3])
        with self._apply(results, temps, operands, stage, at):
            values = self._values(group, keys, inner)
            elements = ", ".join(str(one.value.element) for one in group)
            self.text.line(f"stencil.return {', '.join(values)} : {elements}", at)
        for statement, result, temp in zip(group, results, temps):
            if not isinstance(statement.target, Field):
                self._temps[statement] = result
                continue
            memory = self.layout.memories[statement.target]
            slot = self._slot(statement.target, statement.level, loop)
            self._store(result, slot, self.layout.boxes[statement], temp,
                        self._memory_type(memory), statement.at)
            self._filled.discard(slot)

    def _values(self, group: List[Statement], keys: Dict[Any, Operand],
                inner: Names) -> List[str]:
        known: Dict[str, str] = {}
        values = []
        for statement in group:
            # Each has its own reads; operations that are the same are written once.
            read = Reader(self.layout, statement).read
            code = PointCode(self.text, inner, self._flags, read, keys, known)
            values.append(code.value(statement.value))
        return values

    def _ordered(self, group: List[Statement], keys: Dict[Any, Operand]) -> List[Operand]:
        """Operands: temporaries, fields that are assigned to, other fields, and numbers.

        Where sums may be reassociated, their order follows that of the operands.
        """
        targets = [one.target for one in group]
        places = {one: place for place, one in enumerate(self._arguments)}

        def rank(key: Any) -> Tuple[int, int, int]:
            if not isinstance(key, tuple) or isinstance(key, Scalar):
                return (3, 0, 0)
            source, level = key
            if isinstance(source, Statement):
                return (0, 0, 0)
            is_target = any(source is one for one in targets)
            return (1 if is_target else 2, places.get(source, len(places)), level or 0)

        return [keys[key] for key in sorted(keys, key=rank)]

    def _fill_for(self, group: List[Statement], loop: Optional[Loop]) -> None:
        wanted: List[Tuple[Memory, str]] = []
        for statement in group:
            self._want(self._dirty(statement, loop), wanted)
        if wanted:
            self._fill(wanted, group[0].at)

    def _want(self, found: Sequence[Tuple[Memory, str]], wanted: List[Tuple[Memory, str]]) -> None:
        for memory, name in found:
            if all(name != other for _, other in wanted):
                wanted.append((memory, name))

    def _dirty(self, statement: Statement, loop: Optional[Loop],
               left_out: AbstractSet[Any] = frozenset()) -> List[Tuple[Memory, str]]:
        """Memory whose ghost cells a statement reads and that are not filled, but of some fields.
        """
        found = []
        box = self.layout.computed.get(statement, self.layout.boxes[statement])
        for read in self.layout.reads[statement]:
            if not isinstance(read.source, Field) or isinstance(read.source, Kept) \
                    or read.source in left_out or read.node.operation == "table":
                continue
            memory = self.layout.memories[read.source]
            slot = self._slot(read.source, read.level, loop)
            if slot not in self._filled and self._needs_ghosts(memory, box, read):
                found.append((memory, slot))
        return found

    def _needs_ghosts(self, memory: Memory, box: Box, read: Read) -> bool:
        """Whether a read at the points of a box reads ghost cells that are filled repeatedly."""
        for (low, high), inside in zip(self.layout.reached(box, read), memory.box):
            if low < inside[0] or high > inside[1]:
                return bool(fills.strips(memory, ("",) * len(memory.box)))
        return False

    def _bind(self, node: Value, read: Optional[Read], loop: Optional[Loop],
              keys: Dict[Any, Operand], inner: Names) -> None:
        """Makes an operand of what a read needs from outside of the apply."""
        if node.operation == "coordinate":
            return
        if node.operation == "time":
            self._bind_step(node.data.loop, keys, inner)
            return
        if node.operation == "scalar":
            if node.data not in keys:
                keys[node.data] = Operand(self._scalars[node.data], inner.take(node.data.name),
                                          node.data.element)
            return
        assert read is not None
        if read.offsets is None and node.operation == "table":
            self._bind_step(node.data.loop, keys, inner)
        key = (read.source, read.level if node.operation == "access" else None)
        if key in keys:
            return
        if isinstance(read.source, Statement):
            kind = self.text.alias(printing.temp_type(
                len(self.layout.extents), str(read.source.value.element)), "temp")
            keys[key] = Operand(self._temps[read.source], inner.take(read.source.name), kind)
            return
        self._bind_field(read.source, key[1], loop, keys, inner, node.at)

    def _bind_field(self, field: Field, level: Optional[int], loop: Optional[Loop],
                    keys: Dict[Any, Operand], inner: Names, at: Location) -> None:
        memory = self.layout.memories[field]
        slot = self._slot(field, level, loop)
        name = field.name
        if level:
            name += f"_t{'m' if level < 0 else 'p'}{abs(level)}"
        if memory.axes is None:
            outside, kind = slot, self._memory_type(memory)
        else:
            kind = self._temp(memory)
            outside = self._load(slot, self._memory_type(memory), kind, at)
        keys[field, level] = Operand(outside, inner.take(name), kind)

    def _bind_step(self, loop: Loop, keys: Dict[Any, Operand], inner: Names) -> None:
        if loop not in keys:
            keys[loop] = Operand(self._steps[loop], inner.take("time"), "index")
