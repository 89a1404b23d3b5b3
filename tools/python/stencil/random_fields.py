"""Reproducible content for fields, and digests of what became of them.

The generator is a function, not a stream: a cell depends on the seed, the position of its argument
and its own index, so every program that knows the formula makes the same bits. With 64-bit
arithmetic that wraps, and G = 0x9e3779b97f4a7c15,

    mix(z):  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9
             z = (z ^ z >> 27) * 0x94d049bb133111eb
             z ^ z >> 31
    word(seed, position, cell) = mix(mix(seed + G * (position + 1)) + G * (cell + 1))

(`mix` is the finalizer of SplitMix64 [Steele, Lea, Flood, Fast splittable pseudorandom number
generators, OOPSLA 2014].) A word becomes a truth value by its top bit, an integer from 1 to 7, or
a float in [0.5, 1.5) with as many random bits as its fraction has.
"""

from __future__ import annotations

import hashlib
from typing import Tuple

import numpy

from .manifest import Field
from .scalars import BITS, FORMATS, is_float

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1

#: The NumPy type that holds the cells of a field; bfloat16 is held as its bits.
DTYPES = {"i1": "|b1", "i8": "|i1", "i16": "<i2", "i32": "<i4", "i64": "<i8", "index": "<i8",
          "f16": "<f2", "bf16": "<u2", "f32": "<f4", "f64": "<f8"}


def _mix(word: numpy.ndarray) -> numpy.ndarray:
    word = (word ^ (word >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    mixed: numpy.ndarray = word ^ (word >> numpy.uint64(31))
    return mixed


def words(seed: int, position: int, count: int) -> numpy.ndarray:
    """The words of the first `count` cells of the argument at `position`."""
    key = _mix(numpy.array([(seed + _GOLDEN * (position + 1)) & _WORD], numpy.uint64))
    cells = numpy.arange(1, count + 1, dtype=numpy.uint64)
    return _mix(cells * numpy.uint64(_GOLDEN) + key)


def random_cells(seed: int, position: int, element: str, shape: Tuple[int, ...]) -> numpy.ndarray:
    """An array of random cells of this type."""
    made = words(seed, position, int(numpy.prod(shape, dtype=numpy.int64)))
    if element == "i1":
        cells = (made >> numpy.uint64(63)).astype(bool)
    elif is_float(element):
        fraction_bits = FORMATS[element][0]
        steps = (made >> numpy.uint64(64 - fraction_bits)).astype(numpy.float64)
        exact = 0.5 + steps / float(1 << fraction_bits)
        if element == "bf16":
            # The values are exact in bfloat16, which is the upper half of a single.
            cells = exact.astype(numpy.float32).view(numpy.uint32) >> numpy.uint32(16)
        else:
            cells = exact
    else:
        cells = numpy.uint64(1) + (((made >> numpy.uint64(32)) * numpy.uint64(7))
                                   >> numpy.uint64(32))
    return cells.astype(DTYPES[element]).reshape(shape)


def random_field(seed: int, position: int, field: Field) -> numpy.ndarray:
    """Random content for the field at `position`."""
    return random_cells(seed, position, field.element, field.shape)


def _bits(element: str, cells: numpy.ndarray) -> numpy.ndarray:
    return numpy.ascontiguousarray(cells).view(f"<u{max(1, BITS[element] // 8)}")


def _nans(element: str, bits: numpy.ndarray) -> numpy.ndarray:
    """Which cells are no number."""
    fraction_bits = FORMATS[element][0]
    magnitude = (1 << (BITS[element] - 1)) - 1
    infinity = magnitude >> fraction_bits << fraction_bits
    found: numpy.ndarray = (bits & bits.dtype.type(magnitude)) > bits.dtype.type(infinity)
    return found


def canonical(element: str, cells: numpy.ndarray) -> numpy.ndarray:
    """The bits of the cells, each NaN as the quiet one whose other bits are 0."""
    bits = _bits(element, cells)
    if is_float(element):
        fraction_bits = FORMATS[element][0]
        exponent = ((1 << (BITS[element] - 1)) - 1) >> fraction_bits << fraction_bits
        quiet = bits.dtype.type(exponent | 1 << (fraction_bits - 1))
        bits = numpy.where(_nans(element, bits), quiet, bits)
    return bits


def canonical_sha256(element: str, cells: numpy.ndarray) -> str:
    """The SHA-256 of the cells in memory, each NaN as the quiet one."""
    return hashlib.sha256(canonical(element, cells).tobytes()).hexdigest()
