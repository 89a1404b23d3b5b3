"""A program for one signature: its text, its kernels, and its runs."""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import threading
import time
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy

from .. import driver, signatures
from ..compiling import compile as compile_package
from ..errors import ArgumentError, CompileError, DriverError, ProgramError
from ..package import Package, Verification
from ..random_fields import DTYPES, random_cells
from ..running import Devices, shared_by
from ..scalars import is_count
from . import apart, failures, reports, tools, types
from .arguments import Array, given_arrays
from .blocks import Scalar
from .counts import short, turns
from .emission import Emission, Parameter
from .fields import Field, Kept
from .layout import Layout
from .locations import refuse
from .reports import Drawing, Report
from .tracing import Statement

#: Where a program can run.
BACKENDS = ("auto", "interpreter", "emulator", "gpu")


class Timing(NamedTuple):
    """How long a run takes: seconds, the median of so many runs, and what ran them.

    Copies between host and device are no part of it, but on the interpreter.
    """

    seconds: float
    repeats: int
    on: str


class Compiled:
    """A program that was traced for arrays of certain shapes and types; made by `Program.compile`.

    `package()` has its kernels, to be called with an array for each of `parameters`; `mlir`, `ptx`,
    `sass`, `plan` and `explain` show what it became.
    """

    def __init__(self, layout: Layout, arguments: Sequence[Any], name: str,
                 options: Mapping[str, Any]) -> None:
        self._layout = layout
        self._arguments = list(arguments)
        self._options = dict(options)
        self.name = name
        emission = self._emission(True)
        self._text = emission.module()
        #: The arguments of the module's function, in order.
        self.parameters: List[Parameter] = emission.parameters
        self._packages: Dict[Any, Package] = {}
        self._profiles: Dict[Field, numpy.ndarray] = {}
        self._lock = threading.Lock()

    def _emission(self, with_locations: bool) -> Emission:
        return Emission(self._layout, self._arguments, self.name, self._options["fast_math"],
                        self._options["levels"], self._options["merge"], with_locations)

    @property
    def sources(self) -> List[Any]:
        """The fields and scalars that calls give."""
        return self._arguments

    @property
    def written(self) -> List[str]:
        """The names of the arguments whose arrays change."""
        return [field.name for field, memory in self._layout.memories.items() if memory.is_written]

    @property
    def on(self) -> str:
        """Where the program runs unless a call says otherwise."""
        return str(self._options["on"])

    def release(self) -> None:
        """Gives back memory and code on devices."""
        for package in self._packages.values():
            package.release()

    # ---- what it is -----------------------------------------------------------------------------

    def mlir(self, locations: bool = False) -> str:
        """The program in the dialect `stencil`; with `locations`, each operation's line.

        Raises nothing.
        """
        return self._text if locations else self._emission(False).module()

    @property
    def extents(self) -> Tuple[int, ...]:
        """The points of the domain along each dimension."""
        return self._layout.extents

    def package(self, on: str = "auto", plan: Any = None, devices: int = 1) -> Package:
        """The kernels, to be called with an array for each argument of the module's function.

        With `devices` they are for so many that share the domain.
        Raises `CompileError` with the user's line if the compiler refuses the program.
        """
        on = resolved(on)
        if on == "interpreter":
            raise CompileError("the interpreter runs no kernels and has no package; "
                               "use on='emulator'")
        plan = self._plan_words(plan)
        key = (on, plan, devices)
        with self._lock:
            if key not in self._packages:
                with self._pointed():
                    self._packages[key] = compile_package(
                        self._text, language="mlir", on=on, plan=plan,
                        target=self._options["target"], strict=self._options["strict"],
                        devices=devices)
            return self._packages[key]

    def _plan_words(self, plan: Any) -> Optional[str]:
        """The plan of a call, or else that of the program, as `stencilc` takes it."""
        return tools.plan_words(plan if plan is not None else self._options["plan"])

    @contextlib.contextmanager
    def _pointed(self, values: Optional[Mapping[Any, Any]] = None) -> Iterator[None]:
        """Errors of the compiler, and of a run with these values, name the user's lines."""
        try:
            yield
        except (ArgumentError, ProgramError) as error:
            raise failures.of_call(error, self._layout, values or {}) from None
        except CompileError as error:
            places = [self._layout.trace.at, *(one.at for one in self._layout.statements)]
            files = sorted({one.file for one in places})
            raise tools.pointed(error, files) from None

    def _tool(self, command: str, words: Sequence[str], plan: Any) -> str:
        plan = self._plan_words(plan)
        every = [command, "-", "--from=mlir", *words]
        every += ["--plan", plan] if plan else []
        # What runs here is compiled for the GPU of this machine, if there is one.
        target = self._options["target"] or (
            "native" if resolved(self._options["on"]) == "gpu" else None)
        every += [f"--target={target}"] if target else []
        every += ["--strict"] if self._options["strict"] else []
        with self._pointed():
            return tools.stencilc(every, self._text)

    def ptx(self, plan: Any = None) -> str:
        """The kernels in PTX; raises `CompileError` for what the compiler refuses."""
        return self._tool("compile", ["--emit=ptx"], plan)

    def sass(self, plan: Any = None) -> str:
        """The machine code as text; raises `CompileError` without NVIDIA's ptxas and nvdisasm."""
        return self._tool("compile", ["--emit=sass"], plan)

    def pipeline(self, plan: Any = None) -> Drawing:
        """Which plane each level of a sweep computes when, as text; raises `CompileError`."""
        return Drawing(self._tool("compile", ["--emit=pipeline"], plan))

    def order(self, trees: bool = False, plan: Any = None) -> Drawing:
        """The order of a kernel's operations, as `Program.order`; raises `CompileError`."""
        return Drawing(self._tool("viz", ["--trees" if trees else "--schedule"], plan))

    def explain(self, plan: Any = None) -> Report:
        """What was decided about each kernel and why: printed as text, shown as a table.

        Raises `CompileError` for what the compiler refuses.
        """
        return Report(self.name, self._report(plan),
                      lambda: Drawing(self._tool("explain", [], plan)))

    def _report(self, plan: Any) -> Dict[str, Any]:
        with tools.scratch() as folder:
            place = f"{folder}/report.json"
            self._tool("compile", ["--emit=ptx", "-o", f"{folder}/kernels.ptx", "--report", place],
                       plan)
            with open(place, encoding="utf-8") as file:
                found: Dict[str, Any] = json.load(file)
        return found

    def plan(self) -> Dict[str, Dict[str, Any]]:
        """The plan of each kernel, by its stage: keys as `plan=` takes them.

        Of several kernels of a stage the first counts: others make the steps that it leaves."""
        plans: Dict[str, Dict[str, Any]] = {}
        for one in self._report(None)["kernels"]:
            if one.get("plan"):
                plans.setdefault(str(one["stage"]), dict(one["plan"]))
        return plans

    # ---- runs -----------------------------------------------------------------------------------

    def _run(self, values: Mapping[Any, Any], on: Optional[str] = None, plan: Any = None,
             stream: Any = None, device: Optional[Devices] = None) -> Any:
        """Runs it on what a call gives for each field and scalar; gives the newest arrays."""
        where = resolved(on or self._options["on"])
        bound, copies = self._bound(values)
        with self._pointed(values):
            if where == "interpreter" or (where == "emulator" and _is_gpu_in_use()):
                self._run_apart(bound, where, plan, _count(device))
            else:
                self.package(where, plan, _count(device)).run(*bound, stream=stream,
                                                              device=device)
        return self._results(values, copies)

    def _check_levels(self, values: Mapping[Any, Any]) -> None:
        for field, memory in self._layout.memories.items():
            if field in self._layout.profiles or isinstance(field, Kept):
                continue
            given = given_arrays(values[field])
            count = memory.live if self._options["levels"] == "private" else memory.levels
            if len(given) == count:
                continue
            named = ", ".join(f"level t{age:+d}" if age else "level t"
                              for age in range(1 - memory.live, 1))
            if count > memory.live:
                named += ", memory for the level that a step computes"
            refuse(f"argument '{field.name}' is {len(given)} array{'s' * (len(given) != 1)}, and "
                   f"the program reads {memory.live} level{'s' * (memory.live != 1)} of time",
                   f"pass {count} array{'s' * (count != 1)}: {named}"
                   + (", as a tuple in this order" if count > 1 else ""), self._layout.trace.at)

    def _check_tables(self, values: Mapping[Any, Any]) -> None:
        found = short(self._layout, values)
        if found is not None:
            raise failures.of_table(found)

    def _bound(self, values: Mapping[Any, Any]) -> Tuple[List[Any], Dict[int, Any]]:
        """A value for each argument of the function; copies of arrays that cannot change."""
        bound: List[Any] = []
        copies: Dict[int, Any] = {}
        for array, written in self.bound_to(values):
            if written is not None and _is_immutable(array):
                array = copies.setdefault(id(array), (array, numpy.array(array)))[1]
            bound.append(array)
        return bound, copies

    def bound_to(self, values: Mapping[Any, Any]) -> List[Tuple[Any, Optional[Tuple[Field, int]]]]:
        """A value for each argument of the function, and which array it is if it is written.

        Raises `TraceError` for another number of levels, `ArgumentError` for a `stencil.Array` and
        for a table that has no values for some steps.
        """
        self._check_levels(values)
        self._check_tables(values)
        bound: List[Tuple[Any, Optional[Tuple[Field, int]]]] = []
        for _, source, age in self.parameters:
            if isinstance(source, Scalar):
                bound.append((values[source], None))
                continue
            if source in self._layout.profiles:
                bound.append((self._profile(source), None))
                continue
            memory = self._layout.memories[source]
            place = memory.live - 1 - age
            array = given_arrays(values[source])[place]
            if isinstance(array, Array):
                raise ArgumentError(f"argument '{source.name}' is a stencil.Array, which has no "
                                    "cells; pass an array to run the program")
            bound.append((array, (source, place) if memory.is_written else None))
        return bound

    def after(self, values: Mapping[Any, Any],
              changed: Mapping[Tuple[Field, int], Any]) -> List[Any]:
        """The arrays of each field that was written, as a next call takes them.

        `changed` has what became of each array of the fields. Raises nothing.
        """
        found: List[Any] = []
        for field in (field for field, memory in self._layout.memories.items()
                      if memory.is_written):
            given = [changed.get((field, place), one)
                     for place, one in enumerate(given_arrays(values[field]))]
            private = self._options["levels"] == "private"
            found.append(given if private else self._rotated(field, given, values))
        return found

    def _profile(self, field: Field) -> numpy.ndarray:
        """The factors of an absorbing layer along a dimension."""
        if field not in self._profiles:
            memory, dimension = self._layout.profiles[field]
            extent = self._layout.extents[dimension]
            factors = numpy.ones(extent)
            for place, side in enumerate(("low", "high")):
                one = memory.sides[dimension][side]
                if one is None or one.kind != "absorbing":
                    continue
                for depth in range(min(one.width, extent)):
                    cell = depth if place == 0 else extent - 1 - depth
                    factors[cell] *= math.exp(-(one.strength * (one.width - depth)) ** 2)
            rounded = [types.rounded(float(one), field.element) for one in factors]
            exact = numpy.array(rounded)
            self._profiles[field] = (
                (exact.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)
                if field.element == "bf16" else exact.astype(DTYPES[field.element]))
        return self._profiles[field]

    def _run_apart(self, bound: Sequence[Any], where: str, plan: Any, devices: int) -> None:
        """Runs it in a process of `stencilc`."""
        arguments = apart.described(self.parameters, self._layout,
                                    self._options["levels"] == "private")
        values = apart.given(arguments, bound, where)
        written = {one.position: str(one.name) for one in arguments
                   if isinstance(one.kind, signatures.Field) and one.kind.written}
        plan = self._plan_words(plan)
        words = ["--plan", plan] if plan and where != "interpreter" else []
        words += ["--strict"] if self._options["strict"] else []
        words += [f"--devices={devices}"] if devices > 1 and where != "interpreter" else []
        with self._pointed():
            results = tools.run(self._text, where, values, written, words)
        for position, result in results.items():
            target = values[position]
            target[...] = result.view(target.dtype) if result.dtype != target.dtype else result

    def _results(self, values: Mapping[Any, Any], copies: Mapping[int, Any]) -> Any:
        """The newest level of each field that was written, in the order of the arguments."""
        found = []
        for field, memory in self._layout.memories.items():
            if not memory.is_written:
                continue
            given = [_restored(one, copies) for one in given_arrays(values[field])]
            if self._options["levels"] == "private":
                found.append(given[-1])
            else:
                found.append(self._rotated(field, given, values))
        return found[0] if len(found) == 1 else tuple(found)

    def _rotated(self, field: Field, given: List[Any], values: Mapping[Any, Any]) -> Any:
        """The arrays of a field in the order in which a next call takes them."""
        memory = self._layout.memories[field]
        slots = given[memory.live - 1::-1] + given[memory.live:]
        count = turns(self._layout, field, values) % len(slots)
        slots = slots[len(slots) - count:] + slots[:len(slots) - count]
        ordered = slots[memory.live - 1::-1] + slots[memory.live:]
        return ordered[0] if len(ordered) == 1 else tuple(ordered)

    def _verify(self, values: Mapping[Any, Any], seed: int = 0, on: Optional[str] = None,
                plan: Any = None, device: Optional[Devices] = None) -> Verification:
        """Compares optimized with plain kernels on random content; see `Program.verify`."""
        numbers = {one.name: values[one.source] for one in self.parameters
                   if isinstance(one.source, Scalar)}
        where = resolved(on or self._options["on"])
        self._check_tables(values)
        return self.package(where, plan, _count(device)).verify(seed, device=device, **numbers)

    def _time(self, values: Mapping[Any, Any], repeat: int = 10, on: Optional[str] = None,
              plan: Any = None, device: Optional[Devices] = None) -> Timing:
        """How long a call takes, without compiling; see `Program.time`."""
        if not is_count(repeat, 1):
            raise ArgumentError(f"repeat={repeat!r}: time at least one run")
        where = resolved(on or self._options["on"])
        filled = {key: self._random(key, value) for key, value in values.items()}
        if where == "interpreter" or (where == "emulator" and _is_gpu_in_use()):
            spent = []
            for _ in range(repeat):
                start = time.perf_counter()
                self._run(filled, where, plan, device=device)
                spent.append(time.perf_counter() - start)
        else:
            bound, _ = self._bound(filled)
            package = self.package(where, plan, _count(device))
            with self._pointed(filled):
                spent = package.time(*bound, repeat=repeat, device=device)
        return Timing(sorted(spent)[len(spent) // 2], repeat, where)

    def _random(self, key: Any, value: Any) -> Any:
        if not isinstance(key, Field):
            return value
        given = [random_cells(place, 0, key.element, key.shape)
                 for place, _ in enumerate(given_arrays(value))]
        return given[0] if len(given) == 1 else tuple(given)

    # ---- how it is shown ------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<compiled program {self.name}: {reports.summary(self._layout)}>"

    def _repr_html_(self) -> str:
        return reports.layout_html(self.name, self._layout)


def resolved(on: str) -> str:
    """Where a program runs: a GPU if this machine has one, else the emulator, for "auto"."""
    if on not in BACKENDS:
        raise CompileError(f"on is 'auto', 'interpreter', 'emulator' or 'gpu', not {on!r}")
    if on == "gpu" and driver.is_emulator():
        raise DriverError("the emulator has run in this process and takes the place of the GPU's "
                          "driver; run on the GPU first, or in another process")
    if on != "auto":
        return on
    if driver.is_emulator():
        return "emulator"
    try:
        has_device = driver.device_count() > 0
    except DriverError:
        return "emulator"
    return "gpu" if has_device and not driver.is_emulator() else "emulator"


def _count(device: Optional[Devices]) -> int:
    """How many devices a call is for."""
    return max(1, len(shared_by(device)))


def _is_gpu_in_use() -> bool:
    return driver.is_in_use() and not driver.is_emulator()


def _is_immutable(array: Any) -> bool:
    """Whether this is an array of JAX, which never changes."""
    return type(array).__module__.partition(".")[0] in ("jax", "jaxlib")


def _restored(array: Any, copies: Mapping[int, Any]) -> Any:
    if id(array) not in copies:
        return array
    return importlib.import_module("jax.numpy").asarray(copies[id(array)][1])


__all__ = ["BACKENDS", "Compiled", "Statement", "Timing", "resolved"]
