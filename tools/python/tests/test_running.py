"""Whole calls on a device: every program against the interpreter, on arrays of every kind."""

import ctypes
import functools
import gc
import os
import unittest
import weakref

import scenery
from scenery import CapsuleArray, InterfaceArray, PROGRAMS, canonical, numpy, stencil
from stencil import driver
from stencil.random_fields import random_cells, random_field
from stencil.signatures import Field


def setUpModule():
    scenery.needs_device()


def function(name):
    package = stencil.load(scenery.compiled()[name])
    return package, next(iter(package.functions.values()))


def fields(target):
    return [one for one in target.arguments if isinstance(one.kind, Field)]


def random(argument):
    return random_field(1, argument.position, argument.kind)


class Programs(unittest.TestCase):
    def check(self, name, make, take, **options):
        """Runs a program on arrays that `make` makes, and compares what `take` finds in them."""
        _, target = function(name)
        arrays = {one.position: make(random(one)) for one in fields(target)}
        target(*arrays.values(), **PROGRAMS[name][2], **options)
        wanted = scenery.expected(name)
        for one in fields(target):
            if not one.kind.scratch:
                found = take(arrays[one.position])
                same = canonical(one.kind.element, found) == canonical(
                    one.kind.element, wanted[one.position])
                self.assertTrue(same.all(), f"{name}, {one}")
        return arrays

    def test_numpy(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.check(name, numpy.copy, lambda array: array)

    def test_numpy_in_other_orders(self):
        def spread(array):
            return numpy.zeros([2 * extent for extent in array.shape], array.dtype)[
                tuple(slice(0, None, 2) for _ in array.shape)]

        def filled(array):
            target = spread(array)
            target[...] = array
            return target

        for name in ("devito-acoustic2d", "two-stage", "blur-columns-bf16"):
            self.check(name, numpy.asfortranarray, lambda array: array)
            self.check(name, filled, lambda array: array)

    def test_arrays_on_the_device_are_used_in_place(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.check(name, InterfaceArray, InterfaceArray.get)

    def test_capsules_are_used_in_place_and_given_back(self):
        for name, versioned in [("devito-acoustic2d", True), ("blur2d-f16", False)]:
            make = functools.partial(CapsuleArray, versioned=versioned)
            arrays = self.check(name, make, CapsuleArray.get)
            for array in arrays.values():
                self.assertEqual((array.deleted, array.streams[-1]), (1, 1))

    def test_other_layouts_on_the_device(self):
        for name in ("devito-acoustic2d", "two-stage", "heat3d", "blur2d-f16"):
            arrays = self.check(name, lambda array: InterfaceArray(array, margin=3),
                                InterfaceArray.get)
            for array in arrays.values():
                margin = array.whole()
                margin[array._inside] = 0
                self.assertFalse(margin.any(), "what lies between the rows is left alone")
            self.check(name, lambda array: InterfaceArray(array, offset=8), InterfaceArray.get)

    def test_host_and_device_together(self):
        kinds = iter([InterfaceArray, numpy.copy, CapsuleArray])
        self.check("devito-acoustic2d", lambda array: next(kinds)(array),
                   lambda array: array if isinstance(array, numpy.ndarray) else array.get())

    def test_streams(self):
        for handle in (0, 1, 2):
            self.check("devito-acoustic2d", InterfaceArray, InterfaceArray.get, stream=handle)
            self.check("devito-acoustic2d", numpy.copy, lambda array: array, stream=handle)
        self.check("devito-acoustic2d", lambda array: InterfaceArray(array, stream=2),
                   InterfaceArray.get)
        arrays = self.check("devito-acoustic2d", CapsuleArray, CapsuleArray.get, stream=2)
        self.assertEqual(arrays[0].streams[-1], 2)
        with scenery.active():
            scenery.cuda("cuCtxSynchronize")

    def test_the_device_is_that_of_the_arrays(self):
        self.check("wave2d", numpy.copy, lambda array: array, device=0)
        with self.assertRaisesRegex(stencil.DriverError, "device 7 does not exist: there are "):
            self.check("wave2d", numpy.copy, lambda array: array, device=7)
        with self.assertRaisesRegex(stencil.ArgumentError, r"'older' is on device 0, not on device "
                                                           r"1 \(device=1\)"):
            self.check("wave2d", InterfaceArray, InterfaceArray.get, device=1)


class BoundCalls(unittest.TestCase):
    def check(self, name, make, take, **options):
        """Calls twice what is bound once, and runs the program twice."""
        _, target = function(name)
        bound, given = ({one.position: make(random(one)) for one in fields(target)}
                        for _ in range(2))
        call = target.bind(*bound.values(), **PROGRAMS[name][2], **options)
        for _ in range(2):
            call()
            target(*given.values(), **PROGRAMS[name][2], **options)
        with scenery.active():
            scenery.cuda("cuCtxSynchronize")
        for one in fields(target):
            found, wanted = (canonical(one.kind.element, take(arrays[one.position]))
                             for arrays in (bound, given))
            self.assertTrue((found == wanted).all(), f"{name}, {one}")

    def test_a_bound_call_does_what_a_call_does(self):
        for name in ("devito-acoustic2d", "two-stage", "heat3d", "blur2d-f16"):
            self.check(name, numpy.copy, lambda array: array)
            self.check(name, InterfaceArray, InterfaceArray.get)
            self.check(name, CapsuleArray, CapsuleArray.get)
            self.check(name, InterfaceArray, InterfaceArray.get, stream=2)
            self.check(name, lambda array: InterfaceArray(array, stream=2), InterfaceArray.get)

    def test_it_reads_the_arrays_when_it_is_called(self):
        _, target = function("two-stage")
        arrays = [random(one) for one in fields(target)]
        call = target.bind(*arrays)
        for array in arrays:
            array[...] = 0
        call()
        self.assertTrue(all((array == 0).all() for array in arrays))

    def test_it_keeps_its_arrays(self):
        _, target = function("two-stage")
        arrays = [InterfaceArray(random(one)) for one in fields(target)]
        alive = [weakref.ref(array) for array in arrays]
        call = target.bind(*arrays)
        del arrays
        gc.collect()
        self.assertTrue(all(one() is not None for one in alive))
        call()
        del call
        gc.collect()
        self.assertTrue(all(one() is None for one in alive))

    def test_what_cannot_run_is_not_bound(self):
        package, target = function("devito-acoustic2d")
        one = InterfaceArray(random(target.arguments[0]))
        with self.assertRaisesRegex(stencil.ArgumentError, "overlapping"):
            target.bind(one, one, one, **PROGRAMS["devito-acoustic2d"][2])
        with self.assertRaisesRegex(stencil.ArgumentError, "'time_m'"):
            package.bind(*(random(one) for one in fields(target)))

    def test_a_package_that_was_released_is_not_called(self):
        package, target = function("two-stage")
        call = package.bind(*(random(one) for one in fields(target)))
        call()
        package.release()
        with self.assertRaisesRegex(stencil.PackageError, "released after the call was bound"):
            call()


class Calls(unittest.TestCase):
    def test_a_function_runs_again_and_on_other_sizes(self):
        package, _ = function("j2d5pt")
        results = []
        for shape, name in [((31, 39), "j2d5pt"), ((17, 40), "j2d5pt_M17_N40")] * 2:
            u, v = (random(one) for one in package[name].arguments)
            self.assertEqual(u.shape, shape)
            package(u, v)
            results.append(u)
        self.assertTrue((results[0] == results[2]).all() and (results[1] == results[3]).all())
        self.assertTrue((results[0] == scenery.expected("j2d5pt")[0]).all())

    def test_arrays_give_extents_or_choose_a_variant_that_has_them(self):
        program = scenery.CHECKOUT / "test" / "tools" / "stencilc" / "run-time-sizes.mlir"
        place = scenery.SCRATCH / "run-time-sizes.spk"
        scenery.compiler("compile", program, "--sizes=run-time", "--size=67,3", "--keep-ir", "-o",
                         place)
        os.environ["STENCIL_EMULATED_PACKAGES"] += os.pathsep + str(place)
        package = stencil.load(place)
        for size in ("32,32", "67,3", "5,40", "32,32", "1,1"):
            folder = scenery.SCRATCH / f"run-time-{size}"
            scenery.compiler("run", program, f"--extents={size}", "--on=interpreter", "--seed=3",
                             "--out-dir", folder)
            expected = [numpy.load(folder / f"{name}.npy") for name in "uv"]
            for make in (numpy.copy, InterfaceArray):
                arrays = [make(random_cells(3, place, "f32", one.shape))
                          for place, one in enumerate(expected)]
                package(*arrays)
                for array, one in zip(arrays, expected):
                    found = array if isinstance(array, numpy.ndarray) else array.get()
                    self.assertTrue((found == one).all(), size)
        with self.assertRaisesRegex(stencil.ArgumentError, "gives dimension 1 of the domain 4"):
            package(numpy.zeros((7, 8), "f4"), numpy.zeros((7, 9), "f4"))

    def test_a_loop_may_have_no_iteration(self):
        package, target = function("devito-acoustic2d")
        arrays = [random(one) for one in fields(target)]
        package(*arrays, time_m=3, time_M=2, dt=1, h_x=1, h_y=1)
        for array, one in zip(arrays, fields(target)):
            self.assertTrue((array == random(one)).all())

    def test_overlapping_fields_on_the_device_are_refused(self):
        _, target = function("devito-acoustic2d")
        one = InterfaceArray(random(target.arguments[0]))
        with self.assertRaisesRegex(stencil.ArgumentError, "overlapping"):
            target(one, one, one, **PROGRAMS["devito-acoustic2d"][2])

    def test_fields_without_rows_are_refused(self):
        _, target = function("devito-acoustic2d")
        array = numpy.zeros((56, 96), "f4")
        spread = InterfaceArray(array)
        spread.__cuda_array_interface__.update(shape=(56, 48), strides=(384, 8))
        with self.assertRaisesRegex(stencil.ArgumentError, "'p_vec0' has a stride of 8 bytes"):
            target(spread, array[:, :48], array[:, 48:], **PROGRAMS["devito-acoustic2d"][2])

    def test_buffers_are_kept_until_they_are_released(self):
        package, target = function("fluxes2d")

        def free():
            count, total = ctypes.c_size_t(), ctypes.c_size_t()
            with scenery.active():
                scenery.cuda("cuMemGetInfo_v2", ctypes.byref(count), ctypes.byref(total))
            return count.value

        # Packages of other tests, if collected later, would give their buffers back in between.
        gc.collect()
        before = free()
        arrays = [random(one) for one in fields(target)]
        package(*arrays)
        kept = before - free()
        self.assertGreaterEqual(kept, 0)
        package(*arrays)
        self.assertEqual(before - free(), kept)
        package.release()
        self.assertGreaterEqual(free(), before)
        package(*arrays)

    def test_the_context_before_a_call_is_current_again(self):
        def current():
            context = ctypes.c_void_p()
            scenery.cuda("cuCtxGetCurrent", ctypes.byref(context))
            return context.value

        before = current()
        package, target = function("wave2d")
        with scenery.active():
            package(*[random(one) for one in fields(target)], **PROGRAMS["wave2d"][2])
            self.assertEqual(current(), scenery.context().value)
        package(*[random(one) for one in fields(target)], **PROGRAMS["wave2d"][2])
        package.verify(**PROGRAMS["wave2d"][2])
        self.assertEqual(current(), before)

    def test_compiling_finds_this_machine(self):
        program = str(scenery.KERNELS / "devito-acoustic2d.mlir")
        package = stencil.compile(program, time_m=0, dt=0.02, h_x=0.1, h_y=0.125)
        _, target = function("devito-acoustic2d")
        arrays = [random(one) for one in fields(target)]
        package(*arrays, time_M=6)
        for one, array in zip(fields(target), arrays):
            self.assertTrue((array == scenery.expected("devito-acoustic2d")[one.position]).all())
        with self.assertRaisesRegex(stencil.CompileError, "error: "):
            stencil.compile("func.func @broken(%u: f32) {\n")


#: A call whose kernel fails, and another function after it.
AFTERWARDS = """
import numpy, stencil
j, i = stencil.indices("j i")
@stencil.program
def twice(a, b): b[j, i] = 2*a[j, i]
for call in (lambda: target(*fields, **numbers),
             lambda: twice(numpy.ones((3, 4)), numpy.ones((3, 4)))):
    try:
        call()
    except stencil.DriverError as error:
        print(error)
"""
ATTEMPT = """
before = [field.copy() for field in fields]
try:
    target(*fields, **numbers)
except stencil.DriverError as error:
    print(error.code, error)
print(all((one == two).all() for one, two in zip(before, fields)))
"""


@unittest.skipUnless("STENCIL_TEST_DRIVER" in os.environ, "a real driver does not fail to order")
class Failures(unittest.TestCase):
    def attempt(self, **environment):
        return scenery.child("devito-acoustic2d", ATTEMPT, **environment).splitlines()

    def test_a_failed_kernel_is_named_and_changes_nothing_on_the_host(self):
        for lag in ("0", "1"):
            said, unchanged = self.attempt(STENCIL_EMULATED_FAULT="Kernel_stage0:3",
                                           STENCIL_EMULATED_LAG=lag)
            self.assertRegex(said, r"^700 .*kernel.*CUDA_ERROR_ILLEGAL_ADDRESS\); CUDA takes no "
                                   "more work from a process one of whose kernels failed: start a "
                                   "new one$")
            self.assertEqual(unchanged, "True")
        self.assertIn("kernel 'Kernel_stage0': ", said)

    def test_after_a_failed_kernel_other_calls_say_why_they_fail(self):
        one, two = scenery.child("devito-acoustic2d", AFTERWARDS,
                                 STENCIL_EMULATED_FAULT="Kernel_stage0:3").splitlines()
        self.assertRegex(one, "^kernel 'Kernel_stage0': .*: start a new one$")
        self.assertRegex(two, r"^kernels cannot be loaded: an illegal memory access was "
                              r"encountered \(CUDA_ERROR_ILLEGAL_ADDRESS\); CUDA takes no more "
                              "work from a process one of whose kernels failed: start a new one$")

    def test_memory_is_asked_for_before_it_is_allocated(self):
        log = scenery.SCRATCH / "log"
        said, unchanged = self.attempt(STENCIL_EMULATED_MEMORY="32255",
                                       STENCIL_EMULATED_LOG=str(log))
        self.assertRegex(said, r"^0 the program needs 32256 bytes \(.*\) of device memory, 32255 "
                               r"bytes \(.*\) are free; make its fields smaller, ")
        self.assertEqual(unchanged, "True")
        self.assertNotIn("alloc", log.read_text())

    def test_a_driver_that_is_too_old_says_so(self):
        said, *_ = self.attempt(STENCIL_EMULATED_DRIVER_VERSION="11080")
        self.assertIn("the CUDA driver is too old: it supports CUDA 11.8, 12.4 is needed; install "
                      "a newer NVIDIA driver", said)

    def test_code_for_another_device_says_so(self):
        said, *log = self.attempt(STENCIL_EMULATED_TARGET="sm_80")
        # What the driver's own compiler said comes after it.
        self.assertGreater(len(log), 1)
        self.assertRegex(said, "kernels cannot be loaded: .*for sm_90a, the device '.*' has "
                               "compute capability 8.0")

    def test_results_are_waited_for(self):
        lines = """
target(*fields, **numbers)
wanted = scenery.expected("devito-acoustic2d")
print(all((field == wanted[place]).all() for place, field in enumerate(fields)))
"""
        for settings in (dict(STENCIL_EMULATED_LAG="1"), dict(STENCIL_EMULATED_ORDER="5")):
            self.assertEqual(scenery.child("devito-acoustic2d", lines, **settings), "True\n")


@stencil.program(boundaries={"u": stencil.periodic(), "w": stencil.fixed()})
def on_the_device(u, w, weight, steps):
    j, i = stencil.indices("j i")
    for t in stencil.steps(steps):
        u[t+1, j, i] = u[t, j, i] + weight * stencil.laplace(u[t, j, i])
    w[j, i] = u[j, i+1] - w[j-1, i]


class Language(unittest.TestCase):
    """Programs of the language take arrays of CuPy and PyTorch where they are."""

    def test_arrays_on_the_device_change_in_place(self):
        content = numpy.random.default_rng(8)
        on = "emulator" if driver.is_emulator() else "gpu"
        for dtype, shape in (("f8", (13, 17)), ("f4", (32, 33))):
            u, w = (content.random(shape).astype(dtype) for _ in range(2))
            expected = u.copy(), w.copy()
            on_the_device(*expected, 0.1, 5, on="interpreter")
            for make in (InterfaceArray, functools.partial(InterfaceArray, margin=3)):
                given = make(u), make(w)
                result = on_the_device(*given, 0.1, 5, on=on)
                self.assertIs(result[0], given[0])
                for found, wanted in zip(given, expected):
                    self.assertEqual(found.get().tobytes(), wanted.tobytes())

    def test_timed_runs_leave_arrays_of_the_host(self):
        package, target = function("devito-acoustic2d")
        given = [random(one) for one in fields(target)]
        before = [one.copy() for one in given]
        taken = package.time(*given, **PROGRAMS["devito-acoustic2d"][2], repeat=3, warm_up=1)
        self.assertEqual(len(taken), 3)
        self.assertGreater(min(taken), 0.0)
        for one, was in zip(given, before):
            self.assertEqual(one.tobytes(), was.tobytes())


class Verifying(unittest.TestCase):
    def test_plain_kernels_agree(self):
        for name in PROGRAMS:
            package, target = function(name)
            known = PROGRAMS[name][2]
            with self.subTest(name):
                found = package.verify(seed=2, **known)
                cells = sum(one.kind.cells for one in fields(target) if not one.kind.scratch)
                self.assertEqual((found.runs, found.cells), (1, cells))

    def test_the_interpreter_agrees(self):
        tested = 0
        for name in PROGRAMS:
            package, _ = function(name)
            if package._report["has_selftest"]:
                with self.subTest(name):
                    self.assertGreater(package.selftest().cells, 0)
                    tested += 1
        self.assertGreater(tested, 4)

    def test_a_difference_is_named(self):
        wrong = scenery.altered("devito-acoustic2d")
        with self.assertRaisesRegex(stencil.VerificationError,
                                    "argument 0 'p_vec0' has checksum .*, expected 0000"):
            stencil.load(wrong).selftest()

    def test_fields_are_not_given_to_it(self):
        package, target = function("devito-acoustic2d")
        with self.assertRaisesRegex(stencil.ArgumentError, "'p_vec0' is a field; verify fills"):
            package.verify(p_vec0=random(target.arguments[0]))


if __name__ == "__main__":
    unittest.main()
