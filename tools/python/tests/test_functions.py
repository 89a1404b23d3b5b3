"""Functions of values, conversions and constants: the numbers of NumPy."""

import math
import unittest
from fractions import Fraction

import numpy

import scenery
from scenery import stencil
from stencil.language import types

y, x = stencil.indices("y x")
CONTENT = numpy.random.default_rng(1)


def setUpModule():
    scenery.needs_compiler()


class BrainFloats:
    """An array of bfloat16, as libraries have it that know the type; NumPy has its bits."""

    dtype = "bfloat16"

    def __init__(self, shape):
        self.shape = shape
        self.bits = numpy.zeros(shape, "u2")
        self.__array_interface__ = self.bits.__array_interface__


class Functions(unittest.TestCase):
    def assert_same(self, found, expected):
        self.assertEqual(found.dtype, expected.dtype)
        self.assertEqual(found.tobytes(), expected.tobytes())

    def backends(self):
        """What runs functions that CUDA's libdevice computes on a GPU."""
        @stencil.program
        def one(u):
            u[y, x] = stencil.exp(u[y, x])

        try:
            one.ptx(stencil.Array((5, 6)))
        except stencil.CompileError as error:
            self.assertIn("libdevice", str(error))
            return ["interpreter"]
        return ["interpreter", "emulator"]

    def test_functions_are_exact(self):
        @stencil.program(on="emulator")
        def several(u, v):
            a = u[y, x]
            v[y, x] = (stencil.sqrt(abs(a)) + stencil.floor(a) * stencil.ceil(a)
                       + stencil.minimum(a, 0.25) - stencil.maximum(0.5, a) + stencil.rint(3 * a)
                       + stencil.trunc(4 * a) + stencil.copysign(2.0, a) + a ** 3 / a ** -2)

        u = CONTENT.uniform(-1, 1, (9, 9))
        v = numpy.zeros_like(u)
        several(u, v)
        self.assert_same(v, numpy.sqrt(abs(u)) + numpy.floor(u) * numpy.ceil(u)
                         + numpy.minimum(u, 0.25) - numpy.maximum(0.5, u) + numpy.rint(3 * u)
                         + numpy.trunc(4 * u) + numpy.copysign(2.0, u)
                         + (u * (u * u)) / (1 / (u * u)))

    def test_functions_are_close(self):
        names = ("exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh "
                 "tanh cbrt").split()

        @stencil.program(static="name")
        def one(u, v, name):
            v[y, x] = getattr(stencil, name)(u[y, x])

        @stencil.program
        def others(u, v, w, z):
            v[y, x] = stencil.arctan2(u[y, x], 0.5) + stencil.power(u[y, x], 1.5)
            w[y, x] = stencil.fma(u[y, x], u[y, x], 0.25) + stencil.rsqrt(u[y, x])
            z[y, x] = stencil.erf(u[y, x]) + abs(stencil.constant(Fraction(1, 3), "f64"))

        u = CONTENT.uniform(0.1, 0.9, (5, 6))
        v = numpy.zeros_like(u)
        for name in names:
            for on in self.backends():
                one(u, v, name, on=on)
                numpy.testing.assert_allclose(v, getattr(numpy, name)(u), rtol=1e-12)
        w, z = v.copy(), v.copy()
        others(u, v, w, z, on=self.backends()[-1])
        numpy.testing.assert_allclose(v, numpy.arctan2(u, 0.5) + u ** 1.5, rtol=1e-12)
        numpy.testing.assert_allclose(w, u * u + 0.25 + 1 / numpy.sqrt(u), rtol=1e-12)
        errors = numpy.array([math.erf(cell) for cell in u.flat]).reshape(u.shape)
        numpy.testing.assert_allclose(z, errors + 1 / 3, rtol=1e-12)

    def test_conversions(self):
        @stencil.program(on="emulator")
        def converted(a, b, c, d, e):
            b[y, x] = stencil.cast(a[y, x], "f32")
            c[y, x] = stencil.cast(10 * a[y, x], numpy.int16)
            d[y, x] = stencil.cast(c[y, x], "int64") + x
            e[y, x] = stencil.cast(stencil.cast(a[y, x], "f16"), "bf16") + stencil.cast(
                c[y, x] > 2, "bf16")

        a = CONTENT.random((5, 6))
        b, c, d = numpy.zeros((5, 6), "f4"), numpy.zeros((5, 6), "i2"), numpy.zeros((5, 6), "i8")
        e = BrainFloats((5, 6))
        converted(a, b, c, d, e)
        self.assert_same(b, a.astype("f4"))
        self.assert_same(c, (10 * a).astype("i2"))
        self.assert_same(d, c.astype("i8") + numpy.arange(6))
        exact = [types.rounded(float(numpy.float16(one)), "bf16") for one in a.flat]
        sums = [types.rounded(one + (number > 2), "bf16") for one, number in zip(exact, c.flat)]
        bits = numpy.array(sums, "f4").view("u4") >> 16
        self.assert_same(e.bits, bits.astype("u2").reshape(5, 6))

    def test_constants_are_rounded_once(self):
        self.assertEqual(types.literal(Fraction(1, 3), "f32"), "0.3333333432674408")
        self.assertEqual(types.literal(Fraction(1, 3), "f64"), "0.3333333333333333")
        self.assertEqual(types.literal(1e-6, "f64"), "1.0e-06")
        self.assertEqual(types.literal(float("inf"), "f32"), "0x7F800000")
        self.assertEqual(types.literal(float("-inf"), "f64"), "0xFFF0000000000000")
        # Rounded to double precision first, it would be a tie and go down.
        number = Fraction(1) + Fraction(1, 2**24) + Fraction(1, 2**60)
        self.assertEqual(types.rounded(number, "f32"), 1 + 2.0**-23)
        self.assertEqual(types.rounded(Fraction(1, 2**150), "f32"), 0.0)
        self.assertEqual(types.rounded(Fraction(3, 2**150), "f32"), 2.0**-148)
        self.assertEqual(types.rounded(10**39, "f32"), float("inf"))
        content = numpy.random.default_rng(2)
        for number in content.normal(size=200) * 10.0 ** content.integers(-45, 39, 200):
            with numpy.errstate(all="ignore"):
                self.assertEqual(types.rounded(float(number), "f32"), float(numpy.float32(number)))
                self.assertEqual(types.rounded(float(number), "f16"), float(numpy.float16(number)))
            self.assertEqual(types.rounded(float(number), "f64"), number)


if __name__ == "__main__":
    unittest.main()
