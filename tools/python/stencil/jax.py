"""Programs and packages as functions of JAX, for `jax.jit`.

    heat = stencil.jax.op(program)
    step = jax.jit(lambda u: heat(u, 0.2, 100))        # u after a hundred steps

Arrays of JAX never change, so a call gives new ones; XLA has the program change memory in place
where nothing needs the old content, as with `donate_argnums`, and copies it elsewhere. On a GPU
work goes to the stream of the computation. Needs JAX 0.5 or later.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import arrays, xla
from .errors import ArgumentError
from .language.arguments import Array, FieldKind, given_arrays
from .language.program import Program
from .operations import Source
from .package import Function, Package
from .scalars import Scalar
from .signatures import Field

try:
    jax: Any = importlib.import_module("jax")
except ImportError as error:
    raise ImportError("stencil.jax needs JAX, which is not installed here: pip install "
                      "jax") from error

_TARGET = "stencil"
#: The handlers that are registered, by platform: XLA keeps their addresses.
_HANDLERS: Dict[str, Any] = {}


def op(source: Source) -> Callable[..., Any]:
    """A function of JAX that runs a program or a package.

    `source` is a function with `@stencil.program`, or what `stencil.compile` and `stencil.load`
    give. The function takes what `source` takes, by position or by name: arrays of JAX in the
    shapes and types of the fields, slowest dimension first, and numbers of Python, in the units
    of the program. It gives what the arrays that are written become: one array or a tuple, in the
    order of the arguments, levels of time in the order in which the next call takes them.

    Numbers are parts of what is compiled: under `jax.jit` they are not traced, see its
    `static_argnames`, and another number is compiled again. `jax.vmap` runs one after the other;
    derivatives are those of a `jax.custom_vjp` around it, and refused without.

    Raises `ArgumentError` for another `source`. Calls raise what calls of `source` raise, while
    they are traced, and JAX's error with the same text for what fails on the device.
    """
    if isinstance(source, Program):
        # With the signature of the program, in which `jax.jit` looks names up.
        return functools.wraps(source)(
            lambda *values, **named: _run_program(source, values, named))
    if isinstance(source, (Package, Function)):
        return lambda *values, **named: _run_package(source, values, named)
    raise ArgumentError(f"an operation is made of a program or a package, found "
                        f"{type(source).__name__}; use @stencil.program, stencil.compile or "
                        "stencil.load")


def _run_program(program: Program, values: Sequence[Any], named: Mapping[str, Any]) -> Any:
    compiled, described = program.described(
        *map(_described, values), **{name: _described(value) for name, value in named.items()})
    actual = {**dict(zip((name for name, _, _ in described), values)), **named}
    by_name = {name: actual.get(name, value) if isinstance(kind, FieldKind) else value
               for name, value, kind in described}
    taken = {source: by_name[source.name] for source in compiled.sources}
    bound = compiled.bound_to(taken)
    _, results = _run(compiled.package(compiled.on), None, [value for value, _ in bound], {})
    places = [place for _, place in bound if place is not None]
    return _as_results(compiled.after(taken, dict(zip(places, results))))


def _run_package(source: Union[Package, Function], values: Sequence[Any],
                 named: Mapping[str, Any]) -> Any:
    package = source.package if isinstance(source, Function) else source
    name = source.name if isinstance(source, Function) else None
    written, results = _run(package, name, values, named)
    return _as_results([one for one, field in zip(results, written) if not field.scratch])


def _run(package: Package, name: Optional[str], values: Sequence[Any],
         named: Mapping[str, Any]) -> Tuple[List[Field], List[Any]]:
    """The fields that are written in a call, and what becomes of them."""
    stand_ins = [_stand_in(value) for value in values]
    others = {name: _stand_in(value) for name, value in named.items()}
    function, bound = package.bound_call(stand_ins, others, name)
    pairs = [*zip(stand_ins, values), *((others[key], named[key]) for key in named)]
    actual = {id(stand_in): value for stand_in, value in pairs}
    results = _call(package, function, [actual.get(id(one), one) for one in bound])
    kinds = [one.kind for one in function.arguments]
    return [kind for kind in kinds if isinstance(kind, Field) and kind.written], results


def _described(value: Any) -> Any:
    """An array as its shape and type; other values as they are."""
    if isinstance(value, (tuple, list)):
        return type(value)(_described(one) for one in value)
    if not isinstance(value, jax.Array):
        return value
    if value.ndim == 0:
        return _number(value)
    return Array(value.shape, value.dtype.name)


def _stand_in(value: Any) -> Any:
    """An array without memory in place of one that may be traced; other values as they are."""
    if isinstance(value, numpy.ndarray) and value.ndim > 0:
        return value[...]
    if not isinstance(value, jax.Array):
        return value
    if value.ndim == 0:
        return _number(value)
    return numpy.broadcast_to(numpy.zeros((), value.dtype), value.shape)


def _number(value: Any) -> Any:
    if isinstance(value, jax.core.Tracer):
        raise ArgumentError(f"a number is traced, {value.aval}, and a program takes numbers of "
                            "Python; name its argument in static_argnames of jax.jit")
    return value.item()


def _call(package: Package, function: Function, bound: Sequence[Any]) -> List[Any]:
    """Calls a function on an array or a number for each argument; gives the arrays written."""
    operands: List[Any] = []
    kinds: List[xla.Operand] = []
    numbers: List[Any] = []
    results: List[Any] = []
    for argument, value in zip(function.arguments, bound):
        if isinstance(value, Scalar):
            numbers.append(value)
            continue
        numbers.append(None)
        array = jax.numpy.asarray(value)
        result = None
        if isinstance(argument.kind, Field) and argument.kind.written:
            result = len(results)
            results.append(jax.ShapeDtypeStruct(array.shape, array.dtype))
        operands.append(array)
        kinds.append(xla.Operand(array.dtype.name, result))
    package.check(function, numbers, [_imagined(place, array, kind) for place, (array, kind)
                                      in enumerate(zip(operands, kinds))])

    def run(views: List[arrays.View], stream: Optional[int]) -> None:
        package.run_views(function, numbers, views, stream)

    key = (id(package), function.name, tuple(numbers), tuple(kinds))
    name = xla.enter(key, xla.Call(kinds, run, package))
    _register()
    aliases = {place: one.result for place, one in enumerate(kinds) if one.result is not None}
    made = jax.ffi.ffi_call(_TARGET, results, input_output_aliases=aliases,
                            vmap_method="sequential")(*operands, call=name)
    return list(made)


def _imagined(place: int, array: Any, kind: xla.Operand) -> arrays.View:
    """An array at an address of its own, to be checked before there is one."""
    strides = arrays.dense_strides(array.shape, array.dtype.itemsize)
    return arrays.View((place + 1) << 48, tuple(array.shape), strides, kind.type, True, 0, None)


def _register() -> None:
    for platform in xla.PLATFORMS:
        if platform not in _HANDLERS:
            _HANDLERS[platform] = xla.handler(platform)
            address = xla.address(_HANDLERS[platform])
            jax.ffi.register_ffi_target(_TARGET, jax.ffi.pycapsule(address), platform=platform)


def _as_results(found: Sequence[Any]) -> Any:
    flat: List[Any] = [array for one in found for array in given_arrays(one)]
    return flat[0] if len(flat) == 1 else tuple(flat)


__all__ = ["op"]
