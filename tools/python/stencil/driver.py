"""The CUDA driver and its devices, as `libstencil` sees them, and the emulated driver."""

from __future__ import annotations

import os
from ctypes import byref
from typing import List, Tuple

from . import library
from .errors import DriverError

_EMULATORS: List[str] = []


def use_emulator(path: str) -> None:
    """Takes the emulated driver for that of a GPU, for this process."""
    if is_in_use():
        if is_emulator():
            return
        raise DriverError("the CUDA driver is in use already in this process; ask for the emulator "
                          "before anything runs on a GPU")
    library.call("stencil_use_driver", os.fsencode(path))
    _EMULATORS.append(path)


def is_emulator() -> bool:
    """Whether the driver of this process is the emulated one."""
    if _EMULATORS:
        return True
    # In the place of NVIDIA's, its devices say what they are.
    return is_in_use() and device_count() > 0 and describe(0)[0].startswith("emulated ")


def is_in_use() -> bool:
    """Whether a driver was opened in this process."""
    return bool(library.library().stencil_driver_is_in_use())


def device_count() -> int:
    """How many devices there are."""
    return library.number("stencil_device_count")


def current_device() -> int:
    """The device whose context is current on this thread; 0 where none is."""
    return library.number("stencil_device_current")


def device_of(address: int) -> int:
    """The device that holds the memory at an address."""
    return library.number("stencil_device_of", address)


def describe(ordinal: int) -> Tuple[str, Tuple[int, int]]:
    """Name and compute capability of a device."""
    found = library.Device()
    library.call("stencil_device_describe", ordinal, byref(found))
    return found.name.decode(), (found.capability_major, found.capability_minor)
