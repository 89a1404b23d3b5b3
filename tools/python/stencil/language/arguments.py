"""What a call gives: arrays, numbers, and what decides how a program is written.

A program is traced once for each signature: types and shapes of arrays, types of numbers, and the
values of everything else, which is static.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Hashable, List, Optional, Sequence, Tuple

import numpy

from .. import arrays
from . import types
from .locations import Location, refuse


@dataclass(frozen=True, init=False)
class Array:
    """The shape and the type of an array, in place of one where nothing is run.

    `heat.mlir(stencil.Array((64, 64), "float32"), 0.1, 100)` traces the program without data.
    `shape` counts cells, the slowest dimension first; `dtype` is named as NumPy names it. Raises
    `TraceError` for what is no shape, and for types that programs do not have.
    """

    shape: Tuple[int, ...]
    dtype: str = "float64"

    # Not the dataclass's own, which has no file: refusals name the line that calls this one.
    def __init__(self, shape: Any, dtype: Any = "float64") -> None:
        object.__setattr__(self, "shape", _shape(shape))
        object.__setattr__(self, "dtype", _dtype(dtype))


def _shape(given: Any) -> Tuple[int, ...]:
    """The shape of an array that is described; refuses what is none."""
    found: List[int] = []
    try:
        parts = list(given) if hasattr(given, "__iter__") else [given]
        found = [operator.index(one) for one in parts if not isinstance(one, bool)]
    except TypeError:
        parts = []
    if not parts or len(found) != len(parts) or min(found) < 1:
        refuse(f"{given!r} is no shape of an array",
               "give extents of at least 1: stencil.Array((64, 64))")
    return tuple(found)


def _dtype(given: Any) -> str:
    """The type of an array that is described; refuses one that programs do not have."""
    try:
        name = _dtype_name(given)
    except TypeError:  # A text that names no type of NumPy.
        name = ""
    if name not in types.ELEMENTS:
        *most, last = types.ELEMENTS
        refuse(f"stencil.Array of {given!r}, which stencils do not have",
               f"types are {', '.join(most)} and {last}")
    return str(name)


@dataclass(frozen=True)
class FieldKind:
    """An argument that is an array, or arrays for several levels."""

    element: str
    shape: Tuple[int, ...]
    count: int


@dataclass(frozen=True)
class NumberKind:
    """An argument that is a number: an integer, or one of a floating-point type."""

    #: None for a float of Python, which has the type of the arrays.
    element: Optional[str]
    #: Whether the type is that of the arrays, if they have one type of floats.
    is_weak: bool = False


@dataclass(frozen=True)
class StaticKind:
    """An argument that is a part of the program."""

    value: Hashable
    type: type


def is_array(value: Any) -> bool:
    """Whether this is an array, or stands for one."""
    return isinstance(value, Array) or arrays.is_array(value)


def _dtype_name(dtype: Any) -> str:
    if isinstance(dtype, type) and issubclass(dtype, (numpy.generic, float, int, bool)):
        return numpy.dtype(dtype).name
    if isinstance(dtype, str):
        element = types.element_of(dtype)
        return types.name_of(element) if element is not None else str(numpy.dtype(dtype))
    return str(getattr(dtype, "name", None) or str(dtype).rsplit(".", maxsplit=1)[-1])


def plain(value: Any) -> Any:
    """The number that an array without dimensions holds; other values as they are."""
    is_number = not isinstance(value, (Array, numpy.generic)) and arrays.shape_of(value) == ()
    return value.item() if is_number and hasattr(value, "item") else value


def _dtype_of(array: Any) -> str:
    """The name of an array's type."""
    if hasattr(array, "dtype"):
        return _dtype_name(array.dtype)
    for name in ("__cuda_array_interface__", "__array_interface__"):
        code = (getattr(array, name, None) or {}).get("typestr")
        if code is not None:
            return str(numpy.dtype(code).name)
    return ""


def kind_of(name: str, value: Any, is_static: bool, at: Location) -> Any:
    """The kind of an argument; refuses what a program cannot take."""
    # Types of NumPy say what arrays have, and are none.
    if is_static or isinstance(value, type):
        return _static(name, value, at)
    if is_array(value):
        return _field(name, [value], at)
    if isinstance(value, (tuple, list)) and value and all(map(is_array, value)):
        return _field(name, list(value), at)
    if isinstance(value, (bool, numpy.bool_)) or value is None or isinstance(value, str):
        return _static(name, value, at)
    if isinstance(value, (int, numpy.integer)):
        return NumberKind("index")
    if isinstance(value, (numpy.float32, numpy.float16)):
        return NumberKind(types.ELEMENTS[value.dtype.name])
    if isinstance(value, float):
        # What NumPy computes from floats of Python is one of its own, and means no more.
        return NumberKind("f64" if isinstance(value, numpy.float64) else None, True)
    if isinstance(value, (complex, numpy.complexfloating)):
        refuse(f"argument '{name}' is complex", "stencils have real types", at)
    return _static(name, value, at)


def _static(name: str, value: Any, at: Location) -> StaticKind:
    if isinstance(value, numpy.generic):
        value = value.item()
    if is_array(value) and not isinstance(value, type):
        refuse(f"argument '{name}' is static and is an array",
               "static arguments are numbers, strings, functions and tuples of them", at)
    try:
        hash(value)
    except (TypeError, ValueError):  # The latter of a memoryview that can be written.
        hint = "make an array or a tuple of it" if isinstance(value, list) else "pass arrays, " \
            "numbers, strings, functions, or tuples of them"
        refuse(f"argument '{name}' is a {type(value).__name__}, which is no array and cannot be "
               "compared with that of another call", hint, at)
    return StaticKind(value, type(value))


def _field(name: str, given: List[Any], at: Location) -> FieldKind:
    found = []
    for one in given:
        dtype = one.dtype if isinstance(one, Array) else _dtype_of(one)
        element = types.ELEMENTS.get(dtype)
        if element is None:
            hint = "convert it: a.astype('float32') or a.astype('float64')"
            if dtype.startswith("complex"):
                hint = "pass real and imaginary part as two fields: a.real.copy(), a.imag.copy()"
            elif dtype.startswith(("datetime64", "timedelta64")):
                hint = "convert it: a.astype('int64')"
            refuse(f"argument '{name}' is an array of {dtype or type(one).__name__}, which stencils"
                   " do not have", hint, at)
        shape = one.shape if isinstance(one, Array) else arrays.shape_of(one)
        if shape is None:
            refuse(f"argument '{name}' is a {type(one).__name__}, which does not say its shape",
                   "pass an array with an attribute shape", at)
        if not 1 <= len(shape) <= 3 or 0 in shape:
            refuse(f"argument '{name}' is an array of shape {tuple(shape)}",
                   "a grid has one to three dimensions, each with at least one point", at)
        found.append(FieldKind(element, tuple(shape), len(given)))
    if any(one != found[0] for one in found):
        shapes = ", ".join(f"{one.shape} of {types.name_of(one.element)}" for one in found)
        refuse(f"the levels of '{name}' have several shapes or types: {shapes}",
               "levels of time are arrays of one shape and type", at)
    return found[0]


def element_of_numbers(kinds: Sequence[Any]) -> Optional[str]:
    """The type of floats of Python: that of the arrays, if they have one floating-point type."""
    found = {one.element for one in kinds
             if isinstance(one, FieldKind) and types.is_float(one.element)}
    if len(found) > 1:
        return None
    return found.pop() if found else "f64"


def given_arrays(value: Any) -> List[Any]:
    """The arrays of an argument, the oldest level first."""
    return list(value) if isinstance(value, (tuple, list)) else [value]


__all__ = ["Array", "FieldKind", "NumberKind", "StaticKind", "element_of_numbers",
           "given_arrays", "is_array", "kind_of", "plain"]
