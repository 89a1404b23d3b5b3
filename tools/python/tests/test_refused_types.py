"""Numbers that a type does not hold, and types that values do not have; and what fits."""

import unittest

import numpy

import scenery
from refusals import ARRAY, Cases
from scenery import stencil

j, i = stencil.indices("j i")
CASES = Cases()
refused = CASES.refused
HALF, SINGLE = ARRAY.astype("f2"), ARRAY.astype("f4")
TOO_LARGE = ("which cannot hold it: it is too large; give a smaller one, or convert the value: "
             "stencil.cast(value, 'f64')")
INDEX = ("of an index, an integer of 64 bits; convert it first to the type of a field that it is "
         "used with, as in ")
NO_BOOL = (": truth values are results of comparisons; compare the value, as in value != 0, or "
           "write True or False")


def setUpModule():
    scenery.needs_compiler()


@refused("the number 70000.0 is used with float16, " + TOO_LARGE, arrays=(HALF, HALF))
def a_number_beside_float16(u, v):
    v[j, i] = u[j, i] * 70000.0  # here


@refused("the number -1e+300 is used with float32, " + TOO_LARGE, arrays=(SINGLE, SINGLE))
def a_number_that_is_assigned(u, v):
    v[j, i] = -1e300  # here


@refused("the number 1000000.0 is used with float16, " + TOO_LARGE, arrays=(HALF, HALF))
def a_constant(u, v):
    v[j, i] = u[j, i] + stencil.constant(1e6, "f16")  # here


@refused("the number 10000000000000000000... of 401 digits is used with float64, which cannot hold "
         "it: it is too large; give a smaller one")
def a_number_beside_float64(u, v):
    v[j, i] = u[j, i] * 10**400  # here


@refused("stencil.power " + INDEX + "stencil.cast(t, u.dtype)")
def a_power_of_a_number_and_a_step(u, v):
    for t in stencil.steps(3):
        v[j, i] = u[j, i] * 0.5 ** t  # here


@refused("stencil.power " + INDEX + "stencil.cast(n, u.dtype)", arrays=(ARRAY, ARRAY, 3))
def a_power_of_an_integer_and_an_argument(u, v, n):
    v[j, i] = u[j, i] * (-1) ** n  # here


@refused("bool is no type to convert to" + NO_BOOL, arrays=(ARRAY, ARRAY > 0))
def a_truth_value_of_a_number(u, v):
    v[j, i] = stencil.cast(u[j, i], v.dtype)  # here


@refused("bool is no type for a constant" + NO_BOOL, arrays=(ARRAY, ARRAY > 0))
def a_constant_truth_value(u, v):
    v[j, i] = stencil.constant(1, "i1")  # here


class Types(unittest.TestCase):
    def test_each_has_its_line_reason_and_remedy(self):
        CASES.check(self)

    def test_numbers_beyond_the_sides(self):
        def moved(u, v):
            v[j, i] = u[j, i-1]

        def made(number, array):
            return stencil.program(boundaries=stencil.fixed(number))(moved).mlir(array, array)

        for number, array, name in ((65520.0, HALF, "float16"), (1e300, SINGLE, "float32")):
            with self.assertRaises(stencil.TraceError) as caught:
                made(number, array)
            self.assertEqual(caught.exception.reason, f"'u' holds {name}, which cannot hold the "
                             f"number of stencil.fixed({number}): it is too large")
            self.assertEqual(caught.exception.remedy, "give a smaller one, or convert the array: "
                             "a.astype('float64')")
        # What rounds to the largest number is held, and an infinity is what was written.
        self.assertIn("65504.0", made(65519.0, HALF))
        self.assertIn("0x7F800000", made(float("inf"), SINGLE))
        made(1e300, ARRAY)

    def test_numbers_that_fit(self):
        @stencil.program
        def scaled(u, v):
            v[j, i] = u[j, i] * 65519.0 + stencil.where(i == 0, float("inf"), 1e-300)

        found = scaled(HALF.copy(), HALF.copy(), on="interpreter")
        self.assertEqual((found[0, 0], found[0, 1]), (numpy.inf, numpy.float16(65504)))

    def test_powers_as_messages_say(self):
        @stencil.program
        def decayed(u, n):
            for t in stencil.steps(n):
                u[j, i] = u[j, i] * 0.5 ** stencil.cast(t, u.dtype)

        for dtype in ("f4", "f8"):
            found = decayed(ARRAY.astype(dtype), 4, on="interpreter")
            self.assertEqual(found[0, 0], 2.0 ** -6)

    def test_types_as_arguments(self):
        @stencil.program
        def converted(u, v, dtype):
            v[j, i] = stencil.cast(u[j, i] * 2, dtype)

        for dtype in (numpy.float32, numpy.dtype("f4"), "float32"):
            found = converted(ARRAY, SINGLE.copy(), dtype, on="interpreter")
            self.assertEqual(found[0, 0], 2)

    def test_a_condition_in_the_type_of_a_field(self):
        @stencil.program
        def marked(u, v):
            v[j, i] = stencil.cast(u[j, i] > 0.5, v.dtype)

        found = marked(ARRAY, ARRAY < 0, on="interpreter")
        self.assertTrue(found.all())

    def test_arrays_that_are_described_have_a_line(self):
        with self.assertRaises(stencil.TraceError) as caught:
            stencil.Array((0, 4))  # here
        self.assertEqual(caught.exception.file, __file__)
        with open(__file__, encoding="utf-8") as file:
            self.assertIn("# here", file.read().splitlines()[caught.exception.line - 1])
        self.assertEqual(repr(stencil.Array((3, 4))), "Array(shape=(3, 4), dtype='float64')")
        self.assertEqual(stencil.Array(shape=[3], dtype="f4"), stencil.Array((3,), "float32"))


if __name__ == "__main__":
    unittest.main()
