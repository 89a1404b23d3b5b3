"""A trace and its layout as a module of the dialect `stencil`.

A field with ghost cells or levels of time has memory of the program's own: it is filled from the
array before the first statement, and the array from it after the last one. With
`levels="arguments"` that memory is the caller's instead, an array for each level.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import fills, printing
from .columns import Column
from .expressions import Value
from .fields import Field, Kept
from .groups import grouped
from .layout import Layout
from .locations import Location
from .memory import Box, Memory, without
from .points import Operand, PointCode, needed
from .printing import Names
from .readers import Reader
from .reads import Read
from .tracing import Loop, Statement
from .writer import Writer

#: Flags of operations by the option `fast_math`.
FLAGS = {False: "", "contract": "contract", True: "reassoc,contract,arcp,afn"}


class Scalar(NamedTuple):
    """An argument that is a number."""

    name: str
    element: str


class Parameter(NamedTuple):
    """An argument of the module's function: of which argument of the program, and which level."""

    name: str
    source: Any
    #: For arrays: 0 for the newest level, 1 for the one before; -1 for the one computed first.
    age: int


class Emission(Writer):
    """Writes the module of a layout."""

    def __init__(self, layout: Layout, arguments: Sequence[Any], name: str, fast_math: Any,
                 levels: str, merge: bool, with_locations: bool) -> None:
        super().__init__(layout, FLAGS[fast_math], with_locations)
        self.name = name
        self._own_levels = levels == "private"
        self._merge = merge
        self._arguments = list(arguments) + list(layout.profiles)
        self.parameters: List[Parameter] = []
        self._temps: Dict[Statement, str] = {}
        self._scalars: Dict[Scalar, str] = {}
        self._step: Optional[str] = None
        #: Boxes outside of which all levels of a field have the same.
        self._apart: Dict[Field, List[Box]] = {}
        #: Operations outside of applies, by text.
        self._numbers: Dict[str, str] = {}

    def module(self) -> str:
        """The text of the module."""
        at = self.layout.trace.at
        head = f"func.func {printing.symbol(self.name)}({self._signature()}) {{"
        with self.text.block(head, at=at):
            self._begin()
            outside = []
            for one in self.layout.trace.body:
                if isinstance(one, Statement):
                    outside.append(one)
                    continue
                self._block(outside, None)
                outside = []
                self._loop(one)
            self._block(outside, None)
            self._end()
            self.text.line("return", at)
        return self.text.finish()

    # ---- arguments and memory -------------------------------------------------------------------

    def _signature(self) -> str:
        listed = []
        for one in self._arguments:
            if isinstance(one, Scalar):
                name = self.names.take(one.name)
                self._scalars[one] = name
                self.parameters.append(Parameter(name[1:], one, 0))
                listed.append(f"{name}: {one.element}")
                continue
            memory = self.layout.memories[one]
            count = memory.live if self._own_levels else memory.levels
            ages = list(range(memory.live - 1, -1, -1)) + [-1] * (count - memory.live)
            kind = self._type(memory, memory.box if self._own_levels else memory.whole)
            for place, age in enumerate(ages):
                name = self.names.take(one.name if count == 1 else f"{one.name}{place}")
                self.parameters.append(Parameter(name[1:], one, age))
                listed.append(f"{name}: {kind}")
        return ", ".join(listed)

    def _begin(self) -> None:
        given: Dict[Field, Dict[int, str]] = {}
        for name, source, age in self.parameters:
            if isinstance(source, Field):
                given.setdefault(source, {})[age] = f"%{name}"
        for field, arrays in given.items():
            memory = self.layout.memories[field]
            if not self._own_levels:
                self.memory[field] = [arrays[age] for age in (*range(memory.live), -1)
                                      if age in arrays]
                self._fill_constants(memory)
            elif memory.is_private:
                self._copy_in(memory, arrays)
            else:
                self.memory[field] = [arrays[0]]
        for field, memory in self.layout.memories.items():
            self._apart[field] = memory.cells
            if memory.kept is not None:
                name = self.names.take(f"{field.name}_cells")
                self.text.line(f"{name} = stencil.alloc : {self._memory_type(memory)}",
                               self.layout.trace.at)
                self.memory[field] = [name]

    def _copy_in(self, memory: Memory, arrays: Dict[int, str]) -> None:
        field, kind = memory.field, self._memory_type(memory)
        self.memory[field] = []
        for place in range(memory.levels):
            suffix = f"_level{place}" if memory.levels > 1 else "_cells"
            name = self.names.take(field.name + suffix)
            self.text.line(f"{name} = stencil.alloc : {kind}", self.layout.trace.at)
            self.memory[field].append(name)
        box = self._type(memory, memory.box)
        for place, name in enumerate(self.memory[field]):
            # Cells that no step computes are those of the newest level, in all of them.
            if place == 0 or not memory.is_covered:
                self._copy(memory, f"{field.name}_in", arrays[0], box, name, kind, memory.box)
            if 0 < place < memory.live:
                for cells in memory.cells:
                    self._copy(memory, f"{field.name}_in", arrays[place], box, name, kind, cells)
        self._fill_constants(memory)

    def _copy(self, memory: Memory, stage: str, source: str, source_type: str, target: str,
              target_type: str, cells: Sequence[Sequence[float]]) -> None:
        temp, at = self._temp(memory), self.layout.trace.at
        loaded = self._load(source, source_type, temp, at)
        offset = ", ".join("0" for _ in memory.box)
        result = self.names.take(f"{target[1:]}_copy")
        with self._apply([result], [temp], [Operand(loaded, "%from", temp)], stage, at):
            self.text.line(f"%cell = stencil.access %from[{offset}] : {temp}", at)
            self.text.line(f"stencil.return %cell : {memory.field.element}", at)
        self._store(result, target, cells, temp, target_type, at)

    def _end(self) -> None:
        if not self._own_levels:
            return
        for name, source, age in self.parameters:
            memory = self.layout.memories.get(source)
            if memory is not None and memory.is_private and memory.is_written:
                kind = self._memory_type(memory)
                for cells in memory.cells if age else [memory.box]:
                    self._copy(memory, f"{source.name}_out", self.memory[source][age], kind,
                               f"%{name}", self._type(memory, memory.box), cells)

    # ---- statements -----------------------------------------------------------------------------

    def _block(self, statements: Sequence[Statement], loop: Optional[Loop]) -> None:
        for field, boxes in self._stored(statements).items():
            if loop is None or field not in self.layout.levels[loop].count:
                self._apart[field].extend(boxes)
        for group in grouped(self.layout, statements, self._merge):
            if group[0].scan is None:
                self._group(group, loop)
            else:
                self._scan(group, loop)

    def _slot(self, field: Field, level: Optional[int], loop: Optional[Loop]) -> str:
        """The memory of a level."""
        slots = self.memory[field]
        if level is None or loop is None:
            return slots[0]
        # The last one is that of the level which a step computes.
        return slots[self.layout.levels[loop].age(field, level)]

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
            for memory, name in self._dirty(statement, loop):
                if all(name != other for _, other in wanted):
                    wanted.append((memory, name))
        if wanted:
            self._fill(wanted, group[0].at)

    def _dirty(self, statement: Statement, loop: Optional[Loop]) -> List[Tuple[Memory, str]]:
        found = []
        box = self.layout.computed.get(statement, self.layout.boxes[statement])
        for read in self.layout.reads[statement]:
            if not isinstance(read.source, Field) or isinstance(read.source, Kept) \
                    or read.node.operation == "table":
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
        if node.operation in ("time", "scalar"):
            self._bind_number(node, keys, inner)
            return
        assert read is not None
        if read.offsets is None and node.operation == "table":
            self._bind_number(Value("time", (), None, "index", node.at), keys, inner)
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

    def _bind_number(self, node: Value, keys: Dict[Any, Operand], inner: Names) -> None:
        if node.operation == "scalar":
            if node.data not in keys:
                keys[node.data] = Operand(self._scalars[node.data], inner.take(node.data.name),
                                          node.data.element)
        elif "time" not in keys:
            assert self._step is not None
            keys["time"] = Operand(self._step, inner.take("time"), "index")

    # ---- loops ----------------------------------------------------------------------------------

    def _level(self, loop: Loop, rotating: Sequence[Field]) -> None:
        """Gives cells that a loop does not compute the values of the newest level in all levels.

        They have it from the beginning, where nothing else has stored such cells since.
        """
        stored = self._stored(loop.body)
        for field in rotating:
            memory, own = self.layout.memories[field], stored.get(field, [])
            rest: List[Box] = []
            for box in self._apart[field]:
                rest.extend(without(box, [*own, *rest]))
            self._apart[field] = own
            newest, *others = self.memory[field]
            kind = self._memory_type(memory)
            for name in others if rest else []:
                for cells in rest:
                    self._copy(memory, f"{field.name}_kept", newest, kind, name, kind, cells)
                self._loaded.pop(name, None)
                self._filled.discard(name)

    def _stored(self, statements: Sequence[Statement]) -> Dict[Field, List[Box]]:
        """The boxes of fields that statements assign to."""
        stored: Dict[Field, List[Box]] = {}
        for one in statements:
            if isinstance(one.target, Field) and one in self.layout.boxes:
                stored.setdefault(one.target, []).append(self.layout.boxes[one])
        return stored

    def _loop(self, loop: Loop) -> None:
        # All levels take turns: other loops may read more of them.
        rotating = [field for field in self.memory if field in self.layout.levels[loop].count]
        self._level(loop, rotating)
        self._fill_before(loop)
        first, end = self._index(loop.first), self._index(loop.end)
        one = self._index(Value("constant", (), 1, "index", self.layout.trace.at))
        self._step = self.names.take("step")
        before = {field: self.memory[field] for field in rotating}
        inside: Dict[Field, List[str]] = {}
        carried, kinds = [], []
        for field in rotating:
            count = len(before[field])
            inside[field] = [self.names.take(f"{field.name}_{_age_name(age, count)}")
                             for age in range(count)]
            for age in _order(count):
                carried.append(f"{inside[field][age]} = {before[field][age]}")
                kinds.append(self._memory_type(self.layout.memories[field]))
        head = f"scf.for {self._step} = {first} to {end} step {one}"
        result = self.names.take("end")
        if rotating:
            head = (f"{result}:{len(kinds)} = {head} iter_args({', '.join(carried)}) -> "
                    f"({', '.join(kinds)})")
        outside = dict(self._loaded)
        with self.text.block(head + " {", at=loop.at):
            for field in rotating:
                self.memory[field] = inside[field]
            self._enter(loop)
            self._block(loop.body, loop)
            if rotating:
                self._yield(rotating, inside, kinds, loop.at)
        place = 0
        for field in rotating:
            self.memory[field] = [""] * len(before[field])
            for age in _order(len(before[field])):
                self.memory[field][age] = f"{result}#{place}"
                place += 1
        # Values that were loaded inside of the loop are not there after it.
        self._loaded = outside
        self._enter(loop)
        self._step = None

    def _yield(self, rotating: List[Field], inside: Dict[Field, List[str]], kinds: List[str],
               at: Location) -> None:
        yielded: List[str] = []
        for field in rotating:
            *older, computed = inside[field]
            after = [computed, *older]
            yielded.extend(after[age] for age in _order(len(after)))
        self.text.line(f"scf.yield {', '.join(yielded)} : {', '.join(kinds)}", at)

    def _fill_before(self, loop: Loop) -> None:
        """Ghost cells of fields that no statement of the loop assigns to."""
        stored = {one.target for one in loop.body}
        wanted: List[Tuple[Memory, str]] = []
        for statement in loop.body:
            if statement not in self.layout.boxes:
                continue
            for read in self.layout.reads[statement]:
                if not isinstance(read.source, Field) or isinstance(read.source, Kept) \
                        or read.source in stored or read.node.operation == "table":
                    continue
                memory = self.layout.memories[read.source]
                slot = self.memory[read.source][0]
                box = self.layout.computed.get(statement, self.layout.boxes[statement])
                if slot not in self._filled and self._needs_ghosts(memory, box, read) \
                        and all(slot != other for _, other in wanted):
                    wanted.append((memory, slot))
        if wanted:
            self._fill(wanted, loop.at)

    def _enter(self, loop: Loop) -> None:
        """Forgets what statements of the loop change, at its beginning and after it."""
        for statement in loop.body:
            if isinstance(statement.target, Field):
                for slot in self.memory[statement.target]:
                    self._loaded.pop(slot, None)
                    self._filled.discard(slot)

    def _index(self, value: Value) -> str:
        """A number of steps, outside of applies."""
        def read(_: PointCode, node: Value) -> Tuple[str, str]:
            return self._scalars[node.data], ""

        return PointCode(self.text, self.names, "", read, {}, self._numbers).value(value)


def _order(count: int) -> List[int]:
    """Ages from the oldest to the newest, and the level that the step computes."""
    return [*range(count - 2, -1, -1), count - 1]


def _age_name(age: int, count: int) -> str:
    if age == count - 1:
        return "next"
    return "now" if age == 0 else f"before{age if age > 1 else ''}"
