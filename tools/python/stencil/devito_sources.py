"""Sources of Devito: `source.inject(field=..., expr=...)` as statements for single points.

Coordinates are those that the source has when the program is made. A point between those of the
grid is shared out among its neighbours, by products of distances, as Devito's own linear
interpolation does it; each neighbour is a statement of its own.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Iterator, List, NamedTuple, Tuple

from .devito_expressions import Writer
from .language.locations import refuse

#: Points of one source; each is up to eight statements.
POINTS_MAX = 32
#: Coordinates are this close to a point of the grid or they lie between two, in mesh widths.
_CLOSE = 1e-6


class Corner(NamedTuple):
    """A point of the grid that takes a part of a source."""

    place: Tuple[int, ...]
    weight: float


def is_source(one: Any) -> bool:
    """Whether this is what `inject` gives."""
    return type(one).__name__ == "Injection"


def check(one: Any) -> None:
    """Refuses what is injected in another way than into points of the grid, linearly."""
    source = one.interpolator.sfunction
    if type(one.interpolator).__name__ != "LinearInterpolator":
        refuse(f"'{source.name}' is injected by a {type(one.interpolator).__name__}",
               "inject it linearly, or write statements for single points with @stencil.program")
    if not getattr(source, "is_SparseTimeFunction", False):
        refuse(f"'{source.name}' has no value for each time step",
               "make it a devito.SparseTimeFunction")
    if tuple(one.implicit_dims or ()):
        refuse(f"'{source.name}' is injected with implicit dimensions",
               "write the program with @stencil.program")
    count = source.coordinates.data.shape[0]
    if count > POINTS_MAX:
        refuse(f"'{source.name}' has {count} points",
               f"a program takes {POINTS_MAX} at most: each is written out; pass what they do to "
               "the grid as an array, in a Function")


def pairs(one: Any) -> List[Tuple[Any, Any]]:
    """The fields that a source goes into, and what is added to each."""
    fields = list(one.field) if isinstance(one.field, (list, tuple)) else [one.field]
    values = list(one.expr) if isinstance(one.expr, (list, tuple)) else [one.expr] * len(fields)
    return [(field, getattr(value, "evaluate", value)) for field, value in zip(fields, values)]


def statements(one: Any, writer: Writer) -> Iterator[str]:
    """The statements of a source, point by point."""
    source = one.interpolator.sfunction
    for number, coordinates in enumerate(source.coordinates.data):
        table = source.name if len(source.coordinates.data) == 1 else f"{source.name}_{number}"
        for corner in _corners(source, coordinates, writer):
            for field, value in pairs(one):
                _check_field(field, writer)
                writer.begin_point(dict(zip(writer.indices, corner.place)), source, table)
                target = writer.access(field)
                yield f"{target} = {target} + {corner.weight!r} * {writer.text(value)}"
                writer.end_point()


def _check_field(field: Any, writer: Writer) -> None:
    if not writer.is_access(field) or writer.level(field) != 1:
        refuse(f"a source is injected into {field}, which is not the next level of time",
               "inject into u.forward, after the equation that computes it")
    if any(place for _, place in writer.places(field)):
        refuse(f"a source is injected into {field}, between the points of the grid",
               "inject into a function that is not staggered")


def _corners(source: Any, coordinates: Any, writer: Writer) -> Iterator[Corner]:
    """The points of the grid around a source, and their parts of it."""
    spans = []
    for value, origin, index in zip(coordinates, writer.grid.origin, writer.indices):
        extent = writer.grid.shape[writer.indices.index(index)]
        place = (float(value) - float(origin)) / writer.width(index)
        if abs(place - round(place)) < _CLOSE:
            place = float(round(place))
        if not 0 <= place <= extent - 1:
            refuse(f"'{source.name}' has a point at {index} = {float(value)}, beyond the grid",
                   "place sources inside of it")
        low = math.floor(place)
        spans.append([(low, 1 - (place - low)), (low + 1, place - low)])
    for chosen in itertools.product(*spans):
        weight = math.prod(part for _, part in chosen)
        if weight:
            yield Corner(tuple(place for place, _ in chosen), weight)


__all__ = ["check", "is_source", "pairs", "statements"]
