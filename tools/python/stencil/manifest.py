"""The manifest of a package: what it says about its kernels, and the host programs as data.

One number versions the form. Another number is refused, and so is a key that this version does not
know: a reader that ignores half of a program computes something else. Beyond that the compiler
checked what it wrote, and a digest guards it; what a run relies on is looked at again as it runs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Optional, Sequence, Tuple, TypeVar, Union

from .errors import PackageError
from .scalars import BITS, Operation, Scalar, ScalarError, from_json, parts, size_of

#: The forms that this version reads.
FORMATS = (3, 4, 5)

_T = TypeVar("_T")


@dataclass(frozen=True)
class Field:
    """An array on a grid, dimension 0 slowest, the cell at `lower` first; nothing is padded."""

    lower: Tuple[int, ...]
    upper: Tuple[int, ...]
    element: str
    scratch: bool
    written: bool

    @property
    def shape(self) -> Tuple[int, ...]:
        """Cells along each dimension, as NumPy has it."""
        return tuple(upper - lower for lower, upper in zip(self.lower, self.upper))

    @property
    def cells(self) -> int:
        """Cells in all."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return self.cells * size_of(self.element)

    def __str__(self) -> str:
        bounds = "".join(f"[{low},{high}]x" for low, high in zip(self.lower, self.upper))
        return bounds + self.element


@dataclass(frozen=True)
class Number:
    """A number, which may stand for a symbol of Devito."""

    type: str
    symbol: Optional[str]

    def __str__(self) -> str:
        return self.type


@dataclass(frozen=True)
class Argument:
    """An argument of a function: its place, its name if it has one, and what it is."""

    position: int
    name: Optional[str]
    kind: Union[Field, Number]

    @property
    def symbol(self) -> Optional[str]:
        """The symbol that it stands for."""
        return self.kind.symbol if isinstance(self.kind, Number) else None

    def __str__(self) -> str:
        if self.name is not None:
            return f"argument {self.position} '{self.name}'"
        return f"argument {self.position}" + (f" (symbol '{self.symbol}')" if self.symbol else "")


@dataclass(frozen=True)
class Constant:
    """`result` is a number."""

    result: int
    value: Scalar


@dataclass(frozen=True)
class Compute:
    """`result` is computed from other scalars."""

    result: int
    operation: Operation
    operands: Tuple[int, ...]
    type: str


@dataclass(frozen=True)
class Allocate:
    """`result` is a temporary buffer; each such statement has one, loops notwithstanding."""

    result: int
    bytes: int


@dataclass(frozen=True)
class Copy:
    """The content of one buffer goes to another one of the same size."""

    source: int
    target: int


@dataclass(frozen=True)
class Launch:
    """A kernel runs."""

    kernel: str
    arguments: Tuple[int, ...]


@dataclass(frozen=True)
class Carried:
    """What a loop hands from one iteration to the next."""

    initial: int
    argument: int
    next: int
    result: int


@dataclass(frozen=True)
class For:
    """A counted loop: `lower`, `lower + step`, ... below `upper`."""

    bounds: Tuple[int, int, int]
    induction: int
    carried: Tuple[Carried, ...]
    body: Tuple["Statement", ...]


Statement = Union[Constant, Compute, Allocate, Copy, Launch, For]


@dataclass(frozen=True)
class TimeSteps:
    """The number of iterations that loops share, and the time steps of one."""

    value: int
    step: int


@dataclass(frozen=True)
class StepLimit:
    """A table has values for time steps from `first` to `last`; it may be no argument."""

    argument: Optional[int]
    first: int
    last: int


@dataclass(frozen=True)
class Function:
    """A host program: what a call of the source's function does."""

    name: str
    variant_of: Optional[str]
    arguments: Tuple[Argument, ...]
    body: Tuple[Statement, ...]
    time_steps: Optional[TimeSteps] = None
    step_limits: Tuple[StepLimit, ...] = ()


@dataclass(frozen=True)
class Kernel:
    """A kernel and how it is launched. `parameters` are scalar types, None where a pointer goes."""

    name: str
    grid: Tuple[int, int, int]
    block: Tuple[int, int, int]
    shared_bytes: int
    parameters: Tuple[Optional[str], ...]
    approximate: bool
    report: dict[str, Any]


@dataclass(frozen=True)
class Manifest:
    """What one folder of a package holds."""

    producer: str
    target: str
    ptx_version: str
    functions: Tuple[Function, ...]
    kernels: dict[str, Kernel]
    digests: dict[str, str]


def read(text: bytes) -> Manifest:
    """Reads the text of a manifest."""
    try:
        data = json.loads(text)
        form = data["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise PackageError(f"manifest is not readable: {error}") from None
    if form not in FORMATS:
        older = isinstance(form, int) and form < FORMATS[0]
        remedy = "compile the program again" if older else "use the Python package of that compiler"
        raise PackageError(f"manifest has format {form}, this version reads formats {FORMATS[0]} "
                           f"to {FORMATS[-1]}; {remedy}")
    try:
        return _manifest(data)
    except (KeyError, TypeError, ValueError, AttributeError, ScalarError) as error:
        raise PackageError(f"manifest is not readable: {error}") from error


def _manifest(data: Any) -> Manifest:
    _keys(data, "manifest", "format producer target ptx_version functions kernels", "digests")
    producer = data["producer"]
    _keys(producer, "producer", "program version llvm")
    kernels = [_kernel(kernel) for kernel in data["kernels"]]
    manifest = Manifest(
        producer=f"{producer['program']} {producer['version']}",
        target=_text(data["target"]),
        ptx_version=_text(data["ptx_version"]),
        functions=_each(_function, data["functions"]),
        kernels={kernel.name: kernel for kernel in kernels},
        digests={_text(name): _text(digest) for name, digest in data.get("digests", {}).items()},
    )
    names = [function.name for function in manifest.functions]
    for kind, all_names in (("function", names), ("kernel", [kernel.name for kernel in kernels])):
        twice = next((name for name in all_names if all_names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"{kind} '{twice}' occurs twice")
    for function in manifest.functions:
        _check_variant(function, manifest.functions)
        _check_body(function.body, manifest.kernels)
    return manifest


def _keys(data: Any, what: str, wanted: str, optional: str = "") -> None:
    if not isinstance(data, dict):
        raise ValueError(f"{what} is no object")
    keys, known = set(data), set(wanted.split())
    if not known <= keys:
        raise ValueError(f"{what} has no '{min(known - keys)}'")
    unknown = keys - known - set(optional.split())
    if unknown:
        raise ValueError(f"{what} has '{min(unknown)}', which is not known")


def _each(read_one: Callable[[Any], _T], items: Any) -> Tuple[_T, ...]:
    if not isinstance(items, list):
        raise ValueError(f"{items!r} is no list")
    return tuple(read_one(item) for item in items)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{value!r} is no integer")
    return value


def _type(value: Any) -> str:
    if value not in BITS:
        raise ValueError(f"there is no type {value!r}")
    return str(value)


def _function(data: Any) -> Function:
    _keys(data, "function", "name arguments body", "variant_of time_steps step_limits")
    variant_of, shared = data.get("variant_of"), data.get("time_steps")
    arguments = tuple(_argument(place, one) for place, one in enumerate(data["arguments"]))
    return Function(
        name=_text(data["name"]),
        variant_of=None if variant_of is None else _text(variant_of),
        arguments=arguments,
        body=_each(_statement, data["body"]),
        time_steps=None if shared is None else _time_steps(shared),
        step_limits=_each(lambda one: _step_limit(one, arguments), data.get("step_limits", [])),
    )


def _time_steps(data: Any) -> TimeSteps:
    _keys(data, "time_steps", "value step rotation")
    step = _count(data["step"])
    if step < 1:
        raise ValueError(f"time steps: the step is {step}; it is at least 1")
    return TimeSteps(_count(data["value"]), step)


def _step_limit(data: Any, arguments: Sequence[Argument]) -> StepLimit:
    _keys(data, "step_limits", "argument first last")
    place = data["argument"]
    if place is not None:
        is_argument = 0 <= _count(place) < len(arguments)
        if not is_argument or not isinstance(arguments[place].kind, Field):
            raise ValueError(f"time steps: argument {place}, which limits them, is no field")
    return StepLimit(place, _count(data["first"]), _count(data["last"]))


def _argument(position: int, data: Any) -> Argument:
    _keys(data, "argument", "kind", "name")
    name, kind = data.get("name"), data["kind"]
    _keys(kind, "kind", "", "field scalar")
    if "field" in kind:
        field = kind["field"]
        _keys(field, "field", "lower upper element scratch written")
        lower, upper = _each(_count, field["lower"]), _each(_count, field["upper"])
        if len(lower) != len(upper) or not lower or any(a >= b for a, b in zip(lower, upper)):
            raise ValueError(f"argument {position} has bounds {lower}, {upper}")
        shape = Field(lower, upper, _type(field["element"]), field["scratch"], field["written"])
        return Argument(position, name, shape)
    scalar = kind["scalar"]
    _keys(scalar, "scalar", "scalar", "symbol")
    return Argument(position, name, Number(_type(scalar["scalar"]), scalar.get("symbol")))


def _kernel(data: Any) -> Kernel:
    _keys(data, "kernel", "name grid block shared_bytes parameters points flops_per_point "
                          "bytes_per_point approximate", "stage location plan resources")

    def extents(what: str) -> Tuple[int, int, int]:
        x, y, z = _each(_count, data[what])
        if min(x, y, z) < 1:
            raise ValueError(f"kernel '{data['name']}' has {what} {[x, y, z]}: each extent must be "
                             "at least 1")
        return x, y, z

    def parameter(one: Any) -> Optional[str]:
        if one == "pointer":
            return None
        _keys(one, "parameter", "scalar")
        return _type(one["scalar"])

    return Kernel(
        name=_text(data["name"]), grid=extents("grid"), block=extents("block"),
        shared_bytes=_count(data["shared_bytes"]), parameters=_each(parameter, data["parameters"]),
        approximate=bool(data["approximate"]), report=data,
    )


def _statement(data: Any) -> Statement:
    kind = data["do"]
    if kind == "constant":
        _keys(data, kind, "do result value")
        return Constant(_count(data["result"]), from_json(data["value"]))
    if kind == "scalar":
        _keys(data, kind, "do result op operands ty")
        parts(data["op"])
        operands = _each(_count, data["operands"])
        return Compute(_count(data["result"]), data["op"], operands, _type(data["ty"]))
    if kind == "allocate":
        _keys(data, kind, "do result element elements")
        cells = _count(data["elements"])
        if cells < 1:
            raise ValueError(f"allocation %{data['result']} has no cells")
        return Allocate(_count(data["result"]), cells * size_of(_type(data["element"])))
    if kind == "copy":
        _keys(data, kind, "do from to")
        return Copy(_count(data["from"]), _count(data["to"]))
    if kind == "launch":
        _keys(data, kind, "do kernel arguments")
        return Launch(_text(data["kernel"]), _each(_count, data["arguments"]))
    if kind == "for":
        _keys(data, kind, "do lower upper step induction carried body")
        bounds = (_count(data["lower"]), _count(data["upper"]), _count(data["step"]))
        return For(bounds, _count(data["induction"]), _each(_carried, data["carried"]),
                   _each(_statement, data["body"]))
    raise ValueError(f"there is no statement '{kind}'")


def _carried(data: Any) -> Carried:
    _keys(data, "carried", "initial argument next result")
    return Carried(*(_count(data[key]) for key in ("initial", "argument", "next", "result")))


def _check_variant(function: Function, every: Tuple[Function, ...]) -> None:
    """A variant takes what its base takes, on other extents."""
    if function.variant_of is None:
        return
    base = next((one for one in every if one.name == function.variant_of), None)

    def form(one: Function) -> Any:
        return [(argument.name, (argument.kind.element, len(argument.kind.lower))
                 if isinstance(argument.kind, Field) else argument.kind)
                for argument in one.arguments]

    if base is None or base.variant_of is not None or form(base) != form(function):
        raise ValueError(f"variant '{function.name}' is none of '{function.variant_of}'")


def _check_body(body: Tuple[Statement, ...], kernels: dict[str, Kernel]) -> None:
    """Every kernel that is launched is there, and takes as many arguments."""
    for statement in body:
        if isinstance(statement, For):
            _check_body(statement.body, kernels)
        elif isinstance(statement, Launch):
            kernel = kernels.get(statement.kernel)
            if kernel is None:
                raise ValueError(f"launch of '{statement.kernel}': no such kernel")
            found, expected = len(statement.arguments), len(kernel.parameters)
            if found != expected:
                raise ValueError(f"launch of '{kernel.name}' passes {found} arguments, the kernel "
                                 f"takes {expected}")
