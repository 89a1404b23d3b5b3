"""What the tests share: the checkout, small packages made by hand, real ones, and a device.

Tests that run something need `stencilc` (see `stencil.compiling.find_compiler`) and a CUDA driver,
that of a GPU or the emulated one. Where either is missing those tests are skipped. With
`STENCIL_TEST_DRIVER` they fail instead: it is the path of the emulated driver's library, or
`installed` where the one that is found is meant.
"""

import contextlib
import copy
import ctypes
import doctest
import functools
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
KERNELS = CHECKOUT / "test" / "kernels"
sys.path.insert(0, str(CHECKOUT / "tools" / "python"))

import numpy  # noqa: E402 - the path comes first

import stencil  # noqa: E402
from stencil import compiling, driver, library as interface, package, running  # noqa: E402

FOLDER = tempfile.TemporaryDirectory(prefix="stencil-python-")
SCRATCH = Path(FOLDER.name)

#: Programs, with what they are compiled with, and the numbers that they run with.
PROGRAMS = {
    "devito-acoustic2d": ("devito-acoustic2d.mlir", [],
                          dict(time_m=0, time_M=6, dt=0.02, h_x=0.1, h_y=0.125)),
    "devito-diffusion2d": ("devito-diffusion2d.mlir", [],
                           dict(time_m=0, time_M=4, dt=0.01, h_x=0.1, h_y=0.2)),
    "heat3d": ("heat3d.mlir", ["--extents=6,9,33"], {}),
    "wave2d": ("wave2d.mlir", [], dict(c2=0.25, steps=5)),
    "two-stage": ("two-stage.mlir", ["--extents=7,8,35"], {}),
    "fluxes2d": ("fluxes2d.mlir", ["--extents=21,37"], {}),
    "forced-heat3d": ("forced-heat3d.mlir", [], dict(k=0.1, first=2)),
    "blur2d-f16": ("blur2d-f16.mlir", [], {}),
    "blur-columns-bf16": ("blur-columns-bf16.mlir", [], {}),
    "j2d5pt": ("j2d5pt.idsl", ["-D", "M=31,N=39", "--size", "M=17,N=40"], {}),
}


# ---- pages --------------------------------------------------------------------------------------

def check_page(case, page, flags=0):
    """Runs what a page shows, in the folder of the checkout; how many examples those are."""
    before = os.getcwd()
    os.chdir(CHECKOUT)
    try:
        found = doctest.testfile(str(page), module_relative=False, encoding="utf-8",
                                 optionflags=flags)
    finally:
        os.chdir(before)
    case.assertEqual(found.failed, 0)
    return found.attempted


# ---- packages made by hand ----------------------------------------------------------------------

def field(cells, **more):
    return {"field": {"lower": [-1], "upper": [cells - 1], "element": "f32", "scratch": False,
                      "written": True, **more}}


def index(value):
    return {"type": "index", "bits": f"0x{value:016x}"}


def function(name="heat", cells=12, variant_of=None):
    """`heat(u, v, steps, dt)`: each step runs `step(source, target, 2 * dt)` and swaps fields."""
    return {
        "name": name, "variant_of": variant_of,
        "arguments": [{"name": "u", "kind": field(cells)}, {"name": "v", "kind": field(cells)},
                      {"name": "steps", "kind": {"scalar": {"scalar": "index", "symbol": None}}},
                      {"name": None, "kind": {"scalar": {"scalar": "f32", "symbol": "dt"}}}],
        "body": [{"do": "constant", "result": 4, "value": index(0)},
                 {"do": "constant", "result": 5, "value": index(1)},
                 {"do": "scalar", "result": 6, "op": "addf", "operands": [3, 3], "ty": "f32"},
                 {"do": "for", "lower": 4, "upper": 2, "step": 5, "induction": 10,
                  "carried": [{"initial": 0, "argument": 11, "next": 12, "result": 13},
                              {"initial": 1, "argument": 12, "next": 11, "result": 14}],
                  "body": [{"do": "launch", "kernel": "step", "arguments": [11, 12, 6]}]}]}


def manifest():
    kernel = {"name": "step", "stage": "average", "location": None, "grid": [1, 1, 1],
              "block": [32, 1, 1], "shared_bytes": 0,
              "parameters": ["pointer", "pointer", {"scalar": "f32"}], "plan": None,
              "resources": None, "points": 10, "flops_per_point": {"written": 4, "executed": 4},
              "bytes_per_point": {"compulsory": 8, "predicted": None}, "approximate": False}
    return {"format": 3, "producer": {"program": "stencilc", "version": "0.1.0", "llvm": "22"},
            "target": "sm_90a", "ptx_version": "8.0", "functions": [function()],
            "kernels": [kernel], "digests": {}}


def members(folder="", described=None, **kernels):
    """A manifest and kernels for one folder, digests filled in."""
    kernels = kernels or {"ptx": b"// step\n"}
    named = {f"kernels.{ending}": content for ending, content in kernels.items()}
    described = copy.deepcopy(described or manifest())
    described["digests"] = {name: hashlib.sha256(content).hexdigest()
                            for name, content in named.items()}
    named["manifest.json"] = json.dumps(described).encode()
    return {folder + name: content for name, content in named.items()}


def zipped(contents, compression=zipfile.ZIP_STORED):
    """A package file of these members, its own digest at the end."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as file:
        for name in sorted(contents):
            file.writestr(name, contents[name])
        file.comment = b"stencil package, sha256 " + b"0" * 64
    covered = content.getvalue()[:-64]
    return covered + hashlib.sha256(covered).hexdigest().encode()


def by_hand(described=None, **values):
    """A package of one folder."""
    return of_bytes(zipped(members(described=described)), **values)


def taking(*fields, element="f32"):
    """A function of these fields that does nothing: it needs no device to refuse what it gets."""
    kinds = [{"field": {"lower": list(lower), "upper": list(upper), "element": element,
                        "scratch": False, "written": written}}
             for lower, upper, written in fields]
    described = manifest()
    described["functions"] = [{"name": "take", "variant_of": None, "body": [], "arguments": [
        {"name": name, "kind": kind} for name, kind in zip("uvw", kinds)]}]
    described["kernels"] = []
    return by_hand(described)


def refused(package, *values, **named):
    """What a package says of values that it does not take."""
    try:
        package(*values, **named)
    except stencil.ArgumentError as error:
        return str(error)
    except stencil.DriverError:
        pass
    return ""


def altered(name):
    """A package whose self-test expects something else."""
    with zipfile.ZipFile(compiled()[name]) as file:
        contents = {one: file.read(one) for one in file.namelist()}
    runs = json.loads(contents["selftest/expected.json"])
    runs[0]["fields"][min(runs[0]["fields"])] = "0" * 64
    contents["selftest/expected.json"] = json.dumps(runs).encode()
    place = SCRATCH / f"altered-{name}.spk"
    place.write_bytes(zipped(contents))
    return place


def of_bytes(content, **values):
    """A package of the content of a file."""
    handle = interface.handle("stencil_package_from_memory", content, len(content))
    return package.Package(running.Content(handle), "by-hand.spk", None, values)


# ---- fields -------------------------------------------------------------------------------------

def canonical(element, cells):
    """The bits of the cells, each NaN as the quiet one whose other bits are 0."""
    bits = numpy.ascontiguousarray(cells).view(f"<u{cells.dtype.itemsize}")
    fraction = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}.get(element)
    if fraction is None:
        return bits
    magnitude = (1 << (8 * cells.dtype.itemsize - 1)) - 1
    infinity = magnitude >> fraction << fraction
    word = bits.dtype.type
    return numpy.where((bits & word(magnitude)) > word(infinity),
                       word(infinity | 1 << (fraction - 1)), bits)


# ---- packages made by the compiler, and a device ------------------------------------------------

@functools.lru_cache(maxsize=None)
def library():
    """Opens the driver that is named, if one is, under the name that others look for."""
    named = os.environ.get("STENCIL_TEST_DRIVER", "installed")
    if named == "installed":
        return None
    place = SCRATCH / "driver" / "libcuda.so.1"
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(Path(named).resolve())
    # The compiler that is started by tests finds it by the path, this process has it already.
    os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(
        [str(place.parent)] + [path for path in [os.environ.get("LD_LIBRARY_PATH")] if path])
    return ctypes.CDLL(str(place))


def compiler(*words):
    answer = subprocess.run([compiling.find_compiler(), *map(str, words)], capture_output=True,
                            text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


@functools.lru_cache(maxsize=None)
def compiled():
    """The programs as packages, by name. The emulated driver reads them when it starts."""
    places = {name: SCRATCH / f"{name}.spk" for name in PROGRAMS}
    for name, (file, options, _) in PROGRAMS.items():
        compiler("compile", KERNELS / file, "--keep-ir", "-o", places[name], *options)
    os.environ["STENCIL_EMULATED_PACKAGES"] = os.pathsep.join(map(str, places.values()))
    return places


@functools.lru_cache(maxsize=None)
def reason_to_skip():
    """Why nothing can be run; nothing if it can."""
    try:
        compiling.find_compiler()
    except stencil.CompileError:
        return "there is no stencilc"
    os.environ["STENCIL_CACHE"] = str(SCRATCH / "cache")
    if "STENCIL_TEST_DRIVER" not in os.environ and driver.is_emulator():
        return "other tests use the emulator, and no driver is named"
    library()
    compiled()
    try:
        driver.device_count()
    except stencil.DriverError as error:
        # Whoever names a driver wants it to be used.
        assert "STENCIL_TEST_DRIVER" not in os.environ, str(error)
        return str(error)
    return ""


def needs_compiler():
    """To be said in `setUpModule` of tests that run on the interpreter or the emulator."""
    try:
        compiling.find_compiler()
    except stencil.CompileError as error:
        assert "STENCIL_TEST_DRIVER" not in os.environ, str(error)
        raise unittest.SkipTest("there is no stencilc") from None
    os.environ["STENCIL_CACHE"] = str(SCRATCH / "cache")


def needs_device():
    """To be said in `setUpModule`."""
    if reason_to_skip():
        raise unittest.SkipTest(reason_to_skip())


@functools.lru_cache(maxsize=None)
def expected(name, seed=1):
    """What the interpreter computes from random fields: the fields by position."""
    file, options, numbers = PROGRAMS[name]
    options = [word for word in options if "size" not in word and word != "M=17,N=40"]
    folder = SCRATCH / f"expected-{name}-{seed}"
    scalars = [word for key, value in numbers.items() for word in ("--arg", f"{key}={value}")]
    compiler("run", KERNELS / file, "--on=interpreter", f"--seed={seed}", "--out-dir", folder,
             *options, *scalars)
    signature = compiler("run", KERNELS / file, "--print-signature", *options).splitlines()[1:]
    fields = [words[:2] for words in map(str.split, signature) if words[2] == "field"]
    files = {position: f"arg{position}" if name == "-" else name for position, name in fields}
    return {int(position): numpy.load(folder / f"{stem}.npy") for position, stem in files.items()}


def child(name, lines, **environment):
    """Runs lines of Python with a package in a process of its own; gives what they print.

    The emulated driver reads its settings once in a process.
    """
    prelude = ("import scenery, stencil, numpy\n"
               "from stencil.random_fields import random_field\n"
               "scenery.library()\n"
               f"package = stencil.load({str(compiled()[name])!r})\n"
               "target = next(iter(package.functions.values()))\n"
               f"numbers = {PROGRAMS[name][2]!r}\n"
               "fields = [random_field(1, one.position, one.kind) for one in target.arguments\n"
               "          if one.name not in numbers]\n")
    answer = subprocess.run([sys.executable, "-B", "-c", prelude + lines], capture_output=True,
                            text=True, cwd=Path(__file__).parent,
                            env={**os.environ, **environment}, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


# ---- arrays of other libraries ------------------------------------------------------------------

@functools.lru_cache(maxsize=None)
def _cuda():
    return ctypes.CDLL("libcuda.so.1")


def cuda(name, *arguments):
    """Calls the CUDA driver itself."""
    words = [ctypes.c_uint64(one) if isinstance(one, int) else one for one in arguments]
    code = getattr(_cuda(), name)(*words)
    assert code == 0, f"{name}: {code}"


@functools.lru_cache(maxsize=None)
def context():
    """The context of the first device, kept for the process."""
    handle = ctypes.c_void_p()
    cuda("cuInit", 0)
    cuda("cuDevicePrimaryCtxRetain", ctypes.byref(handle), 0)
    return handle


@contextlib.contextmanager
def active():
    """The first device's context is current inside."""
    before = ctypes.c_void_p()
    handle = context()
    cuda("cuCtxGetCurrent", ctypes.byref(before))
    cuda("cuCtxSetCurrent", handle)
    try:
        yield
    finally:
        cuda("cuCtxSetCurrent", before)


class Memory:
    """A copy of an array on the device, freed when it goes."""

    def __init__(self, array, offset=0):
        self.bytes = array.nbytes
        base = ctypes.c_uint64()
        with active():
            cuda("cuMemAlloc_v2", ctypes.byref(base), array.nbytes + offset)
        self.base = base.value
        self.address = self.base + offset
        self.put(array)

    def put(self, array):
        content = numpy.ascontiguousarray(array)
        with active():
            cuda("cuMemcpyHtoD_v2", self.address, content.ctypes.data, content.nbytes)

    def get(self, like):
        content = numpy.empty(like.shape, like.dtype)
        with active():
            cuda("cuMemcpyDtoH_v2", content.ctypes.data, self.address, content.nbytes)
        return content

    def __del__(self):
        with active():
            _cuda().cuMemFree_v2(ctypes.c_uint64(self.base))


class InterfaceArray:
    """An array on the device with `__cuda_array_interface__`, as Numba has them."""

    def __init__(self, array, margin=0, offset=0, **more):
        whole = numpy.zeros([extent + margin for extent in array.shape], array.dtype)
        self._inside = tuple(slice(0, extent) for extent in array.shape)
        whole[self._inside] = array
        self._whole = whole
        self.memory = Memory(whole, offset)
        self.shape = array.shape
        self.__cuda_array_interface__ = {
            "version": 3, "shape": array.shape, "typestr": array.dtype.str,
            "data": (self.memory.address, False),
            "strides": whole.strides if margin else None, "stream": None, **more}

    def get(self):
        return self.memory.get(self._whole)[self._inside]

    def whole(self):
        return self.memory.get(self._whole)


class CapsuleArray:
    """An array with `__dlpack__`, on the device or on the host; counts its deleter's calls."""

    def __init__(self, array, versioned=True, read_only=False, device=2, code=None, major=1):
        self.array = array
        self.shape = array.shape
        self.memory = Memory(array) if device == 2 else None
        self.address = self.memory.address if device == 2 else array.ctypes.data
        self.options = (versioned, read_only, device, code, major)
        self.deleted = 0
        self.streams = []

    def get(self):
        return self.memory.get(self.array) if self.memory else self.array

    def __dlpack_device__(self):
        return self.options[2], 0

    def __dlpack__(self, *, stream=None, **more):
        self.streams.append(stream)
        versioned = self.options[0]
        if more and not versioned:
            raise TypeError("unexpected keyword 'max_version'")
        return _capsule(self, versioned)


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_NEW = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi))
_IS_VALID = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi))
_ALIVE = {}


class Tensor(ctypes.Structure):
    """DLTensor, written from the standard and not from the package that is tested."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class ManagedVersioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


def _capsule(owner, versioned):
    array, (_, read_only, device, code, major) = owner.array, owner.options
    rank = array.ndim
    shape = (ctypes.c_int64 * rank)(*array.shape)
    strides = (ctypes.c_int64 * rank)(*(stride // array.itemsize for stride in array.strides))
    codes = {"i": 0, "u": 1, "f": 2, "b": 6}
    tensor = Tensor(owner.address, device, 0, rank, code or codes[array.dtype.kind],
                    8 * array.itemsize, 1, ctypes.addressof(shape), ctypes.addressof(strides), 0)

    def delete(_):
        owner.deleted += 1

    deleter = _DELETER(delete)
    address = ctypes.cast(deleter, ctypes.c_void_p).value
    if versioned:
        managed = ManagedVersioned(major, 0, None, address, int(read_only), tensor)
    else:
        managed = Managed(tensor, None, address)
    name = b"dltensor_versioned" if versioned else b"dltensor"

    def destroy(capsule):
        # As the standard has it: a capsule that nobody took over deletes its tensor.
        if _IS_VALID(capsule, name):
            deleter(ctypes.addressof(managed))

    destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(destroy)
    _ALIVE[ctypes.addressof(managed)] = (managed, shape, strides, deleter, destructor, name)
    return _NEW(ctypes.addressof(managed), name, ctypes.cast(destructor, ctypes.c_void_p))
