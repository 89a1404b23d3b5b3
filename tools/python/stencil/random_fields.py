"""Reproducible content for fields: that of every other host, cell by cell.

A cell depends on the seed, the position of its argument and its own index. `libstencil` makes it;
the formula is in `lowering/runtime/src/random.rs`.
"""

from __future__ import annotations

from typing import Tuple

import numpy

from . import library
from .signatures import Field

#: The NumPy type that holds the cells of a field; bfloat16 is held as its bits.
DTYPES = {"i1": "|b1", "i8": "|i1", "i16": "<i2", "i32": "<i4", "i64": "<i8", "index": "<i8",
          "f16": "<f2", "bf16": "<u2", "f32": "<f4", "f64": "<f8"}


def random_cells(seed: int, position: int, element: str, shape: Tuple[int, ...]) -> numpy.ndarray:
    """An array of random cells of this type."""
    cells = numpy.empty(shape, DTYPES[element])
    library.call("stencil_fill_random", seed, position, library.TYPES[element], cells.size,
                 cells.ctypes.data)
    return cells


def random_field(seed: int, position: int, field: Field) -> numpy.ndarray:
    """Random content for the field at `position`."""
    return random_cells(seed, position, field.element, field.shape)
