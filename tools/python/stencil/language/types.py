"""Types of elements, and numbers as these types hold them.

A number that a program states is exact: an integer, a `fractions.Fraction`, or the binary value of
a float. It is rounded once, to nearest with ties to even, to the type of what it is used with.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Union

#: A number that a program states.
Number = Union[int, float, Fraction]

#: Bits of the significand without the leading one, and the exponent of the smallest normal number.
_FLOATS = {"f16": (10, -14), "bf16": (7, -126), "f32": (23, -126), "f64": (52, -1022)}
_LARGEST = {"f16": 15, "bf16": 127, "f32": 127, "f64": 1023}
_INTEGERS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}

#: Types of elements by the names that arrays have for them.
ELEMENTS = {"bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
            "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}

_NAMES = {element: name for name, element in ELEMENTS.items()}


def is_float(element: str) -> bool:
    """Whether this is a type of floating-point numbers."""
    return element in _FLOATS


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
    exact = Fraction(value)
    if exact == 0:
        return 0.0
    fraction_bits, smallest = _FLOATS[element]
    magnitude = abs(exact)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, smallest) - fraction_bits)
    # `round` takes ties to even.
    result = round(magnitude / unit) * unit
    if result >= Fraction(2) ** (_LARGEST[element] + 1):
        return math.copysign(math.inf, exact)
    return math.copysign(float(result), exact)


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
    fraction_bits, _ = _FLOATS[element]
    bits = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}[element]
    exponent = ((1 << (bits - 1)) - 1) >> fraction_bits << fraction_bits
    pattern = exponent | (1 << (fraction_bits - 1) if math.isnan(number) else 0)
    pattern |= 1 << (bits - 1) if number == -math.inf else 0
    return f"0x{pattern:0{bits // 4}X}"


def range_of(element: str) -> "tuple[int, int]":
    """The smallest and the largest integer of a type of integers."""
    bits = _INTEGERS[element]
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def is_whole(value: Number) -> bool:
    """Whether a number is an integer; infinities and NaN are none."""
    return not (isinstance(value, float) and not math.isfinite(value)) and value == int(value)


def is_number(value: Any) -> bool:
    """Whether this is a number that a program may state; truth values are none."""
    return isinstance(value, (int, float, Fraction)) and not isinstance(value, bool)
