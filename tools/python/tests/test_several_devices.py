"""Several devices share the domain of a call, with the bits of one; one device stands for all."""

import unittest

import scenery
from scenery import numpy, stencil

j, i = stencil.indices("j i")


@stencil.program(boundaries={"u": stencil.periodic()})
def heat(u, r, steps):
    for t in stencil.steps(steps):
        around = u[t, j - 1, i] + u[t, j + 1, i] + u[t, j, i - 1] + u[t, j, i + 1]
        u[t + 1, j, i] = u[t, j, i] + r * (around - 4 * u[t, j, i])


@stencil.program(boundaries={"p": stencil.fixed(0.0)})
def wave(p, c, source, steps):
    """Two levels of time, a coefficient that is computed before the steps, and a source."""
    for t in stencil.steps(steps):
        p[t + 1, j, i] = (2 * p[t, j, i] - p[t - 1, j, i]
                          + c[j, i] * stencil.laplace(p[t, j, i]))
        p[t + 1, 31, 5] = p[t, 31, 5] + source


class SeveralDevices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scenery.needs_compiler()

    def test_they_give_the_bits_of_one(self):
        for dtype in ("f4", "f8"):
            start = numpy.random.default_rng(7).random((61, 37)).astype(dtype)
            expected = start.copy()
            heat(expected, 0.2, 23, on="interpreter")
            for devices in ([0], [0, 0], (0, 0, 0)):
                with self.subTest(dtype=dtype, devices=devices):
                    found = start.copy()
                    heat(found, 0.2, 23, on="emulator", device=devices)
                    numpy.testing.assert_array_equal(found, expected)

    def test_levels_and_sources(self):
        content = numpy.random.default_rng(8)
        start = [content.random((70, 33)) for _ in range(2)]
        speed = content.random((70, 33)) * 0.2
        results = []
        for where in ({"on": "interpreter"}, {"on": "emulator", "device": [0, 0]}):
            levels = [one.copy() for one in start]
            wave(tuple(levels), speed, 1.5, 9, **where)
            results.append(levels)
        for found, expected in zip(*results):
            numpy.testing.assert_array_equal(found, expected)

    def test_cells_between_those_of_an_array_stay(self):
        start = numpy.random.default_rng(9).random((64, 20))
        expected = start.copy()
        heat(expected, 0.1, 5, on="interpreter")
        around = numpy.zeros((128, 40))
        view = around[::2, ::2]
        view[...] = start
        heat(view, 0.1, 5, on="emulator", device=[0, 0])
        numpy.testing.assert_array_equal(view, expected)
        self.assertFalse(around[1::2].any() or around[:, 1::2].any())

    def test_times_and_verification(self):
        plate = numpy.zeros((64, 20))
        verified = heat.verify(plate, 0.1, 5, on="emulator", device=[0, 0])
        self.assertEqual(verified.cells, plate.size)
        timing = heat.time(plate, 0.1, 5, on="emulator", device=[0, 0], repeat=2)
        self.assertEqual(timing.repeats, 2)

    def test_what_is_wrong_is_said(self):
        plate = numpy.zeros((64, 20))
        package = heat.compile(plate, 0.1, 5).package("emulator", devices=2)
        self.assertEqual(package.function._function.devices, 2)

        def refused(why, *values, **how):
            with self.assertRaisesRegex(stencil.StencilError, why):
                package.run(*values, **how)

        refused("for 2 devices, 3 are given", plate, 0.1, 5, device=[0, 0, 0])
        refused("was compiled for 2 devices, 1 is given", plate, 0.1, 5, device=0)
        refused("device -1 does not exist", plate, 0.1, 5, device=[0, -1])
        refused("device 'gpu' is no number of a device", plate, 0.1, 5, device=["gpu", 0])
        refused("leave the stream out", plate, 0.1, 5, device=[0, 0], stream=16)
        refused("takes shape", numpy.zeros((63, 20)), 0.1, 5, device=[0, 0])
        single = heat.compile(plate, 0.1, 5).package("emulator")
        with self.assertRaisesRegex(stencil.StencilError, "for one device, 2 are given"):
            single.run(plate, 0.1, 5, device=[0, 0])


if __name__ == "__main__":
    unittest.main()
