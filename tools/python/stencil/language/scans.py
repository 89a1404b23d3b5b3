"""Scans: statements that are computed plane by plane along a dimension, and may read planes before.

`with stencil.forward(k)` records its statements once. At each plane, from the first to the last,
all of them are computed in their order, those that are restricted to other planes left out. A read
of what the scan computes, in the same column, has the newest value: that of this scan where it has
been computed by then, else what was there before. A scan becomes one `stencil.apply` that computes
all points of a column.
"""

from __future__ import annotations

from typing import (TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple,
                    NoReturn, Optional, Tuple)

from .expressions import Index
from .fields import Field, Kept
from .locations import here, refuse
from .memory import without
from .reads import Read
from .tracing import Scan, Statement, active

if TYPE_CHECKING:
    from .layout import Layout

#: Planes of one scan: each is written out in the program.
PLANES_MAX = 1024

#: What a statement assigns to: a field and its level, or a temporary that is kept.
Target = Tuple[Any, Optional[int]]


def forward(index: Index) -> "Recording":
    """A scan from the first plane to the last: `with stencil.forward(k):`.

    Its statements are computed at k = 0, then at k = 1, and so on, and read what they have computed
    at planes before: `s[k[0], j, i] = u[k, j, i]`, `s[k[1:], j, i] = s[k-1, j, i] + u[k, j, i]`.
    Temporaries that are assigned to in it are kept in memory. `index` is one of `stencil.indices`.
    Raises `TraceError` outside of a program, in another scan, and for what is no index.
    """
    return Recording(index, "stencil.forward")


def backward(index: Index) -> "Recording":
    """A scan from the last plane to the first: `with stencil.backward(k):`; see `forward`.

    Its statements read what they have computed at planes after their own, as `x[k+1, j, i]`.
    Raises what `forward` raises.
    """
    return Recording(index, "stencil.backward")


class Recording:
    """What `with` enters for a scan; see `forward`."""

    def __init__(self, index: Any, what: str) -> None:
        trace = active(what)
        trace.check_loops()
        if trace.scan is not None:
            refuse(f"{what} inside of another scan", "write scans one after the other")
        if not isinstance(index, Index) or index.offset:
            refuse(f"{what} takes an index, found {index!r}",
                   f"name the dimension: with {what}(k), k of stencil.indices")
        trace.use(index)
        self._trace = trace
        self._what = what
        self._scan = Scan(index, what == "stencil.backward", here())

    def __enter__(self) -> None:
        self._trace.scan = self._scan

    def __exit__(self, *error: Any) -> None:
        self._trace.scan = None

    def __iter__(self) -> NoReturn:
        refuse(f"{self._what} is no loop of Python: its statements are recorded once",
               f"write 'with {self._what}({self._scan.name}):', and indices as in other statements")


class Turn(NamedTuple):
    """A statement at one plane."""

    plane: int
    statement: Statement


class Planes:
    """The planes of a scan: which statement is computed where, in order, and what is stored."""

    def __init__(self, scan: Scan, body: List[Statement], points: Mapping[Statement, Any],
                 is_read: Callable[[Kept], bool]) -> None:
        self.scan = scan
        self.body = body
        spans = [points[one][scan.dimension] for one in body]
        low, high = min(int(span[0]) for span in spans), max(int(span[1]) for span in spans)
        if high - low > PLANES_MAX:
            refuse(f"the scan has {high - low} planes along {scan.name}",
                   f"a scan has {PLANES_MAX} at most: each is written out in the program", scan.at)
        order = range(low, high)
        self.turns = [Turn(plane, one) for plane in (reversed(order) if scan.is_backward else order)
                      for one, span in zip(body, spans) if span[0] <= plane < span[1]]
        #: The planes of what is stored: all but temporaries that nothing reads after the scan.
        self.stored: Dict[Target, Tuple[int, int]] = {}
        for one, span in zip(body, spans):
            if not isinstance(one.target, Kept) or is_read(one.target):
                before = self.stored.get(target_of(one), span)
                self.stored[target_of(one)] = (int(min(before[0], span[0])),
                                               int(max(before[1], span[1])))
        #: The planes that the apply has results for.
        self.first = min(span[0] for span in self.stored.values())
        self.end = max(span[1] for span in self.stored.values())

    def only_computes(self, read: Read) -> bool:
        """Whether a read is of a temporary that has no values from before the scan."""
        return isinstance(read.source, Kept) and read.source.scan is self.scan


def target_of(statement: Statement) -> Target:
    """A field and the level that is assigned to."""
    return statement.target, statement.level


def is_own(body: List[Statement], read: Read) -> bool:
    """Whether a read is of something that the scan computes."""
    return any(read.source is one.target and read.level == one.level for one in body)


def check_columns(scan: Scan, body: List[Statement], points: Mapping[Statement, Any],
                  reads: Mapping[Statement, List[Read]]) -> None:
    """Refuses statements of different columns, and reads of what other columns compute."""
    columns: Dict[Tuple[Any, ...], Statement] = {}
    for statement in body:
        if not isinstance(statement.target, Kept):
            columns.setdefault(tuple(
                one for d, one in enumerate(points[statement]) if d != scan.dimension), statement)
        elif any(one is not None for d, one in enumerate(statement.points) if d != scan.dimension):
            refuse(f"temporary '{statement.name}' is assigned to in some columns of a scan",
                   f"restrict it along {scan.name} only, and choose with stencil.where",
                   statement.at)
        if len(columns) > 1:
            first = next(iter(columns.values()))
            refuse(f"'{statement.name}' is computed in other columns than '{first.name}' in line "
                   f"{first.at.line}, in one scan",
                   f"restrict the statements of a scan along {scan.name} only, or write two scans",
                   statement.at)
        for read in filter(lambda one: is_own(body, one), reads[statement]):
            if _reads_fixed_plane(read, scan):
                _refuse_fixed_plane(read, scan)
            if read.offsets is None or any(
                    offset for d, offset in enumerate(read.offsets) if d != scan.dimension):
                refuse(f"{read.node.data} reads another column than that of the point, and the "
                       f"scan along {scan.name} computes it",
                       "columns are computed apart from each other: read what a scan before this "
                       "one has assigned to", read.node.at)


def _reads_fixed_plane(read: Read, scan: Scan) -> bool:
    """Whether a read is of the point's own column, at a plane that does not move with it."""
    return read.offsets is None and all(
        isinstance(place, int) if d == scan.dimension else
        isinstance(place, Index) and place.dimension == d and not place.offset
        for d, place in enumerate(read.places))


def _refuse_fixed_plane(read: Read, scan: Scan) -> NoReturn:
    name, plane = scan.name, read.places[scan.dimension]

    def subscript(along: object) -> str:
        return ", ".join(str(along if d == scan.dimension else one)
                         for d, one in enumerate(read.places))

    after, before = (f"{name}[:{plane}]", f"{name}+1") if scan.is_backward else (
        f"{name}[{plane + 1}:]", f"{name}-1")
    stored, _, _ = str(read.node.data).rpartition(subscript(plane))
    if plane == (0 if scan.is_backward else -1):
        # No plane of the scan has a new value there.
        remedy = "keep the plane in a temporary before the scan, " \
                 f"w[{subscript(name)}] = {read.node.data}"
    else:
        remedy = "carry the plane along in a temporary, " \
                 f"w[{subscript(f'{name}[{plane}]')}] = {stored}{subscript(name)}] and " \
                 f"w[{subscript(after)}] = w[{subscript(before)}]"
    refuse(f"{read.node.data} reads a plane that does not move, and the scan along {name} computes "
           "it", f"a scan reads its own results at a constant distance: {remedy}", read.node.at)


class Assigned:
    """Which points of temporaries have a value, while statements follow one another."""

    def __init__(self, layout: "Layout") -> None:
        self._layout = layout
        self._boxes: Dict[Kept, List[Any]] = {}

    def check(self) -> None:
        """Refuses reads of points that nothing has assigned to."""
        done: List[Scan] = []
        for statement in self._layout.statements:
            if statement.scan is None:
                self._check_reads(statement, self._layout.boxes[statement])
                self._add(statement, self._layout.boxes[statement])
            elif statement.scan not in done:
                done.append(statement.scan)
                for plane, one in self._layout.planes[statement.scan].turns:
                    box = list(self._layout.boxes[one])
                    box[statement.scan.dimension] = (plane, plane + 1)
                    self._check_reads(one, box)
                    self._add(one, box)

    def _add(self, statement: Statement, box: Any) -> None:
        if isinstance(statement.target, Kept):
            self._boxes.setdefault(statement.target, []).append(tuple(box))

    def _check_reads(self, statement: Statement, box: Any) -> None:
        for read in self._layout.reads[statement]:
            if not isinstance(read.source, Kept) or read.offsets is None:
                continue
            wanted = tuple((low + offset, high + offset)
                           for (low, high), offset in zip(box, read.offsets))
            if without(wanted, self._boxes.get(read.source, [])):
                ranges = ", ".join(f"{name} from {int(low)} to {int(high) - 1}"
                                   for name, (low, high) in zip(self._layout.names, wanted))
                refuse(f"{read.node.data} reads temporary '{read.source.name}' at {ranges}, and "
                       "not all of these points have been assigned to",
                       "assign to them first, or restrict the statement that reads it",
                       read.node.at)


__all__ = ["backward", "forward"]
