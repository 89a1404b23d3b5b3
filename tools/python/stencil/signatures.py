"""What the functions of a package take, as `libstencil` describes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple, Union

from .scalars import size_of


@dataclass(frozen=True)
class Field:
    """An array on a grid, dimension 0 slowest, the cell at `lower` first; nothing is padded."""

    lower: Tuple[int, ...]
    upper: Tuple[int, ...]
    element: str
    scratch: bool
    written: bool

    @property
    def shape(self) -> Tuple[int, ...]:
        """Cells along each dimension, as NumPy has it."""
        return tuple(upper - lower for lower, upper in zip(self.lower, self.upper))

    @property
    def cells(self) -> int:
        """Cells in all."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return self.cells * size_of(self.element)

    def __str__(self) -> str:
        bounds = "".join(f"[{low},{high}]x" for low, high in zip(self.lower, self.upper))
        return bounds + self.element


@dataclass(frozen=True)
class Number:
    """A number, which may stand for a symbol of Devito."""

    type: str
    symbol: Optional[str]

    def __str__(self) -> str:
        return self.type


@dataclass(frozen=True)
class Argument:
    """An argument of a function: its place, its name if it has one, and what it is."""

    position: int
    name: Optional[str]
    kind: Union[Field, Number]
    #: How messages name it.
    description: str

    @property
    def symbol(self) -> Optional[str]:
        """The symbol that it stands for."""
        return self.kind.symbol if isinstance(self.kind, Number) else None

    def __str__(self) -> str:
        return self.description


@dataclass(frozen=True)
class Function:
    """A function of a package: its place in it, and what it takes."""

    index: int
    name: str
    variant_of: Optional[str]
    arguments: Tuple[Argument, ...]
    #: Whether arrays give its extents; the shapes of its fields are then those of the program.
    is_general: bool
    #: How many devices share its domain; 1 if it runs on one.
    devices: int


def function(index: int, data: Dict[str, Any]) -> Function:
    """A function as the library describes it."""
    return Function(index, data["name"], data["variant_of"],
                    tuple(_argument(place, one) for place, one in enumerate(data["arguments"])),
                    data["extents"] is not None, data["devices"])


def _argument(position: int, data: Dict[str, Any]) -> Argument:
    field = data["field"]
    kind: Union[Field, Number] = Number(data["type"], data["symbol"]) if field is None else Field(
        tuple(field["lower"]), tuple(field["upper"]), data["type"], field["scratch"],
        field["written"])
    return Argument(position, data["name"], kind, data["description"])
