"""What lies outside of the points that a program computes, declared for each field.

    @stencil.program(boundaries=stencil.periodic())
    @stencil.program(boundaries={"u": stencil.periodic()})
    @stencil.program(boundaries={"u": [stencil.mirror(k), stencil.fixed(0, j, side="low")]})

A declaration is for all axes that no other one names, or for those given: indices, their names, or
numbers of dimensions. One that is not for a field is for all that have the grid's dimensions.
`side` is "low", "high" or "both". The array that a call gives is the domain itself for `periodic`,
`mirror`, `fixed(value)` and `absorbing`: ghost cells are the program's own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import types
from .expressions import Index, as_number
from .locations import Location, here, refuse
from .types import Number

#: What names an axis.
Axis = Union[Index, str, int]
SIDES = ("low", "high")


@dataclass(frozen=True, eq=False)
class Boundary:
    """A declaration; made by `periodic`, `mirror`, `fixed`, `halo` and `absorbing`."""

    kind: str
    axes: Tuple[Axis, ...]
    side: str = "both"
    #: What ghost cells hold, of `fixed(value)`.
    value: Optional[Number] = None
    #: What mirrored values are multiplied with: 1 or -1.
    sign: int = 1
    #: Whether the mirror is the last point, not the face beyond it.
    at_point: bool = False
    #: Cells of an absorbing layer, or of a halo at the low and at the high side.
    width: int = 0
    widths: Tuple[int, int] = (0, 0)
    #: How much an absorbing layer takes.
    strength: float = 0.0
    at: Optional[Location] = None

    def __str__(self) -> str:
        return f"stencil.{self.kind}"

    @property
    def makes_ghosts(self) -> bool:
        """Whether reads outside of the array are of ghost cells that the program fills."""
        return self.kind in ("periodic", "mirror", "absorbing") or (
            self.kind == "fixed" and self.value is not None)


def periodic(*axes: Axis) -> Boundary:
    """The grid is closed: beyond the last point lies the first one, and the other way round.

    `axes` are indices of `stencil.indices`, all axes by default. Raises `TraceError` for others.
    """
    return Boundary("periodic", _axes(axes), at=here())


def mirror(*axes: Axis, sign: int = 1, at: str = "face", side: str = "both") -> Boundary:
    """Ghost cells mirror the cells inside.

    At a "face", half a cell beyond the last point, cell -1 is cell 0 and cell -2 is cell 1: nothing
    flows through the side. At a "point", the mirror is the last point itself: cell -1 is cell 1.
    With `sign=-1` mirrored values change their sign, as a velocity through a wall does. Raises
    `TraceError` for another `sign`, `at` or `side`.
    """
    if sign not in (1, -1):
        refuse(f"stencil.mirror(sign={sign!r})", "sign is 1 or -1")
    if at not in ("face", "point"):
        refuse(f"stencil.mirror(at={at!r})", "at is 'face' or 'point'")
    return Boundary("mirror", _axes(axes), _side(side), sign=int(sign), at_point=at == "point",
                    at=here())


def fixed(*value_and_axes: Any, side: str = "both") -> Boundary:
    """Values beyond the computed points do not change.

    `fixed()`: the outermost cells of the array are the boundary. Statements are computed where all
    that they read lies inside of the array, and what is left keeps what the call gave.
    `fixed(0.0)`: ghost cells outside of the array hold this number, and all points of the array
    are computed. Axes follow the number: `fixed(0.0, k, j)`; without one they follow `None`:
    `fixed(None, k)`. Raises `TraceError` for another `side` and for what is no number.
    """
    value, axes = (value_and_axes[0], value_and_axes[1:]) if value_and_axes else (None, ())
    if isinstance(value, (Index, str)):
        value, axes = None, value_and_axes
    number = as_number(value)
    if value is not None and number is None:
        refuse(f"stencil.fixed({value!r}) is no number", "give a number: stencil.fixed(0.0)")
    return Boundary("fixed", _axes(axes), _side(side), value=number, at=here())


def halo(width: Union[int, Tuple[int, int]], *axes: Axis, side: str = "both") -> Boundary:
    """The array holds `width` more cells beyond each side, which no statement computes.

    Index 0 is the first computed point, element `width` of the array. Two widths are those of the
    low and the high side. Reading further is refused. Raises `TraceError` for what is no number of
    cells.
    """
    widths = width if isinstance(width, tuple) else (width, width)
    if len(widths) != 2 or any(isinstance(one, bool) or not isinstance(one, int) or one < 0
                               for one in widths) or not any(widths):
        refuse(f"stencil.halo({width!r})", "give the number of cells, at least 1, or one for the "
               "low and one for the high side")
    return Boundary("halo", _axes(axes), _side(side), widths=widths, at=here())


def absorbing(width: int, *axes: Axis, strength: float = 0.015, side: str = "both") -> Boundary:
    """A layer of `width` cells inside each side that takes the energy of waves.

    Whatever is stored to the field is multiplied, at distance d < width from the side (0 for the
    outermost cell), by exp(-(strength * (width - d))**2), once for each axis [Cerjan et al., A
    Nonreflecting Boundary Condition for Discrete Acoustic and Elastic Wave Equations, Geophysics
    1985]. Factors are computed in double precision and rounded once to the field's type. Beyond
    the array lie zeros. Raises `TraceError` if the width is no integer of at least 1.
    """
    if isinstance(width, bool) or not isinstance(width, int) or width < 1:
        refuse(f"stencil.absorbing({width!r})", "give the number of cells of the layer, at least 1")
    factor = as_number(strength)
    if factor is None or not math.isfinite(factor):
        refuse(f"stencil.absorbing({width!r}, strength={strength!r}) has no strength",
               "give a number: strength=0.015")
    return Boundary("absorbing", _axes(axes), _side(side), value=0, width=width,
                    strength=float(factor), at=here())


def _axes(axes: Sequence[Any]) -> Tuple[Axis, ...]:
    for one in axes:
        if not isinstance(one, (Index, str, int)) or isinstance(one, bool):
            refuse(f"{one!r} is no axis",
                   "give indices of stencil.indices, their names, or numbers of dimensions")
        if isinstance(one, Index) and one.offset:
            refuse(f"{one!r} has an offset and is no axis", f"give {one.name}")
    return tuple(axes)


def _side(side: str) -> str:
    if side not in ("low", "high", "both"):
        refuse(f"side={side!r} is no side", "side is 'low', 'high' or 'both'")
    return side


#: The declarations of a field by dimension and side.
Sides = List[Dict[str, Optional[Boundary]]]


def resolved(name: str, declared: Sequence[Boundary], names: Tuple[str, ...],
             grid: Tuple[str, ...]) -> Sides:
    """The declarations of field `name` for each dimension of its own, whose indices are `names`,
    of those of the `grid`."""
    sides: Sides = [{"low": None, "high": None} for _ in names]
    for general in (False, True):
        for one in declared:
            if bool(one.axes) == general:
                continue
            dimensions = range(len(names)) if general else [
                _dimension(name, axis, names, grid, one) for axis in one.axes]
            for dimension in dimensions:
                for side in SIDES if one.side == "both" else (one.side,):
                    before = sides[dimension][side]
                    if before is None:
                        sides[dimension][side] = one
                    elif bool(before.axes) != general:
                        refuse(f"'{name}' has two boundaries along {names[dimension]}, {before} "
                               f"and {one}", "declare one for each side", one.at)
    for dimension, pair in enumerate(sides):
        kinds = {side: one.kind if one else None for side, one in pair.items()}
        if "periodic" in kinds.values() and set(kinds.values()) != {"periodic"}:
            refuse(f"'{name}' is periodic at one side of {names[dimension]} only",
                   "a periodic axis has no other boundary", next(iter(declared)).at)
    return sides


def check_values(name: str, element: str, sides: Sides) -> None:
    """Refuses what a field's type cannot hold in ghost cells, and layers that it cannot have."""
    if types.is_float(element):
        for one in (one for pair in sides for one in pair.values() if one is not None):
            if one.value is not None and types.is_too_large(one.value, element):
                refuse(f"'{name}' holds {types.name_of(element)}, which cannot hold the number of "
                       f"stencil.fixed({types.shown(one.value)}): it is too large",
                       "give a smaller one" if element == "f64" else
                       "give a smaller one, or convert the array: a.astype('float64')", one.at)
        return
    low, high = (0, 1) if element == "i1" else types.range_of(element)
    for one in (one for pair in sides for one in pair.values() if one is not None):
        if one.kind == "absorbing":
            refuse(f"'{name}' holds {types.name_of(element)}, and {one} takes a fraction of it",
                   "convert the array: a.astype('float32')", one.at)
        if one.sign < 0 and element == "i1":
            refuse(f"'{name}' holds bool, and {one} with sign=-1 takes its negative",
                   "leave sign out, or convert the array: a.astype('int8')", one.at)
        number = one.value
        if number is not None and not (types.is_whole(number) and low <= number <= high):
            refuse(f"'{name}' holds {types.name_of(element)}, which cannot hold the number of "
                   f"stencil.fixed({number})", f"give an integer from {low} to {high}, or convert "
                   "the array: a.astype('float32')", one.at)


def _dimension(name: str, axis: Axis, names: Tuple[str, ...], grid: Tuple[str, ...],
               one: Boundary) -> int:
    if isinstance(axis, int):
        if not -len(names) <= axis < len(names):
            refuse(f"'{name}' has no dimension {axis}", f"it has {len(names)}", one.at)
        return axis % len(names)
    found = axis.name if isinstance(axis, Index) else axis
    if all(map(str.isdigit, names)):
        refuse(f"'{name}' has no axis '{found}'", "the program indexes it by no index of the grid, "
               "so that it has no sides: declare no boundary for it", one.at)
    if found not in names:
        refuse(f"'{name}' has no axis '{found}'", f"its axes are {', '.join(names)}", one.at)
    if isinstance(axis, Index) and axis.names != grid:
        refuse(f"index '{found}' belongs to ({', '.join(axis.names)}), the program has used "
               f"({', '.join(grid)})", f"give an index of the program, or the name '{found}' for "
               "programs of several grids", one.at)
    return names.index(found)


#: What a user gives as boundaries of a program: those of all fields, or of each.
Declarations = Union[Boundary, Sequence[Boundary],
                     Mapping[str, Union[Boundary, Sequence[Boundary]]]]
#: Stands for all fields that lie on the whole grid.
EVERY = "*"


def declarations(given: Optional[Declarations], names: Sequence[str]) -> Dict[str, List[Boundary]]:
    """The declarations by field; refuses those for something that is no argument."""
    found: Dict[str, List[Boundary]] = {}
    by_name = given if isinstance(given, Mapping) else {EVERY: given} if given else {}
    for name, declared in by_name.items():
        if name not in names and name != EVERY:
            refuse(f"a boundary is declared for '{name}', which is no argument of the program",
                   f"its arguments are {', '.join(names)}")
        every: List[Any] = list(declared) if isinstance(declared, (list, tuple)) else [declared]
        for one in every:
            if not isinstance(one, Boundary):
                refuse(f"{one!r} is no boundary", "use stencil.periodic(), mirror(), fixed(), "
                       "halo(width) or absorbing(width)")
        found[name] = every
    return found
