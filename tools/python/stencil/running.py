"""One call of a function: arrays in, the host program, arrays out.

An array on the device that is dense and aligned is used where it is. Any other gets a dense copy
on the device, from which the cells that the function writes go back. Those copies and the program's
own temporaries are kept from call to call, for each function and device, until the package is
released or forgotten.

Without a stream a call returns when its results are there. With one, and with arrays on the device
alone, it returns when the work is on the stream.
"""

from __future__ import annotations

import weakref
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy

from . import arrays, host, step_limits
from .archive import Code
from .arrays import View
from .driver import Device, Module, Queue, device, driver
from .errors import ArgumentError, DriverError
from .host import Buffer
from .manifest import Argument, Field, Function
from .scalars import Scalar

#: What an argument is bound to: a number or an array.
Bound = Union[Scalar, Any]


class Runner:
    """The kernels of one folder of a package, loaded on each device where they ran."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._loaded: Dict[int, _Loaded] = {}

    def run(self, function: Function, values: Sequence[Bound], stream: Any = None,
            ordinal: Optional[int] = None, poison: Optional[int] = None) -> None:
        """Runs a function on one value for each of its arguments.

        With `poison`, a byte, the run is one to be checked: temporaries, whose content is
        unspecified, are filled with it first, and fields that are only read come back too.
        """
        step_limits.check(function, values)
        handle = 0 if stream is None else arrays.stream_handle(stream)
        views: Dict[int, View] = {}
        for argument, value in zip(function.arguments, values):
            if isinstance(argument.kind, Field):
                views[argument.position] = _view(argument, argument.kind, value, handle)
        arrays.check_overlap(function.arguments, views)
        where = device(_ordinal(function.arguments, views, ordinal))
        with where.lock, where.active():
            if where.ordinal not in self._loaded:
                self._loaded[where.ordinal] = _Loaded(where, self._code)
            call = _Call(self._loaded[where.ordinal], function, values, views, handle, poison)
            call.run(wait=stream is None)

    def release(self) -> None:
        """Gives back code and memory on every device."""
        for loaded in self._loaded.values():
            loaded.close()
        self._loaded.clear()


def _view(argument: Argument, field: Field, value: Any, stream: int) -> View:
    try:
        found = arrays.view(value, stream)
    except (ArgumentError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ArgumentError(f"{argument} {error}") from error
    arrays.check(argument, field, found)
    return found


def _ordinal(arguments: Sequence[Argument], views: Dict[int, View], wanted: Optional[int]) -> int:
    """The device of a call: the one named, the one of the arrays, or the current one."""
    chosen, reason = wanted, "device={}".format(wanted)
    for position, found in views.items():
        if found.device is None:
            continue
        if chosen is not None and chosen != found.device:
            raise ArgumentError(f"{arguments[position]} is on device {found.device}, not on device "
                                f"{chosen} ({reason}); copy it there")
        chosen, reason = found.device, f"as {arguments[position]}"
    return driver().current_device() if chosen is None else chosen


class _Loaded:
    """A module on a device, and the buffers that calls of its functions keep."""

    def __init__(self, where: Device, code: Code) -> None:
        self.device = where
        self.code = code
        self.module = Module(where, code)
        self.buffers: Dict[Tuple[str, int], Buffer] = {}
        #: The stream that may still use the buffers.
        self.busy: Optional[int] = None
        self.close = weakref.finalize(self, _close, self.module, self.buffers)
        # The driver gives everything back at the end of the process, if it still can.
        self.close.atexit = False

    def reserve(self, function: str, wanted: Dict[int, int]) -> Dict[int, Buffer]:
        """Buffers of these sizes for values of a function; new ones if there is room for all."""
        missing = {(function, number): count for number, count in wanted.items()
                   if (function, number) not in self.buffers}
        needed = sum(missing.values())
        if needed:
            free = self.device.free_bytes()
            if needed > free:
                raise DriverError(f"the program needs {needed} bytes of device memory, {free} "
                                  "bytes are free")
        for key, count in missing.items():
            self.buffers[key] = Buffer(self.device.allocate(count), count)
        return {number: self.buffers[function, number] for number in wanted}


def _close(module: Module, buffers: Dict[Any, Buffer]) -> None:
    where = module.device
    try:
        with where.lock, where.active():
            where.driver.code("cuCtxSynchronize")
            for buffer in buffers.values():
                where.free(buffer.address)
            module.unload()
    except DriverError:
        # A context that was lost holds nothing that could be given back.
        pass
    buffers.clear()


class _Call:
    """The fields of one call on their way to the device and back."""

    def __init__(self, loaded: _Loaded, function: Function, values: Sequence[Bound],
                 views: Dict[int, View], stream: int, poison: Optional[int]) -> None:
        self.loaded = loaded
        self.function = function
        self.values = values
        self.views = views
        self.poison = poison
        self.queue = Queue(loaded.module, stream)
        self.fields = {argument.position: argument.kind for argument in function.arguments
                       if isinstance(argument.kind, Field)}
        #: Where each field is on the device.
        self.places: Dict[int, Buffer] = {}
        #: Rows of the fields that are on the device, but not as kernels want them.
        self.rows: Dict[int, List[arrays.Rows]] = {}
        #: Memory of the host that copies under way use.
        self.kept: List[numpy.ndarray] = []

    def run(self, wait: bool) -> None:
        wait = wait or any(found.device is None for found in self.views.values())
        temporaries = self._place()
        self._wait_for_others()
        try:
            self._move_in()
            if self.poison is not None:
                for buffer in temporaries.values():
                    self.queue.fill(buffer.address, self.poison, buffer.bytes)
            host.run(self.function, self.loaded.code.manifest.kernels, self.queue,
                     [self.places.get(place, value) for place, value in enumerate(self.values)],
                     temporaries)
            self._move_out(wait)
        except BaseException:
            # Copies under way use memory of the host that is about to go.
            self.queue.device.driver.code("cuStreamSynchronize", self.queue.stream)
            raise
        self.loaded.busy = None if wait else self.queue.stream

    def _place(self) -> Dict[int, Buffer]:
        """Finds a place on the device for every field; gives the program's own buffers."""
        moved: Dict[int, int] = {}
        for position, field in self.fields.items():
            found = self.views[position]
            if found.device is None:
                moved[position] = field.bytes
            elif arrays.is_dense(found):
                self.places[position] = Buffer(found.address, field.bytes)
            else:
                self.rows[position] = list(arrays.rows(self.function.arguments[position], found))
                moved[position] = field.bytes
        own = {one.result: one.bytes for one in host.allocations(self.function.body)}
        # The numbers of values: those of arguments come first, so none occurs twice.
        buffers = self.loaded.reserve(self.function.name, {**moved, **own})
        self.places.update((position, buffers[position]) for position in moved)
        return {number: buffers[number] for number in own}

    def _wait_for_others(self) -> None:
        """Waits for streams that use the arrays or the buffers."""
        if self.loaded.busy not in (None, self.queue.stream) and self.loaded.buffers:
            # The stream itself may be gone by now.
            self.queue.wait_for_device()
        # The null stream and number 1 are the same.
        streams = {found.stream for found in self.views.values() if found.stream is not None}
        for stream in streams - {self.queue.stream, self.queue.stream or 1}:
            self.queue.wait_for_stream(stream)

    def _move_in(self) -> None:
        for position, found in self.views.items():
            place = self.places[position]
            if found.device is None:
                dense = numpy.ascontiguousarray(found.owner)
                self.kept.append(dense)
                self.queue.upload(dense.ctypes.data, place.address, place.bytes)
            for row in self.rows.get(position, ()):
                self.queue.copy_rows(found.address + row.offset, row.pitch,
                                     place.address + row.dense_offset, row.width,
                                     row.width, row.height)

    def _move_out(self, wait: bool) -> None:
        """What was written goes back; to the host only if every kernel succeeded."""
        written = [(self.places[position], found, self.rows.get(position, ()))
                   for position, found in self.views.items()
                   if self.fields[position].written or self.poison is not None]
        for place, found, rows in written:
            for row in rows:
                self.queue.copy_rows(place.address + row.dense_offset, row.width,
                                     found.address + row.offset, row.pitch,
                                     row.width, row.height)
        if not wait:
            return
        self.queue.wait()
        results = []
        for place, found, _ in written:
            if found.device is None:
                array = found.owner
                dense = array if array.flags.c_contiguous else numpy.empty(array.shape, array.dtype)
                self.queue.download(place.address, dense.ctypes.data, place.bytes)
                results.append((array, dense))
        self.queue.wait()
        for array, dense in results:
            if dense is not array:
                numpy.copyto(array, dense)
