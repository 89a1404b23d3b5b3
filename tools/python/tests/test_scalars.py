"""Numbers of Python and NumPy as the bits that a call takes."""

import unittest

from scenery import numpy, stencil
from stencil import scalars
from stencil.scalars import Scalar, from_python

class Values(unittest.TestCase):
    def refusal(self, type_, value):
        with self.assertRaises(stencil.ArgumentError) as caught:
            from_python(type_, value)
        return str(caught.exception)

    def test_numbers_of_python_and_numpy(self):
        self.assertEqual(from_python("i8", -128), Scalar("i8", 0x80))
        self.assertEqual(from_python("i8", 255), Scalar("i8", 0xFF))
        self.assertEqual(from_python("index", numpy.int32(-1)), Scalar("index", 2 ** 64 - 1))
        self.assertEqual(from_python("i1", True), Scalar("i1", 1))
        self.assertEqual(from_python("i1", numpy.bool_(False)), Scalar("i1", 0))
        self.assertEqual(from_python("f64", 3), Scalar("f64", 0x4008000000000000))
        self.assertEqual(from_python("f32", 0.1).bits, int(numpy.float32(0.1).view("u4")))
        self.assertEqual(from_python("f32", numpy.float32(0.1)).bits, 0x3DCCCCCD)
        self.assertEqual(from_python("f16", 65504), Scalar("f16", 0x7BFF))
        self.assertEqual(from_python("bf16", float("-inf")), Scalar("bf16", 0xFF80))
        self.assertTrue(from_python("bf16", float("nan")).is_nan)

    def test_what_a_type_cannot_hold_is_refused(self):
        self.assertEqual(self.refusal("i8", 256), "256 is not a value of type i8: it does not fit")
        self.assertIn("give an integer", self.refusal("index", 1.5))
        self.assertIn("give True or False", self.refusal("i1", 2))
        self.assertIn("too large", self.refusal("f32", 1e39))
        self.assertIn("too large", self.refusal("f16", 65520))
        self.assertEqual(from_python("index", 2 ** 63 - 1), Scalar("index", 2 ** 63 - 1))
        for value in (2 ** 63, numpy.uint64(2 ** 63), -2 ** 63 - 1):
            self.assertEqual(self.refusal("index", value),
                             f"{value!r} is not a value of type index: it does not fit")
        self.assertIn("not a value of type f64", self.refusal("f64", 10 ** 400))

    def test_what_is_no_number_is_refused(self):
        for value in ("one", "0.1", b"0.1", bytearray(b"2"), 1j, numpy.str_("2"), numpy.array([2]),
                      numpy.array("2"), numpy.complex64(2), numpy.timedelta64(2, "s"), [2], None):
            for type_ in ("f64", "f32", "bf16", "i32", "index"):
                with self.subTest(repr(value), type=type_):
                    self.assertIn(f"{value!r} is not a value of type {type_}: ",
                                  self.refusal(type_, value))
        self.assertEqual(self.refusal("f64", "0.1"),
                         "'0.1' is not a value of type f64: give a number")
        self.assertEqual(from_python("f64", numpy.array(2)), from_python("f64", 2))

    def test_halves_agree_with_numpy(self):
        rng = numpy.random.default_rng(1)
        bits = rng.integers(0, 2 ** 64, 4000, dtype=numpy.uint64)
        near = rng.normal(scale=100, size=2000)
        with numpy.errstate(over="ignore", invalid="ignore"):
            for value in (*bits.view("f8"), *near, *(near * 2.0 ** -20)):
                found = scalars.narrow("f16", float(value))
                expected = Scalar("f16", int(numpy.float64(value).astype("f2").view("u2")))
                self.assertTrue(found == expected or (found.is_nan and expected.is_nan), value)


if __name__ == "__main__":
    unittest.main()
