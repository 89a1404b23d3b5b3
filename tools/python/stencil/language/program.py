"""`@stencil.program`: functions of Python that are stencil programs.

The function runs once for each signature, on proxies; what it assigns to fields is compiled, and
calls run that on arrays. Nothing of a program is global: what was traced and compiled belongs to
the `Program`, and the packages on disk to the cache that `stencil.compile` uses.
"""

from __future__ import annotations

import functools
import html
import inspect
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union, overload

from ..package import Verification
from ..running import Devices
from . import boundaries as boundary_rules
from .arguments import FieldKind, NumberKind, StaticKind, element_of_numbers, kind_of, plain
from .boundaries import Declarations
from .compiled import BACKENDS, Compiled, Timing
from .blocks import Scalar
from .emission import FLAGS
from .expressions import Value
from .fields import Field
from .layout import Layout
from .locations import Location, refuse
from .reports import Drawing, Report
from .tracing import Trace, recording, refuse_inside

#: Keywords of calls that are not arguments of the program.
RESERVED = ("on", "plan", "stream", "device")
_LEVELS = ("private", "arguments")


class Program:
    """A stencil program; made by `@stencil.program`, called on arrays and numbers.

    Arrays change in place, and a call gives the newest level of each field that is assigned to: one
    array, or a tuple in the order of the arguments. Arrays of JAX do not change; use what the call
    gives.
    """

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        self._function = function
        self._options = dict(options)
        self._signature = inspect.signature(function)
        code = function.__code__
        self._at = Location(code.co_filename, code.co_firstlineno)
        self._traced: Dict[Any, Compiled] = {}
        self._lock = threading.RLock()
        functools.update_wrapper(self, function)
        self._check()

    def _check(self) -> None:
        names = list(self._signature.parameters)
        for name, one in self._signature.parameters.items():
            if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
                refuse(f"program '{self.name}' takes '{one}'", "name each argument", self._at)
            if name in RESERVED:
                refuse(f"program '{self.name}' has an argument '{name}', which is a keyword of "
                       "calls", "give it another name", self._at)
        for name in self._options["static"]:
            if name not in names:
                refuse(f"static argument '{name}' is no argument of program '{self.name}'",
                       f"its arguments are {', '.join(names)}", self._at)
        self._declared = boundary_rules.declarations(self._options["boundaries"], names)
        if self._options["fast_math"] not in list(FLAGS):
            refuse(f"fast_math={self._options['fast_math']!r}", "it is False, 'contract' or True",
                   self._at)
        if self._options["levels"] not in _LEVELS:
            refuse(f"levels={self._options['levels']!r}", "it is 'private' or 'arguments'",
                   self._at)
        if self._options["on"] not in BACKENDS:
            refuse(f"on={self._options['on']!r}", f"it is one of {', '.join(BACKENDS)}", self._at)

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._function.__name__

    # ---- calls ----------------------------------------------------------------------------------

    def __call__(self, *values: Any, on: Optional[str] = None, plan: Any = None,
                 stream: Any = None, device: Optional[Devices] = None, **named: Any) -> Any:
        """Runs the program; arguments are those of the function.

        `on` is "auto" (a GPU if there is one, else the emulator), "gpu", "emulator" or
        "interpreter". `plan` sets keys of plans, `{"loop": {"steps": 2}}`. `stream` and `device`
        are those of `Package.run`; with a list, as `device=[0, 1]`, several devices share the
        domain. Raises `TraceError` for what is no stencil program, `CompileError` for what the
        compiler refuses, `ArgumentError` for arrays that do not fit, `DriverError` for what fails
        on the device.
        """
        compiled, given = self._prepare(values, named)
        return compiled._run(given, on, plan, stream, device)

    def compile(self, *values: Any, **named: Any) -> Compiled:
        """The program for these arguments, traced: arrays, or `stencil.Array(shape, dtype)`.

        Arrays give shapes and types, and stay as they are. Raises `TraceError` for what is no
        stencil program, or cannot be traced with these arguments.
        """
        return self._prepare(values, named)[0]

    def mlir(self, *values: Any, locations: bool = False, **named: Any) -> str:
        """The program in the dialect `stencil` for these arguments: MLIR that `stencilc` reads.

        With `locations`, each operation has the line of the user's file that it is from. Raises
        what `compile` raises.
        """
        return self.compile(*values, **named).mlir(locations)

    def ptx(self, *values: Any, plan: Any = None, **named: Any) -> str:
        """The kernels in PTX for these arguments.

        Raises what `compile` raises, and `CompileError` for what the compiler refuses.
        """
        return self.compile(*values, **named).ptx(plan)

    def sass(self, *values: Any, plan: Any = None, **named: Any) -> str:
        """The machine code as text; needs NVIDIA's ptxas and nvdisasm.

        Raises what `ptx` raises, and `CompileError` where one of the two is missing.
        """
        return self.compile(*values, **named).sass(plan)

    def plan(self, *values: Any, **named: Any) -> Dict[str, Dict[str, Any]]:
        """The plan that was chosen for each kernel, by its stage; raises what `ptx` raises."""
        return self.compile(*values, **named).plan()

    def explain(self, *values: Any, plan: Any = None, **named: Any) -> Report:
        """What was decided about each kernel, and why; raises what `ptx` raises."""
        return self.compile(*values, **named).explain(plan)

    def pipeline(self, *values: Any, plan: Any = None, **named: Any) -> Drawing:
        """Which plane each level of a sweep computes when, as text in columns.

        Kernels that are no sweeps have nothing to draw, and the drawing says so. `plan` may ask for
        a sweep, `{"loop": {"mapping": "warp"}}`. Raises what `compile` and the compiler raise.
        """
        return self.compile(*values, **named).pipeline(plan)

    def order(self, *values: Any, trees: bool = False, plan: Any = None, **named: Any) -> Drawing:
        """The order of operations in the kernel with the most arithmetic, as SVG.

        It shows how many registers are live after each operation, or with `trees` the expressions,
        coloured by the place of their operations. Raises what `compile` and the compiler raise.
        """
        return self.compile(*values, **named).order(trees, plan)

    def time(self, *values: Any, repeat: int = 10, on: Optional[str] = None, plan: Any = None,
             device: Optional[Devices] = None, **named: Any) -> Timing:
        """The median time of `repeat` runs on random arrays, in seconds, after two others.

        A run is all kernels of a call, by the device's clock, with those that fill the program's
        own memory, and without compiling and copies between host and device; on the interpreter it
        is the whole call. The emulator's time says nothing about a GPU. Raises what a call raises,
        and `ArgumentError` for no runs.
        """
        compiled, given = self._prepare(values, named)
        return compiled._time(given, repeat, on, plan, device)

    def verify(self, *values: Any, seed: int = 0, on: Optional[str] = None, plan: Any = None,
               device: Optional[Devices] = None, **named: Any) -> Verification:
        """Runs optimized and plain kernels on random arrays, and compares them bit for bit.

        The arrays given say shapes and types, and stay as they are. Raises `VerificationError`.
        """
        compiled, given = self._prepare(values, named)
        return compiled._verify(given, seed, on, plan, device)

    def options(self, **changes: Any) -> "Program":
        """The same function with other options, those of `stencil.program`.

        Raises `TraceError` for an option that there is not, or a value that it cannot have.
        """
        unknown = sorted(set(changes) - set(self._options))
        if unknown:
            refuse(f"'{unknown[0]}' is no option of a program",
                   f"options are {', '.join(self._options)}")
        return Program(self._function, {**self._options, **changes})

    def clear(self) -> None:
        """Forgets what was traced and compiled, and gives back memory on devices."""
        with self._lock:
            for compiled in self._traced.values():
                compiled.release()
            self._traced.clear()

    # ---- for operations of other frameworks ---------------------------------------------------

    @property
    def takes_levels(self) -> bool:
        """Whether calls give an array for each level of time, ghost cells included."""
        return bool(self._options["levels"] == "arguments")

    def described(self, *values: Any,
                  **named: Any) -> "Tuple[Compiled, List[Tuple[str, Any, Any]]]":
        """The program for these arguments, and name, value and kind of each of them.

        Raises what `compile` raises.
        """
        arguments, kinds = self._given(values, named)
        return self._prepare(values, named)[0], [
            (name, value, kinds[name]) for name, value in arguments.items()]

    # ---- tracing --------------------------------------------------------------------------------

    def _prepare(self, values: Sequence[Any],
                 named: Mapping[str, Any]) -> Tuple[Compiled, Dict[Any, Any]]:
        arguments, kinds = self._given(values, named)
        key = tuple(kinds.items())
        with self._lock:
            if key not in self._traced:
                self._traced[key] = self._trace(kinds)
            compiled = self._traced[key]
        return compiled, {source: arguments[source.name] for source in compiled.sources}

    def _given(self, values: Sequence[Any],
               named: Mapping[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """Value and kind of each argument, by name."""
        refuse_inside(self.name)
        try:
            bound = self._signature.bind(*values, **named)
        except TypeError as error:
            hint = f"its arguments are {self._signature}"
            if next(iter(self._signature.parameters), "") == "self":
                hint += "; a program is no method, and gets no object: leave self out"
            refuse(f"call of program '{self.name}': {error}", hint)
        bound.apply_defaults()
        arguments = {name: plain(value) for name, value in bound.arguments.items()}
        return arguments, {name: kind_of(name, value, name in self._options["static"], self._at)
                           for name, value in arguments.items()}

    def _trace(self, kinds: Mapping[str, Any]) -> Compiled:
        layout, sources = self._laid_out(kinds)
        if self._options["levels"] == "arguments":
            # Arrays hold ghost cells, whose number follows from what is read.
            layout, sources = self._laid_out(self._without_ghosts(layout, kinds))
        return Compiled(layout, sources, self.name, self._options)

    def _without_ghosts(self, layout: Layout, kinds: Mapping[str, Any]) -> Dict[str, Any]:
        """The kinds of arguments, their arrays without ghost cells."""
        found = dict(kinds)
        for field, memory in layout.memories.items():
            kind = kinds.get(field.name)
            if not isinstance(kind, FieldKind):
                continue
            if memory.axes is None and layout.may_leave(field):
                # The domain does not say which of its cells are ghost cells.
                refuse(f"argument '{field.name}' does not lie on the whole grid and has ghost "
                       "cells, and levels='arguments' has the caller keep them",
                       "pass an array that holds the cells beyond its sides, and declare "
                       f"{{'{field.name}': stencil.halo(width)}}", self._at)
            shape = tuple(extent - sum(pair) for extent, pair in zip(kind.shape, memory.ghosts))
            if min(shape) < 1:
                refuse(f"argument '{field.name}' has shape {kind.shape}, and its ghost cells take "
                       f"{tuple(map(sum, memory.ghosts))} of it",
                       "pass arrays that hold the domain and its ghost cells", self._at)
            found[field.name] = FieldKind(kind.element, shape, kind.count)
        return found

    def _laid_out(self, kinds: Mapping[str, Any]) -> "Tuple[Layout, List[Union[Field, Scalar]]]":
        trace = Trace(self.name, self._at)
        passed: Dict[str, Any] = {}
        sources: List[Union[Field, Scalar]] = []
        for name, kind in kinds.items():
            trace.unique(name)
            if isinstance(kind, FieldKind):
                passed[name] = Field(trace, name, kind.element, kind.shape)
                sources.append(passed[name])
            elif isinstance(kind, NumberKind):
                scalar = Scalar(name, self._element(name, kind, list(kinds.values())))
                passed[name] = Value("scalar", (), scalar, scalar.element, self._at)
                sources.append(scalar)
                trace.scalars.append(scalar)
            else:
                assert isinstance(kind, StaticKind)
                passed[name] = kind.value
        if not any(isinstance(one, Field) for one in sources):
            refuse(f"program '{self.name}' is called without an array",
                   "pass arrays, or stencil.Array(shape, dtype)", self._at)
        bound = self._signature.bind_partial()
        bound.arguments.update(passed)
        with recording(trace):
            result = self._function(*bound.args, **bound.kwargs)
        if result is not None:
            refuse(f"program '{self.name}' returns {type(result).__name__}",
                   "assign to fields, which are arguments of the program", self._at)
        fields = [one for one in sources if isinstance(one, Field)]
        return Layout(trace, fields, self._declared), sources

    def _element(self, name: str, kind: NumberKind, kinds: Sequence[Any]) -> str:
        if kind.element is not None and not kind.is_weak:
            return kind.element
        element = element_of_numbers(kinds) or kind.element
        if element is None:
            refuse(f"argument '{name}' is a float, and the arrays have several types of floats",
                   "say which type it has: numpy.float32(x) or numpy.float64(x)", self._at)
        return element

    # ---- how it is shown ------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<stencil program {self.name}{self._signature}>"

    def _repr_html_(self) -> str:
        shown = [compiled._repr_html_() for compiled in self._traced.values()]
        return f"<code>{html.escape(repr(self))}</code>" + "".join(shown)


@overload
def program(function: Callable[..., Any]) -> Program: ...


@overload
def program(*, boundaries: Optional[Declarations] = None, static: Union[str, Sequence[str]] = (),
            fast_math: Union[bool, str] = False, levels: str = "private", on: str = "auto",
            plan: Any = None, target: Optional[str] = None,
            strict: bool = False,
            merge: bool = True) -> Callable[[Callable[..., Any]], Program]: ...


def program(function: Optional[Callable[..., Any]] = None, *,
            boundaries: Optional[Declarations] = None, static: Union[str, Sequence[str]] = (),
            fast_math: Union[bool, str] = False, levels: str = "private", on: str = "auto",
            plan: Any = None, target: Optional[str] = None, strict: bool = False,
            merge: bool = True) -> Any:
    """Makes a stencil program of a function; see tools/docs/python.md.

    `boundaries`: what lies beyond the sides of all fields, `stencil.periodic()`, or of each,
    `{"u": stencil.periodic()}`.
    `static`: names of arguments that are parts of the program, as the order of a difference.
    `fast_math`: False keeps every operation as written; "contract" permits fused multiply-adds;
    True permits reassociation, reciprocals and approximations too.
    `levels`: "private" keeps ghost cells and the level that is computed in memory of the program;
    "arguments" takes an array for each level, ghost cells included.
    `on`, `plan`: what calls have unless they say otherwise. `target`: the GPU, as "sm_90a".
    `strict`: no operation changes, whatever is permitted. `merge`: statements in a row that do not
    need each other's results are one `stencil.apply`, which computes what they share once; with
    False each is one of its own.

    Raises `TraceError` for what is no function, and for an option that has no such value.
    """
    if not isinstance(static, (str, tuple, list, set, frozenset)):
        refuse(f"static={static!r} names no arguments",
               "give names: static='order', or static=('order', 'scheme')")
    names: Tuple[str, ...] = tuple(static.replace(",", " ").split()) if isinstance(static, str) \
        else tuple(static)
    options = {"boundaries": boundaries, "static": names, "fast_math": fast_math,
               "levels": levels, "on": on, "plan": plan, "target": target, "strict": strict,
               "merge": merge}

    def decorate(one: Callable[..., Any]) -> Program:
        if not inspect.isfunction(one):
            refuse(f"{one!r} is no function", "decorate a function with @stencil.program")
        return Program(one, options)

    return decorate if function is None else decorate(function)


__all__ = ["Program", "program"]
