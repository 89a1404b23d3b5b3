"""Temporaries that are kept in memory for the loops that read them.

A loop inside of the one that assigns to a temporary reads it in each of its steps. Computed once,
it is read from memory, as a field is: so the compiler may make several steps of that loop at once.
"""

from __future__ import annotations

from typing import Dict

from .expressions import Value, postorder
from .fields import Access, Kept
from .tracing import Statement, Trace, statements_of


def keep(trace: Trace) -> None:
    """Adds statements that store such temporaries, and has loops inside read what they store."""
    kept: Dict[Statement, Kept] = {}
    for statement in statements_of(trace.body):
        for node in postorder([statement.value]):
            source = node.data.source if node.operation == "access" else None
            if isinstance(source, Statement) and source.loop not in (None, statement.loop):
                if source not in kept:
                    kept[source] = _stored(trace, source)
                # Where other statements share the node they read the same values.
                node.data = node.data._replace(source=kept[source])


def _stored(trace: Trace, temporary: Statement) -> Kept:
    """The memory of a temporary, stored as soon as it has its values."""
    assert temporary.loop is not None
    kept = Kept(trace, temporary.name, str(temporary.value.element), None)
    kept.loop = temporary.loop
    trace.kept.append(kept)
    places = tuple(trace.index(d) for d, _ in enumerate(temporary.points))
    value = Value("access", (), Access(temporary, None, places), kept.element, temporary.at)
    store = Statement(kept, None, (None,) * len(places), value, temporary.at)
    store.loop = temporary.loop
    body = temporary.loop.body
    body.insert(body.index(temporary) + 1, store)
    return kept


__all__ = ["keep"]
