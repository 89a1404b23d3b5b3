"""Programs from stencils of GT4Py: `stencil.from_gtscript`.

GT4Py's own front end reads the function and makes GTIR of it, in which functions are inlined,
externals are numbers and types are known; that is written as a function of the language, which is
traced like any other. Computations `PARALLEL` become statements, `FORWARD` and `BACKWARD` scans
where a plane needs another one. GT4Py is imported when a function is given; nothing of it is
needed for a stencil in GTIR.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import linecache
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Set, Tuple, Union

from . import language
from .gtscript_expressions import Writer, accesses, kind_of
from .language import boundaries
from .language.boundaries import Boundary
from .language.locations import refuse
from .language.program import Program, program

#: Cells beyond the domain along I and J, or along each axis: of all fields, or of each.
Width = Union[int, Tuple[int, ...]]
Halo = Union[None, Width, Mapping[str, Width]]
#: How far beyond the domain something is needed along each axis.
Extent = Dict[str, Tuple[int, int]]
_NOTHING: Extent = {axis: (0, 0) for axis in "IJK"}


def from_gtscript(definition: Any, *, externals: Optional[Mapping[str, Any]] = None,
                  dtypes: Optional[Mapping[Any, Any]] = None, name: Optional[str] = None,
                  halo: Halo = None, axes: str = "IJK", **options: Any) -> Program:
    """A program of a stencil of GT4Py: a function in gtscript, or what `gtscript.stencil` made.

    The program's arguments are those of the stencil, in its order: arrays for fields, in the types
    that it declares, and numbers for scalars. Those that are `bool`, or of another floating-point
    type than the arrays, are parts of the program: another value is another program.
    Arrays hold the domain and `halo` cells beyond it; without `halo` as many as the stencil reads
    along each axis, the same for all fields, so that all have one shape. It is a number for I and
    J, or one for each, (3, 0), or for all three axes, (3, 3, 1), or such for each field, {"u": 3}.

    `externals` and `dtypes` are those of `gtscript.stencil`. `axes` is the order of the arrays'
    dimensions: "IJK" as in GT4Py, or "KJI", whose last dimension is I: kernels read it faster.
    Other `options` are those of `stencil.program`. `inspect.getsource` shows the program.

    Raises `TraceError` for what a program cannot be: loops with `while`, vertical offsets that are
    computed, data dimensions, results of two dimensions; and what GT4Py raises.
    """
    function = _function(definition)
    found = definition if function is None else _gtir(
        function, {**_externals(definition), **(externals or {})}, dict(dtypes or {}))
    if axes not in ("IJK", "KJI"):
        refuse(f"axes={axes!r}", "it is 'IJK' or 'KJI'")
    name = name or str(found.name).rsplit(".", 1)[-1]
    writer = Writer(found, axes, function)
    loops = _Loops(found, writer)
    widths = _widths(loops.extents(), writer, halo)
    text = loops.program(name, [str(one.name) for one in found.api_signature], widths)
    file = f"<stencil.from_gtscript {name} {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
    # Without a time of change the entry stays: tracebacks and `inspect.getsource` read it.
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = [writer.indices[axis] for axis in axes]
    indices = dict(zip(axes, language.indices(" ".join(names))))
    scope: Dict[str, Any] = {"stencil": language}
    scope.update((writer.indices[axis], one) for axis, one in indices.items())
    exec(compile(text, file, "exec"), scope)  # pylint: disable=exec-used
    options.setdefault("boundaries", _boundaries(widths, writer, indices))
    options.setdefault("static", tuple(writer.static))
    made: Program = program(**options)(scope[name])
    return made


def _function(definition: Any) -> Any:
    """The function in gtscript; None for a stencil in GTIR."""
    if hasattr(definition, "vertical_loops"):
        return None
    function = getattr(definition, "definition_func", None) or getattr(
        getattr(definition, "builder", None), "definition", None) or definition
    if not inspect.isfunction(function):
        refuse(f"a {type(definition).__name__} is no stencil of GT4Py",
               "give a function in gtscript, or what gtscript.stencil made of one")
    return function


def _externals(definition: Any) -> Dict[str, Any]:
    """The externals of a stencil that is compiled lazily; others do not keep them."""
    return dict(getattr(getattr(definition, "builder", None), "externals", None) or {})


def _gtir(function: Any, externals: Dict[str, Any], dtypes: Dict[Any, Any]) -> Any:
    """The stencil in GTIR, with types."""
    try:
        definitions = importlib.import_module("gt4py.cartesian.definitions")
        frontend = importlib.import_module("gt4py.cartesian.frontend.gtscript_frontend")
        passes = importlib.import_module("gt4py.cartesian.gtc.passes.gtir_pipeline")
    except ImportError:
        refuse("GT4Py is not installed, which reads gtscript", "pip install gt4py")
    build = definitions.BuildOptions(name=function.__name__, module=function.__module__)
    reader = frontend.GTScriptFrontend
    # What GT4Py notes at the function may be of a call with other externals.
    reader.prepare_stencil_definition(function, externals, build)
    found = reader.generate(function, externals, dtypes, build, "numpy")
    for step in passes.GtirPipeline(found, None).steps():
        # Arguments that are not used stay, calls give them.
        if step.__name__ != "prune_unused_parameters":
            found = step(found)
    return found


def _widths(read: Mapping[str, Extent], writer: Writer, given: Halo) -> Dict[str, Extent]:
    """The cells beyond the domain that each argument holds along each axis, low and high."""
    widest = {axis: (max([0, *(-one[axis][0] for one in read.values())]),
                     max([0, *(one[axis][1] for one in read.values())])) for axis in "IJK"}
    found = {}
    for field in [one for one in writer.fields if one in read]:
        width = given.get(field) if isinstance(given, Mapping) else given
        if width is None:
            found[field] = widest
            continue
        pair = (width, width) if isinstance(width, int) else width
        if len(pair) not in (2, 3) or any(not isinstance(one, int) or one < 0 for one in pair):
            refuse(f"halo={given!r}", "give a number of cells, or one for I and one for J, or one "
                   "for each axis, or such for each field")
        found[field] = {**widest, **{axis: (one, one) for axis, one in zip("IJK", pair)}}
    return found


def _boundaries(widths: Mapping[str, Extent], writer: Writer,
                indices: Mapping[str, Any]) -> Dict[str, List[Boundary]]:
    found = {field: [boundaries.halo(width[axis], indices[axis]) for axis in "IJK"
                     if axis in writer.axes_of(field) and any(width[axis])]
             for field, width in widths.items()}
    return {field: sides for field, sides in found.items() if sides}


class Line(NamedTuple):
    """A statement: what is assigned to, the value as text, and the fields that it reads."""

    target: str
    value: str
    reads: List[Any]
    loc: Any


#: More planes than any domain has: ends that are counted from the last plane lie here.
_MANY = 1 << 40


class Part(NamedTuple):
    """Statements over an interval of planes."""

    planes: str
    #: The interval in a domain of many planes.
    span: Tuple[int, int]
    #: The first plane, if it is counted from the first of the domain, and the end from its end.
    first: Optional[int]
    end: Optional[int]
    lines: List[Line]


class Loop(NamedTuple):
    """Intervals that are computed one after the other, in an order; one, or those of a scan."""

    order: str
    parts: List[Part]
    is_scan: bool

    @property
    def lines(self) -> List[Line]:
        """The statements of all intervals."""
        return [line for part in self.parts for line in part.lines]


class _Loops:
    """The vertical loops of a stencil as statements."""

    def __init__(self, stencil: Any, writer: Writer) -> None:
        self._writer = writer
        #: Temporaries by name in the program, and where each has been assigned to.
        self._assigned: Dict[str, Set[str]] = {}
        self._masks: List[str] = []
        self.loops: List[Loop] = []
        bounds: List[Any] = []
        for one in stencil.vertical_loops:
            order = str(getattr(one.loop_order, "value", one.loop_order))
            planes = self._planes(one.interval)
            first, end = one.interval.start, one.interval.end
            span = (_place(first), _place(end))
            part = Part(planes, span, None if _is_end(first) else first.offset,
                        end.offset if _is_end(end) else None,
                        self._statements(one.body, planes, (), None))
            before = self.loops[-1] if self.loops else None
            if before is not None and order == before.order != "parallel" \
                    and _follow(bounds[-1], one.interval, order) \
                    and not _reads_beside(before.lines, part.lines) \
                    and not _reads_beside(part.lines, before.lines):
                before.parts.append(part)
                bounds[-1] = one.interval
            else:
                self.loops.append(Loop(order, [part], False))
                bounds.append(one.interval)
        self.loops = [one._replace(is_scan=_is_scan(one)) for one in self.loops]
        while self._drop_unread() or self._drop_overwritten():
            pass
        self.loops = [one for one in self.loops if one.lines]
        if not any(line.target in writer.fields for one in self.loops for line in one.lines):
            refuse(f"stencil '{stencil.name}' assigns to no argument", "assign to a field that is "
                   "an argument")

    # ---- statements -----------------------------------------------------------------------------

    def _planes(self, interval: Any) -> str:
        """An interval as a range in a subscript; empty for all planes."""
        ends = []
        for bound in (interval.start, interval.end):
            if kind_of(bound) != "AxisBound":
                self._writer.refuse(interval, "an interval has an end that is computed",
                                    "give ends that are numbers, as interval(1, -1)")
            is_end = _is_end(bound)
            ends.append("" if bound.offset == 0 else f"{bound.offset:+d}" if is_end
                        else str(bound.offset))
            if is_end and bound.offset > 0 or not is_end and bound.offset < 0:
                self._writer.refuse(interval, "an interval goes beyond the domain",
                                    "intervals lie inside of it")
            if not ends[-1] and is_end != (len(ends) == 2):
                self._writer.refuse(interval, "an interval is empty", "leave it out")
        return "" if ends == ["", ""] else f"[{':'.join(ends)}]"

    def _statements(self, body: Any, planes: str, conditions: Tuple[str, ...],
                    outer: Any) -> List[Line]:
        found: List[Line] = []
        for one in body:
            kind = kind_of(one)
            if kind == "ParAssignStmt":
                found.append(self._assignment(one, planes, conditions, outer))
            elif kind in ("FieldIfStmt", "ScalarIfStmt"):
                found += self._branches(one, planes, conditions)
            elif kind == "HorizontalRestriction":
                inside = (*conditions, *self._region(one.mask))
                found += self._statements(one.body, planes, inside, outer)
            else:
                self._writer.refuse(
                    one, f"a {kind} has no counterpart in programs" if kind != "While" else
                    "a loop with 'while' ends at another step at each point",
                    "write a fixed number of steps out, with conditions")
        return found

    def _assignment(self, one: Any, planes: str, conditions: Tuple[str, ...],
                    outer: Any) -> Line:
        name, writer = str(one.left.name), self._writer
        if writer.axes_of(name) != writer.axes:
            writer.refuse(one, f"'{name}' has the axes {writer.axes_of(name)}, and is assigned to",
                          "assign to a field of I, J and K, and take a plane of it")
        if any(writer.offsets(one.left).values()):
            writer.refuse(one, f"'{name}' is assigned to at an offset",
                          "assign at the point, and shift what is read")
        target, value = writer.point(one.left), writer.typed(one.right)
        reads = accesses(one.right) + list(outer or ())
        known = self._assigned.setdefault(name, set())
        if conditions and (name in writer.fields or known & {planes, ""}):
            value = f"stencil.where({' & '.join(conditions)}, {value}, {target})"
            reads.append(one.left)
        known.add(planes)
        return Line(name, value, reads, getattr(one, "loc", None))

    def _branches(self, one: Any, planes: str, conditions: Tuple[str, ...]) -> List[Line]:
        """A condition is computed before its branches, which may change what it reads."""
        writer = self._writer
        mask = writer.take("mask")
        self._masks.append(mask)
        line = Line(mask, writer.typed(one.cond), accesses(one.cond), getattr(one, "loc", None))
        point = f"{mask}[{', '.join(writer.indices[axis] for axis in writer.axes)}]"
        found = [line, *self._statements(one.true_branch.body, planes, (*conditions, point), None)]
        if one.false_branch is not None:
            found += self._statements(one.false_branch.body, planes, (*conditions, f"~{point}"),
                                      None)
        return found

    def _region(self, mask: Any) -> List[str]:
        """The conditions of `horizontal(region[...])`."""
        found = []
        for axis, interval in (("I", mask.i), ("J", mask.j)):
            index = self._writer.indices[axis]
            for bound, sign in ((interval.start, ">="), (interval.end, "<")):
                if bound is None:
                    continue
                end = f"{index}_end{bound.offset:+d}" if _is_end(bound) else str(bound.offset)
                found.append(f"({index} {sign} {end})")
        return found

    def _drop_unread(self) -> bool:
        """Drops temporaries that nothing reads but what computes them; says if there were any."""
        read = {name for loop in self.loops for line in loop.lines
                for name, _ in self._read(line) if name != line.target}
        dropped = False
        for part in (part for loop in self.loops for part in loop.parts):
            kept = [line for line in part.lines
                    if line.target in self._writer.fields or line.target in read]
            dropped = dropped or len(kept) < len(part.lines)
            part.lines[:] = kept
        return dropped

    def _drop_overwritten(self) -> bool:
        """Drops what is stored to arguments and overwritten before anything reads it.

        Programs refuse such statements, as mistakes; in gtscript a value is often set first and
        replaced later. Says if there were any.
        """
        found = False
        unread: Dict[str, List[Tuple[Part, Line]]] = {}
        for loop in self.loops:
            for part in loop.parts:
                for line in list(part.lines):
                    for access in line.reads:
                        unread.pop(str(access.name), None)
                    if line.target not in self._writer.fields or loop.is_scan:
                        unread.pop(line.target, None)
                        continue
                    before = unread.setdefault(line.target, [])
                    for other, dropped in before:
                        if _covers(part, other):
                            other.lines.remove(dropped)
                            found = True
                    before[:] = [one for one in before if not _covers(part, one[0])]
                    before.append((part, line))
        return found

    # ---- extents --------------------------------------------------------------------------------

    def extents(self) -> Dict[str, Extent]:
        """How far beyond the domain each argument is read; arguments that are not used are none."""
        needed: Dict[str, Extent] = {}
        for loop in reversed(self.loops):
            # All statements of a scan are computed in the same columns.
            box = self._computed(loop.lines, needed)
            for part in reversed(loop.parts):
                for line in reversed(part.lines):
                    own = box if loop.is_scan else self._computed([line], needed)
                    self._need(line, part, own, needed)
        for line in (line for loop in self.loops for line in loop.lines):
            needed.setdefault(line.target, dict(_NOTHING))
        return {name: extent for name, extent in needed.items() if name in self._writer.fields}

    def _computed(self, lines: List[Line], needed: Mapping[str, Extent]) -> Extent:
        """Where statements are computed: fields in the domain, temporaries where they are read."""
        box = dict(_NOTHING)
        for line in lines:
            if line.target not in self._writer.fields:
                box = _joined(box, needed.get(line.target, box))
        return box

    def _need(self, line: Line, part: Part, box: Extent, needed: Dict[str, Extent]) -> None:
        for name, offsets in self._read(line):
            moved = {axis: (box[axis][0] + offset, box[axis][1] + offset)
                     for axis, offset in ((axis, offsets.get(axis, 0)) for axis in "IJ")}
            by = offsets.get("K", 0)
            moved["K"] = (0 if part.first is None else min(0, part.first + by),
                          0 if part.end is None else max(0, part.end + by))
            needed[name] = _joined(needed[name], moved) if name in needed else moved

    def _read(self, line: Line) -> List[Tuple[str, Dict[str, int]]]:
        found = [(str(one.name), self._writer.offsets(one)) for one in line.reads]
        return found + [(mask, {}) for mask in self._masks if f"{mask}[" in line.value]

    # ---- text -----------------------------------------------------------------------------------

    def program(self, name: str, arguments: List[str], widths: Mapping[str, Extent]) -> str:
        """The text of the program's function."""
        writer = self._writer
        lines = [f"def {name}({', '.join(arguments)}):\n"]
        used = {line.target for loop in self.loops for line in loop.lines}
        for symbol in (one for one in (*writer.temporaries, *self._masks) if one in used):
            local = writer.name(symbol) if symbol in writer.temporaries else symbol
            lines.append(f"    {local} = stencil.temporary({local!r})\n")
        body: List[str] = []
        for loop in self.loops:
            indent = "    "
            if loop.is_scan:
                body.append(f"    with stencil.{loop.order}({writer.indices['K']}):\n")
                indent = "        "
            for part in loop.parts:
                body += [indent + self._line(line, part.planes) for line in part.lines]
        lines += self._ends(body, widths)
        return "".join(lines + body)

    def _line(self, line: Line, planes: str) -> str:
        writer = self._writer
        local = line.target if line.target in self._masks else writer.name(line.target)
        places = [writer.indices[axis] + (planes if axis == "K" else "")
                  for axis in writer.axes]
        loc = f"  # line {line.loc.line}" if line.loc is not None else ""
        return f"{local}[{', '.join(places)}] = {line.value}{loc}\n"

    def _ends(self, body: List[str], widths: Mapping[str, Extent]) -> List[str]:
        """The number of points along the axes whose last points are named."""
        found, writer = [], self._writer
        for axis in "IJ":
            index = writer.indices[axis]
            if any(f"{index}_end" in line for line in body):
                field = next(one for one in widths if axis in writer.axes_of(one))
                place = writer.axes_of(field).index(axis)
                found.append(f"    {index}_end = {writer.name(field)}.shape[{place}] - "
                             f"{sum(widths[field][axis])}\n")
        return found


def _follow(before: Any, after: Any, order: str) -> bool:
    """Whether one interval begins where the other ends, in the order of the planes."""
    one, two = (before.end, after.start) if order == "forward" else (before.start, after.end)
    return bool(str(one.level) == str(two.level) and one.offset == two.offset)


def _is_end(bound: Any) -> bool:
    """Whether a plane is counted from the end of the domain."""
    return str(getattr(bound.level, "value", bound.level)) == "end"


def _place(bound: Any) -> int:
    return int(bound.offset) + (_MANY if _is_end(bound) else 0)


def _covers(one: Part, two: Part) -> bool:
    """Whether all planes of the second interval are planes of the first."""
    return one.span[0] <= two.span[0] and one.span[1] >= two.span[1]


def _reads_beside(written: List[Line], lines: List[Line]) -> bool:
    """Whether statements read other columns of what others assign to."""
    assigned = {line.target for line in written}
    return any(str(one.name) in assigned and kind_of(one.offset) == "CartesianOffset"
               and (one.offset.i, one.offset.j) != (0, 0) for line in lines for one in line.reads)


def _is_scan(loop: Loop) -> bool:
    """Whether planes need others that the same loop computes; else each statement is for all."""
    if loop.order == "parallel":
        return False
    assigned = {line.target for line in loop.lines}
    return any(str(one.name) in assigned
               and (kind_of(one.offset) != "CartesianOffset" or one.offset.k != 0)
               for line in loop.lines for one in line.reads)


def _joined(one: Extent, two: Extent) -> Extent:
    return {axis: (min(one[axis][0], two[axis][0]), max(one[axis][1], two[axis][1]))
            for axis in "IJK"}


__all__ = ["from_gtscript"]
