"""Programs and arguments whose names are no identifiers of MLIR."""

import unittest

import numpy

import scenery
from scenery import stencil

j, i = stencil.indices("j i")


def setUpModule():
    scenery.needs_compiler()


def wärme(größe, ziel, длина):
    ziel[j, i] = 2 * größe[j, i] + длина


def lines():
    """Programs by the names of their functions."""
    def one(u, v, c):
        v[j, i] = 2 * u[j, i] + c

    found = {"wärme": wärme, "<lambda>": lambda u, v, c: v.__setitem__((j, i), 2 * u[j, i] + c)}
    for name in ("a \"b\" \\ c", "x.y", "3d", "f$1"):
        found[name] = type(one)(one.__code__, one.__globals__, name)
    return found


class Names(unittest.TestCase):
    def test_programs_of_any_name_run(self):
        for name, function in lines().items():
            for on in ("interpreter", "emulator"):
                with self.subTest(name=name, on=on):
                    program = stencil.program(function)
                    found = program(numpy.ones((3, 4)), numpy.zeros((3, 4)), 0.5, on=on)
                    numpy.testing.assert_array_equal(found, numpy.full((3, 4), 2.5))

    def test_packages_have_functions_of_these_names(self):
        arrays = stencil.Array((64, 48), "float32"), stencil.Array((64, 48), "float32")
        for name, function in lines().items():
            with self.subTest(name=name):
                compiled = stencil.program(function).compile(*arrays, 0.5)
                package = compiled.package("emulator")
                self.assertEqual(list(package.functions), [name])
                found = numpy.zeros((64, 48), "f4")
                package[name](numpy.ones((64, 48), "f4"), found, 0.5)
                self.assertEqual(float(found.min()), 2.5)
                self.assertEqual(package.verify(**{
                    package[name].arguments[2].name: 0.5}).fields, 2)
                self.assertIn(name, str(compiled.explain()))
                self.assertIn(".entry", compiled.ptx())
                self.assertNotIn("<lambda>", compiled._repr_html_())

    def test_names_of_mlir_stay_as_they_are(self):
        def copied_1(u, v):
            v[j, i] = u[j, i]

        text = stencil.program(copied_1).mlir(numpy.ones((3, 4)), numpy.ones((3, 4)))
        self.assertIn("func.func @copied_1(", text)


if __name__ == "__main__":
    unittest.main()
