"""Runs the host program of a function: its statements, one after the other.

Scalars are computed here, buffers are addresses, and a rotation of fields moves names, never bytes.
What the statements do on the device goes to a queue, which may still be working on it when this
returns.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Protocol, Sequence, Tuple, Union

from .errors import PackageError, ProgramError
from .manifest import Allocate, Compute, Constant, Copy, For, Function, Kernel, Launch, Statement
from .scalars import Scalar, ScalarError, evaluate, integer


class Buffer(NamedTuple):
    """A piece of device memory."""

    address: int
    bytes: int


Value = Union[Scalar, Buffer]


class Queue(Protocol):
    """What takes the work."""

    def launch(self, kernel: str, words: List[int]) -> None:
        """Runs a kernel."""

    def copy(self, source: int, target: int, count: int) -> None:
        """Copies bytes between two buffers."""


def allocations(body: Sequence[Statement]) -> List[Allocate]:
    """Every buffer that a program has of its own."""
    found: List[Allocate] = []
    for statement in body:
        if isinstance(statement, Allocate):
            found.append(statement)
        elif isinstance(statement, For):
            found.extend(allocations(statement.body))
    return found


def run(function: Function, kernels: Dict[str, Kernel], queue: Queue, arguments: Sequence[Value],
        temporaries: Dict[int, Buffer]) -> None:
    """Runs a function; `temporaries` has a buffer for each of its allocations, by result."""
    _Execution(kernels, queue, arguments, temporaries).body(function.body)


class _Execution:
    def __init__(self, kernels: Dict[str, Kernel], queue: Queue, arguments: Sequence[Value],
                 temporaries: Dict[int, Buffer]) -> None:
        self._kernels = kernels
        self._queue = queue
        self._temporaries = temporaries
        self._values: Dict[int, Value] = dict(enumerate(arguments))
        self._do: Dict[type, Callable[[Any], None]] = {
            Constant: self._constant, Compute: self._compute, Allocate: self._allocate,
            Copy: self._copy, Launch: self._launch, For: self._for}

    def body(self, statements: Tuple[Statement, ...]) -> None:
        for statement in statements:
            self._do[type(statement)](statement)

    def _value(self, number: int) -> Value:
        try:
            return self._values[number]
        except KeyError:
            raise PackageError(f"value %{number} is used where it is not defined") from None

    def _scalar(self, number: int) -> Scalar:
        value = self._value(number)
        if isinstance(value, Scalar):
            return value
        raise PackageError(f"value %{number} is a buffer, expected a scalar")

    def _buffer(self, number: int) -> Buffer:
        value = self._value(number)
        if isinstance(value, Buffer):
            return value
        raise PackageError(f"value %{number} is a scalar, expected a buffer")

    def _constant(self, statement: Constant) -> None:
        self._values[statement.result] = statement.value

    def _compute(self, statement: Compute) -> None:
        operands = [self._scalar(number) for number in statement.operands]
        try:
            result = evaluate(statement.operation, operands, statement.type)
        except ScalarError as error:
            raise ProgramError(f"value %{statement.result}: {error}") from error
        self._values[statement.result] = result

    def _allocate(self, statement: Allocate) -> None:
        self._values[statement.result] = self._temporaries[statement.result]

    def _copy(self, statement: Copy) -> None:
        source, target = self._buffer(statement.source), self._buffer(statement.target)
        if source.bytes != target.bytes:
            raise PackageError(f"copy from %{statement.source} to %{statement.target}: one has "
                               f"{source.bytes} bytes, the other {target.bytes}")
        # A rotation may have brought both names to one buffer; then nothing is to do.
        if source.address != target.address:
            self._queue.copy(source.address, target.address, source.bytes)

    def _launch(self, statement: Launch) -> None:
        words = []
        parameters = self._kernels[statement.kernel].parameters
        for number, type_ in zip(statement.arguments, parameters):
            value = self._value(number)
            found = value.type if isinstance(value, Scalar) else None
            if found != type_:
                raise PackageError(f"launch of '{statement.kernel}': value %{number} is "
                                   f"{found or 'a buffer'}, expected {type_ or 'a buffer'}")
            words.append(value.bits if isinstance(value, Scalar) else value.address)
        self._queue.launch(statement.kernel, words)

    def _for(self, statement: For) -> None:
        scalars = [self._scalar(number) for number in statement.bounds]
        type_ = scalars[0].type
        current, upper, step = (scalar.signed for scalar in scalars)
        if step <= 0:
            raise ProgramError(f"loop over %{statement.induction} has step {step}; it must be "
                               "positive")
        values = [self._value(slot.initial) for slot in statement.carried]
        while current < upper:
            self._values[statement.induction] = integer(type_, current)
            for slot, value in zip(statement.carried, values):
                self._values[slot.argument] = value
            self.body(statement.body)
            # All are read before any is set: the loop may rotate its own arguments.
            values = [self._value(slot.next) for slot in statement.carried]
            current += step
        for slot, value in zip(statement.carried, values):
            self._values[slot.result] = value
