"""Typed numbers: what Python and NumPy have, as the bits that a call takes.

A value is its type and its bits, nothing else, so NaNs, signed zeros and all 64 bits of an integer
survive. Numbers are rounded once, to nearest with ties to even, by rational arithmetic where NumPy
and the processor might round twice.
"""

from __future__ import annotations

import ctypes
import math
import operator
import struct
from fractions import Fraction
from typing import Any, NamedTuple

import numpy

from .errors import ArgumentError

#: Bits of each type that carry its value; in memory a value has whole bytes.
BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64,
        "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
#: Fraction bits and exponent bits of the floating-point types.
FORMATS = {"f16": (10, 5), "bf16": (7, 8), "f32": (23, 8), "f64": (52, 11)}
#: What `float` reads though it is no real number.
_NO_NUMBERS = (str, bytes, bytearray, complex, numpy.character, numpy.complexfloating,
               numpy.timedelta64, numpy.datetime64)


class Scalar(NamedTuple):
    """A number of one of the types; equality is equality of bits."""

    type: str
    bits: int

    @property
    def signed(self) -> int:
        """The integer, read as signed: an `i1` is 0 or -1."""
        width = BITS[self.type]
        return self.bits - (1 << width) if self.bits >> (width - 1) else self.bits

    @property
    def is_nan(self) -> bool:
        """Whether this is a float that is no number."""
        return is_float(self.type) and math.isnan(widen(self))

    def __str__(self) -> str:
        if self.type == "i1":
            return "true" if self.bits else "false"
        return repr(widen(self)) if is_float(self.type) else str(self.signed)


def is_float(type_: str) -> bool:
    """Whether this is one of the floating-point types."""
    return type_ in FORMATS


def size_of(type_: str) -> int:
    """Bytes of a value in memory."""
    return (BITS[type_] + 7) // 8


def integer(type_: str, value: int) -> Scalar:
    """An integer, cut to the width of its type."""
    return Scalar(type_, value & ((1 << BITS[type_]) - 1))


def widen(value: Scalar) -> float:
    """A float as a double, which holds every value of the other types."""
    if value.type == "bf16":
        return float(struct.unpack("<f", struct.pack("<I", value.bits << 16))[0])
    whole, code = {"f16": ("<H", "<e"), "f32": ("<I", "<f"), "f64": ("<Q", "<d")}[value.type]
    return float(struct.unpack(code, struct.pack(whole, value.bits))[0])


def narrow(type_: str, value: float) -> Scalar:
    """The float of this type that is nearest to a double, ties to even."""
    if type_ == "f64":
        return Scalar(type_, struct.unpack("<Q", struct.pack("<d", value))[0])
    if type_ == "f32":
        # C's conversion rounds to nearest; struct would refuse what becomes infinite.
        return Scalar(type_, ctypes.c_uint32.from_buffer(ctypes.c_float(value)).value)
    fraction_bits, exponent_bits = FORMATS[type_]
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    if math.isnan(value):
        return Scalar(type_, infinity | 1 << (fraction_bits - 1))
    sign = int(math.copysign(1, value) < 0) << (BITS[type_] - 1)
    if math.isinf(value):
        return Scalar(type_, sign | infinity)
    return Scalar(type_, sign | _nearest(type_, abs(Fraction(value))))


def _nearest(type_: str, magnitude: Fraction) -> int:
    """Bits of the float nearest to a magnitude, ties to even; infinity beyond the largest."""
    fraction_bits, exponent_bits = FORMATS[type_]
    if magnitude == 0:
        return 0
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    lowest = 2 - (1 << (exponent_bits - 1))
    exponent = max(exponent, lowest)
    # Counted in units of the last place; `round` takes ties to even. The count runs on from one
    # exponent to the next, and from the largest number to infinity, as the encoding does.
    steps = round(magnitude / Fraction(2) ** (exponent - fraction_bits))
    bits = steps + ((exponent - lowest) << fraction_bits)
    return min(bits, ((1 << exponent_bits) - 1) << fraction_bits)


def exactly(type_: str, value: Fraction) -> Scalar:
    """The float of this type that is nearest to an exact number, ties to even."""
    sign = int(value < 0) << (BITS[type_] - 1)
    return Scalar(type_, sign | _nearest(type_, abs(value)))


def is_count(value: Any, least: int) -> bool:
    """Whether this is an integer, of at least so much."""
    try:
        return operator.index(value) >= least
    except TypeError:
        return False


def from_python(type_: str, value: Any) -> Scalar:
    """A number of Python or NumPy as a value of this type.

    Floats go to the nearest value. What the type cannot hold is an error, never wrapped or made
    infinite.
    """
    if is_float(type_):
        inside = value[()] if isinstance(value, numpy.ndarray) else value
        if isinstance(inside, _NO_NUMBERS) or getattr(value, "ndim", False):
            raise ArgumentError(f"{value!r} is not a value of type {type_}: give a number")
        try:
            wide = float(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise ArgumentError(f"{value!r} is not a value of type {type_}: {error}") from None
        result = narrow(type_, wide)
        if math.isfinite(wide) and math.isinf(widen(result)):
            raise ArgumentError(f"{value!r} is not a value of type {type_}: it is too large")
        return result
    try:
        whole = int(value) if type(value).__name__ in ("bool_", "bool") else operator.index(value)
    except TypeError:
        raise ArgumentError(f"{value!r} is not a value of type {type_}: give an integer") from None
    width = BITS[type_]
    # A size or a number of steps is read as signed by all that computes with it.
    end = 1 << (width - 1 if type_ == "index" else width)
    if type_ == "i1" and whole not in (0, 1):
        raise ArgumentError(f"{value!r} is not a value of type i1: give True or False")
    if not -(1 << (width - 1)) <= whole < end:
        raise ArgumentError(f"{value!r} is not a value of type {type_}: it does not fit")
    return integer(type_, whole)
