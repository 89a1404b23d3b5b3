"""Numbers of steps of a call: how often levels of time take turns, and what is not there for them.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Union

from .expressions import postorder
from .fields import Field
from .integers import steps_of
from .layout import Layout
from .reads import Read
from .tracing import Loop, Statement

#: What a call gives for arguments that are numbers, and the steps of the loops around.
Given = Mapping[Any, Any]


class UndefinedError(ZeroDivisionError):
    """A number of steps that divides by zero."""

    def __init__(self, loop: Loop) -> None:
        super().__init__()
        self.loop = loop


class Visit(NamedTuple):
    """Runs of a loop that have the same steps: the loop, these steps, and how many runs."""

    loop: Loop
    steps: range
    times: int
    #: The steps of this loop and of those around it, in all of these runs.
    around: Dict[Loop, range]


class Short(NamedTuple):
    """A table that has no values for some steps: where it is read, and the steps."""

    read: Read
    steps: range


def turns(layout: Layout, field: Field, given: Given) -> int:
    """How often the levels of a field take turns in a call."""
    return sum(one.times * _length(one.steps) for one in _visits(layout.trace.body, given)
               if field in layout.levels[one.loop].count)


def undefined(layout: Layout, given: Given) -> Optional[Loop]:
    """The first loop whose number of steps divides by zero, if there is one."""
    try:
        for _ in _visits(layout.trace.body, given):
            pass
    except UndefinedError as error:
        return error.loop
    return None


def short(layout: Layout, given: Given) -> Optional[Short]:
    """The first read of a table beyond its values in programs of several loops, if there is one.

    Of one loop the library compares the steps with all tables itself.
    """
    tables: Dict[Loop, List[Read]] = {}
    for statement in layout.statements:
        for read in layout.reads[statement]:
            if statement.loop is not None and read.node.operation == "table":
                tables.setdefault(statement.loop, []).append(read)
    if not tables or len(layout.trace.loops) < 2:
        return None
    try:
        for one in _visits(layout.trace.body, given):
            for read in tables.get(one.loop, []) if one.steps else []:
                steps, level = one.around[read.node.data.loop], read.level or 0
                assert isinstance(read.source, Field)
                if steps[0] + level < 0 or steps[-1] + level >= read.source.shape[0]:
                    return Short(read, steps)
    except UndefinedError:
        # Which the run refuses.
        pass
    return None


def _visits(body: Sequence[Union[Statement, Loop]], given: Given, times: int = 1,
            around: Optional[Dict[Loop, range]] = None) -> Iterator[Visit]:
    """The runs of all loops, in their order."""
    for loop in (one for one in body if isinstance(one, Loop)):
        try:
            steps = range(steps_of(loop.first, given), steps_of(loop.end, given))
        except ZeroDivisionError:
            raise UndefinedError(loop) from None
        known = {**(around or {}), loop: steps}
        yield Visit(loop, steps, times, known)
        if steps and _is_counted(loop):
            for step in steps:
                yield from _visits(loop.body, {**given, loop: step}, times,
                                   {**known, loop: range(step, step + 1)})
        elif steps:
            yield from _visits(loop.body, {**given, loop: steps[0]}, times * _length(steps), known)


def _is_counted(loop: Loop) -> bool:
    """Whether loops inside of a loop have other numbers of steps in each of its steps."""
    return any(node.operation == "time" and node.data.loop is loop
               for node in postorder(bound for one in _inside(loop)
                                     for bound in (one.first, one.end)))


def _inside(loop: Loop) -> List[Loop]:
    found: List[Loop] = []
    for one in loop.body:
        found.extend([one, *_inside(one)] if isinstance(one, Loop) else [])
    return found


def _length(steps: range) -> int:
    # `len` of a range takes no number above 2^63.
    return max(0, steps.stop - steps.start)


__all__ = ["short", "turns", "undefined"]
