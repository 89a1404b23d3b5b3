"""The applications of tools/examples/python give the bits of their forms in test/kernels.

Both are compiled at the same size and run on the emulator on the same content. Cells outside of the
domain are those of the MLIR form; where it has several arrays for the levels of time, all have the
same ones.
"""

import contextlib
import importlib
import io
import runpy
import sys
import unittest
from typing import NamedTuple

import numpy

import scenery
from scenery import stencil

EXAMPLES = scenery.CHECKOUT / "tools" / "examples" / "python"


class Application(NamedTuple):
    """A program of tools/examples/python, and its form in test/kernels."""

    module: str
    function: str
    kernel: str
    #: For each array of the Python form the arguments of the MLIR form that it is, oldest first.
    arrays: tuple
    #: For each result the argument of the MLIR form that holds it after so many steps.
    results: tuple
    steps: object = None
    #: Cells of the MLIR form's arrays below and above the domain, which the other form has not.
    ghosts: tuple = (0, 0)
    #: Arguments whose cells outside of the domain are made those of another one.
    alike: tuple = ()
    #: Whether both forms add in the same order where that is left to the compiler: it follows from
    #: which statements are one `stencil.apply`.
    is_ordered: bool = True


APPLICATIONS = [
    Application("heat3d_periodic", "heat", "heat3d-periodic", (("u",),), ("u",), 4, (1, 1)),
    Application("heat3d_mirrored", "heat", "heat3d-mirrored", (("u",),), ("u",), 4, (1, 1)),
    Application("gray_scott3d", "gray_scott", "gray-scott3d", (("u0",), ("v0",)), ("u0", "v0"), 4,
                (1, 1), is_ordered=False),
    Application("acoustic_so4", "acoustic", "acoustic-so4", (("older", "old"), ("medium",)),
                ("old",), 9, alike=(("older", "old"), ("new", "old"))),
    Application("acoustic_so8", "acoustic", "acoustic-so8",
                (("older", "old"), ("medium",), ("damping",), ("source",)), ("new",), 7,
                alike=(("older", "old"), ("new", "old"))),
    Application("shallow2d", "shallow", "shallow2d", (("h0",), ("p0",), ("q0",)),
                ("h0", "p0", "q0"), 6, (1, 1)),
    Application("maxwell3d", "maxwell", "maxwell3d",
                (("ex",), ("ey",), ("ez",), ("hx",), ("hy",), ("hz",)),
                ("ex", "ey", "ez", "hx", "hy", "hz"), 5),
    Application("elastic_so8", "elastic", "elastic-so8",
                tuple((name,) for name in ("vx", "vy", "vz", "txx", "tyy", "tzz", "txy", "txz",
                                           "tyz", "buoyancy", "lambda", "mu")),
                ("vx", "vy", "vz", "txx", "tyy", "tzz", "txy", "txz", "tyz"), 3),
    Application("harris", "harris", "harris", (("image",), ("response",)), ("response",)),
    Application("horizontal_diffusion", "diffuse", "horizontal-diffusion",
                (("in",), ("coeff",), ("out",)), ("out",)),
    Application("weno5", "weno", "weno5", (("scalar",), ("w",), ("v",), ("u",), ("tendency",)),
                ("tendency",)),
    Application("rk3_advection", "advect", "rk3-advection", (("u",),), ("v",), 3,
                alike=(("v", "u"),)),
    Application("cahn_hilliard2d", "cahn_hilliard", "cahn-hilliard2d", (("u",),), ("u",), 4,
                (2, 2)),
]


def setUpModule():
    scenery.needs_compiler()
    sys.path.insert(0, str(EXAMPLES))


def tearDownModule():
    sys.path.remove(str(EXAMPLES))


def inside(array, ghosts):
    """The cells of an array without its ghost cells."""
    below, above = ghosts
    return array[tuple(slice(below, extent - above) for extent in array.shape)]


class Applications(unittest.TestCase):
    def compare(self, one, strict):
        kernel = stencil.compile(scenery.KERNELS / f"{one.kernel}.mlir", on="emulator",
                                 strict=strict)
        arguments = next(iter(kernel.functions.values())).arguments
        content = numpy.random.default_rng(1)
        fields = {argument.name: content.uniform(0.5, 1.5, argument.kind.shape).astype(
            {"f32": "f4", "f64": "f8"}[argument.kind.element]) for argument in arguments}
        for name, source in one.alike:
            fields[name][...] = fields[source]
        arrays = [tuple(inside(fields[name], one.ghosts).copy() for name in levels)
                  for levels in one.arrays]
        kernel(**fields)
        program = getattr(importlib.import_module(one.module), one.function)
        program = program.options(strict=strict, on="emulator")
        given = [levels if len(levels) > 1 else levels[0] for levels in arrays]
        results = program(*given, *([] if one.steps is None else [one.steps]))
        results = results if isinstance(results, tuple) else (results,)
        self.assertEqual(len(results), len(one.results))
        for result, name in zip(results, one.results):
            expected = inside(fields[name], one.ghosts)
            self.assertTrue(numpy.isfinite(expected).all())
            self.assertEqual(result.tobytes(), expected.tobytes(), f"{one.module}: {name}")

    def test_operations_as_written_give_the_same_bits(self):
        for one in APPLICATIONS:
            with self.subTest(one.module):
                self.compare(one, strict=True)

    def test_permitted_changes_give_the_same_bits(self):
        for one in filter(lambda one: one.is_ordered, APPLICATIONS):
            with self.subTest(one.module):
                self.compare(one, strict=False)

    def test_loops_become_sweeps(self):
        for module, function, count, shape, swept in [
                ("heat3d_periodic", "heat", 1, (256, 256, 256), "loop"),
                ("heat3d_mirrored", "heat", 1, (256, 256, 256), "u"),
                ("gray_scott3d", "gray_scott", 2, (256, 256, 256), "loop"),
                ("shallow2d", "shallow", 3, (4096, 4096), "loop"),
                ("maxwell3d", "maxwell", 6, (258, 258, 258), "loop"),
                ("cahn_hilliard2d", "cahn_hilliard", 1, (4096, 4096), "loop")]:
            with self.subTest(module):
                program = getattr(importlib.import_module(module), function)
                plan = program.plan(*[stencil.Array(shape, "float32")] * count, 100)
                self.assertGreater(plan[swept]["steps"], 1)

    def test_scripts_run(self):
        for one in APPLICATIONS:
            with self.subTest(one.module), contextlib.redirect_stdout(io.StringIO()) as said:
                runpy.run_path(str(EXAMPLES / f"{one.module}.py"), run_name="__main__")
                self.assertEqual(len(said.getvalue().splitlines()), 1)

    def test_every_example_is_compared(self):
        files = {file.stem for file in EXAMPLES.glob("*.py")}
        self.assertEqual(files, {one.module for one in APPLICATIONS})


if __name__ == "__main__":
    unittest.main()
