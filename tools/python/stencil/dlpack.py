"""DLPack capsules, read with ctypes: memory of another library, on whichever device.

A capsule is borrowed, not taken over: it keeps its name, so its own destructor calls the deleter
when the last reference to it goes. Whoever holds the capsule holds the memory, and nothing here
can forget to give it back. Capsules of version 1, which say whether they may be written, and older
ones are read; a version with another major number is refused, as its layout is unknown.
"""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from typing import Any, NamedTuple, Optional, Tuple

from .errors import ArgumentError

#: Kinds of devices, as the standard numbers them.
CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13

_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}
_READ_ONLY = 1
_MAJOR = 1


class _Tensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32),
                ("dimensions", c_int32), ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16),
                ("shape", ctypes.POINTER(c_int64)), ("strides", ctypes.POINTER(c_int64)),
                ("byte_offset", c_uint64)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p),
                ("deleter", c_void_p), ("flags", c_uint64), ("tensor", _Tensor)]


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
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


def _pointer(capsule: Any, name: bytes) -> Optional[int]:
    return _get_pointer(capsule, name) if _is_valid(capsule, name) else None


def export(array: Any, stream: Optional[int]) -> Any:
    """Asks an array for its capsule; its producer orders its own work before the stream's."""
    options = {} if stream is None else {"stream": stream}
    try:
        return array.__dlpack__(max_version=(_MAJOR, 0), **options)
    except TypeError:
        # A producer from before version 1 does not know the word.
        return array.__dlpack__(**options)


def read(capsule: Any) -> Tensor:
    """Reads a capsule of either form."""
    address = _pointer(capsule, b"dltensor_versioned")
    writable = True
    if address is not None:
        managed = _Versioned.from_address(address)
        if managed.major != _MAJOR:
            raise ArgumentError(f"has a DLPack capsule of version {managed.major}.{managed.minor}; "
                                f"version {_MAJOR} can be read")
        tensor, writable = managed.tensor, not managed.flags & _READ_ONLY
    else:
        address = _pointer(capsule, b"dltensor")
        if address is None:
            raise ArgumentError("has a __dlpack__ that gives no capsule")
        tensor = _Tensor.from_address(address)
    if tensor.lanes != 1 or tensor.code not in _KINDS:
        raise ArgumentError(f"has a DLPack type with code {tensor.code}, {tensor.bits} bits and "
                            f"{tensor.lanes} lanes, which no field has")
    rank = tensor.dimensions
    size = (tensor.bits + 7) // 8
    strides = None
    if tensor.strides:
        strides = tuple(stride * size for stride in tensor.strides[:rank])
    kind = _KINDS[tensor.code]
    return Tensor(
        address=(tensor.data or 0) + tensor.byte_offset,
        device=(tensor.device_type, tensor.device_id),
        type=kind if kind == "bool" else f"{kind}{tensor.bits}",
        shape=tuple(tensor.shape[:rank]), strides=strides, writable=writable, capsule=capsule)
