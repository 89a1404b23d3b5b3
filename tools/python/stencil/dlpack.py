"""DLPack capsules, read with ctypes: memory of another library, on whichever device.

A capsule is borrowed, not taken over: it keeps its name, so its own destructor calls the deleter
when the last reference to it goes. Whoever holds the capsule holds the memory, and nothing here
can forget to give it back. Capsules of version 1, which say whether they may be written, and older
ones are read; a version with another major number is refused, as its layout is unknown.
"""

from __future__ import annotations

import ctypes
import functools
import struct
from ctypes import c_char, c_char_p, c_void_p
from typing import Any, NamedTuple, Optional, Tuple

from .errors import ArgumentError

#: Kinds of devices, as the standard numbers them.
CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13

_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}
_READ_ONLY = 1
_MAJOR = 1
_VERSION = _MAJOR, 0


#: `DLTensor`: data, type and number of the device, dimensions, code, bits and lanes of the type,
#: shape, strides, offset. `struct` reads it in a fifth of the time of a ctypes structure.
_TENSOR = struct.Struct("=QiiiBBHQQQ")
#: What `DLManagedTensorVersioned` has before its tensor: major, minor, context, deleter, flags.
_VERSIONED = struct.Struct("=IIQQQ")


class Tensor(NamedTuple):
    """What a capsule says. Strides are in bytes, None where the cells are dense."""

    address: int
    device: Tuple[int, int]
    type: str
    shape: Tuple[int, ...]
    strides: Optional[Tuple[int, ...]]
    writable: bool
    capsule: Any


# Prototypes of our own: those of ctypes.pythonapi belong to the whole process.
_get_pointer = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


def _pointer(capsule: Any, name: bytes) -> Optional[int]:
    try:
        found: Optional[int] = _get_pointer(capsule, name)
        return found
    except ValueError:  # It is a capsule of another name, or none.
        return None


def export(array: Any, stream: Optional[int]) -> Any:
    """Asks an array for its capsule; its producer orders its own work before the stream's."""
    options = {} if stream is None else {"stream": stream}
    try:
        return array.__dlpack__(max_version=_VERSION, **options)
    except TypeError:
        # A producer from before version 1 does not know the word.
        return array.__dlpack__(**options)


def read(capsule: Any) -> Tensor:
    """Reads a capsule of either form."""
    address = _pointer(capsule, b"dltensor_versioned")
    writable = True
    if address is not None:
        major, minor, _, _, flags = _unpack(_VERSIONED, address)
        if major != _MAJOR:
            raise ArgumentError(f"has a DLPack capsule of version {major}.{minor}; version "
                                f"{_MAJOR} can be read")
        writable = not flags & _READ_ONLY
        address += _VERSIONED.size
    else:
        address = _pointer(capsule, b"dltensor")
        if address is None:
            raise ArgumentError("has a __dlpack__ that gives no capsule")
    (data, device_type, device, rank, code, bits, lanes, shape, strides,
     offset) = _unpack(_TENSOR, address)
    if lanes != 1 or code not in _KINDS:
        raise ArgumentError(f"has a DLPack type with code {code}, {bits} bits and {lanes} lanes, "
                            "which no field has")
    size = (bits + 7) // 8
    steps = None
    if strides:
        steps = tuple([stride * size for stride in _integers(strides, rank)])
    kind = _KINDS[code]
    return Tensor(data + offset, (device_type, device),
                  kind if kind == "bool" else f"{kind}{bits}", _integers(shape, rank), steps,
                  writable, capsule)


def _integers(address: int, count: int) -> Tuple[int, ...]:
    return _unpack(_numbers(count), address) if count else ()


@functools.lru_cache(maxsize=None)
def _numbers(count: int) -> struct.Struct:
    return struct.Struct(f"={count}q")


def _unpack(layout: struct.Struct, address: int) -> Tuple[Any, ...]:
    return layout.unpack_from(_memory(layout.size).from_address(address))


@functools.lru_cache(maxsize=None)
def _memory(size: int) -> Any:
    """So many bytes: a type whose objects are faster to make than a copy of the memory."""
    return c_char * size
