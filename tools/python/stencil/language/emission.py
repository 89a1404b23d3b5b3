"""A trace and its layout as a module of the dialect `stencil`.

A field with ghost cells or levels of time has memory of the program's own: it is filled from the
array before the first statement, and the array from it after the last one. With
`levels="arguments"` that memory is the caller's instead, an array for each level.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import printing
from .blocks import BlockWriter, Scalar
from .expressions import Value
from .fields import Field
from .layout import Layout
from .memory import Box, Memory, joined, without
from .points import Operand, PointCode
from .tracing import Loop, Statement

#: Flags of operations by the option `fast_math`.
FLAGS = {False: "", "contract": "contract", True: "reassoc,contract,arcp,afn"}


class Parameter(NamedTuple):
    """An argument of the module's function: of which argument of the program, and which level."""

    name: str
    source: Any
    #: For arrays: 0 for the newest level, 1 for the one before; -1 for the one computed first.
    age: int


class Emission(BlockWriter):
    """Writes the module of a layout."""

    def __init__(self, layout: Layout, arguments: Sequence[Any], name: str, fast_math: Any,
                 levels: str, merge: bool, with_locations: bool) -> None:
        super().__init__(layout, [*arguments, *layout.profiles], FLAGS[fast_math], merge,
                         with_locations)
        self.name = name
        self._own_levels = levels == "private"
        self.parameters: List[Parameter] = []
        #: Operations outside of applies, by text.
        self._numbers: Dict[str, str] = {}

    def module(self) -> str:
        """The text of the module."""
        at = self.layout.trace.at
        head = f"func.func {printing.symbol(self.name)}({self._signature()}) {{"
        with self.text.block(head, at=at):
            self._begin()
            self._body(self.layout.trace.body, None)
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

    # ---- loops ----------------------------------------------------------------------------------

    def _body(self, body: Sequence[Union[Statement, Loop]], loop: Optional[Loop]) -> None:
        """Statements and loops, in their order."""
        block: List[Statement] = []
        for one in body:
            if isinstance(one, Statement):
                block.append(one)
                continue
            self._block(block, loop)
            block = []
            self._loop(one)
        self._block(block, loop)

    def _level(self, loop: Loop, stepped: Sequence[Field]) -> None:
        """Gives cells that a loop does not compute the values of the newest level in all levels.

        They have it from the beginning, where nothing else has stored such cells since.
        """
        stored = self._stored(loop.statements)
        for field in stepped:
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

    def _left_apart(self, loop: Loop, field: Field, before: List[Box]) -> List[Box]:
        """Boxes outside of which all levels of a field have the same after a loop."""
        if field in self.layout.levels[loop].count:
            return self._stored(loop.statements).get(field, [])
        found = before
        for one in loop.body:
            found = self._left_apart(one, field, found) if isinstance(one, Loop) else joined(
                found, self._stored([one]).get(field, []))
        # Perhaps it has no steps.
        return joined(before, found)

    def _loop(self, loop: Loop) -> None:
        stepped = [field for field in self.memory if field in self.layout.levels[loop].count]
        self._level(loop, stepped)
        self._fill_before(loop)
        # Fields that loops inside it step take turns too, and all levels do: other loops may read
        # more of them.
        turning = [field for field in self.memory
                   if any(one.target is field and one.level is not None
                          for one in loop.statements)]
        first, end = self._index(loop.first), self._index(loop.end)
        one = self._index(Value("constant", (), 1, "index", self.layout.trace.at))
        step = self._steps[loop] = self.names.take("step")
        inside: Dict[Field, List[str]] = {}
        carried, kinds = [], []
        for field in turning:
            count = len(self.memory[field])
            inside[field] = [self.names.take(f"{field.name}_{_age_name(age, count)}")
                             for age in range(count)]
            for age in _order(count):
                carried.append(f"{inside[field][age]} = {self.memory[field][age]}")
                kinds.append(self._memory_type(self.layout.memories[field]))
            # A later step begins with what an earlier one has left.
            self._apart[field] = self._left_apart(loop, field, self._apart[field])
        head = f"scf.for {step} = {first} to {end} step {one}"
        result = self.names.take("end")
        if turning:
            head = (f"{result}:{len(kinds)} = {head} iter_args({', '.join(carried)}) -> "
                    f"({', '.join(kinds)})")
        apart, loaded, numbers = dict(self._apart), dict(self._loaded), dict(self._numbers)
        with self.text.block(head + " {", at=loop.at):
            self.memory.update(inside)
            self._enter(loop)
            self._body(loop.body, loop)
            if turning:
                yielded = ", ".join(self._left(loop, turning))
                self.text.line(f"scf.yield {yielded} : {', '.join(kinds)}", loop.at)
        place = 0
        for field in turning:
            for age in _order(len(inside[field])):
                self.memory[field][age] = f"{result}#{place}"
                place += 1
            self._apart[field] = apart[field]
        # Values of the loop are not there after it.
        self._loaded, self._numbers = loaded, numbers
        self._enter(loop)
        del self._steps[loop]

    def _left(self, loop: Loop, turning: Sequence[Field]) -> List[str]:
        """What a step leaves to the next one, in the order of the operands."""
        found: List[str] = []
        for field in turning:
            levels = self.memory[field]
            if field in self.layout.levels[loop].count:
                levels = [levels[-1], *levels[:-1]]
            found.extend(levels[age] for age in _order(len(levels)))
        return found

    def _fill_before(self, loop: Loop) -> None:
        """Ghost cells of fields that no statement of the loop assigns to."""
        stored = {one.target for one in loop.statements}
        wanted: List[Tuple[Memory, str]] = []
        for statement in loop.statements:
            if statement in self.layout.boxes:
                self._want(self._dirty(statement, loop, stored), wanted)
        if wanted:
            self._fill(wanted, loop.at)

    def _enter(self, loop: Loop) -> None:
        """Forgets what statements of the loop change, at its beginning and after it."""
        for statement in loop.statements:
            if isinstance(statement.target, Field):
                for slot in self.memory[statement.target]:
                    self._loaded.pop(slot, None)
                    self._filled.discard(slot)

    def _index(self, value: Value) -> str:
        """A number of steps, outside of applies."""
        def read(code: PointCode, node: Value) -> Tuple[str, str]:
            if node.operation == "time":
                return code.moved(self._steps[node.data.loop], node.data.offset, node.at), ""
            return self._scalars[node.data], ""

        return PointCode(self.text, self.names, "", read, {}, self._numbers).value(value)


def _order(count: int) -> List[int]:
    """Ages from the oldest to the newest, and the level that the step computes."""
    return [*range(count - 2, -1, -1), count - 1]


def _age_name(age: int, count: int) -> str:
    if age == count - 1:
        return "next"
    return "now" if age == 0 else f"before{age if age > 1 else ''}"
