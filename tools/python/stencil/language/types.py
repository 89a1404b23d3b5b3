"""Types of elements, and numbers as these types hold them.

A number that a program states is exact: an integer, a `fractions.Fraction`, or the binary value of
a float. It is rounded once, to nearest with ties to even, to the type of what it is used with.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Union

from .. import scalars

#: A number that a program states.
Number = Union[int, float, Fraction]

_INTEGERS = ("i8", "i16", "i32", "i64")

#: Types of elements by the names that arrays have for them.
ELEMENTS = {"bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
            "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}

_NAMES = {element: name for name, element in ELEMENTS.items()}


#: Whether this is a type of floating-point numbers.
is_float = scalars.is_float


def is_integer(element: str) -> bool:
    """Whether this is a type of integers, truth values left out."""
    return element in _INTEGERS


def name_of(element: str) -> str:
    """What arrays call this type: `float32` for `f32`."""
    return _NAMES.get(element, element)


def element_of(name: str) -> Union[str, None]:
    """The type of elements that a user names, as `f32` or `float32`; None if there is none."""
    name = ELEMENTS.get(name, name)
    return name if name in _NAMES else None


def rounded(value: Number, element: str) -> float:
    """The number as a floating-point type holds it, rounded once; an infinity where it is large."""
    if isinstance(value, float) and (not math.isfinite(value) or value == 0.0):
        return value
    return scalars.widen(scalars.exactly(element, Fraction(value)))


def is_too_large(value: Number, element: str) -> bool:
    """Whether a floating-point type would hold an infinity in place of a finite number."""
    is_infinite = isinstance(value, float) and not math.isfinite(value)
    return not is_infinite and not math.isfinite(rounded(value, element))


def shown(value: Number) -> str:
    """A number in a message; one of very many digits by some of them."""
    text = str(value)
    return text if len(text) <= 40 else f"{text[:20]}... of {len(text)} digits"


def literal(value: Number, element: str) -> str:
    """A constant of this type as MLIR writes it."""
    if element == "i1":
        return "true" if value else "false"
    if not is_float(element):
        return str(int(value))
    number = rounded(value, element)
    if not math.isfinite(number):
        return _bits(number, element)
    text = repr(number)
    if "e" in text:
        digits, exponent = text.split("e")
        digits += "" if "." in digits else ".0"
        return f"{digits}e{int(exponent):+03d}"
    return text


def _bits(number: float, element: str) -> str:
    value = scalars.narrow(element, math.nan if math.isnan(number) else number)
    return f"0x{value.bits:0{scalars.BITS[element] // 4}X}"


def range_of(element: str) -> "tuple[int, int]":
    """The smallest and the largest integer of a type of integers."""
    bits = scalars.BITS[element]
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def is_whole(value: Number) -> bool:
    """Whether a number is an integer; infinities and NaN are none."""
    return not (isinstance(value, float) and not math.isfinite(value)) and value == int(value)


def is_number(value: Any) -> bool:
    """Whether this is a number that a program may state; truth values are none."""
    return isinstance(value, (int, float, Fraction)) and not isinstance(value, bool)
