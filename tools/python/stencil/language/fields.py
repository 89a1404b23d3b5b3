"""Fields, temporaries and indices: what is read and assigned to with subscripts."""

from __future__ import annotations

from typing import Any, List, NamedTuple, NoReturn, Optional, Tuple, Union

import numpy

from ..errors import MissingAttributeError
from . import types
from .expressions import Index, Points, Value, as_value, postorder, typed
from .locations import here, refuse
from .operators import Operators
from .tracing import Loop, Scan, Statement, Time, Trace, active, around, current

#: What an access reads along an axis: an index with an offset, or one point.
Place = Union[Index, int]


class Access(NamedTuple):
    """A read of a field, of one of its levels, or of a temporary."""

    source: Any
    level: Optional[int]
    places: Tuple[Place, ...]
    #: The loop whose time step the level counts from.
    loop: Optional[Loop] = None

    def __str__(self) -> str:
        level = () if self.level is None else (f"t{self.level:+d}" if self.level else "t",)
        return f"{self.source.name}[{', '.join((*level, *map(repr, self.places)))}]"


class _Grid(Operators):
    """What fields and temporaries share: subscripts."""

    __slots__ = ("name", "trace")
    #: What messages call it.
    kind = "field"

    def __init__(self, trace: Trace, name: str) -> None:
        self.trace = trace
        #: The name of the argument.
        self.name = name

    def _refuse_as_value(self) -> NoReturn:
        refuse(f"'{self.name}' is a field and is used as a value",
               f"say which point is meant: {self.name}[{self._example()}]")

    def _refuse_attribute(self, name: str) -> NoReturn:
        refuse(f"'{self.name}' is a field and has no '{name}': it has no cells while the program "
               "is traced", f"a program says what happens at one point, {self.name}"
               f"[{self._example()}], and what concerns all points is computed from arrays before "
               "or after the call", error=MissingAttributeError)

    def __delitem__(self, indices: Any) -> NoReturn:
        refuse(f"cells of '{self.name}' cannot be deleted", "assign a value to them")

    def _parts(self, key: Any) -> Tuple[Any, ...]:
        """The indices of a subscript; refuses none, and what belongs to another call."""
        if current() is not self.trace:
            self.trace.refuse_other(f"'{self.name}' is a {self.kind}")
        parts = key if isinstance(key, tuple) else (key,)
        if not parts:
            refuse(f"'{self.name}' is indexed by nothing",
                   f"write {self.name}[{self._example()}]")
        return parts

    def _example(self) -> str:
        return ", ".join(self.trace.indices or ("j", "i"))

    def _places(self, key: Tuple[Any, ...]) -> Tuple[Place, ...]:
        """What is read along each axis."""
        places: List[Place] = []
        for one in key:
            if isinstance(one, Index):
                self.trace.use(one)
                places.append(one)
            elif isinstance(one, (int, numpy.integer)) and not isinstance(one, bool):
                places.append(int(one))
            else:
                self._refuse_index(one)
        found = [one.dimension for one in places if isinstance(one, Index)]
        if found != sorted(set(found)):
            names = ", ".join(map(repr, places))
            refuse(f"{self.name}[{names}] has its indices in another order than the grid, "
                   f"({', '.join(self.trace.indices or ())})",
                   "index each array in the order of stencil.indices; transpose the array before "
                   "the call")
        return tuple(places)

    def _refuse_index(self, one: Any) -> NoReturn:
        if isinstance(one, Points):
            refuse(f"{one!r} restricts points where '{self.name}' is read",
                   "restrict the statement: put it into the subscript that is assigned to")
        if isinstance(one, slice) or one is Ellipsis:
            refuse(f"'{self.name}' is indexed by a slice",
                   "a program says what happens at one point, with indices: k, j, i = "
                   "stencil.indices('k j i'); u[k, j, i+1]")
        if isinstance(one, Time):
            refuse(f"the time step is not the first index of '{self.name}'",
                   f"write {self.name}[t, {self._example()}]")
        if isinstance(one, float):
            refuse(f"'{self.name}' is indexed by {one}, which is no integer",
                   "points between those of the grid are reached by stencil.derivative(..., "
                   "at=Fraction(1, 2)) and means of neighbours")
        if isinstance(one, Value):
            self._refuse_computed(one)
        if isinstance(one, Operators):
            refuse(f"an index of '{self.name}' is computed: {one!r}",
                   "a neighbour has a constant integer offset, as in i+1; between two points take "
                   "their mean, or stencil.derivative(..., at=Fraction(1, 2))")
        refuse(f"'{self.name}' is indexed by {one!r}", "use indices of stencil.indices, with "
               "integers added, and the time step of stencil.steps")

    def _refuse_computed(self, one: Value) -> NoReturn:
        """Refuses an index that is computed, by what it is computed from."""
        nodes = postorder([one])
        if any(node.operation == "time" for node in nodes):
            refuse(f"an index of '{self.name}' is computed from the time step: {one!r}",
                   "a level of time is t with a constant offset, as in t-1; a table has a value "
                   "for each step, s[t]: make it before the call, as s[numpy.arange(steps) % 3]")
        scalars = sorted({node.data.name for node in nodes if node.operation == "scalar"})
        if scalars and all(node.operation in ("scalar", "coordinate", "constant", "add", "sub")
                           for node in nodes):
            refuse(f"an index of '{self.name}' is computed from an argument: {one!r}",
                   "a neighbour has a constant integer offset: make the argument a part of the "
                   f"program, @stencil.program(static={' '.join(scalars)!r})")
        refuse(f"an index of '{self.name}' is computed: {one!r}",
               "a neighbour has a constant integer offset, as in i+1; between two points take "
               "their mean, or stencil.derivative(..., at=Fraction(1, 2))")

    def _targets(self, key: Tuple[Any, ...]) -> Tuple[Any, ...]:
        """The points of a statement along each axis: None for all, `Points`, or one point."""
        points: List[Any] = []
        for axis, one in enumerate(key):
            index = one.index if isinstance(one, Points) else one
            if isinstance(index, Index):
                self.trace.use(index)
                if index.dimension != axis or index.rank != len(key):
                    self._refuse_target(key)
                if index.offset:
                    refuse(f"{self.name}[{', '.join(map(repr, key))}] is assigned to at an offset",
                           f"assign at the point itself, {self.name}[{self._example()}], and "
                           "shift what is read the other way")
                points.append(one if isinstance(one, Points) else None)
            elif isinstance(one, (int, numpy.integer)) and not isinstance(one, bool):
                points.append(int(one))
            else:
                self._refuse_index(one)
        return tuple(points)

    def _refuse_target(self, key: Tuple[Any, ...]) -> NoReturn:
        indices = self.trace.indices or ()
        remedy = ("assign to fields of the grid's dimensions; arrays of fewer dimensions are read "
                  "only")
        if len(key) < len(indices):
            own = " ".join(map(repr, key))
            remedy += f", or take the indices of a smaller grid from stencil.indices({own!r})"
        refuse(f"{self.name}[{', '.join(map(repr, key))}] is assigned to, and is not indexed by "
               f"all indices of the grid in their order, ({', '.join(indices)})", remedy)


class Field(_Grid):
    """An argument of a program that is an array: read and assigned to with subscripts.

    `u[j, i+1]` reads a neighbour, `u[t, j, i]` a level of time; `c[j]` an array of fewer
    dimensions, the same at all points along the others; `s[t]` a table with one value for each
    step. Assigning, `u[t+1, j, i] = ...`, makes a statement.
    """

    __slots__ = ("element", "shape")

    def __init__(self, trace: Trace, name: str, element: str, shape: Tuple[int, ...]) -> None:
        super().__init__(trace, name)
        self.element = element
        #: The shape of the array.
        self.shape = shape

    @property
    def ndim(self) -> int:
        """Dimensions of the array."""
        return len(self.shape)

    @property
    def dtype(self) -> str:
        """The type of its elements, as `float32`."""
        return types.name_of(self.element)

    def __len__(self) -> int:
        refuse(f"len of the field '{self.name}'",
               f"its extents are {self.name}.shape, as in {self.name}.shape[0]")

    def __repr__(self) -> str:
        return f"<field {self.name}, shape {self.shape}, {self.dtype}>"

    def _split(self, key: Any) -> Tuple[Optional[Time], Tuple[Any, ...]]:
        parts = self._parts(key)
        time = parts[0] if isinstance(parts[0], Time) else None
        if time is not None and time.loop not in around(self.trace.loop):
            refuse(f"the time step of a loop that has ended indexes '{self.name}'",
                   f"after a loop {self.name}[{self._example()}] is the newest level")
        return time, parts[1:] if time is not None else parts

    def __getitem__(self, key: Any) -> Value:
        time, rest = self._split(key)
        if time is not None and not rest and self.ndim == 1:
            return Value("table", (), Access(self, time.offset, (), time.loop), self.element)
        places = self._places(rest)
        self._check_rank(time, len(places))
        level, loop = (None, None) if time is None else (time.offset, time.loop)
        return Value("access", (), Access(self, level, places, loop), self.element)

    def __setitem__(self, key: Any, value: Any) -> None:
        time, rest = self._split(key)
        if time is not None and not rest:
            refuse(f"'{self.name}' is assigned to at the time step alone",
                   "results are fields on the grid: store what is computed at its points, and take "
                   "those that are wanted after the call")
        if time is not None and time.loop is not self.trace.loop:
            refuse(f"'{self.name}' is assigned to at the time step of an outer loop, in a loop "
                   "inside of it", "the inner loop would compute this level again in each of its "
                   "steps: assign to it before or after the inner loop, or have the inner loop "
                   "step another field")
        points = self._targets(rest)
        self._check_rank(time, len(points))
        level = None if time is None else time.offset
        stored = self._checked(as_value(value))
        self.trace.add(Statement(self, level, points, stored, here()))

    def _checked(self, value: Value) -> Value:
        if value.element is None:
            return typed(value, self.element)
        if value.element != self.element:
            found = "an index" if value.element == "index" else types.name_of(value.element)
            refuse(f"'{self.name}' holds {self.dtype}, and {found} is assigned to it",
                   f"convert the value, stencil.cast(value, '{self.element}'), or pass arrays of "
                   "one type")
        return value

    def _check_rank(self, time: Optional[Time], count: int) -> None:
        if count == self.ndim:
            return
        names = self.trace.indices or ()
        names = names if len(names) == self.ndim else ("k", "j", "i")[-self.ndim:]
        example = ", ".join((["t"] if time is not None else []) + list(names))
        found = f"'{self.name}' has {self.ndim} dimension{'s' * (self.ndim != 1)} and is indexed " \
                f"by {count}"
        if time is not None and count < self.ndim:
            level = f"a level of time is {self.name}[{example}]; " \
                if len(self.trace.indices or ()) == self.ndim else ""
            refuse(f"{found} beside the time step",
                   f"{level}a table holds one value for each "
                   "time step, s[t]: where each step has a row of values, call the program once "
                   "for each step, with its row as an array")
        hint = ""
        if time is None and count == self.ndim + 1:
            hint = "; a level of time is u[t, ...], t of stencil.steps"
        refuse(found + (" beside the time step" if time is not None else ""),
               f"write {self.name}[{example}]{hint}")


class Kept(Field):
    """The values of a temporary that is assigned to in parts, in memory of the program's own."""

    __slots__ = ("loop", "scan", "readers")
    kind = "temporary"

    def __init__(self, trace: Trace, name: str, element: str, scan: Optional[Scan]) -> None:
        # Its extents follow from what is read.
        super().__init__(trace, name, element, (0,) * len(trace.indices or ()))
        self.loop = trace.loop
        #: The scan before which it has no values, if it is assigned to in one first.
        self.scan = scan
        #: The loops that read it, None for code outside of them.
        self.readers: List[Optional[Loop]] = []


class Temporary(_Grid):
    """Values of a step that are read at neighbours and kept in no array; see `temporary`."""

    __slots__ = ("current",)
    kind = "temporary"

    def __init__(self, trace: Trace, name: str) -> None:
        super().__init__(trace, name)
        self.current: Union[None, Statement, Kept] = None

    def __getitem__(self, key: Any) -> Value:
        parts = self._parts(key)
        if isinstance(parts[0], Time):
            refuse(f"temporary '{self.name}' is indexed by the time step",
                   f"it has no levels: write {self.name}[{self._example()}]")
        places = self._places(parts)
        found = self.current
        if found is None:
            refuse(f"temporary '{self.name}' is read before it is assigned to",
                   f"assign first: {self.name}[{self._example()}] = ...")
        if found.loop is not None and found.loop not in around(self.trace.loop):
            refuse(f"temporary '{self.name}' is read after the time loop that assigns to it",
                   "a temporary lives in one step; keep the values in a field")
        rank = len(self.trace.indices or ())
        if len(places) != rank or not all(isinstance(one, Index) for one in places):
            refuse(f"temporary '{self.name}' is indexed by ({', '.join(map(repr, places))}), the "
                   f"grid has ({self._example()})",
                   f"write {self.name}[{self._example()}], with offsets")
        found.readers.append(self.trace.loop)
        return Value("access", (), Access(found, None, places),
                     found.element if isinstance(found, Kept) else found.value.element)

    def __setitem__(self, key: Any, value: Any) -> None:
        parts = self._parts(key)
        if isinstance(parts[0], Time):
            refuse(f"temporary '{self.name}' is indexed by the time step",
                   f"it has no levels: write {self.name}[{self._example()}]")
        points = self._targets(parts)
        if len(points) != len(self.trace.indices or ()):
            refuse(f"temporary '{self.name}' is assigned to with {len(points)} indices, the grid "
                   f"has ({self._example()})", f"write {self.name}[{self._example()}] = ...")
        stored = as_value(value)
        if stored.element is None and isinstance(self.current, Kept):
            stored = typed(stored, self.current.element)
        if stored.element is None or stored.element == "index":
            refuse(f"the type of temporary '{self.name}' is open",
                   "give the value a type: stencil.cast(value, 'f32')")
        if self._is_read_in_loop():
            refuse(f"temporary '{self.name}' is assigned to in a time loop that has read an "
                   "earlier value of it",
                   "a temporary is not carried from step to step; use a field with levels")
        if self.trace.scan is None and all(one is None for one in points):
            self.current = Statement(self, None, points, stored, here())
            self.trace.add(self.current)
            return
        kept = self._kept(stored.element)
        self.trace.add(Statement(kept, None, points, stored, here()))

    def _is_read_in_loop(self) -> bool:
        """Whether a loop that is recorded now has read a value from before it."""
        loops = around(self.trace.loop)
        if self.current is None or self.current.loop not in (None, *loops):
            return False
        if self.current.loop is not None:
            loops = loops[:loops.index(self.current.loop)]
        return any(one in around(reader) for one in loops for reader in self.current.readers)

    def _kept(self, element: str) -> Kept:
        """Memory for what is assigned to in parts; it begins with the values before."""
        before = self.current
        if before is not None and before.loop is not self.trace.loop:
            before = None
        found = before.element if isinstance(before, Kept) else \
            None if before is None else before.value.element
        if found is not None and found != element:
            refuse(f"temporary '{self.name}' holds {types.name_of(found)}, and "
                   f"{types.name_of(element)} is assigned to it at some points",
                   f"convert the value, stencil.cast(value, '{found}')")
        if isinstance(before, Kept):
            return before
        kept = Kept(self.trace, self.name, element,
                    self.trace.scan if before is None else None)
        self.trace.kept.append(kept)
        if before is not None:
            places = tuple(self.trace.index(d) for d in range(len(self.trace.indices or ())))
            copied = Value("access", (), Access(before, None, places), element)
            self.trace.add_before_scan(
                Statement(kept, None, (None,) * len(places), copied, here()))
        self.current = kept
        return kept


def temporary(name: str = "value") -> Temporary:
    """A temporary: values at each point that later statements read at neighbours.

    Assign to it before it is read, `w[j, i] = ...`; assigned to again, later reads see the new
    values. It is computed wherever it is read, beyond the sides of the domain too, and its type is
    that of the value. The compiler decides whether it is kept in memory, in registers, or computed
    again; one that is assigned to at some points, `w[j[0], i] = ...`, or in a scan, or that a loop
    inside of its own reads, is kept in memory. `name` is what reports call it. Raises `TraceError`
    outside of a program.
    """
    trace = active("stencil.temporary")
    if not isinstance(name, str) or not name.isidentifier():
        refuse(f"{name!r} is no name of a temporary", "give a name: stencil.temporary('flux')")
    return Temporary(trace, trace.unique(name))


def temporaries(names: str) -> Tuple[Temporary, ...]:
    """Several temporaries: `fx, fy = stencil.temporaries('fx fy')`.

    Raises `TraceError` outside of a program, and for names that are taken.
    """
    if not isinstance(names, str):
        refuse(f"stencil.temporaries({names!r}) names nothing",
               "give names: a, b = stencil.temporaries('a b')")
    return tuple(temporary(name) for name in names.replace(",", " ").split())


def indices(names: str) -> Tuple[Index, ...]:
    """The indices of a grid of one to three dimensions, the slowest first.

    `k, j, i = stencil.indices('k j i')`: `u[k, j, i]` is the current point of an array of three
    dimensions, `u[k, j, i+1]` its neighbour along the last one, whose cells are next to each other
    in memory. Indices may be made once and shared by programs. Raises `TraceError` for more than
    three names, for none, and for one that occurs twice.
    """
    found = tuple(names.replace(",", " ").split()) if isinstance(names, str) else ()
    if not 1 <= len(found) <= 3 or len(set(found)) != len(found) \
            or not all(name.isidentifier() for name in found):
        refuse(f"stencil.indices({names!r}) names no grid",
               "give one to three different names, the slowest dimension first: "
               "stencil.indices('k j i')")
    return tuple(Index(name, place, found) for place, name in enumerate(found))
