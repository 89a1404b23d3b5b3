"""What an operation of another framework takes, without any framework, compiler or device."""

import sys
import unittest
from unittest import mock

import scenery
from scenery import stencil
from stencil.operations import Operation

j, i = stencil.indices("j i")


@stencil.program(boundaries={"p": stencil.fixed(0.0)})
def wave(p, c2, order, steps, dt):
    for t in stencil.steps(steps):
        change = dt * dt * c2[j, i] * stencil.laplace(p[t, j, i], order=int(order))
        p[t+1, j, i] = 2 * p[t, j, i] - p[t-1, j, i] + change


def shown(operation):
    return [(one.name, one.kind, one.is_written, one.is_result, one.count)
            for one in operation.parameters]


class Parameters(unittest.TestCase):
    def test_a_package_has_those_that_it_was_not_given(self):
        both = Operation(scenery.by_hand(), ())
        self.assertEqual(shown(both), [("u", "array", True, True, 1), ("v", "array", True, True, 1),
                                       ("steps", "int", False, False, 0),
                                       ("dt", "float", False, False, 0)])
        given = Operation(scenery.by_hand(steps=3)["heat"], ())
        self.assertEqual([one.name for one in given.parameters], ["u", "v", "dt"])
        self.assertEqual(given.filled(["a", "b", 0.5]), ["a", "b", 3, 0.5])
        self.assertEqual(given.name, "heat")

    def test_scratch_is_written_and_no_result(self):
        described = scenery.manifest()
        described["functions"][0]["arguments"][1]["kind"]["field"]["scratch"] = True
        found = Operation(scenery.by_hand(described), ())
        self.assertEqual(shown(found)[1], ("v", "array", True, False, 1))

    def test_names_are_those_of_any_language(self):
        described = scenery.manifest()
        for argument, name in zip(described["functions"][0]["arguments"], ("lambda", "u-1", "t")):
            argument["name"] = name
        found = Operation(scenery.by_hand(described), ())
        self.assertEqual([one.name for one in found.parameters], ["arg0", "arg1", "t", "dt"])

    def test_a_program_is_described_by_an_example(self):
        array = stencil.Array((9, 12), "float64")
        example = [array, array], array, "4", 10, scenery.numpy.float64(0.5)
        found = Operation(wave, example)
        self.assertEqual(shown(found), [("p", "arrays", True, True, 2),
                                        ("c2", "array", False, False, 1),
                                        ("steps", "int", False, False, 0),
                                        ("dt", "float", False, False, 0)])
        filled = found.filled([1, 2, 3, 0.25])
        self.assertEqual(filled, [1, 2, "4", 3, 0.25])
        self.assertIsInstance(filled[-1], scenery.numpy.float64)

    def test_what_describes_nothing_is_refused(self):
        for source, example, text in [(wave, (), "say which, op\\(wave, array"),
                                      (scenery.by_hand(), (1,), "says itself what it takes"),
                                      ("wave.mlir", (), "of a program or a package, found str")]:
            with self.assertRaisesRegex(stencil.ArgumentError, text):
                Operation(source, example)


class Frameworks(unittest.TestCase):
    def test_one_that_is_not_installed_is_named(self):
        for module, name in [("torch", "PyTorch"), ("jax", "JAX"), ("zarr", "Zarr")]:
            missing = {module: None, f"stencil.{module}": None}
            with mock.patch.dict(sys.modules, missing):
                del sys.modules[f"stencil.{module}"]
                with self.assertRaisesRegex(ImportError, f"{name}, which is not installed .* "
                                                         f"pip install {module}"):
                    getattr(stencil, module)
        with self.assertRaisesRegex(AttributeError, "'stencil' has no attribute 'tensorflow'"):
            getattr(stencil, "tensorflow")


if __name__ == "__main__":
    unittest.main()
