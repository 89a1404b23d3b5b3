"""The CUDA driver through ctypes: the one place that talks to the device.

Nothing is opened before something runs, so packages can be read and looked at anywhere. Of the
driver's interface as little as possible is used: the primary context of a device (the one that
CuPy, PyTorch and the CUDA runtime use too, so their memory is ours to read), modules, plain memory,
copies and launches on one stream at a time. The context that was current before a call is current
again after it. A primary context stays retained until the process ends, like those of the
libraries named above.

A kernel that fails says so at the next wait. Then the context is lost, for all libraries alike;
the error names every kernel that may have been the one.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import threading
from contextlib import contextmanager
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_ubyte, c_uint, c_uint64, c_void_p
from typing import Any, Dict, Iterator, List, Optional, Tuple

from .archive import Code
from .errors import DriverError
from .manifest import Kernel
from .scalars import size_of

#: Names of the driver's library; the first that can be opened is taken.
LIBRARIES = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so.1", "libcuda.so")

# Numbers of the driver's interface, as its header has them.
_MAJOR, _MINOR, _SHARED_BYTES_MAX = 75, 76, 97
_STATIC_SHARED_BYTES, _DYNAMIC_SHARED_BYTES_MAX = 1, 8
_ERROR_LOG, _ERROR_LOG_BYTES = 5, 6
_DEVICE_ORDINAL = 9
_DEVICE_MEMORY = 2
_UNSUPPORTED_PTX = 222
#: Codes that say that a kernel ran and did something wrong.
_KERNEL_FAULTS = {700, 702, 710, 714, 715, 716, 717, 718, 719}

_LOG_BYTES = 16 * 1024

_ENTRY_POINTS: Dict[str, List[Any]] = {
    "cuInit": [c_uint],
    "cuDriverGetVersion": [POINTER(c_int)],
    "cuGetErrorName": [c_int, POINTER(c_char_p)],
    "cuGetErrorString": [c_int, POINTER(c_char_p)],
    "cuDeviceGetCount": [POINTER(c_int)],
    "cuDeviceGet": [POINTER(c_int), c_int],
    "cuDeviceGetName": [c_char_p, c_int, c_int],
    "cuDeviceGetAttribute": [POINTER(c_int), c_int, c_int],
    "cuDevicePrimaryCtxRetain": [POINTER(c_void_p), c_int],
    "cuCtxGetCurrent": [POINTER(c_void_p)],
    "cuCtxSetCurrent": [c_void_p],
    "cuCtxGetDevice": [POINTER(c_int)],
    "cuPointerGetAttribute": [c_void_p, c_int, c_uint64],
    "cuModuleLoadDataEx": [POINTER(c_void_p), c_char_p, c_uint, POINTER(c_int), POINTER(c_void_p)],
    "cuModuleUnload": [c_void_p],
    "cuModuleGetFunction": [POINTER(c_void_p), c_void_p, c_char_p],
    "cuFuncGetParamInfo": [c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_size_t)],
    "cuFuncGetAttribute": [POINTER(c_int), c_int, c_void_p],
    "cuFuncSetAttribute": [c_void_p, c_int, c_int],
    "cuMemGetInfo_v2": [POINTER(c_size_t), POINTER(c_size_t)],
    "cuMemAlloc_v2": [POINTER(c_uint64), c_size_t],
    "cuMemFree_v2": [c_uint64],
    "cuMemcpyHtoDAsync_v2": [c_uint64, c_void_p, c_size_t, c_void_p],
    "cuMemcpyDtoHAsync_v2": [c_void_p, c_uint64, c_size_t, c_void_p],
    "cuMemcpyDtoDAsync_v2": [c_uint64, c_uint64, c_size_t, c_void_p],
    "cuMemcpy2DAsync_v2": [c_void_p, c_void_p],
    "cuMemsetD8Async": [c_uint64, c_ubyte, c_size_t, c_void_p],
    "cuStreamSynchronize": [c_void_p],
    "cuCtxSynchronize": [],
    "cuLaunchKernel": [c_void_p] + 7 * [c_uint] + [c_void_p, POINTER(c_void_p), c_void_p],
}


class _Rows(ctypes.Structure):
    """CUDA_MEMCPY2D: rows of one width at two pitches."""

    _fields_ = [
        ("source_x_bytes", c_size_t), ("source_y", c_size_t), ("source_memory_type", c_uint),
        ("source_host", c_void_p), ("source_device", c_uint64), ("source_array", c_void_p),
        ("source_pitch_bytes", c_size_t),
        ("target_x_bytes", c_size_t), ("target_y", c_size_t), ("target_memory_type", c_uint),
        ("target_host", c_void_p), ("target_device", c_uint64), ("target_array", c_void_p),
        ("target_pitch_bytes", c_size_t), ("width_bytes", c_size_t), ("height", c_size_t)]


class Driver:
    """The library, opened and started."""

    def __init__(self) -> None:
        self._library = _open()
        version = c_int()
        self.call("cuDriverGetVersion", byref(version))
        self.version = (version.value // 1000, version.value % 1000 // 10)
        try:
            self.call("cuInit", 0)
        except DriverError as error:
            raise DriverError(f"the CUDA driver does not start: {error}", error.code) from None
        count = c_int()
        self.call("cuDeviceGetCount", byref(count))
        self.device_count = count.value

    def code(self, name: str, *arguments: Any) -> int:
        """Calls an entry point; gives its answer."""
        try:
            entry = getattr(self._library, name)
        except AttributeError:
            raise DriverError(f"the CUDA driver has no {name}: it is too old, CUDA 12.4 is needed; "
                              "install a newer NVIDIA driver") from None
        if entry.argtypes is None:
            entry.argtypes, entry.restype = _ENTRY_POINTS[name], c_int
        return int(entry(*arguments))

    def call(self, name: str, *arguments: Any) -> None:
        """Calls an entry point; refuses an answer other than success."""
        code = self.code(name, *arguments)
        if code:
            raise DriverError(self.message(code), code)

    def message(self, code: int) -> str:
        """`an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)`."""
        text, name = c_char_p(), c_char_p()
        if self.code("cuGetErrorString", code, byref(text)) or not text.value:
            return f"CUDA error {code}"
        self.code("cuGetErrorName", code, byref(name))
        return f"{text.value.decode()} ({(name.value or b'?').decode()})"

    def current_device(self) -> int:
        """The device whose context is current on this thread; 0 where none is."""
        context, device = c_void_p(), c_int()
        self.call("cuCtxGetCurrent", byref(context))
        if not context.value:
            return 0
        self.call("cuCtxGetDevice", byref(device))
        return device.value

    def device_of(self, address: int) -> int:
        """The device that holds the memory at an address."""
        ordinal = c_int(-1)
        # Any context will do, but one must be current.
        with device(self.current_device()).active():
            self.call("cuPointerGetAttribute", byref(ordinal), _DEVICE_ORDINAL, address)
        return ordinal.value


def use_emulator(library: str) -> None:
    """Takes the emulated driver for that of a GPU, for this process."""
    global LIBRARIES
    if driver.cache_info().currsize:
        if is_emulator():
            return
        raise DriverError("the CUDA driver is in use already in this process; ask for the emulator "
                          "before anything runs on a GPU")
    LIBRARIES = (library,)


def is_emulator() -> bool:
    """Whether the driver of this process is the emulated one."""
    if any("emulated" in os.path.basename(library) for library in LIBRARIES):
        return True
    # Under its own name or in the place of NVIDIA's, its devices say what they are.
    return driver.cache_info().currsize > 0 and driver().device_count > 0 \
        and device(0).name.startswith("emulated ")


def _open() -> ctypes.CDLL:
    for name in LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise DriverError(f"no CUDA driver: {LIBRARIES[0]} is not installed or not found; install the "
                      "NVIDIA driver, or compile with on=\"emulator\"")


@functools.lru_cache(maxsize=None)
def driver() -> Driver:
    """The driver; opened when it is first asked for."""
    return Driver()


@functools.lru_cache(maxsize=None)
def device(ordinal: int) -> "Device":
    """A device; its context is retained when something first needs it."""
    return Device(driver(), ordinal)


class Device:
    """A GPU. All that is done with its memory wants its context to be current, see `active`."""

    def __init__(self, driver_: Driver, ordinal: int) -> None:
        if not 0 <= ordinal < driver_.device_count:
            raise DriverError(f"device {ordinal} does not exist: there are {driver_.device_count}, "
                              "counted from 0")
        self.driver = driver_
        self.ordinal = ordinal
        self.lock = threading.RLock()
        self._handle = c_int()
        self._context: Optional[c_void_p] = None
        driver_.call("cuDeviceGet", byref(self._handle), ordinal)
        name = ctypes.create_string_buffer(256)
        driver_.call("cuDeviceGetName", name, len(name), self._handle)
        self.name = name.value.decode()
        self.compute_capability = (self._attribute(_MAJOR), self._attribute(_MINOR))
        self.shared_bytes_max = self._attribute(_SHARED_BYTES_MAX)

    def _attribute(self, number: int) -> int:
        value = c_int()
        self.driver.call("cuDeviceGetAttribute", byref(value), number, self._handle)
        return value.value

    @contextmanager
    def active(self) -> Iterator[None]:
        """The device's context is current inside, the one before it afterwards."""
        with self.lock:
            if self._context is None:
                context = c_void_p()
                self.driver.call("cuDevicePrimaryCtxRetain", byref(context), self._handle)
                self._context = context
        before = c_void_p()
        self.driver.call("cuCtxGetCurrent", byref(before))
        self.driver.call("cuCtxSetCurrent", self._context)
        try:
            yield
        finally:
            self.driver.call("cuCtxSetCurrent", before)

    def free_bytes(self) -> int:
        """Memory that nobody uses."""
        free, total = c_size_t(), c_size_t()
        self.driver.call("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value

    def allocate(self, count: int) -> int:
        """Reserves memory; its content is unspecified."""
        address = c_uint64()
        try:
            self.driver.call("cuMemAlloc_v2", byref(address), count)
        except DriverError as error:
            raise DriverError(f"allocating {count} bytes failed: {error}", error.code) from None
        return address.value

    def free(self, address: int) -> None:
        """Gives memory back. Where the context is lost there is nothing to give."""
        self.driver.code("cuMemFree_v2", address)


class Module:
    """The loaded kernels of a package, ready to be launched."""

    def __init__(self, device_: Device, code: Code) -> None:
        self.device = device_
        self._handle = self._load(code)
        kernels = code.manifest.kernels
        self.kernels = {name: self._kernel(kernel) for name, kernel in kernels.items()}

    def _load(self, code: Code) -> c_void_p:
        """The cubin if it is for this device and the driver takes it, else the PTX."""
        manifest, capability = code.manifest, self.device.compute_capability
        if code.cubin and manifest.target.rstrip("af") == "sm_{}{}".format(*capability):
            handle, answer, _ = self._load_image(code.cubin)
            if not answer:
                return handle
        handle, answer, log = self._load_image(code.ptx + b"\0")
        if not answer:
            return handle
        driver_ = self.device.driver
        if answer == _UNSUPPORTED_PTX:
            reason = ("the driver supports CUDA {}.{}".format(*driver_.version) + " and is too old "
                      f"for PTX {manifest.ptx_version}; install a newer NVIDIA driver, or compile "
                      "for an older PTX version")
        else:
            reason = (f"{driver_.message(answer)}; they are PTX {manifest.ptx_version} for "
                      f"{manifest.target}, the device '{self.device.name}' has compute capability "
                      "{}.{}".format(*capability))
        raise DriverError(f"kernels cannot be loaded: {reason}" + (f"\n{log}" if log else ""),
                          answer)

    def _load_image(self, image: bytes) -> Tuple[c_void_p, int, str]:
        log = ctypes.create_string_buffer(_LOG_BYTES)
        options = (c_int * 2)(_ERROR_LOG, _ERROR_LOG_BYTES)
        # The size is passed in the place of a pointer.
        values = (c_void_p * 2)(ctypes.addressof(log), _LOG_BYTES)
        handle = c_void_p()
        answer = self.device.driver.code("cuModuleLoadDataEx", byref(handle), image, 2, options,
                                         values)
        return handle, answer, log.value.decode(errors="replace").rstrip()

    def _kernel(self, kernel: Kernel) -> "LoadedKernel":
        driver_, handle = self.device.driver, c_void_p()
        try:
            driver_.call("cuModuleGetFunction", byref(handle), self._handle, kernel.name.encode())
            self._check_parameters(handle, kernel)
            static = c_int()
            driver_.call("cuFuncGetAttribute", byref(static), _STATIC_SHARED_BYTES, handle)
            needed = kernel.shared_bytes + static.value
            if needed > self.device.shared_bytes_max:
                raise DriverError(f"it needs {needed} bytes of shared memory per block, the device "
                                  f"has {self.device.shared_bytes_max}; compile it for this device")
            if kernel.shared_bytes:
                driver_.call("cuFuncSetAttribute", handle, _DYNAMIC_SHARED_BYTES_MAX,
                             kernel.shared_bytes)
        except DriverError as error:
            raise DriverError(f"kernel '{kernel.name}': {error}", error.code) from None
        return LoadedKernel(driver_, kernel, handle)

    def _check_parameters(self, handle: c_void_p, kernel: Kernel) -> None:
        """A launch passes what the manifest says; the kernel must read nothing else."""
        def bytes_of(index: int) -> Optional[int]:
            offset, count = c_size_t(), c_size_t()
            answer = self.device.driver.code("cuFuncGetParamInfo", handle, index, byref(offset),
                                             byref(count))
            return None if answer else count.value

        for index, type_ in enumerate(kernel.parameters):
            expected = 8 if type_ is None else size_of(type_)
            if bytes_of(index) != expected:
                raise DriverError(f"its parameter {index} has {bytes_of(index) or 0} bytes, the "
                                  f"manifest says {expected}")
        if bytes_of(len(kernel.parameters)) is not None:
            raise DriverError(f"it takes more than the {len(kernel.parameters)} parameters that "
                              "the manifest lists")

    def unload(self) -> None:
        """Gives the code back. Where the context is lost there is nothing to give."""
        self.device.driver.code("cuModuleUnload", self._handle)


class LoadedKernel:
    """A kernel of a loaded module, with room for the parameters of one launch."""

    def __init__(self, driver_: Driver, kernel: Kernel, handle: c_void_p) -> None:
        self.kernel = kernel
        self._driver = driver_
        self._handle = handle
        count = len(kernel.parameters)
        # A parameter of fewer bytes is read from the front of its word: hosts of CUDA are
        # little-endian.
        self._words = (c_uint64 * count)()
        start = ctypes.addressof(self._words)
        self._places = (c_void_p * count)(*(start + 8 * index for index in range(count)))

    def launch(self, words: List[int], stream: int) -> None:
        """Runs the kernel over its grid; the driver copies the parameters before it returns."""
        self._words[:] = words  # type: ignore[assignment]
        kernel = self.kernel
        code = self._driver.code("cuLaunchKernel", self._handle, *kernel.grid, *kernel.block,
                                 kernel.shared_bytes, stream, self._places, None)
        if code:
            # An older kernel's failure may surface here, under no name.
            who = "an earlier kernel" if code in _KERNEL_FAULTS else f"kernel '{kernel.name}'"
            raise DriverError(f"{who}: {self._driver.message(code)}", code)


class Queue:
    """Work for one stream, in order: copies, launches, and the wait for them."""

    def __init__(self, module: Module, stream: int) -> None:
        self.device = module.device
        self.stream = stream
        self._module = module
        #: Kernels launched since the last wait, each once.
        self._pending: Dict[str, None] = {}

    def launch(self, kernel: str, words: List[int]) -> None:
        """Runs a kernel; the words are addresses and the bits of scalars."""
        self._pending[kernel] = None
        self._module.kernels[kernel].launch(words, self.stream)

    def copy(self, source: int, target: int, count: int) -> None:
        """Copies on the device."""
        self._do("copying on the device", "cuMemcpyDtoDAsync_v2", target, source, count,
                 self.stream)

    def copy_rows(self, source: int, source_pitch: int, target: int, target_pitch: int,
                  width: int, height: int) -> None:
        """Copies rows of `width` bytes that are a pitch apart on the device."""
        rows = _Rows(source_memory_type=_DEVICE_MEMORY, source_device=source,
                     source_pitch_bytes=source_pitch, target_memory_type=_DEVICE_MEMORY,
                     target_device=target, target_pitch_bytes=target_pitch,
                     width_bytes=width, height=height)
        self._do("copying on the device", "cuMemcpy2DAsync_v2", ctypes.addressof(rows),
                 self.stream)

    def upload(self, source: int, target: int, count: int) -> None:
        """Copies from the host, whose memory must stay until `wait`."""
        self._do("copying to the device", "cuMemcpyHtoDAsync_v2", target, source, count,
                 self.stream)

    def download(self, source: int, target: int, count: int) -> None:
        """Copies to the host, whose memory must stay until `wait`."""
        self._do("copying from the device", "cuMemcpyDtoHAsync_v2", target, source, count,
                 self.stream)

    def fill(self, target: int, byte: int, count: int) -> None:
        """Sets every byte of a piece of memory."""
        self._do("filling memory", "cuMemsetD8Async", target, byte, count, self.stream)

    def wait(self) -> None:
        """Waits until all of it is done."""
        self._do("waiting for the device", "cuStreamSynchronize", self.stream)
        self._pending.clear()

    def wait_for_stream(self, stream: int) -> None:
        """Waits for what others put on a stream."""
        self._do("waiting for a stream", "cuStreamSynchronize", stream)

    def wait_for_device(self) -> None:
        """Waits for all streams."""
        self._do("waiting for the device", "cuCtxSynchronize")

    def _do(self, operation: str, name: str, *arguments: Any) -> None:
        code = self.device.driver.code(name, *arguments)
        if not code:
            return
        message = self.device.driver.message(code)
        if self._pending and code in _KERNEL_FAULTS:
            kernels = " or ".join(f"'{kernel}'" for kernel in self._pending)
            raise DriverError(f"kernel {kernels}: {message}", code)
        raise DriverError(f"{operation} failed: {message}", code)
