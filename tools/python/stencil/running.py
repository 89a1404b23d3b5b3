"""One call of a function: values for the library, on the device where the arrays are.

The library copies what is not on the device, keeps memory and code from call to call, and evaluates
the program once for each set of numbers; here are the devices' modules, and the streams of others.
"""

from __future__ import annotations

import ctypes
import operator
import threading
import weakref
from ctypes import c_double, c_int64, c_size_t, c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import arrays, driver, library
from .arrays import View
from .errors import ArgumentError, PackageError, StencilError
from .scalars import Scalar
from .signatures import Argument, Field, Function

#: What an argument is bound to: a number or an array.
Bound = Union[Scalar, Any]
#: A device by its number, or a number for each of several that share a domain.
Devices = Union[int, Sequence[int]]
#: Where the kernels of a package are: on a device, or on several, by default on the first ones.
Place = Union[int, Tuple[int, ...]]


class BoundCall:
    """A function with its arguments: a call asks nothing about them again.

    Made by `Package.bind` or `Function.bind`. Each call runs the function on the arrays it was
    bound to, with what is in them then, on the stream it was bound to.
    """

    def __init__(self, module: "_Module", index: int, given: Any, stream: Optional[int],
                 owners: Any) -> None:
        self._module = module
        self._run = library.library().stencil_run
        self._arguments = module.handle, index, given, len(given), stream or 0
        self._waits = stream is None
        # The memory of arrays is theirs.
        self._owners = owners

    def __call__(self) -> None:
        """Runs it; raises what `Package.run` raises, and `PackageError` after a release."""
        if not self._module.close.alive:
            raise PackageError("the package was released after the call was bound; bind it again")
        status = self._run(*self._arguments)
        if status:
            library.fail(status)
        if self._waits:
            library.call("stencil_synchronize", self._module.handle, 0)


class Content:
    """A package of the library, which is freed when nothing refers to it."""

    def __init__(self, handle: c_void_p) -> None:
        self.handle = handle
        close = library.library().stencil_package_free
        weakref.finalize(self, close, handle).atexit = False


def ordinals(place: Sequence[int]) -> Tuple[Any, int]:
    """Devices as the library takes them; a null pointer for none, which means the first ones."""
    return ((c_size_t * len(place))(*place) if place else None), len(place)


class Runner:
    """The kernels of a package, loaded on each device where they ran."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._modules: Dict[Place, _Module] = {}

    def run(self, function: Function, values: Sequence[Bound], stream: Any = None,
            device: Optional[Devices] = None) -> None:
        """Runs a function on one value for each of its arguments."""
        handle = 0 if stream is None else arrays.stream_handle(stream)
        views = _views(function, values, handle)
        self.run_views(function, values, views, None if stream is None else handle, device)

    def check(self, function: Function, values: Sequence[Bound], views: Dict[int, View]) -> None:
        """Refuses what cannot run on any device."""
        for position, found in views.items():
            argument = function.arguments[position]
            assert isinstance(argument.kind, Field)
            arrays.check_type(argument, argument.kind, found)
            _check_rank(function, argument, argument.kind, found)
        library.call("stencil_check", self._content.handle, function.index, bound(values, views),
                     len(values))

    def run_views(self, function: Function, values: Sequence[Bound], views: Dict[int, View],
                  stream: Optional[int], device: Optional[Devices] = None) -> None:
        """Runs a function on numbers and on the memory of arrays, both by position."""
        handle = stream or 0
        given = bound(values, views)
        if not self._modules:
            # What cannot run on any device is said before one is looked for.
            library.call("stencil_check", self._content.handle, function.index, given, len(values))
        module = self._ready(function, views, handle, device)
        library.call("stencil_run", module.handle, function.index, given, len(values), handle)
        if stream is None:
            library.call("stencil_synchronize", module.handle, handle)

    def bind(self, function: Function, values: Sequence[Bound], stream: Any = None,
             device: Optional[Devices] = None) -> BoundCall:
        """A call of a function on one value for each of its arguments."""
        handle = None if stream is None else arrays.stream_handle(stream)
        views = _views(function, values, handle or 0)
        given = _made(values, views)
        library.call("stencil_check", self._content.handle, function.index, given, len(values))
        module = self._ready(function, views, handle or 0, device)
        return BoundCall(module, function.index, given, handle, (values, views, stream))

    def _ready(self, function: Function, views: Dict[int, View], handle: int,
               device: Optional[Devices]) -> "_Module":
        """The code on the device of a call, when other streams have done their work on its arrays.
        """
        module = self._module(_place(function, views, device))
        # The null stream and number 1 are the same.
        streams = {found.stream for found in views.values() if found.stream is not None}
        for other in streams - {handle, handle or 1}:
            library.call("stencil_synchronize", module.handle, other)
        return module

    def time(self, function: Function, values: Sequence[Bound], warm_up: int, repeat: int,
             device: Optional[Devices]) -> List[float]:
        """The seconds of each of `repeat` runs, by the device's clock."""
        views = _views(function, values, 0)
        module = self._module(_place(function, views, device))
        seconds = (c_double * repeat)()
        library.call("stencil_time", module.handle, function.index, bound(values, views),
                     len(values), 0, warm_up, repeat, seconds)
        return list(seconds)

    def _module(self, place: Place) -> "_Module":
        # Two threads may load one at once; then one of the two goes again.
        if place not in self._modules:
            self._modules.setdefault(place, _Module(self._content, place))
        return self._modules[place]

    def release(self) -> None:
        """Gives back code and memory on every device."""
        for module in list(self._modules.values()):
            module.close()
        self._modules.clear()


class _Module:
    """A package on a device, or on several."""

    def __init__(self, content: Content, place: Place) -> None:
        if isinstance(place, int):
            self.handle = library.handle("stencil_module_load", content.handle, place)
        else:
            self.handle = library.handle("stencil_module_load_shared", content.handle,
                                         *ordinals(place))
        free = library.library().stencil_module_free
        self.close = weakref.finalize(self, free, self.handle)
        # The driver gives everything back at the end of the process, if it still can.
        self.close.atexit = False


class _Values(threading.local):
    """The values of a call as the library takes them, of the last calls of a thread: what a call
    gives like one before is not written again, as that takes longer than the call."""

    def __init__(self) -> None:
        self.known: Dict[Tuple[Any, ...], Any] = {}


_values = _Values()
#: So many sets of values are kept, a few hundred bytes each.
_KEPT = 64
#: The parts of a view that say what the memory is, up to its device.
_DESCRIBED = 1 + View._fields.index("device")


def bound(values: Sequence[Bound], views: Dict[int, View]) -> Any:
    """The values of a call as the library takes them; a field without an array has none."""
    described = tuple([
        views[position][:_DESCRIBED] if position in views else value
        for position, value in enumerate(values)])
    known = _values.known
    try:
        given = known.get(described)
    except TypeError:  # An array without a view, which has no hash.
        return _made(values, views)
    if given is None:
        if len(known) >= _KEPT:
            known.clear()
        given = known[described] = _made(values, views)
    return given


def _made(values: Sequence[Bound], views: Dict[int, View]) -> Any:
    # What is pointed to lives as long as what points to it.
    given = (library.Value * len(values))()
    for position, (slot, value) in enumerate(zip(given, values)):
        found = views.get(position)
        if found is not None:
            slot.array = ctypes.pointer(_array(found))
        elif isinstance(value, Scalar):
            slot.bits, slot.number_type = value.bits, library.TYPES[value.type]
    return given


def _array(found: View) -> library.Array:
    rank = len(found.shape)
    numbers = c_int64 * max(rank, 1)
    flags = (library.ON_HOST if found.device is None else 0) | (
        0 if found.writable else library.READ_ONLY)
    return library.Array(found.address, numbers(*found.shape), numbers(*found.strides), rank, 0,
                         flags)


def _views(function: Function, values: Sequence[Bound], stream: int) -> Dict[int, View]:
    views = {}
    for argument, value in zip(function.arguments, values):
        if isinstance(argument.kind, Field):
            found = views[argument.position] = view_of(argument, argument.kind, value, stream)
            _check_rank(function, argument, argument.kind, found)
    return views


def _check_rank(function: Function, argument: Argument, field: Field, found: View) -> None:
    """Refuses an array that has not the dimensions which give a function its extents."""
    rank = len(field.lower)
    if function.is_general and len(found.shape) != rank:
        raise ArgumentError(f"{argument} takes an array of {rank} dimension{'s' * (rank != 1)}, "
                            f"found shape {found.shape}")


def view_of(argument: Argument, field: Field, value: Any, stream: int) -> View:
    """The memory of an array for a field; refuses what is no array of its type."""
    try:
        found = arrays.view(value, stream)
    except (ArgumentError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ArgumentError(f"{argument} {error}") from error
    except StencilError:
        raise
    except Exception as error:  # Of the code of another library.
        raise ArgumentError(f"{argument} cannot be read by what its type, {type(value).__name__}, "
                            f"says of it: {error!r}") from error
    arrays.check_type(argument, field, found)
    return found


def shared_by(device: Optional[Devices]) -> Tuple[int, ...]:
    """The devices of a call that several share; none where none is named."""
    if device is None:
        return ()
    if not isinstance(device, (tuple, list, range)):
        return (_number(device, f"device={device!r}"),)
    if not device:
        raise ArgumentError(f"device={device!r} names no device; leave it out, or give a number, "
                            "device=0, or one for each part of the domain, device=[0, 1]")
    return tuple(_number(one, f"device {one!r}") for one in device)


def _number(device: Any, text: str) -> int:
    """The number of a device."""
    try:
        found = operator.index(device)
    except TypeError:
        found = None
    if found is None or isinstance(device, bool):
        raise ArgumentError(f"{text} is no number of a device; they count from 0: device=0, or "
                            "device=[0, 1] for several that share the domain")
    if found < 0:
        raise ArgumentError(f"device {found} does not exist, they count from 0")
    return found


def _place(function: Function, views: Dict[int, View], device: Optional[Devices]) -> Place:
    if function.devices > 1:
        return shared_by(device)
    named = shared_by(device)
    if not named:
        return _ordinal(function.arguments, views, None)
    if len(named) != 1:
        raise ArgumentError(f"function '{function.name}' was compiled for one device, {len(named)} "
                            f"are given; compile it with devices={len(named)}")
    return _ordinal(function.arguments, views, named[0])


def _ordinal(arguments: Tuple[Argument, ...], views: Dict[int, View], wanted: Optional[int]) -> int:
    """The device of a call: the one named, the one of the arrays, or the current one."""
    chosen, first = wanted, None
    for position, found in views.items():
        if found.device is None:
            continue
        if chosen is not None and chosen != found.device:
            raise ArgumentError(f"{arguments[position]} is on device {found.device}, not on device "
                                f"{chosen} ({_why(arguments, first, wanted)}); copy it there")
        if chosen is None:
            chosen, first = found.device, position
    return driver.current_device() if chosen is None else chosen


def _why(arguments: Tuple[Argument, ...], first: Optional[int], wanted: Optional[int]) -> str:
    return f"device={wanted}" if first is None else f"as {arguments[first]}"
