"""Quotients and remainders of integers: those of Python, below zero too, wherever they are written.
"""

import unittest

import numpy

import scenery
from refusals import ARRAY, Cases
from scenery import stencil

j, i = stencil.indices("j i")
CASES = Cases()
refused = CASES.refused
REAL = "'//' of values that are no integers; use stencil.floor(a / b)"
STEPS = ("stencil.steps takes a number of steps that is an integer; compute it from integers that "
         "calls give, with + - * // % and comparisons: n // 2 in place of n / 2")


def setUpModule():
    scenery.needs_compiler()


def counts(n, m):
    """Numbers of steps that a program computes from its arguments."""
    return [n // 3 + 20, n % 3, (n % -3) + 5, 17 // m + 20, 17 % m + 9, -(n // m) + 9,
            abs(n) // 2 - n % 2, divmod(n, 4)[0] + divmod(n, 4)[1] + 9, n // 7 * 7 % 5]


def stepped(which):
    @stencil.program
    def program(u, n, m):
        for _ in stencil.steps(counts(n, m)[which]):
            u[j, i] = u[j, i] + 1
    return program


class Integers(unittest.TestCase):
    def check(self, program, expected, *arguments, **options):
        """Compares the first array after runs on both backends."""
        for on in ("interpreter", "emulator"):
            copies = [one.copy() if isinstance(one, numpy.ndarray) else one for one in arguments]
            program(*copies, on=on, **options if on == "emulator" else {})
            numpy.testing.assert_array_equal(copies[0], expected, on)

    def test_numbers_of_steps(self):
        for which in range(len(counts(1, 1))):
            program = stepped(which)
            for n, m in [(9, 4), (-8, 5), (0, -2), (-4, -7)]:
                with self.subTest(which=which, n=n, m=m):
                    self.check(program, numpy.full((2, 3), max(0, counts(n, m)[which])),
                               numpy.zeros((2, 3), int), n, m)

    def test_numbers_of_steps_that_are_chosen(self):
        @stencil.program
        def program(u, n):
            half = n // 2
            for _ in stencil.steps(stencil.where((n > 4) & ~(n == 7), half, stencil.maximum(n, 2))):
                u[j, i] = u[j, i] + 1
            for _ in stencil.steps(half, n):
                u[j, i] = u[j, i] + 100

        for n in (1, 4, 6, 7, 11):
            first = n // 2 if n > 4 and n != 7 else max(n, 2)
            self.check(program, numpy.full((2, 3), first + 100 * (n - n // 2)),
                       numpy.zeros((2, 3), int), n)

    def test_loops_that_make_several_steps_at_once(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, n):
            for t in stencil.steps(n // 2):
                u[t+1, j, i] = u[t, j, i-1] + 0.5 * u[t, j, i]
            for t in stencil.steps(n // 2, n):
                u[t+1, j, i] = u[t, j-1, i] - 0.5 * u[t, j, i]

        start = numpy.random.default_rng(1).random((40, 66))
        expected = program(start.copy(), 9, on="interpreter")
        for more in ({"plan": {"loop": {"mapping": "warp", "steps": 3}}}, {}):
            with self.subTest(more):
                self.check(program, expected, start, 9, **more)

    def test_several_devices(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, n):
            for t in stencil.steps(n // 2 + n % 3):
                u[t+1, j, i] = u[t, j, i-1] + 0.5 * u[t, j-1, i]

        start = numpy.random.default_rng(1).random((40, 66))
        expected = program(start.copy(), 8, on="interpreter")
        self.check(program, expected, start, 8, device=[0, 0])

    def test_levels_of_the_caller(self):
        @stencil.program(levels="arguments")
        def program(u, n):
            for t in stencil.steps(n // 2):
                u[t+1, j, i] = u[t, j, i] + 1

        for n in (4, 7):
            arrays = tuple(numpy.zeros((2, 8, 9)))
            newest, _ = program(arrays, n, on="emulator")
            self.assertIs(newest, arrays[(n // 2) % 2])
            self.assertEqual(newest[0, 0], n // 2)

    def test_counters(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, n):
            for t in stencil.steps(n):
                even = stencil.where(t % 2 == 0, 1.0, 0.0)
                u[t+1, j, i] = u[t, j, i] + even + 10 * ((t - 5) // 3) + 100 * ((2 - t) % n)

        total = sum((t % 2 == 0) + 10 * ((t - 5) // 3) + 100 * ((2 - t) % 9) for t in range(9))
        for more in ({}, {"plan": {"loop": {"mapping": "warp", "steps": 2}}}):
            self.check(program, numpy.full((40, 66), float(total)), numpy.zeros((40, 66)), 9,
                       **more)

    def test_coordinates(self):
        @stencil.program
        def program(u, n):
            found = (i - 4) // 3 + 10 * (i % -4) + 100 * ((j - i) % n) + 1000 * (7 // (i + 1))
            u[j, i] = stencil.cast(found, "f64")

        at_j, at_i = numpy.mgrid[:8, :9]
        self.check(program, (at_i - 4) // 3 + 10 * (at_i % -4) + 100 * ((at_j - at_i) % 5)
                   + 1000 * (7 // (at_i + 1)), numpy.zeros((8, 9)), 5)

    def test_arrays_of_integers(self):
        @stencil.program
        def program(q, r, a, b):
            q[j, i] = a[j, i] // b[j, i] + a[j, i] % 7
            r[j, i] = a[j, i] % b[j, i] - -5 // b[j, i]

        @stencil.program
        def swapped(r, q, a, b):
            program.__wrapped__(q, r, a, b)

        content = numpy.random.default_rng(1)
        for dtype in ("i1", "i2", "i4", "i8"):
            a = content.integers(-100, 100, (8, 9)).astype(dtype)
            b = content.integers(1, 9, (8, 9)).astype(dtype) * content.choice((-1, 1), (8, 9))
            b = b.astype(dtype)
            five = numpy.array(-5, dtype)
            self.check(program, a // b + a % numpy.array(7, dtype), numpy.zeros_like(a),
                       numpy.zeros_like(a), a, b)
            self.check(swapped, a % b - five // b, numpy.zeros_like(a), numpy.zeros_like(a), a, b)

    def test_numbers_of_numpy_on_the_left(self):
        @stencil.program
        def program(u, n):
            for _ in stencil.steps(numpy.int64(17) // n + numpy.int64(17) % n):
                u[j, i] = u[j, i] + 1

        self.check(program, numpy.full((2, 3), 5), numpy.zeros((2, 3), int), 5)

    def test_a_divisor_of_zero_is_an_error_of_the_program(self):
        program = stepped(3)
        for on in ("interpreter", "emulator"):
            with self.assertRaisesRegex(stencil.StencilError, "zero|by 0|divisor"):
                program(numpy.zeros((2, 3), int), 1, 0, on=on)

    def test_refusals(self):
        CASES.check(self)


@refused(REAL)
def a_quotient_of_real_values(u, v):
    v[j, i] = u[j, i] // 2  # here


@refused("'%' of values that are no integers; use a - b * stencil.floor(a / b)")
def a_remainder_of_real_values(u, v):
    v[j, i] = 2 % u[j, i]  # here


@refused(REAL)
def a_quotient_by_a_half(u, v):
    v[j, i] = u[j, i] + i // 0.5  # here


@refused(REAL)
def a_pair_of_both(u, v):
    v[j, i] = divmod(u[j, i], 2)[1]  # here


@refused("'%' by 0; give a divisor that is not zero")
def a_divisor_of_zero(u, v):
    v[j, i] = u[j, i] + i % 0  # here


@refused("'//' of two truth values; join conditions with & and |")
def a_quotient_of_conditions(u, v):
    v[j, i] = (u[j, i] > 0) // (v[j, i] > 0)  # here


@refused("'@' of values of a stencil is not defined; write products and their sum: a[j, i] * "
         "b[j, i] + ...")
def a_product_of_matrices(u, v):
    v[j, i] = u[j, i] @ v[j, i]  # here


@refused("'<<' of values of a stencil is not defined; multiply by a power of two, or divide with "
         "// by it")
def a_shift_of_bits(u, v):
    v[j, i] = 1 << i  # here


@refused(STEPS, (ARRAY, 5))
def half_a_number_of_steps(u, n):
    for _ in stencil.steps(n / 2):  # here
        u[j, i] = u[j, i] + 1


@refused(STEPS, (ARRAY, 5))
def half_a_number_of_steps_rounded(u, n):
    for _ in stencil.steps(stencil.floor(n / 2)):  # here
        u[j, i] = u[j, i] + 1


@refused("stencil.steps takes the same number of steps at all points, and i is one for each; "
         "compute it from arguments of the program")
def steps_of_a_coordinate(u, n):
    for _ in stencil.steps(2 * i):  # here
        u[j, i] = u[j, i] + 1


@refused("stencil.steps takes the same number of steps at all points, and n[j, i] is one for each; "
         "compute it from arguments of the program", (ARRAY, numpy.ones((8, 9), int)))
def steps_of_a_field(u, n):
    for _ in stencil.steps(n[j, i]):  # here
        u[j, i] = u[j, i] + 1


if __name__ == "__main__":
    unittest.main()
