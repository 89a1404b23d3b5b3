"""Writes what every module has: types, loads and stores, applies, fills of ghost cells."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

from . import fills, printing, types
from .fields import Field
from .layout import Layout
from .locations import Location
from .memory import Memory
from .points import Operand
from .printing import Names, Text


class Writer:
    """A module that is written from the first operation to the last."""

    def __init__(self, layout: Layout, flags: str, with_locations: bool) -> None:
        self.layout = layout
        self.text = Text(with_locations)
        self.names = Names()
        self._flags = flags
        self._stages: Dict[str, int] = {}
        #: The memory of each field, the newest level first.
        self.memory: Dict[Field, List[str]] = {}
        #: Values that were loaded, by memory, and memory whose ghost cells are filled.
        self._loaded: Dict[str, str] = {}
        self._filled: "set[str]" = set()

    def _type(self, memory: Memory, box: Sequence[Sequence[float]]) -> str:
        return self.text.alias(printing.field_type(box, memory.field.element), "field")

    def _memory_type(self, memory: Memory) -> str:
        return self._type(memory, memory.whole)

    def _temp(self, memory: Memory) -> str:
        return self.text.alias(printing.temp_type(len(memory.box), memory.field.element), "temp")

    # ---- operations -----------------------------------------------------------------------------

    def _load(self, memory: str, memory_type: str, temp: str, at: Location) -> str:
        if memory not in self._loaded:
            name = self.names.take(f"{memory[1:].replace('#', '')}_values")
            self.text.line(f"{name} = stencil.load {memory} : {memory_type} -> {temp}", at)
            self._loaded[memory] = name
        return self._loaded[memory]

    def _store(self, value: str, memory: str, box: Sequence[Sequence[float]], temp: str,
               memory_type: str, at: Location) -> None:
        self.text.line(f"stencil.store {value} to {memory}({printing.bounds(box)}) : {temp} to "
                       f"{memory_type}", at)
        self._loaded.pop(memory, None)

    def _apply(self, results: List[str], temps: List[str], operands: List[Operand], stage: str,
               at: Location) -> Any:
        """An apply whose region the caller writes."""
        count = self._stages.get(stage, 0)
        self._stages[stage] = count + 1
        stage = stage if count == 0 else f"{stage}_{count + 1}"
        bound = ", ".join(f"{one.inside} = {one.outside} : {one.type}" for one in operands)
        head = (f"{', '.join(results)} = stencil.apply({bound}) -> ({', '.join(temps)}) "
                f'attributes {{stencil.stage = "{stage}"}} {{')
        return self.text.block(head, at=at)

    # ---- ghost cells ----------------------------------------------------------------------------

    def _fill_constants(self, memory: Memory) -> None:
        """Ghost cells that never change."""
        at, temp, element = self.layout.trace.at, self._temp(memory), memory.field.element
        for box, number in fills.constants(memory):
            result = self.names.take(f"{memory.field.name}_fixed")
            kind = "" if element == "i1" else f" : {element}"
            with self._apply([result], [temp], [], f"{memory.field.name}_fixed", at):
                self.text.line(f"%value = arith.constant {types.literal(number, element)}{kind}",
                               at)
                self.text.line(f"stencil.return %value : {element}", at)
            for name in self.memory[memory.field]:
                self._store(result, name, box, temp, self._memory_type(memory), at)

    def _fill(self, wanted: List[Tuple[Memory, str]], at: Location) -> None:
        """Fills ghost cells of several fields, strips of the same cells together.

        Copies from the other end are kept apart: by them the compiler recognises periodic grids.
        """
        together: Dict[Any, List[Tuple[Memory, str, fills.Strip]]] = {}
        for place, (memory, name) in enumerate(wanted):
            self._filled.add(name)
            names = tuple(map(str, range(len(memory.box)))) if memory.axes is None else \
                tuple(self.layout.names[d] for d in memory.axes)
            for strip in fills.strips(memory, names):
                apart = place if strip.is_periodic else 0
                key = (strip.order, strip.box, strip.offset, len(strip.box), apart)
                together.setdefault(key, []).append((memory, name, strip))
        for key in sorted(together):
            parts = together[key]
            results, temps, operands = [], [], []
            inner = Names()
            for memory, name, strip in parts:
                temp = self._temp(memory)
                inside = inner.take(f"{memory.field.name}_from")
                loaded = self._load(name, self._memory_type(memory), temp, at)
                operands.append(Operand(loaded, inside, temp))
                results.append(self.names.take(f"{memory.field.name}_{strip.name}"))
                temps.append(temp)
            stage = "_".join([*(one[0].field.name for one in parts[:3]), parts[0][2].name])
            with self._apply(results, temps, operands, stage, at):
                self._strip(parts, operands, at)
            for (memory, name, strip), result, temp in zip(parts, results, temps):
                self._store(result, name, strip.box, temp, self._memory_type(memory), at)

    def _strip(self, parts: "List[Tuple[Memory, str, fills.Strip]]", operands: List[Operand],
               at: Location) -> None:
        values, elements = [], []
        for place, ((memory, _, strip), operand) in enumerate(zip(parts, operands)):
            element, offset = memory.field.element, ", ".join(map(str, strip.offset))
            name = f"%inside{place or ''}"
            self.text.line(f"{name} = stencil.access {operand.inside}[{offset}] : {operand.type}",
                           at)
            if strip.sign < 0:
                flags = f" fastmath<{self._flags}>" if self._flags else ""
                negative = f"arith.negf {name}{flags}"
                if not types.is_float(element):
                    zero = f"%zero{place or ''}"
                    self.text.line(f"{zero} = arith.constant 0 : {element}", at)
                    negative = f"arith.subi {zero}, {name}"
                name = f"%mirrored{place or ''}"
                self.text.line(f"{name} = {negative} : {element}", at)
            values.append(name)
            elements.append(element)
        self.text.line(f"stencil.return {', '.join(values)} : {', '.join(elements)}", at)
