"""Programs from equations of Devito: `stencil.from_devito`.

Equations are expanded by Devito itself (`Eq.evaluate`) and written as a function of the language,
which is traced like any other: a statement for each equation, in their order, those that have a
time in one loop over it. Nothing of Devito is imported here, what users pass is looked at. Devito
keeps no equations in an `Operator`, so the equations are what is taken.
"""

from __future__ import annotations

import hashlib
import importlib
import keyword
import linecache
from typing import Any, Dict, List, NamedTuple, NoReturn, Optional, Sequence, Tuple, Union

from . import devito_sources, language
from .devito_expressions import Writer
from .language.boundaries import Declarations, fixed
from .language.locations import refuse
from .language.program import Program, program


class Written(NamedTuple):
    """A statement of the program, and whether it belongs to the loop over time."""

    text: str
    is_timed: bool


def from_devito(equations: Any, *, name: str = "equations",
                boundaries: Optional[Declarations] = None,
                static: Union[None, str, Sequence[str]] = None, **options: Any) -> Program:
    """A program of an equation of Devito, or a list of them, as `devito.Operator` takes them.

    The program's arguments are, in this order and by their names in Devito: an array for each
    TimeFunction and Function, as they occur, in the shape of the grid and without Devito's halo,
    a tuple of two for a TimeFunction whose `backward` is read, the older one first; `steps`, the
    number of time steps, if there is a TimeFunction; `dt` if an equation has it; constants, which
    have their values in Devito by default; and mesh widths `h_x`, by default those of the grid.
    Units are those of the equations. Constants and widths can be given by keyword.

    `boundaries`: what lies beyond the arrays, zeros by default, as in Devito's halo if nothing was
    written to it. `static`: arguments that are parts of the program, mesh widths by default.
    Other `options` are those of `stencil.program`. `inspect.getsource` shows the program.

    `source.inject(...)` of a SparseTimeFunction is taken, at the coordinates that it has now: its
    values are arrays along time, one for each point, `src` or `src_0`, `src_1`, row t for step t.

    Raises `TraceError` for what a program cannot be: operators, interpolation, subdomains, saved
    time steps, other dimensions than the grid's, equations that compute `backward`.
    """
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        refuse(f"{name!r} is no name of a program", "give a name: name='wave'")
    found = _equations(equations)
    writer = Writer(_grid(found), name)
    written = []
    for one in found:
        written += [Written(text, True) for text in devito_sources.statements(one, writer)] \
            if devito_sources.is_source(one) else [_statement(one, writer)]
    text = _program(name, written, writer)
    file = f"<stencil.from_devito {name} {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
    # Without a time of change the entry stays: tracebacks and `inspect.getsource` read it.
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: Dict[str, Any] = {"stencil": language}
    scope.update(zip(writer.indices, language.indices(" ".join(writer.indices))))
    exec(compile(text, file, "exec"), scope)  # pylint: disable=exec-used
    made: Program = program(boundaries=fixed(0.0) if boundaries is None else boundaries,
                            static=tuple(writer.widths) if static is None else static,
                            **options)(scope[name])
    return made


def _equations(given: Any) -> List[Any]:
    """Equations of scalars, expanded."""
    found: List[Any] = []
    for one in given if isinstance(given, (list, tuple)) else [given]:
        if isinstance(one, (list, tuple)):
            found += _equations(one)
            continue
        _check_equation(one)
        if devito_sources.is_source(one):
            found.append(one)
            continue
        for part in one._flatten:
            expanded = part.evaluate
            found += expanded if isinstance(expanded, (list, tuple)) else [expanded]
    if not found:
        refuse("stencil.from_devito without an equation", "give an equation or a list of them")
    return found


def _check_equation(one: Any) -> None:
    kind = type(one).__name__
    if kind == "Operator" or hasattr(one, "cfunction"):
        refuse(f"operator '{one.name}' has no equations any more: Devito keeps what it lowered "
               "them to", "pass the list of equations that the operator was made of")
    if devito_sources.is_source(one):
        devito_sources.check(one)
        return
    if hasattr(one, "interpolator"):
        refuse(f"{one} is a sparse operation, at points between those of the grid",
               "interpolate between calls of the program: run it in parts, and read the arrays")
    if not hasattr(one, "lhs") or not hasattr(one, "evaluate"):
        refuse(f"a {kind} is no equation of Devito", "give devito.Eq(u.forward, ...) or a list of "
               "such equations")
    if any(base.__name__ == "Reduction" for base in type(one).__mro__):
        refuse(f"{kind} reads and changes its left side {one.lhs}",
               "write the new value: devito.Eq(u, u + value)")
    if getattr(one, "subdomain", None) is not None:
        refuse(f"{one.lhs} is computed on subdomain '{one.subdomain.name}'",
               "compute on the whole grid, with boundaries= for what lies beyond it, or write the "
               "program with @stencil.program and ranges, as u[t+1, x[1:-1], y] = ...")
    if tuple(getattr(one, "implicit_dims", None) or ()):
        refuse(f"{one.lhs} has implicit dimensions", "write the program with @stencil.program, and "
               "choose by the time step with stencil.where(t < 10, a, b)")


def _grid(equations: Sequence[Any]) -> Any:
    """The grid of all functions."""
    grids: List[Any] = []
    for one in equations:
        parts = [part for pair in devito_sources.pairs(one) for part in pair] \
            if devito_sources.is_source(one) else [one]
        nodes = (node for part in parts
                 for node in importlib.import_module("sympy").preorder_traversal(part))
        for node in nodes:
            grid = getattr(getattr(node, "function", None), "grid", None)
            if grid is not None and grid not in grids:
                grids.append(grid)
    if len(grids) != 1:
        refuse(f"the equations have functions on {len(grids)} grids",
               "a program has one grid, and all functions lie on it")
    if not 1 <= len(grids[0].dimensions) <= 3:
        refuse(f"the grid has {len(grids[0].dimensions)} dimensions",
               "grids of programs have one to three")
    return grids[0]


def _statement(equation: Any, writer: Writer) -> Written:
    left = equation.lhs
    if not writer.is_access(left):
        refuse(f"{left} is computed, which is no point of a function",
               "give an equation for u.forward, devito.Eq(u.forward, devito.solve(equation, "
               "u.forward))")
    target, level = writer.access(left), writer.level(left)
    if level is not None and level != 1:
        _refuse_level(left, level)
    writer.forbidden = (left.function, level, target)
    _check_target(left, target, writer)
    value = writer.text(equation.rhs)
    writer.forbidden = None
    times = level is not None or any(
        writer.is_access(node) and writer.level(node) is not None
        for node in importlib.import_module("sympy").preorder_traversal(equation.rhs))
    return Written(f"{target} = {value}", times)


def _refuse_level(left: Any, level: int) -> NoReturn:
    name = left.function.name
    if level < 0:
        refuse(f"{left} is computed: time runs backwards",
               f"programs run forwards: exchange {name}.backward and {name}.forward, and give "
               "levels and inputs in the order of the steps")
    refuse(f"{left} is computed, which is not the next level of time",
           f"compute {name}.forward, from levels before it; keep what is computed within a step "
           "in a Function")


def _check_target(left: Any, target: str, writer: Writer) -> None:
    """Refuses what is no point of the current one, and points beyond the grid."""
    for (dimension, place), extent in zip(writer.places(left), writer.extents(left.function)):
        if dimension is not None and place:
            refuse(f"{target} is computed at a neighbour", "compute the point itself, and shift "
                   "what is read the other way")
        if dimension is None and not 0 <= place < extent:
            refuse(f"{target} is {'before the first' if place < 0 else 'beyond the last'} point of "
                   "the grid, in Devito's halo",
                   "leave this equation out and declare what lies there: boundaries="
                   "stencil.periodic(), stencil.mirror(), stencil.fixed(0.0)")


def _program(name: str, written: Sequence[Written], writer: Writer) -> str:
    """The text of the program's function."""
    timed = [place for place, one in enumerate(written) if one.is_timed]
    defaults: List[Tuple[str, Optional[float]]] = [(one, None) for one in writer.fields]
    if timed:
        defaults.append((writer.steps, None))
    defaults += [(one, None) for one in writer.time_widths]
    defaults += [*writer.constants.items(), *writer.widths.items()]
    arguments = ", ".join(one if value is None else f"{one}={value!r}" for one, value in defaults)
    lines = [f"def {name}({arguments}):\n"]
    for place, one in enumerate(written):
        if timed and place == timed[0]:
            lines.append(f"    for {writer.time} in stencil.steps({writer.steps}):\n")
        if timed and timed[0] < place < timed[-1] and not one.is_timed:
            refuse(f"'{one.text}' has no time, and stands between equations that have one",
                   "put it before them or after them: it is computed once")
        lines.append(f"{8 * ' ' if one.is_timed else 4 * ' '}{one.text}\n")
    return "".join(lines)


__all__ = ["from_devito"]
