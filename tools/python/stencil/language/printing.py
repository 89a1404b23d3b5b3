"""Text of MLIR: lines, names of values, aliases of types and of locations."""

from __future__ import annotations

import contextlib
import re
from typing import Dict, Iterator, List, Optional, Sequence

from .locations import Location

_OUTSIDE = re.compile(r"[^A-Za-z0-9_]")
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")


class Names:
    """Names of values in one scope, each given once."""

    def __init__(self) -> None:
        self._taken: Dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """The name with a percent sign, and a number if it is taken."""
        base = _OUTSIDE.sub("_", wanted) or "value"
        base = f"_{base}" if base[0].isdigit() else base
        name = base
        while name in self._taken:
            self._taken[base] += 1
            name = f"{base}_{self._taken[base]}"
        self._taken[name] = 0
        return f"%{name}"


class Text:
    """A module that is written line by line."""

    def __init__(self, with_locations: bool) -> None:
        self._lines: List[str] = []
        self._depth = 0
        self._with_locations = with_locations
        self._types: Dict[str, str] = {}
        self._locations: Dict[Location, str] = {}

    def line(self, text: str, at: Optional[Location] = None) -> None:
        """A line, with the location of the operation that ends on it; long ones are broken."""
        if self._with_locations and at is not None:
            alias = self._locations.setdefault(at, f"#loc{len(self._locations)}")
            text = f"{text} loc({alias})"
        self._lines.extend(_broken("  " * self._depth + text))

    @contextlib.contextmanager
    def block(self, head: str, end: str = "}", at: Optional[Location] = None) -> Iterator[None]:
        """A region: its head, indented lines, and its end."""
        self.line(head)
        self._depth += 1
        yield
        self._depth -= 1
        self.line(end, at)

    def alias(self, text: str, wanted: str) -> str:
        """A short name for a type."""
        if text not in self._types:
            name, count = f"!{wanted}", 1
            while name in self._types.values():
                name, count = f"!{wanted}{count}", count + 1
            self._types[text] = name
        return self._types[text]

    def finish(self) -> str:
        """The text of the module."""
        head = [f"{name} = {text}" for text, name in self._types.items()]
        foot = [f'{alias} = loc("{_escaped(at.name)}":{at.line}:1)'
                for at, alias in self._locations.items()]
        return "\n".join(head + [""] + self._lines + ([""] if foot else []) + foot) + "\n"


def symbol(name: str) -> str:
    """The name of a function as MLIR takes it: quoted where it is no bare identifier."""
    return f"@{name}" if _BARE.fullmatch(name) else f'@"{_escaped(name)}"'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _broken(line: str, width: int = 100) -> List[str]:
    """A line as several ones, broken after commas and before arrows."""
    indent = line[:len(line) - len(line.lstrip())] + "    "
    lines = []
    while len(line) > width:
        place = max(line.rfind(", ", len(indent), width),
                    line.rfind(" -> ", len(indent), width - 4))
        if place <= len(indent):
            break
        cut = place + 1 if line[place] == "," else place
        lines.append(line[:cut].rstrip())
        line = indent + line[cut:].lstrip()
    return lines + [line]


def bounds(box: Sequence[Sequence[float]]) -> str:
    """A box as the dialect writes it: `<[0, 0], [64, 48]>`."""
    lower = ", ".join(str(int(low)) for low, _ in box)
    upper = ", ".join(str(int(high)) for _, high in box)
    return f"<[{lower}], [{upper}]>"


def field_type(box: Sequence[Sequence[float]], element: str) -> str:
    """The type of a field that holds a box."""
    ranges = "".join(f"[{int(low)},{int(high)}]x" for low, high in box)
    return f"!stencil.field<{ranges}{element}>"


def temp_type(rank: int, element: str) -> str:
    """The type of values on a grid."""
    return f"!stencil.temp<{'?x' * rank}{element}>"
