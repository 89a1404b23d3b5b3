"""Asks a CUDA driver, NVIDIA's or the emulated one, what it answers to calls of every kind.

    python3 answers.py PACKAGE.spk

Prints a line for each call. The package is that of test/tools/stencil-run/driver-answers.mlir,
whose golden file the lines of both drivers must be equal to. Each case runs in a process of its
own, because a kernel that failed leaves a process without a device. Wrong handles are not among
the cases: NVIDIA's driver follows them into nowhere.
"""

import ctypes
import subprocess
import sys
import zipfile
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p

SYMBOLS = {
    "cuMemAlloc": "cuMemAlloc_v2",
    "cuMemFree": "cuMemFree_v2",
    "cuMemcpyHtoD": "cuMemcpyHtoD_v2",
    "cuMemcpyDtoH": "cuMemcpyDtoH_v2",
    "cuMemsetD32": "cuMemsetD32_v2",
    "cuStreamBeginCapture": "cuStreamBeginCapture_v2",
    "cuModuleGetGlobal": "cuModuleGetGlobal_v2",
}
GLOBAL, RELAXED = 0, 2
NON_BLOCKING = 1
FIELD_BYTES = 66 * 8
KERNEL = b"diffusion_stage0"


class Driver:
    def __init__(self, package):
        self.library = ctypes.CDLL("libcuda.so.1")
        with zipfile.ZipFile(package) as archive:
            self.ptx = archive.read("kernels.ptx")

    def ask(self, name, *arguments):
        """The name of the code that a call answers with."""
        code = getattr(self.library, SYMBOLS.get(name, name))(*arguments)
        text = ctypes.c_char_p()
        self.library.cuGetErrorName(code, byref(text))
        return text.value.decode().removeprefix("CUDA_")

    def tell(self, what, name, *arguments):
        print(f"  {what}: {self.ask(name, *arguments)}")

    def made(self, name, *arguments):
        """What a call that must succeed makes."""
        result = c_void_p()
        answer = self.ask(name, byref(result), *arguments)
        assert answer == "SUCCESS", f"{name}: {answer}"
        return result

    def start(self):
        assert self.ask("cuInit", 0) == "SUCCESS"
        context = self.made("cuDevicePrimaryCtxRetain", 0)
        self.ask("cuCtxSetCurrent", context)

    def field(self):
        return self.made("cuMemAlloc", c_size_t(FIELD_BYTES))

    def function(self):
        self.module = self.made("cuModuleLoadData", self.ptx)
        return self.made("cuModuleGetFunction", self.module, KERNEL)

    def launch(self, function, pointers, grid=(1, 1, 1), block=(64, 1, 1), shared=0, stream=None):
        words = [c_uint64(pointer) for pointer in pointers]
        each = (c_void_p * len(words))(*(ctypes.addressof(word) for word in words))
        sizes = [c_uint(size) for size in (*grid, *block, shared)]
        return ("cuLaunchKernel", function, *sizes, stream, each, None)


def starting(driver):
    address = c_void_p()
    driver.tell("allocate before cuInit", "cuMemAlloc", byref(address), c_size_t(4))
    driver.tell("flags of cuInit", "cuInit", 1)
    assert driver.ask("cuInit", 0) == "SUCCESS"
    driver.tell("allocate without a context", "cuMemAlloc", byref(address), c_size_t(4))
    driver.tell("a device that is not there", "cuDeviceGet", byref(address), 99)
    driver.tell("release what was not retained", "cuDevicePrimaryCtxRelease_v2", 0)


def memory(driver):
    driver.start()
    address, field = c_void_p(), driver.field()
    room = (ctypes.c_char * (2 * FIELD_BYTES))()
    inside = c_void_p(field.value + 4)
    driver.tell("allocate nothing", "cuMemAlloc", byref(address), c_size_t(0))
    driver.tell("allocate all there is", "cuMemAlloc", byref(address), c_size_t(1 << 50))
    driver.tell("fill misaligned", "cuMemsetD32", c_void_p(field.value + 2), 0, c_size_t(1))
    driver.tell("free nothing", "cuMemFree", None)
    driver.tell("free inside", "cuMemFree", inside)
    driver.tell("copy within", "cuMemcpyDtoH", room, field, c_size_t(FIELD_BYTES))
    driver.tell("copy of host memory", "cuMemcpyDtoH", room, room, c_size_t(8))
    driver.tell("free", "cuMemFree", field)
    driver.tell("free again", "cuMemFree", field)


def code(driver):
    driver.start()
    module, function = c_void_p(), driver.function()
    newer = driver.ptx.replace(b".version 8.0", b".version 9.9")
    other = driver.ptx.replace(b"sm_90a", b"sm_80a")
    driver.tell("newer PTX", "cuModuleLoadData", byref(module), newer)
    driver.tell("PTX for no target", "cuModuleLoadData", byref(module), other)
    driver.tell("no kernel", "cuModuleGetFunction", byref(module), driver.module, b"nothing")
    driver.tell("no global", "cuModuleGetGlobal", byref(module), None, driver.module, b"nothing")
    offset, size = c_size_t(), c_size_t()
    for index in range(3):
        place = (byref(offset), byref(size))
        driver.tell(f"parameter {index}", "cuFuncGetParamInfo", function, c_size_t(index), *place)
    print(f"  the last of them: at {offset.value}, {size.value} bytes")
    most, left = 8, 232448
    driver.tell("shared memory", "cuFuncSetAttribute", function, most, left)
    driver.tell("more of it", "cuFuncSetAttribute", function, most, left + 1)


def launching(driver):
    driver.start()
    function, pointers = driver.function(), [driver.field().value, driver.field().value]
    shapes = {
        "a launch": {},
        "more threads than the PTX bounds": {"block": (257, 1, 1)},
        "more threads than there may be": {"block": (1025, 1, 1)},
        "no block": {"grid": (0, 1, 1)},
        "too many blocks": {"grid": (1, 65536, 1)},
        "shared memory": {"shared": 49152},
        "shared memory that was not asked for": {"shared": 49153},
    }
    for what, shape in shapes.items():
        driver.tell(what, *driver.launch(function, pointers, **shape))
    driver.tell("waiting", "cuCtxSynchronize")


def failing(pointer):
    def case(driver):
        driver.start()
        function, field = driver.function(), driver.field()
        address = c_void_p()
        start = pointer if pointer == 0 else field.value + pointer
        driver.tell("the launch", *driver.launch(function, [field.value, start]))
        driver.tell("waiting", "cuCtxSynchronize")
        driver.tell("allocate", "cuMemAlloc", byref(address), c_size_t(4))
        driver.tell("launch again", *driver.launch(function, [field.value, field.value]))

    return case


def events(driver):
    driver.start()
    time, never, now = c_float(), driver.made("cuEventCreate", 0), driver.made("cuEventCreate", 0)
    without = driver.made("cuEventCreate", 2)
    driver.tell("query of what was not recorded", "cuEventQuery", never)
    for event in (now, without):
        driver.ask("cuEventRecord", event, None)
    driver.tell("wait", "cuEventSynchronize", now)
    driver.tell("time since never", "cuEventElapsedTime", byref(time), never, now)
    driver.tell("time of what has none", "cuEventElapsedTime", byref(time), now, without)
    driver.tell("time", "cuEventElapsedTime", byref(time), now, now)
    print(f"  between an event and itself: {time.value} ms")


def capturing(driver):
    driver.start()
    quiet = driver.made("cuStreamCreate", NON_BLOCKING)
    blocking = driver.made("cuStreamCreate", 0)
    address, field, graph = c_void_p(), driver.field(), c_void_p()

    def begin(stream, mode):
        assert driver.ask("cuStreamBeginCapture", stream, mode) == "SUCCESS"

    def end(what, stream):
        driver.tell(f"end after {what}", "cuStreamEndCapture", stream, byref(graph))

    driver.tell("begin in the legacy stream", "cuStreamBeginCapture", None, RELAXED)
    end("no begin", quiet)
    begin(quiet, GLOBAL)
    driver.tell("begin twice", "cuStreamBeginCapture", quiet, GLOBAL)
    driver.tell("allocate", "cuMemAlloc", byref(address), c_size_t(4))
    end("that", quiet)
    begin(quiet, GLOBAL)
    driver.tell("wait for the context", "cuCtxSynchronize")
    end("that", quiet)
    begin(quiet, RELAXED)
    driver.tell("wait for the stream", "cuStreamSynchronize", quiet)
    end("that", quiet)
    begin(quiet, RELAXED)
    driver.tell("allocate, relaxed", "cuMemAlloc", byref(address), c_size_t(4))
    fill = (field, 0, c_size_t(2))
    driver.tell("legacy stream beside it", "cuMemsetD32Async", *fill, None)
    end("that", quiet)
    begin(blocking, RELAXED)
    driver.tell("legacy stream beside a blocking one", "cuMemsetD32Async", *fill, None)
    driver.tell("more for the blocking one", "cuMemsetD32Async", *fill, blocking)
    end("that", blocking)


def joining(driver):
    driver.start()
    first = driver.made("cuStreamCreate", NON_BLOCKING)
    second = driver.made("cuStreamCreate", NON_BLOCKING)
    event, field, graph = driver.made("cuEventCreate", 2), driver.field(), c_void_p()
    fill = (field, 0, c_size_t(2))

    def fork():
        driver.ask("cuStreamBeginCapture", first, GLOBAL)
        driver.ask("cuEventRecord", event, first)
        driver.tell("join", "cuStreamWaitEvent", second, event, 0)
        driver.tell("work in it", "cuMemsetD32Async", *fill, second)

    fork()
    driver.tell("end in the other stream", "cuStreamEndCapture", second, byref(graph))
    driver.tell("end", "cuStreamEndCapture", first, byref(graph))
    fork()
    driver.tell("end without a join back", "cuStreamEndCapture", first, byref(graph))
    driver.ask("cuEventRecord", event, second)
    driver.ask("cuStreamBeginCapture", first, GLOBAL)
    driver.tell("wait for what is outside", "cuStreamWaitEvent", first, event, 0)
    driver.tell("end after that", "cuStreamEndCapture", first, byref(graph))
    fork()
    driver.ask("cuEventRecord", event, second)
    driver.tell("query of a captured event", "cuEventQuery", event)
    driver.tell("join back", "cuStreamWaitEvent", first, event, 0)
    driver.tell("end after it", "cuStreamEndCapture", first, byref(graph))


CASES = {
    "starting": starting,
    "memory": memory,
    "code": code,
    "launching": launching,
    "a null pointer": failing(0),
    "a misaligned pointer": failing(4),
    "a pointer far outside": failing(1 << 40),
    "events": events,
    "capturing": capturing,
    "joining": joining,
}


def main():
    package, *case = sys.argv[1:]
    if case:
        CASES[case[0]](Driver(package))
        return
    for name in CASES:
        print(name, flush=True)
        command = [sys.executable, "-B", __file__, package, name]
        ended = subprocess.run(command, check=False)
        if ended.returncode != 0:
            print(f"  ended with {ended.returncode}", flush=True)


if __name__ == "__main__":
    main()
