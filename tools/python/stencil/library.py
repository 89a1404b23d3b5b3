"""`libstencil` through ctypes: the one place that knows its C interface.

The library reads packages, evaluates their numbers and drives the device, for hosts in every
language; `lowering/runtime/c/include/stencil.h` is its header. It is opened when something first
needs it: programs can be traced and compiled without it.
"""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import (POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32,
                    c_uint64, c_void_p)
from pathlib import Path
from typing import Any, Dict, List, Optional

from .errors import (ArgumentError, DriverError, PackageError, ProgramError, StencilError,
                     VerificationError)
from .wording import in_python

NAME = "libstencil.so"

#: The numbers of the types of values.
TYPES = {name: number for number, name in enumerate(
    ("i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64"), 1)}

ON_HOST, READ_ONLY = 1, 2


class Array(ctypes.Structure):
    """`stencil_array`."""

    _fields_ = [("data", c_void_p), ("extents", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("rank", c_uint32), ("cell_type", c_uint32), ("flags", c_uint32)]


class Value(ctypes.Structure):
    """`stencil_value`."""

    _fields_ = [("array", POINTER(Array)), ("bits", c_uint64), ("number_type", c_uint32)]


class Verified(ctypes.Structure):
    """`stencil_verified`."""

    _fields_ = [("runs", c_uint64), ("fields", c_uint64), ("cells", c_uint64)]


class Device(ctypes.Structure):
    """`stencil_device`."""

    _fields_ = [("name", ctypes.c_char * 256), ("capability_major", c_int32),
                ("capability_minor", c_int32), ("driver_major", c_int32),
                ("driver_minor", c_int32), ("memory_bytes", c_uint64)]


_STATUSES: Dict[str, List[Any]] = {
    "stencil_package_read": [c_char_p, POINTER(c_void_p)],
    "stencil_package_from_memory": [c_char_p, c_size_t, POINTER(c_void_p)],
    "stencil_check": [c_void_p, c_size_t, POINTER(Value), c_size_t],
    "stencil_module_load": [c_void_p, c_int32, POINTER(c_void_p)],
    "stencil_module_load_shared": [c_void_p, POINTER(c_size_t), c_size_t, POINTER(c_void_p)],
    "stencil_run": [c_void_p, c_size_t, POINTER(Value), c_size_t, c_void_p],
    "stencil_synchronize": [c_void_p, c_void_p],
    "stencil_time": [c_void_p, c_size_t, POINTER(Value), c_size_t, c_void_p, c_uint32, c_uint32,
                     POINTER(c_double)],
    "stencil_verify_shared": [c_void_p, c_size_t, POINTER(Value), c_size_t, c_uint64,
                              POINTER(c_size_t), c_size_t, POINTER(Verified)],
    "stencil_selftest": [c_void_p, c_size_t, POINTER(Verified)],
    "stencil_fill_random": [c_uint64, c_size_t, c_uint32, c_uint64, c_void_p],
    "stencil_use_driver": [c_char_p],
    "stencil_device_count": [POINTER(c_size_t)],
    "stencil_device_current": [POINTER(c_size_t)],
    "stencil_device_of": [c_void_p, POINTER(c_size_t)],
    "stencil_device_describe": [c_size_t, POINTER(Device)],
}
_OTHERS: Dict[str, Any] = {
    "stencil_package_free": ([c_void_p], None),
    "stencil_package_report": ([c_void_p], c_char_p),
    "stencil_module_free": ([c_void_p], None),
    "stencil_module_report": ([c_void_p], c_char_p),
    "stencil_driver_is_in_use": ([], c_int32),
    "stencil_last_error": ([], c_char_p),
    "stencil_last_cuda_error": ([], c_int32),
}

_ERRORS = {1: PackageError, 2: ArgumentError, 3: ProgramError, 6: VerificationError}


def find() -> Path:
    """The library that is named, lies in this package, or belongs to the compiler."""
    named = os.environ.get("STENCIL_LIBRARY")
    if named:
        return Path(named)
    here = Path(__file__).resolve().parent / NAME
    if here.exists():
        return here
    from .compiling import find_compiler
    try:
        folder = Path(find_compiler()).resolve().parent
    except StencilError:
        raise StencilError(f"there is no {NAME}: put the folder of stencilc on the PATH, or name "
                           "the library in the environment variable STENCIL_LIBRARY") from None
    for place in (folder.parent / "lib" / NAME, folder / NAME):
        if place.exists():
            return place
    raise StencilError(f"there is no {NAME} beside '{folder}': './x setup' builds it, './x "
                       "install' installs it; or name it in STENCIL_LIBRARY")


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library; opened when it is first asked for."""
    place = find()
    try:
        opened = ctypes.CDLL(str(place))
    except OSError as error:
        raise StencilError(f"library '{place}' cannot be opened: {error}") from error
    declared = {name: (arguments, c_int32) for name, arguments in _STATUSES.items()}
    for name, (arguments, result) in {**declared, **_OTHERS}.items():
        if not hasattr(opened, name):
            raise other_version(place, f"has no function '{name}'")
        getattr(opened, name).argtypes, getattr(opened, name).restype = arguments, result
    return opened


def other_version(place: Path, why: str) -> StencilError:
    """The error for a library that has not what this package asks it for."""
    from . import __version__
    return StencilError(f"library '{place}' is of another version than this package, "
                        f"{__version__}: it {why}; take both from one build, or name another "
                        "library in the environment variable STENCIL_LIBRARY")


def call(name: str, *arguments: Any) -> None:
    """Calls a function that answers with a status; what is wrong is raised."""
    try:
        status = getattr(library(), name)(*arguments)
    except ctypes.ArgumentError as error:
        raise ArgumentError(f"{name} does not take these values: {error}") from None
    if status:
        fail(status)


def fail(status: int) -> None:
    """Raises what the last call of this thread said, which answered with this status."""
    opened = library()
    message = in_python(opened.stencil_last_error().decode(errors="replace"))
    if status in (4, 5):
        raise DriverError(message, opened.stencil_last_cuda_error())
    raise _ERRORS.get(status, StencilError)(message)


def number(name: str, *arguments: Any) -> int:
    """Calls a function that puts a number at its last place."""
    found = c_size_t()
    call(name, *arguments, byref(found))
    return found.value


def handle(name: str, *arguments: Any) -> c_void_p:
    """Calls a function that makes a handle."""
    made = c_void_p()
    call(name, *arguments, byref(made))
    return made


def text(name: str, *arguments: Any) -> Optional[str]:
    """Calls a function that gives a text, or none."""
    found = getattr(library(), name)(*arguments)
    return None if found is None else found.decode()
