"""Two runs that must agree: optimized and plain kernels, or kernels and the interpreter.

Two cells agree if their bits do, or if both are NaN, whose payload and sign are unspecified.
Scratch fields have no specified content after a run and are not compared; read-only fields are,
since a kernel that writes where it should not may hit them. Temporaries are filled before each run,
with another byte every time: so it is found out who reads what nobody wrote.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy

from .archive import Code, SelftestRun
from .errors import PackageError, VerificationError
from .manifest import Argument, Field, Function
from .random_fields import canonical, canonical_sha256, random_field
from .running import Bound, Runner
from .scalars import BITS, Scalar


#: What fills temporaries. As numbers of any type they are ordinary, not NaNs,
#: which would hide each other, and they differ in their lowest bit, which is all of an `i1`.
POISON = (0x4B, 0xC6)


class Verification(NamedTuple):
    """What agreed, bit for bit."""

    runs: int
    fields: int
    cells: int


def _filled(function: Function, values: Sequence[Bound], seed: int) -> List[Any]:
    """The values of a run: random content for each field."""
    return [random_field(seed, argument.position, argument.kind)
            if isinstance(argument.kind, Field) else value
            for argument, value in zip(function.arguments, values)]


def _compared(function: Function) -> List[Tuple[Argument, Field]]:
    return [(argument, argument.kind) for argument in function.arguments
            if isinstance(argument.kind, Field) and not argument.kind.scratch]


def verify(function: Function, optimized: Code, plain: Code, values: Sequence[Bound], seed: int,
           device: Optional[int]) -> Verification:
    """Runs a function and its plain counterpart on the same random content."""
    counterparts = [one for one in plain.manifest.functions if one.name == function.name]
    if not counterparts or counterparts[0].arguments != function.arguments:
        raise PackageError(f"function '{function.name}' has no plain kernels; compile it again")
    contents = []
    for code, one, poison in zip((optimized, plain), (function, counterparts[0]), POISON):
        contents.append(_filled(function, values, seed))
        # Not those of the package: what they need on the device is given back before the next.
        runner = Runner(code)
        try:
            runner.run(one, contents[-1], None, device, poison)
        finally:
            runner.release()
    found, expected = contents
    wrong = []
    cells = 0
    for argument, field in _compared(function):
        cells += field.cells
        one, two = expected[argument.position], found[argument.position]
        text = difference(argument, field, one, two)
        if text:
            wrong.append(text)
    if wrong:
        raise VerificationError(f"function '{function.name}' differs from its plain kernels; the "
                                "package, the compiler or the device is wrong:\n"
                                + "\n".join(wrong))
    return Verification(1, len(_compared(function)), cells)


def difference(argument: Argument, field: Field, expected: numpy.ndarray,
               found: numpy.ndarray) -> str:
    """The first cell that differs, in words; nothing if none does."""
    one, two = canonical(field.element, expected), canonical(field.element, found)
    differs = one != two
    count = int(numpy.count_nonzero(differs))
    if not count:
        return ""
    index = tuple(int(place) for place in numpy.argwhere(differs)[0])
    cell = [place + lower for place, lower in zip(index, field.lower)]

    def words(bits: numpy.ndarray) -> str:
        value = Scalar(field.element, int(bits[index]))
        return f"{value} (0x{value.bits:0{(BITS[field.element] + 3) // 4}x})"

    return (f"{argument}: cell {cell} is {words(two)}, expected {words(one)}; {count} of "
            f"{field.cells} cells differ")


def selftest(code: Code, runs: Sequence[SelftestRun], device: Optional[int]) -> Verification:
    """Runs each run of the self-test, and compares digests."""
    functions: Dict[str, Function] = {one.name: one for one in code.manifest.functions}
    runner = Runner(code)
    fields = cells = 0
    try:
        for run in runs:
            if run.function not in functions:
                raise PackageError(f"self-test runs '{run.function}', which is not there")
            function = functions[run.function]
            known: List[Bound] = [run.scalars.get(argument.position)
                                  for argument in function.arguments]
            for poison in POISON:
                values = _filled(function, known, run.seed)
                runner.run(function, values, None, device, poison)
                _check_digests(function, run, values)
            fields += len(_compared(function))
            cells += sum(field.cells for _, field in _compared(function))
    finally:
        runner.release()
    return Verification(len(runs), fields, cells)


def _check_digests(function: Function, run: SelftestRun, values: Sequence[Any]) -> None:
    for argument, field in _compared(function):
        found = canonical_sha256(field.element, values[argument.position])
        expected = run.fields.get(argument.position)
        if found != expected:
            raise VerificationError(
                f"self-test of function '{function.name}' with seed {run.seed}: {argument} has "
                f"checksum {found}, expected {expected}; the package, the compiler or the device "
                "is wrong")
