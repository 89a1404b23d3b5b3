"""Refuses a negative number of time steps before anything runs.

A loop whose upper bound is computed from an argument below zero, and that makes no iteration, would
leave the arrays as they are silently. A loop that counts through negative numbers makes some.
"""

from __future__ import annotations

from typing import Dict, List, Sequence, Set

from .errors import ArgumentError
from .manifest import Compute, Constant, For, Function
from .scalars import Scalar, ScalarError, evaluate, is_float


def check(function: Function, values: Sequence[object]) -> None:
    """Refuses it; `values` has one for each argument, a number as `Scalar`."""
    known = {place: one for place, one in enumerate(values) if isinstance(one, Scalar)}
    sources: Dict[int, Set[int]] = {place: {place} for place in known}
    makes_steps: Dict[int, List[bool]] = {}
    for statement in function.body:
        if isinstance(statement, Constant):
            known[statement.result] = statement.value
        elif isinstance(statement, Compute):
            _compute(statement, known, sources)
        elif isinstance(statement, For):
            lower, upper, _ = statement.bounds
            if lower in known and upper in known:
                for place in sources.get(upper, ()):
                    steps = known[upper].signed > known[lower].signed
                    makes_steps.setdefault(place, []).append(steps)
    for place, steps in makes_steps.items():
        value = known[place]
        if not any(steps) and not is_float(value.type) and value.signed < 0:
            raise ArgumentError(
                f"{function.arguments[place]} is {value.signed}, and the time loop would make no "
                "step; a number of time steps is not negative")


def _compute(statement: Compute, known: Dict[int, Scalar], sources: Dict[int, Set[int]]) -> None:
    if all(number in known for number in statement.operands):
        operands = [known[number] for number in statement.operands]
        try:
            known[statement.result] = evaluate(statement.operation, operands, statement.type)
        except ScalarError:
            return
        found = (sources.get(number, set()) for number in statement.operands)
        sources[statement.result] = set().union(*found)
