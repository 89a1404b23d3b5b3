"""What other frameworks have to know of a function or a program to make an operation of it.

An operation takes arrays and numbers, each of a fixed kind; what a program takes besides, and
numbers that a package was given before, are parts of the operation. `stencil.torch` and
`stencil.jax` register operations; here is what is the same for both.
"""

from __future__ import annotations

import keyword
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy

from .errors import ArgumentError
from .language.arguments import FieldKind, NumberKind, given_arrays
from .language.compiled import Compiled
from .language.program import Program
from .package import Function, Package
from .signatures import Field

#: What an operation is made of.
Source = Union[Program, Package, Function]


@dataclass(frozen=True)
class Parameter:
    """An argument of an operation."""

    name: str
    #: "array", "arrays" for several levels of time, "int", "float" or "bool".
    kind: str
    #: Whether it is written, and whether what is written is a result: of scratch it is not.
    is_written: bool = False
    is_result: bool = False
    #: Arrays that it has.
    count: int = 0
    #: The type of NumPy that a number had where the program was described, which its type is.
    number: Optional[type] = None

    @property
    def is_array(self) -> bool:
        """Whether it is an array, or several."""
        return self.kind.startswith("array")

    def value(self, given: Any) -> Any:
        """What a call of the program gets for what a call of the operation got."""
        return given if self.number is None else self.number(given)


class Operation:
    """A function or a program with its parameters; `run` is a call of it."""

    def __init__(self, source: Source, examples: Sequence[Any]) -> None:
        self.source = source
        #: What is not given by calls, by the place among the values.
        self._fixed: Dict[int, Any] = {}
        self.parameters: List[Parameter] = []
        if isinstance(source, Program):
            self._of_program(source, examples)
        elif isinstance(source, (Package, Function)):
            if examples:
                raise ArgumentError("a package says itself what it takes; arrays and numbers are "
                                    "given to describe a program only")
            self._of_package()
        else:
            raise ArgumentError(f"an operation is made of a program or a package, found "
                                f"{type(source).__name__}; use @stencil.program, stencil.compile "
                                "or stencil.load")
        self._name_apart()

    @property
    def name(self) -> str:
        """The name of the function."""
        if isinstance(self.source, Program):
            return self.source.name
        return self._function()[1].name

    @property
    def turns_levels(self) -> bool:
        """Whether levels of time take turns in the arrays of a call, which gives their order."""
        return isinstance(self.source, Program) and self.source.takes_levels

    def _of_program(self, program: Program, examples: Sequence[Any]) -> None:
        if not examples:
            raise ArgumentError(f"program '{program.name}' takes arrays of any type; say which, "
                                f"op({program.name}, array, number, ...), with arrays or "
                                "stencil.Array(shape, dtype) of any extents")
        compiled, given = program.described(*examples)
        written = compiled.written
        for place, (name, value, kind) in enumerate(given):
            if isinstance(kind, FieldKind):
                many = isinstance(value, (tuple, list))
                changes = name in written
                self.parameters.append(Parameter(
                    name, "arrays" if many else "array", changes, changes, kind.count))
            elif isinstance(kind, NumberKind):
                number = type(value) if isinstance(value, numpy.floating) else None
                self.parameters.append(Parameter(
                    name, "int" if kind.element == "index" else "float", number=number))
            else:
                self._fixed[place] = value

    def _function(self) -> Tuple[Package, Function]:
        if isinstance(self.source, Function):
            return self.source.package, self.source
        assert isinstance(self.source, Package)
        return self.source, self.source.function

    def _of_package(self) -> None:
        package, function = self._function()
        self._fixed = package.given(function)
        for one in function.arguments:
            name = one.name or one.symbol or f"arg{one.position}"
            if isinstance(one.kind, Field):
                written = one.kind.written
                self.parameters.append(Parameter(
                    name, "array", written, written and not one.kind.scratch, 1))
            elif one.position not in self._fixed:
                kind = {"i1": "bool"}.get(one.kind.type)
                kind = kind or ("float" if "f" in one.kind.type else "int")
                self.parameters.append(Parameter(name, kind))

    def _name_apart(self) -> None:
        """Names that any language has: letters, digits and underscores, each name once."""
        taken: List[str] = []
        for place, one in enumerate(self.parameters):
            good = one.name.isidentifier() and one.name.isascii() and one.name not in taken
            name = one.name if good and not keyword.iskeyword(one.name) else f"arg{place}"
            taken.append(name)
            self.parameters[place] = Parameter(**{**vars(one), "name": name})

    def filled(self, values: Sequence[Any]) -> List[Any]:
        """The values of a call of the program: those of the operation, and what is fixed."""
        left = [one.value(value) for one, value in zip(self.parameters, values)]
        count = len(left) + len(self._fixed)
        return [self._fixed[place] if place in self._fixed else left.pop(0)
                for place in range(count)]

    def run(self, values: Sequence[Any], stream: Any = None) -> List[Any]:
        """Runs it on a value for each parameter; arrays change in place.

        Gives the results: the arrays that were written, levels of time oldest first.
        """
        newest = self.source(*self.filled(values), stream=stream)
        if self.turns_levels:
            fields = newest if isinstance(newest, tuple) and self._results() > 1 else [newest]
            return [array for one in fields for array in given_arrays(one)]
        return [array for one, value in zip(self.parameters, values) if one.is_result
                for array in given_arrays(value)]

    def _results(self) -> int:
        return sum(one.is_result for one in self.parameters)

    def compiled(self, values: Sequence[Any]) -> Compiled:
        """A program traced for these arrays and numbers."""
        assert isinstance(self.source, Program)
        return self.source.compile(*self.filled(values))


__all__ = ["Operation", "Parameter", "Source"]
