"""Handlers of XLA's foreign function interface, with ctypes: calls that XLA makes while it runs.

XLA calls a handler with a frame of its C interface (`xla/ffi/api/c_api.h`): buffers, the stream of
the computation and an attribute, here the name of a call that was entered before. Of the frame only
what version 0.0 had is read, so that any version 0 fits. A handler is a function of Python: XLA's
thread waits for the interpreter's lock, and for ten microseconds of Python for a call of two arrays
on a server of 2025; on a device it does not wait for the kernels.
"""

from __future__ import annotations

import ctypes
import threading
import uuid
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_size_t,
                    c_uint32, c_void_p, cast)
from typing import Any, Callable, Dict, Hashable, List, NamedTuple, Optional, Sequence

from . import arrays, driver
from .errors import ArgumentError, ProgramError, StencilError

#: The names of XLA's platforms that a handler can be registered for.
PLATFORMS = ("cpu", "CUDA")
_METADATA = 1
_EXECUTE = 3
_UNKNOWN, _INVALID_ARGUMENT, _INTERNAL = 2, 3, 13


class _Extension(Structure):
    """`XLA_FFI_Extension_Base`."""


_Extension._fields_ = [("struct_size", c_size_t), ("type", c_int), ("next", POINTER(_Extension))]


class _Version(Structure):
    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("major", c_int),
                ("minor", c_int)]


class _Metadata(Structure):
    _fields_ = [("struct_size", c_size_t), ("version", _Version), ("traits", c_uint32)]


class _MetadataExtension(Structure):
    _fields_ = [("base", _Extension), ("metadata", POINTER(_Metadata))]


class Buffer(Structure):
    """`XLA_FFI_Buffer`: dense, dimension 0 slowest."""

    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("type", c_int),
                ("data", c_void_p), ("rank", c_int64), ("extents", POINTER(c_int64))]


class _Buffers(Structure):
    """`XLA_FFI_Args` and `XLA_FFI_Rets`."""

    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("size", c_int64),
                ("types", POINTER(c_int)), ("buffers", POINTER(POINTER(Buffer)))]


class Text(Structure):
    """`XLA_FFI_ByteSpan`."""

    _fields_ = [("start", c_void_p), ("size", c_size_t)]

    @property
    def text(self) -> str:
        """The text that it spans."""
        return ctypes.string_at(self.start, self.size).decode()


class _Attributes(Structure):
    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("size", c_int64),
                ("types", POINTER(c_int)), ("names", POINTER(POINTER(Text))),
                ("values", POINTER(c_void_p))]


class _ErrorArguments(Structure):
    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("message", c_char_p),
                ("code", c_int)]


class _StreamArguments(Structure):
    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("context", c_void_p),
                ("stream", c_void_p)]


_MAKE_ERROR = CFUNCTYPE(c_void_p, POINTER(_ErrorArguments))
_GET_STREAM = CFUNCTYPE(c_void_p, POINTER(_StreamArguments))


class Api(Structure):
    """`XLA_FFI_Api`, the first of its functions."""

    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("version", _Version),
                ("internal", c_void_p), ("make_error", _MAKE_ERROR), ("get_message", c_void_p),
                ("destroy_error", c_void_p), ("register", c_void_p), ("get_stream", _GET_STREAM)]


class Frame(Structure):
    """`XLA_FFI_CallFrame`."""

    _fields_ = [("struct_size", c_size_t), ("extension", POINTER(_Extension)),
                ("api", POINTER(Api)), ("context", c_void_p), ("stage", c_int),
                ("arguments", _Buffers), ("results", _Buffers), ("attributes", _Attributes)]


HANDLER = CFUNCTYPE(c_void_p, POINTER(Frame))


class Operand(NamedTuple):
    """An array of a call: its type, and the result that is in the same memory, if it changes."""

    type: str
    result: Optional[int]


class Call(NamedTuple):
    """What a handler runs: `run` takes a view of each operand, and a stream, or None on the host.

    `owner` is kept alive with it.
    """

    operands: Sequence[Operand]
    run: Callable[[List[arrays.View], Optional[int]], None]
    owner: Any


_CALLS: Dict[str, Call] = {}
_NAMES: Dict[Hashable, str] = {}
_LOCK = threading.Lock()
#: Executables that were kept by another process must not find calls of this one.
_PROCESS = uuid.uuid4().hex


def enter(key: Hashable, call: Call) -> str:
    """The name of a call for handlers of this process; equal keys have one name.

    Calls stay for the process, as the executables may that name them.
    """
    with _LOCK:
        if key not in _NAMES:
            _NAMES[key] = f"{_PROCESS}:{len(_NAMES)}"
            _CALLS[_NAMES[key]] = call
        return _NAMES[key]


def handler(platform: str) -> Any:
    """A handler for one of `PLATFORMS`, as a function pointer of ctypes; keep it."""
    on_host = platform == "cpu"

    def handle(frame: Any) -> Optional[int]:
        found: Frame = frame.contents
        if found.extension and found.extension.contents.type == _METADATA:
            _describe(found)
            return None
        if found.stage != _EXECUTE:
            return None
        # Nothing may leave a callback but its result.
        try:
            _execute(found, on_host)
        except StencilError as error:
            is_given = isinstance(error, (ArgumentError, ProgramError))
            return _failure(found, str(error), _INVALID_ARGUMENT if is_given else _UNKNOWN)
        except Exception as error:  # pylint: disable=broad-except
            return _failure(found, f"{type(error).__name__}: {error}", _INTERNAL)
        return None

    return HANDLER(handle)


def address(made: Any) -> c_void_p:
    """Where a handler is."""
    return cast(made, c_void_p)


def _describe(frame: Frame) -> None:
    """Answers which version of the interface a handler is for: that of the one who asks."""
    asked = cast(frame.extension, POINTER(_MetadataExtension)).contents.metadata.contents
    version = frame.api.contents.version
    asked.version.major, asked.version.minor = 0, version.minor if version.major == 0 else 0
    asked.traits = 0


def _failure(frame: Frame, message: str, code: int) -> Optional[int]:
    arguments = _ErrorArguments(ctypes.sizeof(_ErrorArguments), None, message.encode(), code)
    made: Optional[int] = frame.api.contents.make_error(byref(arguments))
    return made


def _execute(frame: Frame, on_host: bool) -> None:
    call = _CALLS.get(_name(frame))
    if call is None:
        raise StencilError("the executable is from another process; compile it again")
    views = [_view(frame, place, operand, on_host) for place, operand in enumerate(call.operands)]
    call.run(views, None if on_host else _stream(frame))


def _name(frame: Frame) -> str:
    attributes = frame.attributes
    for place in range(attributes.size):
        if attributes.names[place].contents.text == "call":
            return cast(attributes.values[place], POINTER(Text)).contents.text
    return ""


def _view(frame: Frame, place: int, operand: Operand, on_host: bool) -> arrays.View:
    buffer = frame.arguments.buffers[place].contents
    shape = tuple(buffer.extents[: buffer.rank])
    if operand.result is not None:
        result = frame.results.buffers[operand.result].contents
        if result.data != buffer.data:
            raise StencilError(f"operand {place} changes in place, and is not where result "
                               f"{operand.result} is")
    address = buffer.data or 0
    strides = arrays.dense_strides(shape, arrays.size_of_type(operand.type))
    device = None if on_host else driver.device_of(address)
    return arrays.View(address, shape, strides, operand.type, operand.result is not None, device,
                       None)


def _stream(frame: Frame) -> int:
    arguments = _StreamArguments(ctypes.sizeof(_StreamArguments), None, frame.context, None)
    error = frame.api.contents.get_stream(byref(arguments))
    if error:
        raise StencilError("XLA gives no stream")
    return arguments.stream or 0


__all__ = ["Call", "Operand", "PLATFORMS", "address", "enter", "handler"]
