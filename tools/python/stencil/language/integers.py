"""Quotients and remainders of integers, and numbers of steps that are computed of such.

They are those of Python: a quotient is rounded down, a remainder has the sign of the divisor. The
dialect's host programs divide towards zero alone, so what is written is that and a correction.
"""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, Mapping, Sequence

from .expressions import Value, postorder
from .locations import refuse

#: The operations.
DIVISIONS = ("floordiv", "mod")

#: Writes an operation, given its text and a name for its result; gives the name.
Write = Callable[[str, str], str]


def written(operation: str, left: str, right: str, node: Value, write: Write) -> str:
    """Writes a quotient or a remainder of two names of one type of integers."""
    element = str(node.element)
    divisor = node.operands[1]
    is_positive = divisor.operation == "constant" and divisor.data > 0
    zero = write(f"arith.constant 0 : {element}", "c0")
    rest = write(f"arith.remsi {left}, {right} : {element}", "rest")
    below = write(f"arith.cmpi slt, {rest}, {zero} : {element}", "is_below")
    if not is_positive:
        # The remainder has the sign of the dividend: it is wrong if that is not the divisor's.
        other = write(f"arith.cmpi slt, {right}, {zero} : {element}", "is_below")
        differs = write(f"arith.xori {below}, {other} : i1", "differs")
        some = write(f"arith.cmpi ne, {rest}, {zero} : {element}", "is_some")
        below = write(f"arith.andi {differs}, {some} : i1", "is_wrong")
    if operation == "mod":
        moved = write(f"arith.addi {rest}, {right} : {element}", "moved")
        return write(f"arith.select {below}, {moved}, {rest} : {element}", "remainder")
    quotient = write(f"arith.divsi {left}, {right} : {element}", "quotient")
    one = write(f"arith.constant 1 : {element}", "c1")
    lower = write(f"arith.subi {quotient}, {one} : {element}", "lower")
    return write(f"arith.select {below}, {lower}, {quotient} : {element}", "quotient")


# ---- numbers of steps ---------------------------------------------------------------------------

_COMPUTED: Dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "min": min, "max": max,
    "floordiv": operator.floordiv, "mod": operator.mod, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor, "select": lambda condition, one, two: one if condition else two}


def check_steps(value: Value, loops: Sequence[Any]) -> None:
    """Refuses a number of steps that the host of a program cannot compute from its arguments, and
    the time steps of the loops that are around."""
    for node in postorder([value]):
        if node.operation == "time" and node.data.loop not in loops:
            refuse(f"stencil.steps of {node.data}, the time step of a loop that has ended",
                   "compute it from arguments of the program")
        if node.operation in ("access", "table", "coordinate"):
            refuse("stencil.steps takes the same number of steps at all points, and "
                   f"{node.data} is one for each", "compute it from arguments of the program")
    for node in postorder([value]):
        if node.element not in ("index", "i1") or (
                node.operation not in ("constant", "scalar", "time", "compare", *_COMPUTED)):
            refuse("stencil.steps takes a number of steps that is an integer",
                   "call the program with an int for it, as steps=100"
                   if node.operation == "scalar" else
                   "compute it from integers that calls give, with + - * // % and comparisons: "
                   "n // 2 in place of n / 2")


def steps_of(value: Value, given: Mapping[Any, Any]) -> int:
    """A number of steps, by what a call gives for each argument that is a number, and the steps of
    the loops around."""
    known: Dict[int, Any] = {}
    for node in postorder([value]):
        operands = [known[id(one)] for one in node.operands]
        if node.operation == "constant":
            known[id(node)] = node.data
        elif node.operation == "scalar":
            known[id(node)] = int(given[node.data])
        elif node.operation == "time":
            known[id(node)] = int(given[node.data.loop]) + node.data.offset
        elif node.operation == "compare":
            known[id(node)] = getattr(operator, node.data)(*operands)
        else:
            known[id(node)] = _COMPUTED[node.operation](*operands)
    return int(known[id(value)])
