"""Refuses numbers of time steps that cannot be meant before anything runs.

A loop whose upper bound is computed from an argument below zero, and that makes no iteration, would
leave the arrays as they are silently. A loop that counts through negative numbers makes some. With
more time steps than a table has values, kernels would read other memory.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Set

from .errors import ArgumentError
from .manifest import Compute, Constant, For, Function
from .scalars import Scalar, ScalarError, evaluate, is_float


def check(function: Function, values: Sequence[object]) -> None:
    """Refuses it; `values` has one for each argument, a number as `Scalar`."""
    known = {place: one for place, one in enumerate(values) if isinstance(one, Scalar)}
    sources: Dict[int, Set[int]] = {place: {place} for place in known}
    makes_steps: Dict[int, List[bool]] = {}
    loops: List[For] = []
    for statement in function.body:
        if isinstance(statement, Constant):
            known[statement.result] = statement.value
        elif isinstance(statement, Compute):
            _compute(statement, known, sources)
        elif isinstance(statement, For):
            loops.append(statement)
            lower, upper, _ = statement.bounds
            if lower in known and upper in known:
                for place in sources.get(upper, ()):
                    makes_one = known[upper].signed > known[lower].signed
                    makes_steps.setdefault(place, []).append(makes_one)
    for place, steps in makes_steps.items():
        value = known[place]
        if not any(steps) and not is_float(value.type) and value.signed < 0:
            raise ArgumentError(
                f"{function.arguments[place]} is {value.signed}, and the time loop would make no "
                "step; a number of time steps is not negative")
    if function.time_steps is not None:
        # The first loop starts where the source's does; its other bounds are not the source's.
        start = loops[0].bounds[0] if loops else None
        _limit(function, known, start, function.time_steps.step,
               _signed(known, function.time_steps.value))
        return
    for loop in loops:
        first, end, size = (_signed(known, bound) for bound in loop.bounds)
        if first is not None and end is not None and size is not None and size > 0:
            _limit(function, known, loop.bounds[0], size, -((first - end) // size))


def _limit(function: Function, known: Dict[int, Scalar], lower: Optional[int], step: int,
           iterations: Optional[int]) -> None:
    start = None if lower is None else _signed(known, lower)
    if start is None or iterations is None or iterations < 1:
        return
    most = []
    for limit in function.step_limits:
        if start < limit.first:
            raise ArgumentError(
                f"{_table(function, limit.argument)} has values from time step {limit.first} on, "
                f"and the time loop starts at {start}; start later, or give it more cells and its "
                "access in the program a wider range")
        most.append((max(0, (limit.last - start) // step + 1), limit))
    least, table = min(most, key=lambda one: one[0], default=(iterations, None))
    if table is not None and least < iterations:
        raise ArgumentError(
            f"{_table(function, table.argument)} has values for {least * step} time steps from "
            f"{start} on, and {iterations * step} would be made; make fewer, or give it more cells "
            "and its access in the program a wider range")


def _table(function: Function, argument: Optional[int]) -> str:
    return "a table that is no argument" if argument is None else str(function.arguments[argument])


def _signed(known: Dict[int, Scalar], value: int) -> Optional[int]:
    return known[value].signed if value in known else None


def _compute(statement: Compute, known: Dict[int, Scalar], sources: Dict[int, Set[int]]) -> None:
    if all(number in known for number in statement.operands):
        operands = [known[number] for number in statement.operands]
        try:
            known[statement.result] = evaluate(statement.operation, operands, statement.type)
        except ScalarError:
            return
        found = (sources.get(number, set()) for number in statement.operands)
        sources[statement.result] = set().union(*found)
