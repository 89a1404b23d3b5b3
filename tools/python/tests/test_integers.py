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

    def test_comparisons_with_narrow_integers_are_those_of_the_numbers(self):
        @stencil.program
        def program(v, u, n):
            some = stencil.where(i < 4, stencil.where(i < 2, 1, 2), n)
            is_less = [u[j, i] < n, i >= u[j, i], u[j, i] == 2 * n, some > u[j, i]]
            v[j, i] = sum(stencil.where(one, 10 ** place, 0) for place, one in enumerate(is_less))

        at_i = numpy.arange(300)
        for dtype in ("i1", "i2", "i4"):
            u = numpy.random.default_rng(1).integers(-100, 100, (2, 300)).astype(dtype)
            for n in (-2 ** 40, -50, 3, 200, 40000, 2 ** 31 + 7, 2 ** 62):
                with self.subTest(dtype=dtype, n=n):
                    some = numpy.where(at_i < 4, numpy.where(at_i < 2, 1, 2), n)
                    expected = [u < n, at_i >= u, u.astype("i8") == 2 * n, some > u]
                    self.check(program, sum(10 ** place * one for place, one
                                            in enumerate(expected)),
                               numpy.zeros((2, 300), int), u, n)

    def test_what_is_converted_keeps_the_last_bits(self):
        @stencil.program
        def program(u, n):
            u[j, i] = u[j, i] + stencil.cast(n * i, u.dtype) \
                - stencil.cast(stencil.cast(u[j, i], "i64") * n // 7, u.dtype)

        @stencil.program
        def least(u, n):
            some = stencil.where(j < 1, stencil.where(i < 2, 1, 2), n)
            u[j, i] = stencil.cast(stencil.minimum(some, 200), u.dtype)

        at_j, at_i = numpy.mgrid[:2, :9]
        for dtype in ("i1", "i2", "i4"):
            for n in (300, -70000, 2 ** 31 + 7):
                with self.subTest(dtype=dtype, n=n):
                    u = numpy.full((2, 9), 5, dtype)
                    self.check(program, (5 + n * at_i - 5 * n // 7).astype(dtype), u, n)
                    some = numpy.where(at_j < 1, numpy.where(at_i < 2, 1, 2), n)
                    self.check(least, numpy.minimum(some, 200).astype(dtype),
                               numpy.zeros((2, 9), dtype), n)

    def test_operations_of_numbers_alone(self):
        @stencil.program
        def program(u, n):
            one = stencil.where(i < 4, 3, -5)
            u[j, i] = u[j, i] - -one + abs(one) * 2

        at_i = numpy.arange(9)
        one = numpy.where(at_i < 4, 3, -5)
        for dtype in ("i1", "i4", "i8", "f4"):
            self.check(program, numpy.broadcast_to(1 + one + 2 * abs(one), (2, 9)).astype(dtype),
                       numpy.ones((2, 9), dtype), 3)

    def test_time_steps_with_offsets_of_numpy(self):
        @stencil.program
        def program(u):
            for t in stencil.steps(numpy.int32(3)):
                u[t + numpy.int64(1), j, i] = u[t - numpy.int8(0), j, i] + 1
            for t in stencil.steps(numpy.int32(3)):
                u[numpy.int64(1) + t, j, i] = u[t, j, i] + numpy.int64(1)

        self.check(program, numpy.full((2, 3), 6), numpy.zeros((2, 3), int))

    def test_indices_with_offsets_of_numpy(self):
        @stencil.program
        def program(u, v):
            one = numpy.int64(1)
            u[j, i[one:-one]] = v[j, one + i] + 10 * v[j, numpy.subtract(i, 1)] - (one - i)

        v = numpy.arange(10).reshape(2, 5)
        expected = numpy.zeros((2, 5), int)
        expected[:, 1:-1] = v[:, 2:] + 10 * v[:, :-2] - (1 - numpy.arange(1, 4))
        self.check(program, expected, numpy.zeros((2, 5), int), v)

    def test_ghost_cells(self):
        def shifted(u, v):
            u[j, i] = v[j, i-1]

        v = numpy.array([[1, 0, 1], [0, 1, 1]])
        for boundary, dtype, ghosts in [(stencil.fixed(1, i), "?", [1, 1]),
                                        (stencil.fixed(0, i), "?", [0, 0]),
                                        (stencil.fixed(-128, i), "i1", [-128, -128]),
                                        (stencil.fixed(2 ** 31 - 1, i), "i4", [2 ** 31 - 1] * 2),
                                        (stencil.mirror(i, sign=-1), "i1", [-1, 0]),
                                        (stencil.mirror(i, sign=-1), "i8", [-1, 0])]:
            with self.subTest(boundary=str(boundary), dtype=dtype):
                expected = numpy.concatenate([numpy.array([ghosts]).T, v[:, :-1]], 1)
                self.check(stencil.program(boundaries={"v": boundary})(shifted),
                           expected.astype(dtype), numpy.zeros((2, 3), dtype), v.astype(dtype))

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


def narrow(what, dtype="int8"):
    """What is said of an integer of 64 bits beside a narrower one."""
    short = f"i{dtype[3:]}"
    return (f"{what}, an integer of 64 bits, is used with {dtype}; convert it, stencil.cast({what},"
            f" '{short}'), which keeps its last {dtype[3:]} bits, or what it is used with, "
            "stencil.cast(value, 'i64')")


BYTES = numpy.ones((8, 9), "i1")
WORDS = numpy.ones((8, 9), "i4")


@refused(narrow("n"), (BYTES, 300))
def an_argument_beside_bytes(u, n):
    u[j, i] += n  # here


@refused(narrow("n", "int16"), (numpy.ones((8, 9), "i2"), 3))
def an_argument_that_is_chosen(u, n):
    u[j, i] = stencil.where(u[j, i] > n, n, u[j, i])  # here


@refused(narrow("n", "int32"), (WORDS, 3))
def an_argument_beside_words(u, n):
    u[j, i] = stencil.minimum(n, u[j, i])  # here


@refused(narrow("i", "int32"), (WORDS, WORDS))
def an_index_beside_words(u, v):
    v[j, i] = u[j, i] - i  # here


@refused(narrow("(2 * i+1)"), (BYTES, BYTES))
def a_divisor_of_an_index(u, v):
    v[j, i] = u[j, i] % (2 * (i+1))  # here


@refused(narrow("t"), (BYTES,))
def a_time_step_beside_bytes(u):
    for t in stencil.steps(3):
        u[t+1, j, i] = t * u[t, j, i]  # here


@refused(narrow("n"), (BYTES, 3))
def an_argument_among_numbers(u, n):
    u[j, i] = stencil.where(i < 3, stencil.where(i < 2, 1, 2), n)  # here


@refused("stencil.fma of int8; convert it first: stencil.cast(value, 'f32')", (BYTES, 3))
def a_function_of_bytes(u, n):
    u[j, i] = stencil.fma(u[j, i], n, 1)  # here


@refused("stencil.power of int8; convert it first: stencil.cast(value, 'f32')", (BYTES, 3))
def a_power_of_bytes(u, n):
    u[j, i] = u[j, i] ** n  # here


@refused("(i / 2) is used with int64, which cannot hold it; divide integers with //, or convert "
         "the value first: stencil.cast(value, 'f64')", (numpy.ones((8, 9), int),))
def half_an_index(u):
    u[j, i] = u[j, i] + i / 2  # here


@refused("sqrt(4) is used with int32, which cannot hold it; divide integers with //, or convert "
         "the value first: stencil.cast(value, 'f64')", (WORDS,))
def a_root_of_a_number(u):
    u[j, i] = u[j, i] + stencil.sqrt(4)  # here


@refused("the number (i / j) is used with a truth value; make a number of it: "
         "stencil.where(condition, 1, 0)")
def a_quotient_and_a_condition(u, v):
    v[j, i] = stencil.where((u[j, i] > 0) == i / j, 1, 2)  # here


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
