"""What a program does, as it is recorded while its function runs once.

The function is called with proxies: fields, scalars. What it assigns to fields becomes statements,
in order; `for t in steps(n)` becomes a loop whose body is run once, a statement of the loop around
it if there is one. A trace belongs to one call of the function and is seen by that call alone.
"""

from __future__ import annotations

import contextlib
import contextvars
import operator
from typing import Any, Dict, Iterator, List, NoReturn, Optional, Sequence, Tuple, Union

import numpy

from . import types
from .expressions import Index, Points, Value, as_value, postorder, typed
from .integers import check_steps
from .locations import Location, here, refuse
from .operators import Operators


class Loop:
    """A loop over time: its bounds, and the statements and loops of one iteration."""

    def __init__(self, first: Value, end: Value, at: Location) -> None:
        self.first = first
        self.end = end
        self.at = at
        #: The loop in whose body it is.
        self.outer: Optional[Loop] = None
        self.body: List[Union["Statement", Loop]] = []
        self.is_done = False

    @property
    def statements(self) -> List["Statement"]:
        """The statements of one iteration, those of the loops inside it among them, in order."""
        return statements_of(self.body)


class Scan:
    """Statements that are computed plane by plane along a dimension, in one order."""

    def __init__(self, index: Index, is_backward: bool, at: Location) -> None:
        self.dimension = index.dimension
        self.name = index.name
        self.is_backward = is_backward
        self.at = at
        self.body: List["Statement"] = []


class Time(Operators):
    """The time step of a loop, and an offset: the `t+1` of `u[t+1, j, i]`.

    In arithmetic and comparisons it is the number of the step: `stencil.where(t < 10, a, b)`.
    """

    __slots__ = ("loop", "offset")
    _is_index = True

    def __init__(self, loop: Loop, offset: int = 0) -> None:
        self.loop = loop
        self.offset = offset

    def __add__(self, other: Any) -> Any:
        if isinstance(other, (int, numpy.integer)) and not isinstance(other, bool):
            return Time(self.loop, self.offset + int(other))
        return super().__add__(other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, (int, numpy.integer)) and not isinstance(other, bool):
            return Time(self.loop, self.offset - int(other))
        return super().__sub__(other)

    def __repr__(self) -> str:
        return "t" + (f"{self.offset:+d}" if self.offset else "")

    def _as_value(self) -> Value:
        """The time step in arithmetic and comparisons."""
        return Value("time", (), self, "index")


class Statement:
    """An assignment at all points of a range: to a field, one of its levels, or a temporary."""

    def __init__(self, target: Any, level: Optional[int], points: Tuple[Any, ...], value: Value,
                 at: Location) -> None:
        self.target = target
        self.level = level
        #: For each dimension None, `Points`, or the only point.
        self.points = points
        self.value = value
        self.at = at
        self.loop: Optional[Loop] = None
        self.scan: Optional[Scan] = None
        #: The loops that read it, None for code outside of them; of temporaries.
        self.readers: List[Optional[Loop]] = []

    @property
    def name(self) -> str:
        """The name of what is assigned to."""
        return str(self.target.name)


class Trace:
    """One call of a program's function on proxies."""

    def __init__(self, name: str, at: Location) -> None:
        self.name = name
        self.at = at
        self.body: List[Union[Statement, Loop]] = []
        #: All loops, in the order of their beginnings, and the innermost one that is recorded now.
        self.loops: List[Loop] = []
        self.loop: Optional[Loop] = None
        self.scan: Optional[Scan] = None
        #: Temporaries that are kept in memory, which the program makes.
        self.kept: List[Any] = []
        self.indices: Optional[Tuple[str, ...]] = None
        self.names: Dict[str, int] = {}
        #: The arguments that are numbers.
        self.scalars: List[Any] = []

    def use(self, index: Index, at: Optional[Location] = None) -> None:
        """Takes an index of the program's grid; refuses one of another."""
        if self.indices is None:
            self.indices = index.names
        elif self.indices != index.names:
            refuse(f"index '{index.name}' belongs to ({', '.join(index.names)}), the program has "
                   f"used ({', '.join(self.indices)})",
                   "take all indices of a program from one call of stencil.indices", at)

    def check(self, value: Value) -> None:
        """Takes what a value computes with; refuses what belongs to another program or call."""
        for node in postorder([value]):
            if node.operation == "coordinate":
                self.use(node.data, node.at)
            elif node.operation == "time" and node.data.loop not in around(self.loop):
                refuse("the time step of a loop that has ended is used as a value", "keep what the "
                       "loop computes in a field, or compute it from the number of steps", node.at)
            elif node.operation == "scalar" and node.data not in self.scalars:
                self.refuse_other(f"'{node.data.name}' is an argument")
            elif node.operation in ("access", "table"):
                source = node.data.source
                if node.data.loop is not None and node.data.loop not in around(self.loop):
                    refuse(f"{node.data} is a level of a loop that has ended, in what a name holds "
                           "since", "keep what the loop computes in a field, or read the newest "
                           "level after the loop, without the time step", node.at)
                if (isinstance(source, Statement) or source.kind == "temporary") \
                        and source.loop is not None and source.loop not in around(self.loop):
                    refuse(f"temporary '{source.name}' is read after the time loop that assigns to "
                           "it, in what a name holds since", "a temporary lives in one step; keep "
                           "the values in a field", node.at)
                target = source.target if isinstance(source, Statement) else source
                if target.trace is not self:
                    self.refuse_other(f"'{target.name}' is a {target.kind}")

    def refuse_other(self, what: str) -> NoReturn:
        """Refuses what belongs to another call of a program."""
        refuse(f"{what} of another call of a program",
               "make it anew in each call of the program's function, and keep nothing of a call")

    def index(self, dimension: int) -> Index:
        """The index of a dimension of the program's grid."""
        names = self.indices or ()
        return Index(names[dimension], dimension, names)

    def add(self, statement: Statement) -> None:
        """Records a statement."""
        self.check_loops()
        self.check(statement.value)
        statement.loop = self.loop
        statement.scan = self.scan
        if self.scan is not None:
            self.scan.body.append(statement)
        self._statements().append(statement)

    def add_before_scan(self, statement: Statement) -> None:
        """Records a statement that is computed before the scan that is recorded now, if one is."""
        statement.loop = self.loop
        body = self._statements()
        body.insert(len(body) - (len(self.scan.body) if self.scan is not None else 0), statement)

    def _statements(self) -> List[Any]:
        return self.body if self.loop is None else self.loop.body

    def check_loops(self) -> None:
        """Refuses a time loop that was left in its middle."""
        for one in self.loops:
            if not one.is_done and one not in around(self.loop):
                refuse("the time loop is left by break, return or an exception",
                       "its body is recorded once; choose per point with stencil.where, and the "
                       "number of steps with stencil.steps(n)", one.at)

    def unique(self, name: str) -> str:
        """The name, with a number if it was taken."""
        count = self.names.get(name, 0)
        self.names[name] = count + 1
        return name if count == 0 else self.unique(f"{name}{count}")


_ACTIVE: "contextvars.ContextVar[Optional[Trace]]" = contextvars.ContextVar("trace", default=None)


def current() -> Optional[Trace]:
    """The trace that is recorded now, if one is."""
    return _ACTIVE.get()


def active(what: str) -> Trace:
    """The trace that is recorded now; `what` was called."""
    trace = _ACTIVE.get()
    if trace is None:
        refuse(f"{what} is called outside of a program",
               "call it in a function that @stencil.program decorates")
    return trace


def refuse_inside(name: str) -> None:
    """Refuses the call of a program while another one is traced."""
    trace = _ACTIVE.get()
    if trace is not None:
        refuse(f"program '{name}' is called inside of program '{trace.name}'",
               "call a plain function of Python instead, without @stencil.program; its statements "
               "are recorded where it is called")


@contextlib.contextmanager
def recording(trace: Trace) -> Iterator[None]:
    """Records what is done inside."""
    token = _ACTIVE.set(trace)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def steps(first: Any, end: Any = None) -> Iterator["Time"]:
    """A loop over time: `for t in stencil.steps(n)`, or `stencil.steps(first, end)` as `range`.

    Its body is recorded once, with `t` as the time step: `u[t+1, j, i] = ... u[t, j, i] ...`.
    `n` is an integer, or an argument of the program, which calls give; it is not negative.
    A loop in the body of another one runs in each of its steps, as sweeps of a relaxation do: what
    it steps, `p[s+1, j, i]`, is `p[j, i]` around it, the newest level, and stays from one step of
    the outer loop to the next. Raises `TraceError` in a scan, outside of a program, and for what is
    no integer.
    """
    trace = active("stencil.steps")
    trace.check_loops()
    at = here()
    if trace.scan is not None:
        refuse("a time loop inside of a scan", "put the scan into the time loop")
    bounds = [_bound(trace, one) for one in ((0, first) if end is None else (first, end))]
    if end is None and bounds[1].operation == "constant" and bounds[1].data < 0:
        refuse(f"stencil.steps of {first}, and a number of time steps is not negative",
               "give a number of at least 0, or the first step and the end: stencil.steps(first, "
               "end)")
    return _recorded(trace, Loop(bounds[0], bounds[1], at))


def _recorded(trace: Trace, loop: Loop) -> Iterator["Time"]:
    for one in (loop.first, loop.end):
        # Perhaps the loop whose time step they are computed from has ended since.
        check_steps(one, around(trace.loop))
    loop.outer = trace.loop
    (trace.body if loop.outer is None else loop.outer.body).append(loop)
    trace.loops.append(loop)
    trace.loop = loop
    try:
        yield Time(loop)
        loop.is_done = True
    finally:
        # What Python ends late, after an exception, leaves other loops as they are.
        if loop in around(trace.loop):
            trace.loop = loop.outer


def _bound(trace: Trace, value: Any) -> Value:
    if not isinstance(value, (Value, Time)):
        try:
            if isinstance(value, (bool, numpy.bool_, Operators)):
                raise TypeError
            value = operator.index(value)
        except TypeError:
            refuse(f"stencil.steps of {value!r}, which is no integer",
                   "give an integer, or an argument of the program that calls give as an integer")
    found = as_value(value)
    if found.operation == "constant":
        low, high = types.range_of("i64")
        if not low <= found.data <= high:
            refuse(f"stencil.steps of {value}, which is no integer of 64 bits",
                   "give a smaller one")
        found = typed(found, "index")
    check_steps(found, around(trace.loop))
    trace.check(found)
    return found


def around(loop: Optional[Loop]) -> List[Loop]:
    """The loop and those around it, the innermost first."""
    found = []
    while loop is not None:
        found.append(loop)
        loop = loop.outer
    return found


def statements_of(body: Sequence[Union[Statement, Loop]]) -> List[Statement]:
    """The statements of a body, those of its loops among them, in order."""
    found: List[Statement] = []
    for one in body:
        found.extend(one.statements if isinstance(one, Loop) else [one])
    return found


def all_points(points: Tuple[Any, ...]) -> bool:
    """Whether a statement is restricted to no points."""
    return all(one is None for one in points)


__all__ = ["Loop", "Points", "Scan", "Statement", "Time", "Trace", "active", "all_points",
           "around", "recording", "statements_of", "steps"]
