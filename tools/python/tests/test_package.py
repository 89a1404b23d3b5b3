"""Calls: values by position, by name, by symbol; functions by name, by shape. No device."""

import subprocess
import sys
import unittest
from pathlib import Path

import scenery
from scenery import numpy, stencil
from stencil.scalars import Scalar


def cells(count=12):
    return numpy.zeros(count, "f4")


class Recorder:
    """Takes the place of what runs functions."""

    def run(self, function, values, stream, device):
        self.name, self.values = function.name, values


class Calls(unittest.TestCase):
    def setUp(self):
        described = scenery.manifest()
        described["functions"].append(scenery.function("heat_24", 24, "heat"))
        self.package = scenery.by_hand(described)
        self.package._runner = self.recorder = Recorder()
        self.alone = scenery.by_hand(dt=0.5)
        self.alone._runner = self.recorder

    def refusal(self, *values, package=None, **named):
        with self.assertRaises(stencil.ArgumentError) as caught:
            (package or self.alone)(*values, **named)
        return str(caught.exception)

    def test_by_position_by_name_by_symbol(self):
        u, v = cells(), cells()
        expected = [u, v, Scalar("index", 3), Scalar("f32", 0x3F000000)]
        for values, named in [((u, v, 3, 0.5), {}), ((u, v), {"steps": 3, "dt": 0.5}),
                              ((u,), {"dt": 0.5, "v": v, "steps": numpy.int64(3)})]:
            self.package(*values, **named)
            self.assertTrue(all(one is two if two is u or two is v else one == two
                                for one, two in zip(self.recorder.values, expected)))

    def test_values_given_before_may_be_given_again(self):
        self.alone(cells(), cells(), 3)
        self.assertEqual(self.recorder.values[3], Scalar("f32", 0x3F000000))
        self.alone(cells(), cells(), 3, dt=1)
        self.assertEqual(self.recorder.values[3], Scalar("f32", 0x3F800000))
        again = self.alone.with_values(steps=4)
        again(cells(), cells())
        self.assertEqual(self.recorder.values[2:], [Scalar("index", 4), Scalar("f32", 0x3F000000)])
        self.assertIn("scalar index, 4 unless given", again.signature)

    def test_what_is_missing_or_unknown_is_named(self):
        self.assertEqual(
            self.refusal(cells(), cells()),
            "argument 2 'steps', a scalar of index, has no value; give steps=NUMBER")
        self.assertEqual(
            self.refusal(cells(), steps=1),
            "argument 1 'v' has no value; pass an array for the field [-1,11]xf32, shape (12,)")
        self.assertEqual(
            self.refusal(cells(), cells(), step=1),
            "argument 'step' does not exist (did you mean 'steps'?); the function has dt, steps, "
            "u, v")
        self.assertEqual(self.refusal(cells(), cells(), 1, u=cells()),
                         "argument 0 'u' is given twice")
        self.assertEqual(self.refusal(1, 2, 3, 4, 5),
                         "function 'heat' takes 4 arguments, 5 are given")
        self.assertIn("argument 2 'steps': 1.5 is not a value of type index",
                      self.refusal(cells(), cells(), 1.5))
        self.assertEqual(
            self.refusal([1.0], cells(), 1),
            "argument 0 'u' takes an array for the field [-1,11]xf32, found list")
        with self.assertRaisesRegex(stencil.ArgumentError, "'dx' does not exist"):
            scenery.by_hand(dx=1)
        with self.assertRaisesRegex(stencil.ArgumentError, "'fast' is not a value of type f32"):
            scenery.by_hand(dt="fast")

    def test_shapes_choose_the_variant(self):
        self.package(cells(24), cells(24), 1, 1)
        self.assertEqual(self.recorder.name, "heat_24")
        self.package(v=cells(), u=cells(), steps=1, dt=1)
        self.assertEqual(self.recorder.name, "heat")
        self.package["heat_24"](cells(), cells(), 1, 1)
        self.assertEqual(self.recorder.name, "heat_24")
        self.assertEqual(
            self.refusal(cells(24), cells(12), 1, 1, package=self.package),
            "no variant of 'heat' has fields of the shapes given: u (24,), v (12,); the package "
            "has\n  heat: u (12,), v (12,)\n  heat_24: u (24,), v (24,)")

    def test_where_shapes_do_not_choose_a_name_must(self):
        described = scenery.manifest()
        described["functions"] += [scenery.function("twin", 12, "heat")]
        self.assertIn("fit several variants of 'heat', heat, twin",
                      self.refusal(cells(), cells(), package=scenery.by_hand(described)))
        described["functions"][1]["variant_of"] = None
        package = scenery.by_hand(described)
        self.assertIn("several functions (heat, twin); name one", self.refusal(package=package))
        with self.assertRaisesRegex(stencil.PackageError, "'cold' is not in the package; it has"):
            package["cold"]

    def test_what_it_prints_says_how_to_call_it(self):
        self.assertEqual(
            repr(self.alone),
            "<stencil package by-hand.spk for sm_90a>\n"
            "heat\n"
            "   0  u      field [-1,11]xf32, shape (12,), written\n"
            "   1  v      field [-1,11]xf32, shape (12,), written\n"
            "   2  steps  scalar index\n"
            "   3  -      scalar f32, symbol dt, 0.5 unless given")
        self.assertEqual(self.alone.target, "sm_90a")
        self.assertEqual(self.alone.kernels[0]["grid"], [1, 1, 1])

    def test_without_a_driver_only_runs_fail(self):
        lines = """
import scenery, stencil
stencil.driver.use_emulator("libno-such-driver.so")
package = scenery.by_hand(dt=1)
for steps in (-1, 1):
    try:
        package(*(scenery.numpy.zeros(12, "f4") for _ in "uv"), steps)
    except stencil.StencilError as error:
        print(type(error).__name__, error)
"""
        answer = subprocess.run([sys.executable, "-B", "-c", lines], capture_output=True, text=True,
                                cwd=Path(__file__).parent, check=True)
        self.assertEqual(answer.stdout.splitlines(), [
            "ArgumentError argument 2 'steps' is -1, and the time loop would make no step; a "
            "number of time steps is not negative",
            "DriverError no CUDA driver: 'libno-such-driver.so' cannot be opened"])

    def test_packages_without_parts_for_it_cannot_be_verified(self):
        with self.assertRaisesRegex(stencil.PackageError, "no plain kernels.*--no-verification "
                                    "of stencilc, which is verification=False of stencil.compile"):
            self.alone.verify(steps=1)
        with self.assertRaisesRegex(stencil.PackageError, "no self-test; compile it without "
                                    "--no-verification.*cannot be resized.*last bits differ "
                                    r"between machines, as exp: .*verify\(\)"):
            self.alone.selftest()


if __name__ == "__main__":
    unittest.main()
