"""What is wrong with a call, a declaration or a file is a `StencilError` that says what to do."""

import os
import unittest
from unittest import mock

import numpy

import scenery
from scenery import stencil
from stencil import library

j, i = stencil.indices("j i")
ARRAY = numpy.ones((8, 9))
TEXT = "func.func @f(%u: !stencil.field<[0,8]x[0,9]xf64>) {\n  return\n}\n"


@stencil.program
def copy(u, v):
    v[j, i] = u[j, i]


class WrongInterface:
    """An array whose description lacks what the protocol has."""

    __cuda_array_interface__ = {}
    shape, dtype = (8, 9), numpy.dtype("f8")


class WrongCapsule:
    shape, dtype = (8, 9), numpy.dtype("f8")

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        raise KeyError("no memory")


class WrongShape:
    __array_interface__ = {"shape": "a"}
    dtype = numpy.dtype("f8")


class Misuse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scenery.needs_compiler()

    def check(self, error, text, call, *values, **named):
        with self.subTest(text), self.assertRaises(error) as caught:
            call(*values, **named)
        found = str(caught.exception)
        self.assertEqual(found.split(": ", 1)[1] if error is stencil.TraceError else found, text)

    def test_options_of_programs(self):
        def refused(text, **options):
            self.check(stencil.TraceError, text, lambda: stencil.program(**options)(
                copy.__wrapped__))

        refused("static=5 names no arguments; give names: static='order', or static=('order', "
                "'scheme')", static=5)
        refused("static=None names no arguments; give names: static='order', or static=('order', "
                "'scheme')", static=None)
        refused("fast_math=[]; it is False, 'contract' or True", fast_math=[])

    def test_boundaries(self):
        for strength in ("x", None, float("nan")):
            self.check(stencil.TraceError, f"stencil.absorbing(20, strength={strength!r}) has no "
                       "strength; give a number: strength=0.015", stencil.absorbing, 20,
                       strength=strength)
        self.assertEqual(stencil.fixed(numpy.float32(0.5)).value, 0.5)
        self.assertEqual(stencil.fixed(numpy.int64(2), "i").value, 2)

    def test_arrays_that_nothing_is_run_on(self):
        types = ("; types are bool, int8, int16, int32, int64, float16, bfloat16, float32 and "
                 "float64")
        shapes = " is no shape of an array; give extents of at least 1: stencil.Array((64, 64))"
        for dtype in ("float8", "f9", "uint8", "complex64", 5, None, [], object):
            self.check(stencil.TraceError, f"stencil.Array of {dtype!r}, which stencils do not have"
                       + types, stencil.Array, (3, 4), dtype)
        for shape in ("ab", None, (None,), ((3,), 4), (2.5, 3), -1, (-1, 3), (0, 1), (), (1, True)):
            self.check(stencil.TraceError, repr(shape) + shapes, stencil.Array, shape)
        for dtype in ("f4", "float32", numpy.float32, numpy.dtype("f4"), "f32", "<f4"):
            self.assertEqual(stencil.Array([3, numpy.int64(4)], dtype),
                             stencil.Array((3, 4), "float32"))
        self.assertEqual(stencil.Array(3, float).dtype, "float64")

    def test_arguments(self):
        self.check(stencil.TraceError, "argument 'u' is a memoryview, which is no array and cannot "
                   "be compared with that of another call; pass arrays, numbers, strings, "
                   "functions, or tuples of them", copy, memoryview(bytearray(8)), ARRAY)
        self.check(stencil.TraceError, "argument 'u' is a WrongShape, which does not say its shape;"
                   " pass an array with an attribute shape", copy, WrongShape(), ARRAY)
        for on in ("interpreter", "emulator"):
            self.check(stencil.ArgumentError, "argument 0 'u' cannot be read by what its type, "
                       "WrongInterface, says of it: KeyError('data')", copy, WrongInterface(),
                       ARRAY.copy(), on=on)
            self.check(stencil.ArgumentError, "argument 0 'u' cannot be read by what its type, "
                       "WrongCapsule, says of it: KeyError('no memory')", copy, WrongCapsule(),
                       ARRAY.copy(), on=on)

    def test_counts(self):
        package = copy.compile(ARRAY, ARRAY).package("emulator")
        for repeat in ("x", None, 1.5, 0):
            text = f"repeat={repeat!r}: time at least one run"
            for on in ("interpreter", "emulator"):
                self.check(stencil.ArgumentError, text, copy.time, ARRAY, ARRAY, repeat=repeat,
                           on=on)
            self.check(stencil.ArgumentError, text.replace(":", ", warm_up=2:"), package.time,
                       ARRAY, ARRAY, repeat=repeat)
        for seed in ("x", None, 1.5):
            text = f"seed={seed!r} is no integer; give one, as seed=1"
            self.check(stencil.ArgumentError, text, package.verify, seed)
            self.check(stencil.ArgumentError, text, copy.verify, ARRAY, ARRAY, seed=seed,
                       on="emulator")
        for steps, every in (("a", None), (None, None), (3.5, None), (3, "x"), (3, 1.5), (3, 0)):
            self.check(stencil.ArgumentError, f"progress({steps!r}, every={every!r}): steps are "
                       "integers, 0 or more, and parts have 1 or more", stencil.progress, steps,
                       every)
        self.assertEqual(list(stencil.progress(numpy.int64(3), bar=False)), [1, 1, 1])

    def test_devices_of_a_self_test(self):
        package = copy.compile(ARRAY, ARRAY).package("emulator")
        self.check(stencil.ArgumentError, "device='x' is no number of a device; they count from 0: "
                   "device=0, or device=[0, 1] for several that share the domain",
                   package.selftest, device="x")
        self.check(stencil.ArgumentError, "device=[0, 1]: a self-test runs on one device; give a "
                   "number, device=0", package.selftest, device=[0, 1])
        self.assertGreater(package.selftest(device=[0]).runs, 0)

    def test_files(self):
        for path in (123, None):
            self.check(stencil.PackageError, f"{path!r} names no file; give the path of a package: "
                       "stencil.load('heat.spk')", stencil.load, path)
            self.check(stencil.CompileError, f"{path!r} is no program; give the path of a file, or "
                       "the text of a program", stencil.compile, path)
        with self.assertRaisesRegex(stencil.CompileError, "cannot be read: embedded null byte"):
            stencil.compile("a\0b")

    def test_options_of_the_compiler(self):
        size = " is no size; give extents, (64, 64), or values of parameters, {'L': 64}"
        for named, text in [
                ({"extents": 5}, "5" + size), ({"extents": [None]}, "[None]" + size),
                ({"extents": ["a"]}, "['a']" + size), ({"extents": (2.5,)}, "(2.5,)" + size),
                ({"D": 3}, "3" + size), ({"D": {"L": "a"}}, "{'L': 'a'}" + size),
                ({"size": 5}, "5" + size), ({"size": [None]}, "None" + size),
                ({"options": "--x"}, "options='--x' is no list of words; give one: "
                 "options=['--chip=h100']"),
                ({"options": [1]}, "options=[1] is no list of words; give one: "
                 "options=['--chip=h100']"),
                ({"options": 5}, "options=5 is no list of words; give one: "
                 "options=['--chip=h100']"),
                ({"plan": {"mapping": "thread"}}, "plan={'mapping': 'thread'} is no text; give "
                 "keys and values, as plan='mapping=thread,points=4'"),
                ({"plan": 5}, "plan=5 is no text; give keys and values, as "
                 "plan='mapping=thread,points=4'")]:
            self.check(stencil.CompileError, text, stencil.compile, TEXT, **named)
        with self.assertRaisesRegex(stencil.CompileError, "null byte"):
            stencil.compile(TEXT, plan="a\0b")
        with self.assertRaisesRegex(stencil.CompileError, "null byte"):
            copy.ptx(ARRAY, ARRAY, plan="a\0b")

    def test_a_folder_for_copies_that_cannot_be_written(self):
        with mock.patch("tempfile.tempdir", "/nowhere"), self.assertRaisesRegex(
                stencil.StencilError, "'/nowhere' .*; name another folder in the environment "
                "variable TMPDIR"):
            copy(ARRAY, ARRAY.copy(), on="interpreter")

    def test_a_library_of_another_version(self):
        opened = library.library.__wrapped__
        text = ("is of another version than this package, 0.1.0: it has no function "
                "'stencil_another'; take both from one build, or name another library in the "
                "environment variable STENCIL_LIBRARY")
        with mock.patch.dict(library._STATUSES, {"stencil_another": []}):
            self.check(stencil.StencilError, f"library '{library.find()}' {text}", opened)
        with mock.patch.object(library, "text", lambda *_: "{}"):
            self.check(stencil.StencilError, f"library '{library.find()}' " + text.replace(
                "it has no function 'stencil_another'", "it says nothing of 'functions'"),
                scenery.by_hand)
        with mock.patch.dict(os.environ, {"STENCIL_LIBRARY": __file__}), self.assertRaisesRegex(
                stencil.StencilError, "cannot be opened"):
            opened()

    def test_values_that_ctypes_does_not_take(self):
        with self.assertRaisesRegex(stencil.ArgumentError, "stencil_device_describe .*argument 1"):
            library.call("stencil_device_describe", "x", None)


if __name__ == "__main__":
    unittest.main()
