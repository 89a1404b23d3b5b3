"""A package as Python sees it: functions that are called on arrays.

A call binds its values by position or by name, as Python does. A number may also be given by the
symbol that it stands for (Devito's), and may have been given before, when the package was compiled
or loaded. Where the package holds one function at several sizes, the shapes of the arrays choose.
"""

from __future__ import annotations

import difflib
import json
import os
from ctypes import byref
from typing import (Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple,
                    Union)

import numpy

from . import arrays, driver, library, signatures
from .errors import ArgumentError, PackageError
from .running import Bound, BoundCall, Content, Devices, Runner, bound, ordinals, shared_by
from .scalars import Scalar, from_python, is_count
from .signatures import Argument, Field

#: What leaves out of a package what verification needs.
_UNVERIFIED = "--no-verification of stencilc, which is verification=False of stencil.compile"


class Verification(NamedTuple):
    """What agreed, bit for bit."""

    runs: int
    fields: int
    cells: int


class Function:
    """A function of a package; call it on its arrays, which it changes in place."""

    def __init__(self, package: "Package", function: signatures.Function) -> None:
        self._package = package
        self._function = function

    @property
    def name(self) -> str:
        """Its name in the source; a variant's is longer by its size."""
        return self._function.name

    @property
    def arguments(self) -> Tuple[Argument, ...]:
        """Its arguments: position, name, and what each takes."""
        return self._function.arguments

    @property
    def package(self) -> "Package":
        """The package that it is in."""
        return self._package

    @property
    def signature(self) -> str:
        """Its arguments as a table, one a line."""
        return _signature(self._function, self._package.values)

    def __call__(self, *values: Any, stream: Any = None, device: Optional[Devices] = None,
                 **named: Any) -> None:
        """Runs it; see `Package.run`."""
        self._package.run(*values, function=self.name, stream=stream, device=device, **named)

    def bind(self, *values: Any, stream: Any = None, device: Optional[Devices] = None,
             **named: Any) -> BoundCall:
        """A call with its arguments; see `Package.bind`."""
        return self._package.bind(*values, function=self.name, stream=stream, device=device,
                                  **named)

    def __repr__(self) -> str:
        return f"<stencil function {self.name}>\n{self.signature}"


class Package:
    """Compiled kernels, ready to run; made by `stencil.load` or `stencil.compile`."""

    def __init__(self, content: Content, name: str, function: Optional[str] = None,
                 values: Optional[Mapping[str, Any]] = None) -> None:
        self._content = content
        self._runner = Runner(content)
        self._chosen = function
        self._report: Dict[str, Any] = json.loads(
            library.text("stencil_package_report", content.handle) or "{}")
        try:
            self._functions = [signatures.function(index, one)
                               for index, one in enumerate(self._report["functions"])]
        except KeyError as error:
            raise library.other_version(library.find(), f"says nothing of {error}") from None
        # Which of a call's values each argument takes, by what a call gives.
        self._layouts: Dict[Any, List[Tuple[Argument, int]]] = {}
        #: Where it came from.
        self.name = name
        #: Its functions, by name.
        self.functions = {one.name: Function(self, one) for one in self._functions}
        #: Numbers that calls need not give, by name or symbol.
        self.values: Dict[str, Any] = dict(values or {})
        if function is not None:
            self[function]
        _check_values(self._functions, self.values)

    @property
    def target(self) -> str:
        """The GPU architecture that it was compiled for: `sm_90a`."""
        return str(self._report["target"])

    @property
    def kernels(self) -> List[Dict[str, Any]]:
        """What is known about each kernel: grid, block, plan, resources, operations."""
        return list(self._report["kernels"])

    @property
    def signature(self) -> str:
        """The arguments of each function, one a line."""
        return "\n".join(f"{name}\n{one.signature}" for name, one in self.functions.items())

    @property
    def function(self) -> Function:
        """The function that calls mean, or the one that the others are sizes of.

        Raises `ArgumentError` where there are several.
        """
        return self.functions[self._choose(self._chosen, (), {}).name]

    def given(self, function: Function) -> Dict[int, Any]:
        """The numbers that calls of a function need not give, by position."""
        return {argument.position: value
                for argument, value in _assigned(function.arguments, (), self.values)}

    def bound_call(self, values: Sequence[Any], named: Mapping[str, Any],
                   name: Optional[str] = None) -> Tuple[Function, List[Bound]]:
        """The function that a call means, and a value for each of its arguments."""
        chosen = self._choose(name or self._chosen, values, named)
        return self.functions[chosen.name], self._bind(chosen, values, named)

    def check(self, function: Function, numbers: Sequence[Bound],
              views: Sequence[arrays.View]) -> None:
        """Refuses what no device could run: a number or None for each argument, then its arrays."""
        self._runner.check(function._function, numbers, _by_position(function, views))

    def run_views(self, function: Function, numbers: Sequence[Bound],
                  views: Sequence[arrays.View], stream: Optional[int]) -> None:
        """Runs a function on the memory of arrays; without a stream it is waited for."""
        self._runner.run_views(function._function, numbers, _by_position(function, views), stream)

    def __getitem__(self, name: str) -> Function:
        if name in self.functions:
            return self.functions[name]
        raise PackageError(f"function '{name}' is not in the package; it has "
                           f"{', '.join(self.functions)}")

    def __call__(self, *values: Any, stream: Any = None, device: Optional[Devices] = None,
                 **named: Any) -> None:
        """Runs the package's function; see `run`."""
        self.run(*values, stream=stream, device=device, **named)

    def run(self, *values: Any, function: Optional[str] = None, stream: Any = None,
            device: Optional[Devices] = None, **named: Any) -> None:
        """Runs a function on arrays and numbers, by position or by name; arrays change in place.

        `function` may be left out where there is one, or one at several sizes. `stream` is a
        handle or a stream of CuPy, PyTorch or Numba: then the call only puts work on it, if no
        array is on the host. `device` is a number; without it the arrays say, or it is the current
        one. A function that was compiled for several devices takes a number for each, of which one
        may occur several times, or else the first ones, arrays on the host, and no stream.
        """
        chosen = self._choose(function or self._chosen, values, named)
        self._runner.run(chosen, self._bind(chosen, values, named), stream, device)

    def bind(self, *values: Any, function: Optional[str] = None, stream: Any = None,
             device: Optional[Devices] = None, **named: Any) -> BoundCall:
        """A call with its arguments, to be made many times: it looks at them once, here.

        Arguments are those of `run`, and what is wrong with them is raised here. The arrays are
        kept, and each call reads what is in their memory then: it must not be given back or moved.
        Work of other libraries on them comes before calls if it is on the same stream, or was there
        when this was made.
        """
        chosen = self._choose(function or self._chosen, values, named)
        return self._runner.bind(chosen, self._bind(chosen, values, named), stream, device)

    def with_values(self, **values: Any) -> "Package":
        """The same package with numbers that calls need not give."""
        other = Package(self._content, self.name, self._chosen, {**self.values, **values})
        other._runner = self._runner
        return other

    def time(self, *values: Any, repeat: int = 10, warm_up: int = 2,
             function: Optional[str] = None, device: Optional[Devices] = None,
             **named: Any) -> List[float]:
        """The seconds of each of `repeat` runs, after `warm_up` others, by the device's clock.

        A run is all launches of a call, without copies between host and device; each goes on with
        what the run before left. Arrays on the host stay as they are. Arguments are those of `run`.
        Raises what `run` raises, and `ArgumentError` for no runs.
        """
        if not is_count(repeat, 1) or not is_count(warm_up, 0):
            raise ArgumentError(f"repeat={repeat!r}, warm_up={warm_up!r}: time at least one run")
        chosen = self._choose(function or self._chosen, values, named)
        return self._runner.time(chosen, self._bind(chosen, values, named), warm_up, repeat,
                                 device)

    def verify(self, seed: int = 0, *, function: Optional[str] = None,
               device: Optional[Devices] = None, **numbers: Any) -> Verification:
        """Runs the optimized and the plain kernels on random fields, and compares them."""
        if not self._report["has_plain_kernels"]:
            raise PackageError(f"package '{self.name}' holds no plain kernels to compare with; "
                               f"compile it without {_UNVERIFIED}")
        if not isinstance(seed, (int, numpy.integer)):
            raise ArgumentError(f"seed={seed!r} is no integer; give one, as seed=1")
        chosen = self._choose(function or self._chosen, (), {})
        for argument, _ in _assigned(chosen.arguments, (), numbers):
            if isinstance(argument.kind, Field):
                raise ArgumentError(f"{argument} is a field; verify fills fields itself, by seed")
        values = self._bind(chosen, (), numbers, fields_may_be_missing=True)
        found = library.Verified()
        where = shared_by(device)
        if chosen.devices == 1 and not where:
            where = (driver.current_device(),)
        library.call("stencil_verify_shared", self._content.handle, chosen.index, bound(values, {}),
                     len(values), int(seed), *ordinals(where), byref(found))
        return Verification(found.runs, found.fields, found.cells)

    def selftest(self, device: Optional[Devices] = None) -> Verification:
        """Runs the program at a small size, and compares with what the interpreter computed."""
        if not self._report["has_selftest"]:
            raise PackageError(
                f"package '{self.name}' holds no self-test; compile it without {_UNVERIFIED}. "
                "A program that cannot be resized has none, nor has one with operations whose last "
                "bits differ between machines, as exp: compare its kernels with verify()")
        found = library.Verified()
        named = shared_by(device)
        if len(named) > 1:
            raise ArgumentError(f"device={device!r}: a self-test runs on one device; give a "
                                "number, device=0")
        where = named[0] if named else driver.current_device()
        library.call("stencil_selftest", self._content.handle, where, byref(found))
        return Verification(found.runs, found.fields, found.cells)

    def release(self) -> None:
        """Gives back the memory and the code on every device; a later call loads them again."""
        self._runner.release()

    def __repr__(self) -> str:
        return f"<stencil package {self.name} for {self.target}>\n{self.signature}"

    # ---- which function -------------------------------------------------------------------------

    def _choose(self, name: Optional[str], values: Sequence[Any],
                named: Mapping[str, Any]) -> signatures.Function:
        functions = self._functions
        if name is not None:
            return self[name]._function
        if len(functions) == 1:
            return functions[0]
        bases = [one for one in functions if one.variant_of is None]
        if len(bases) != 1 or any(one.variant_of not in (None, bases[0].name) for one in functions):
            raise ArgumentError(f"package has several functions ({', '.join(self.functions)}); "
                                "name one, package['NAME'](...)")
        base = bases[0]
        given = {argument.position: arrays.shape_of(value)
                 for argument, value in _assigned(base.arguments, values, named)
                 if isinstance(argument.kind, Field) and arrays.shape_of(value) is not None}
        if not given:
            return base
        fitting = [one for one in functions if not one.is_general and all(
            _shape(one.arguments[position]) == shape for position, shape in given.items())]
        # Of those for some extents the library takes the right one.
        fitting = fitting or [one for one in functions if one.is_general and one is base]
        if len(fitting) == 1:
            return fitting[0]
        if not fitting:
            shapes = ", ".join(f"{_short(base.arguments[position])} {shape}"
                               for position, shape in given.items())
            known = "\n".join(f"  {one.name}: {_shapes(one, given)}" for one in functions)
            raise ArgumentError(f"no variant of '{base.name}' has fields of the shapes given: "
                                f"{shapes}; the package has\n{known}")
        names = ", ".join(one.name for one in fitting)
        raise ArgumentError(f"the arrays given fit several variants of '{base.name}', {names}; "
                            "name one, package['NAME'](...)")

    # ---- with which values ----------------------------------------------------------------------

    def _bind(self, function: signatures.Function, values: Sequence[Any], named: Mapping[str, Any],
              fields_may_be_missing: bool = False) -> List[Bound]:
        key = function.index, len(values), *named, None, *self.values
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = _layout(function, len(values), named, self.values)
        given = *values, *named.values(), *self.values.values(), None
        return [checked(argument, given[place], fields_may_be_missing)
                for argument, place in layout]


def load(path: Union[str, "os.PathLike[str]"], *, function: Optional[str] = None,
         **values: Any) -> Package:
    """Reads a kernel package (`.spk`), and checks every digest; needs no device.

    `function` is the one that calls mean, where the package has several; `values` are numbers that
    calls need not give, by name or symbol.
    """
    content = read(path)
    return Package(content, os.path.basename(os.fspath(path)), function, values)


def read(path: Union[str, "os.PathLike[str]"]) -> Content:
    """Reads a package and checks every digest."""
    try:
        place = os.fsencode(path)
    except TypeError:
        raise PackageError(f"{path!r} names no file; give the path of a package: "
                           "stencil.load('heat.spk')") from None
    return Content(library.handle("stencil_package_read", place))


def _by_position(function: Function, views: Sequence[arrays.View]) -> Dict[int, arrays.View]:
    fields = (one.position for one in function.arguments if isinstance(one.kind, Field))
    return dict(zip(fields, views))


def _names(arguments: Iterable[Argument]) -> "set[str]":
    return {name for one in arguments for name in (one.name, one.symbol) if name is not None}


def _assigned(arguments: Sequence[Argument], values: Sequence[Any],
              named: Mapping[str, Any]) -> List[Tuple[Argument, Any]]:
    """The arguments that values are for; a symbol may stand at several places."""
    pairs = list(zip(arguments, values))
    for name, value in named.items():
        places = [one for one in arguments if one.name == name]
        places = places or [one for one in arguments if one.symbol == name]
        pairs.extend((one, value) for one in places)
    return pairs


def _layout(function: signatures.Function, count: int, named: Iterable[str],
            before: Iterable[str]) -> List[Tuple[Argument, int]]:
    """Each argument with the place of its value among those by position, those by name, those that
    were given before, and None."""
    arguments = function.arguments
    if count > len(arguments):
        raise ArgumentError(f"function '{function.name}' takes {len(arguments)} arguments, "
                            f"{count} are given")
    places = {name: count + place for place, name in enumerate(named)}
    given: Dict[int, int] = {}
    for argument, place in _assigned(arguments, range(count), places):
        if argument.position in given:
            raise ArgumentError(f"{argument} is given twice")
        given[argument.position] = place
    unknown = sorted(set(places) - _names(arguments))
    if unknown:
        raise ArgumentError(_no_such_name(unknown[0], arguments))
    first = count + len(places)
    earlier = {name: first + place for place, name in enumerate(before)}
    for argument, place in _assigned(arguments, (), earlier):
        given.setdefault(argument.position, place)
    missing = first + len(earlier)
    return [(argument, given.get(argument.position, missing)) for argument in arguments]


def _no_such_name(name: str, arguments: Sequence[Argument]) -> str:
    known = sorted(_names(arguments))
    near = difflib.get_close_matches(name, known, 1, 0.5)
    hint = f" (did you mean '{near[0]}'?)" if near else ""
    return f"argument '{name}' does not exist{hint}; the function has {', '.join(known)}"


def _check_values(functions: Sequence[signatures.Function], values: Mapping[str, Any]) -> None:
    """Numbers that are given in advance must be for something, and of its type."""
    for name, value in values.items():
        places = [pair for one in functions for pair in _assigned(one.arguments, (), {name: value})]
        if not places:
            everything = [argument for one in functions for argument in one.arguments]
            raise ArgumentError(_no_such_name(name, everything))
        for argument, _ in places:
            checked(argument, value, False)


def checked(argument: Argument, value: Any, may_be_missing: bool) -> Bound:
    """The value of a call for an argument: an array, or a number of its type."""
    if isinstance(argument.kind, Field):
        if arrays.is_array(value):
            return value
        if value is None and not may_be_missing:
            raise ArgumentError(f"{argument} has no value; pass an array for the field "
                                f"{argument.kind}, shape {argument.kind.shape}")
        if value is not None:
            raise ArgumentError(f"{argument} takes an array for the field {argument.kind}, found "
                                f"{type(value).__name__}")
        return value
    if value is None:
        name = argument.name or argument.symbol
        how = f"give {name}=NUMBER" if name else f"give a number at position {argument.position}"
        raise ArgumentError(f"{argument}, a scalar of {argument.kind}, has no value; {how}")
    try:
        return value if isinstance(value, Scalar) else from_python(argument.kind.type, value)
    except ArgumentError as error:
        raise ArgumentError(f"{argument}: {error}") from None


def _shape(argument: Argument) -> Optional[Tuple[int, ...]]:
    return argument.kind.shape if isinstance(argument.kind, Field) else None


def _short(argument: Argument) -> str:
    return argument.name or str(argument.position)


def _shapes(function: signatures.Function, positions: Iterable[int]) -> str:
    places = [function.arguments[position] for position in positions]
    return ", ".join(f"{_short(argument)} {_shape(argument)}" for argument in places)


def _signature(function: signatures.Function, values: Mapping[str, Any]) -> str:
    given = {argument.position: value
             for argument, value in _assigned(function.arguments, (), values)}
    width = max((len(one.name or "-") for one in function.arguments), default=0)
    lines = []
    for argument in function.arguments:
        kind = argument.kind
        if isinstance(kind, Field):
            role = "scratch" if kind.scratch else "written" if kind.written else "read only"
            text = f"field {kind}, shape {kind.shape}, {role}"
        else:
            text = f"scalar {kind.type}"
            if kind.symbol is not None and kind.symbol != argument.name:
                text += f", symbol {kind.symbol}"
            if argument.position in given:
                text += f", {given[argument.position]!r} unless given"
        lines.append(f"{argument.position:>4}  {argument.name or '-':<{width}}  {text}")
    return "\n".join(lines)
