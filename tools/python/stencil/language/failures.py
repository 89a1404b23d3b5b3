"""What the compiler, the interpreter and the library say of a program, to the one who wrote it.

They speak of functions, ops and packages; the program has lines, statements and arguments. What
depends on the data of a call is a `ProgramError`, wherever the program runs.
"""

from __future__ import annotations

import re
from typing import Any, Mapping, Optional

from ..errors import ArgumentError, ProgramError, StencilError
from .counts import Short, undefined
from .expressions import postorder
from .layout import Layout
from .locations import Location

#: What the compiler says of programs that devices share, and what a program of Python can do.
ADVICE = {
    "give fewer devices, or fewer steps between exchanges":
        "give fewer devices, or pass larger arrays",
    "put each loop into a function of its own":
        "write a program for each time loop, and call them one after the other",
    "compute one point, and let plans have more 'points'; a scan along the slowest dimension "
    "cannot be shared: run it on one device":
        "a scan along the first dimension cannot be shared: run it on one device, or scan along "
        "another dimension",
    "copy between fields and memory of the function only, and put what else comes before and after "
    "the loop into functions of their own":
        "write what comes before and after the time loop as programs of their own",
    "read it in the loop, or give what is read as a field of its own":
        "read it in the loop, or pass what is read as another argument",
    "yield each field that it carries once":
        "make the number of steps of each loop inside it a part of the program, as in "
        "@stencil.program(static='sweeps')",
    "give it constant bounds, 1024 iterations at most":
        "make its number of steps a part of the program, @stencil.program(static='sweeps'), 1024 "
        "at most",
    "give this memory as a field argument":
        "pass an array for it as an argument of the program, and assign to that",
}
#: What it says is wrong, as regular expressions.
_REASONS = tuple((re.compile(said), here) for said, here in (
    (r"'func\.func' op has several loops at its top level", "the program has several time loops"),
    # What is stored is counted, which the arrays of a call are a part of.
    (r"'func\.func' op has (\d+ planes along dimension \d+), too few",
     r"the program has \1, ghost cells included, too few"),
    (r"'scf\.for' op does more with its fields than change their places",
     "the time loop, which devices share, has loops inside whose numbers of steps are not known"),
    (r"'scf\.for' op is a loop inside the time loop whose iterations",
     "the loop is inside the time loop, and its steps"),
    (r"; (\d+ planes) would be enough", r"; \1, ghost cells included, would be enough"),
    (r"'stencil\.return' op (computes \d+ planes at once of those that devices share)",
     r"the scan \1"),
))
#: What the interpreter says of data; what it means, and what to do.
_DATA = tuple((re.compile(said), reason, remedy) for said, reason, remedy in (
    (r"op divides by zero$", "an integer is divided by zero",
     "have no zero among the divisors, as in a // stencil.where(b == 0, 1, b)"),
    (r"op divides the smallest integer by -1, which overflows$",
     "the smallest integer of its type is divided by -1, which overflows",
     "divide in a wider type, as in stencil.cast(value, 'i64')"),
    (r"op converts (?P<value>.*) to (?P<type>\w+), which cannot hold it$",
     "{value} is converted to {type}, which cannot hold it",
     "limit the value before, as in stencil.minimum(value, 100), or convert it to a wider type"),
))
_TABLE = re.compile(r"^argument \d+ '(?P<name>[^']*)' has values (for \d+ time steps )?from .*; "
                    r"(?P<remedy>make fewer|start later), or give it more cells and its access in "
                    "the program a wider range$")


def said(text: str) -> str:
    """What the compiler says at a line of a program, in words of Python."""
    for advice, here in ADVICE.items():
        text = text.replace(advice, here)
    for reason, here in _REASONS:
        text = reason.sub(here, text)
    return text


def of_data(text: str, at: Location) -> Optional[ProgramError]:
    """The error for what the interpreter says of the data of a call, if that is it."""
    for pattern, reason, remedy in _DATA:
        found = pattern.search(text)
        if found is not None:
            return _failed(reason.format(**found.groupdict()), remedy, at)
    return None


def of_call(error: StencilError, layout: Layout, values: Mapping[Any, Any]) -> StencilError:
    """An error of a run, at the program's line if it has one."""
    found = _TABLE.match(str(error)) if isinstance(error, ArgumentError) else None
    if found is not None:
        # A table of a program has no range: its values are those of the array.
        more = ", or pass more values" if found["remedy"] == "make fewer" else ""
        text = f"{str(error).partition('; ')[0]}; {found['remedy']}{more}"
        at = _read_at(layout, found["name"])
        return ArgumentError(f"{at.file}:{at.line}: {text}" if at is not None else text)
    if isinstance(error, ProgramError) and not error.file:
        loop = undefined(layout, values)
        if loop is not None:
            return _failed(*_DATA[0][1:], loop.at)
    return error


def of_table(found: Short) -> ArgumentError:
    """The error for a table that has no values for some steps."""
    node, at = found.read.node, found.read.node.at
    first, cells = -node.data.level, node.data.source.shape[0]
    steps, name = found.steps, node.data.source.name
    if steps.start < first:
        text = f"has values from time step {first} on, and the time loop of line " \
               f"{node.data.loop.at.line} starts at {steps.start}; start later"
    else:
        count = f"{cells} time step{'s' * (cells != 1)}"
        text = f"has values for {count} from {first} on, and the time loop of line " \
               f"{node.data.loop.at.line} has steps up to {steps.stop - 1}; make fewer, or pass " \
               "more values"
    return ArgumentError(f"{at.file}:{at.line}: argument '{name}' {text}")


def _failed(reason: str, remedy: str, at: Location) -> ProgramError:
    return ProgramError(f"{at.file}:{at.line}: {reason}; {remedy}", at.file, at.line)


def _read_at(layout: Layout, name: str) -> Optional[Location]:
    """Where a table is read."""
    return next((node.at for statement in layout.statements
                 for node in postorder([statement.value])
                 if node.operation == "table" and node.data.source.name == name), None)


__all__ = ["of_call", "of_data", "of_table", "said"]
