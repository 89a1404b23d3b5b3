"""What a call gives, checked as the library checks it, for runs in a process of `stencilc`.

The process reads copies of arrays, so that it cannot see which of them share memory, and whatever
it says names the copies. What is refused here is what a run on a device refuses, in its words.
"""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

import numpy

from ..arrays import View
from ..errors import ArgumentError
from ..package import checked
from ..running import view_of
from ..scalars import Scalar as Number
from ..scalars import size_of
from ..signatures import Argument, Field
from ..signatures import Number as NumberKind
from . import types
from .blocks import Scalar
from .emission import Parameter
from .layout import Layout


def described(parameters: Sequence[Parameter], layout: Layout,
              own_levels: bool) -> List[Argument]:
    """The arguments of a module's function as a package of it has them."""
    found = []
    for position, (name, source, _) in enumerate(parameters):
        kind: Any
        if isinstance(source, Scalar):
            kind = NumberKind(source.element, None)
        else:
            memory = layout.memories[source]
            box = memory.box if own_levels else memory.whole
            kind = Field(tuple(low for low, _ in box), tuple(high for _, high in box),
                         source.element, False, memory.is_written)
        found.append(Argument(position, name, kind, f"argument {position} '{name}'"))
    return found


def given(arguments: Sequence[Argument], values: Sequence[Any], where: str) -> Dict[int, Any]:
    """An array of NumPy or the text of a number for each argument.

    Raises `ArgumentError` for what the function does not take.
    """
    found: Dict[int, Any] = {}
    views: List[Tuple[Argument, Field, View]] = []
    for argument, value in zip(arguments, values):
        value = checked(argument, value, False)
        if not isinstance(argument.kind, Field):
            found[argument.position] = _text(value)
            continue
        view = view_of(argument, argument.kind, value, 0)
        if view.device is not None:
            raise ArgumentError(f"{argument} is in memory of device {view.device}; the {where} "
                                "takes arrays on the host: copy it there")
        views.append((argument, argument.kind, view))
        found[argument.position] = view.owner
    for argument, field, view in views:
        _check_array(argument, field, view)
    _check_overlap(views)
    return found


def _text(number: Number) -> str:
    return str(number.signed) if not types.is_float(number.type) else str(number)


def _check_array(argument: Argument, field: Field, view: View) -> None:
    """Refuses an array that cannot be written, or whose cells share memory though it is written."""
    if not field.written:
        return
    if not view.writable:
        raise ArgumentError(f"{argument} is written, the array found is read-only; pass a copy")
    wide = [(abs(stride), -dimension, extent, stride) for dimension, (extent, stride)
            in enumerate(zip(view.shape, view.strides)) if extent > 1]
    reach = size_of(field.element)
    # Of equal strides the later dimension is the inner one.
    for distance, place, extent, stride in sorted(wide):
        if distance < reach:
            raise ArgumentError(
                f"{argument} has a stride of {stride} bytes in dimension {-place}; its cells "
                f"overlap each other unless it is {reach} or more")
        reach += (extent - 1) * distance


def _check_overlap(views: Sequence[Tuple[Argument, Field, View]]) -> None:
    """Refuses two fields in the same memory, unless both are only read."""
    for place, (argument, field, one) in enumerate(views):
        for other, another, two in views[place + 1:]:
            if (field.written or another.written) and numpy.shares_memory(one.owner, two.owner):
                raise ArgumentError(f"{argument} and {other} are bound to overlapping memory; "
                                    "each field needs its own")


__all__ = ["described", "given"]
