"""Arrays of any library as memory: where the cells are, of which type, how far apart.

On the device: whatever has `__dlpack__` (CuPy, PyTorch) or `__cuda_array_interface__` (Numba, and
older versions of those). On the host: NumPy, or whatever has `__array_interface__` or
`__dlpack__`. Nothing is converted: an array of another type than its field is refused here, with
the conversion to make; one of another shape, in overlapping memory or without rows by the library.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy

from . import dlpack
from .driver import device_of
from .errors import ArgumentError
from .signatures import Argument, Field

#: Types of arrays that hold cells of each type; the first is the one that messages ask for.
ACCEPTED = {"i1": ("bool",), "i8": ("int8", "uint8"), "i16": ("int16", "uint16"),
            "i32": ("int32", "uint32"), "i64": ("int64", "uint64"), "index": ("int64", "uint64"),
            "f16": ("float16",), "bf16": ("bfloat16", "uint16"), "f32": ("float32",),
            "f64": ("float64",)}


class View(NamedTuple):
    """The memory of an array. Strides are in bytes; `device` is None on the host."""

    address: int
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]
    type: str
    writable: bool
    device: Optional[int]
    #: What keeps the memory alive; on the host, the array itself.
    owner: Any
    #: A stream with work on the array that must end first.
    stream: Optional[int] = None


@functools.lru_cache(maxsize=None)
def size_of_type(name: str) -> int:
    """Bytes of a cell of an array's type."""
    digits = "".join(letter for letter in name if letter.isdigit())
    return max(1, int(digits or 8) // 8)


def is_array(value: Any) -> bool:
    """Whether this is an array of some library, and no number."""
    if isinstance(value, numpy.generic):
        return False
    kind: type = type(value)
    return _has_protocol(kind) or any(_has(value, name) for name in _PROTOCOLS)


_PROTOCOLS = ("__cuda_array_interface__", "__array_interface__", "__dlpack__")


@functools.lru_cache(maxsize=256)
def _has_protocol(kind: type) -> bool:
    """Whether all of a type are arrays; of other types some may be, by attributes of their own."""
    return any(hasattr(kind, name) for name in _PROTOCOLS)


def _has(value: Any, name: str) -> bool:
    """Whether there is such an attribute; PyTorch has one that raises, where a gradient is."""
    try:
        return hasattr(value, name)
    except RuntimeError:
        return True


def shape_of(value: Any) -> Optional[Tuple[int, ...]]:
    """The shape of an array; None for other things."""
    if not is_array(value):
        return None
    shape = getattr(value, "shape", None)
    for name in ("__cuda_array_interface__", "__array_interface__"):
        if shape is None and hasattr(value, name):
            shape = getattr(value, name).get("shape")
    try:
        return None if shape is None else tuple(int(extent) for extent in shape)
    except (TypeError, ValueError):  # What describes itself wrongly has no shape.
        return None


def stream_handle(stream: Any) -> int:
    """The handle of a stream: an integer, or an object of CuPy, PyTorch, Numba or CUDA Python."""
    if hasattr(stream, "__index__"):
        return operator.index(stream)
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return int(protocol()[1])
    for name in ("cuda_stream", "ptr", "handle"):
        handle = getattr(stream, name, None)
        if handle is not None:
            return int(getattr(handle, "value", handle) or 0)
    raise ArgumentError(f"stream={stream!r} is no stream; give its handle, or a stream of CuPy, "
                        "PyTorch or Numba")


def view(array: Any, stream: int) -> View:
    """The memory of an array; work that its library put on other streams comes before `stream`."""
    if isinstance(array, numpy.ndarray):
        return _of_numpy(array)
    problem: Optional[Exception] = None
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        try:
            return _of_dlpack(array, stream)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            problem = error
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return _of_interface(array, interface)
    if hasattr(array, "__array_interface__"):
        return _of_numpy(numpy.asarray(array))
    reason = f": {problem}" if problem else ""
    raise ArgumentError(f"takes an array, found {type(array).__name__}{reason}")


def _of_numpy(array: numpy.ndarray) -> View:
    if isinstance(array, numpy.ma.MaskedArray):
        raise ArgumentError("has a mask, which a field has not; pass a.filled(...)")
    name = array.dtype.name if array.dtype.isnative else array.dtype.str
    return View(array.ctypes.data, array.shape, array.strides, name, array.flags.writeable, None,
                array)


def _of_dlpack(array: Any, stream: int) -> View:
    kind, _ = array.__dlpack_device__()
    if kind in (dlpack.CUDA, dlpack.CUDA_MANAGED):
        # The legacy stream, ours by default, has number 1 in DLPack.
        tensor = dlpack.read(dlpack.export(array, stream or 1))
    elif kind in (dlpack.CPU, dlpack.CUDA_HOST):
        tensor = dlpack.read(dlpack.export(array, None))
    else:
        raise ArgumentError(f"is on a device of DLPack's kind {kind}; CPU and CUDA can be used")
    strides = tensor.strides or dense_strides(tensor.shape, size_of_type(tensor.type))
    if kind in (dlpack.CUDA, dlpack.CUDA_MANAGED):
        return View(tensor.address, tensor.shape, strides, tensor.type, tensor.writable,
                    tensor.device[1], tensor.capsule)
    host = numpy.asarray(_HostMemory(tensor, strides))
    return View(tensor.address, tensor.shape, strides, tensor.type, tensor.writable, None, host)


class _HostMemory:
    """Memory of another library for NumPy, which holds this, which holds the capsule."""

    def __init__(self, tensor: dlpack.Tensor, strides: Tuple[int, ...]) -> None:
        self._capsule = tensor.capsule
        types = {"bool": "|b1", "bfloat16": "<u2"}
        code = types.get(tensor.type) or f"<{tensor.type[0]}{size_of_type(tensor.type)}"
        self.__array_interface__ = {
            "version": 3, "shape": tensor.shape, "strides": strides, "typestr": code,
            "data": (tensor.address, not tensor.writable)}


def _of_interface(array: Any, interface: Dict[str, Any]) -> View:
    if interface.get("mask") is not None:
        raise ArgumentError("has a mask, which a field has not")
    address, read_only = interface["data"]
    address = int(address or 0)
    shape = tuple(interface["shape"])
    name, size = _type_of(interface["typestr"])
    strides = interface.get("strides") or dense_strides(shape, size)
    return View(address, shape, tuple(strides), name, not read_only, device_of(address), array,
                interface.get("stream"))


@functools.lru_cache(maxsize=None)
def _type_of(code: str) -> Tuple[str, int]:
    """The name of a type of NumPy's array interface, and its bytes."""
    dtype = numpy.dtype(code)
    return dtype.name if dtype.isnative else dtype.str, dtype.itemsize


@functools.lru_cache(maxsize=1024)
def dense_strides(shape: Tuple[int, ...], size: int) -> Tuple[int, ...]:
    """Strides of an array whose cells lie next to each other, dimension 0 slowest."""
    strides = [size]
    for extent in reversed(shape[1:]):
        strides.append(strides[-1] * extent)
    return tuple(reversed(strides))


def check_type(argument: Argument, field: Field, found: View) -> None:
    """Refuses an array of another type than the field takes."""
    accepted = ACCEPTED[field.element]
    if found.type not in accepted:
        if field.element == "bf16":
            remedy = "pass bfloat16, or its bits as uint16"
        else:
            remedy = f"convert it, a.astype('{accepted[0]}')"
        raise ArgumentError(f"{argument} takes {' or '.join(accepted)} for the field {field}, "
                            f"found {found.type}; {remedy}")
