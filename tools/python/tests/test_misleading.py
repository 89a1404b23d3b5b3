"""Mistakes whose messages once spoke of something else than what was written."""

import unittest

import numpy

import scenery
from refusals import ARRAY, Cases
from scenery import stencil

j, i = stencil.indices("j i")
CASES = Cases()
refused = CASES.refused


def setUpModule():
    scenery.needs_compiler()


def copy(u, v):
    v[j, i] = u[j, i]


# ---- tables, and indices that are computed ------------------------------------------------------

COMPUTED = ("an index of 'u' is computed from the time step: {} a level of time is t with a "
            "constant offset, as in t-1; a table has a value for each step, s[t]: make it "
            "before the call, as s[numpy.arange(steps) % 3]")
ROWS = ("a table holds one value for each time step, s[t]: where each step has a row of values, "
        "call the program once for each step, with its row as an array")


@refused(COMPUTED.format("(t % 3);"), arrays=(numpy.ones(3), ARRAY))
def a_table_in_turns(u, v):
    for t in stencil.steps(5):
        v[j, i] = u[t % 3]  # here


@refused(COMPUTED.format("((n - t) - 1);"), arrays=(numpy.ones(3), ARRAY, 5))
def a_table_from_its_end(u, v, n):
    for t in stencil.steps(n):
        v[j, i] = u[n - t - 1]  # here


@refused("'u' has 2 dimensions and is indexed by 1 beside the time step; a level of time is "
         "u[t, j, i]; " + ROWS)
def a_row_for_each_step(u, v):
    for t in stencil.steps(5):
        v[j, i] = u[t, i]  # here


@refused("'u' has 3 dimensions and is indexed by 2 beside the time step; " + ROWS,
         arrays=(numpy.ones((2, 3, 4)), ARRAY))
def a_plane_for_each_step(u, v):
    for t in stencil.steps(5):
        v[j, i] = u[t, j, i]  # here


@refused("u[t, i] is a level of time, and 'u' has none: it does not lie on the whole grid; a table "
         "has a value for each time step, u[t]; or read it without the time step if it is the same "
         "in every step", arrays=(numpy.ones(9), ARRAY))
def a_level_of_a_row(u, v):
    for t in stencil.steps(5):
        v[j, i] = u[t, i]  # here


@refused("an index of 'u' is computed from an argument: (i + n); a neighbour has a constant "
         "integer offset: make the argument a part of the program, @stencil.program(static='n')",
         arrays=(ARRAY, ARRAY, 2))
def an_offset_of_the_call(u, v, n):
    v[j, i] = u[j, i + n]  # here


# ---- Python and NumPy while a program is traced -------------------------------------------------

OUTSIDE = (" is used in an array of NumPy, which is no argument of the program; pass the array as "
           "an argument of the program and index that; use functions of stencil in place of "
           "NumPy's")
INTEGER = ("a value of a stencil has no number while the program is traced: range(n) and the "
           "subscripts of lists ask for it; loop over time steps with stencil.steps(n), pass "
           "arrays and tables as arguments of the program and index those, and pass what decides "
           "how the program is written as a static argument")


@refused("i-1" + OUTSIDE)
def an_array_of_the_module(u, v):
    v[j, i] = u[j, i] * ARRAY[0, i-1]  # here


@refused("t" + OUTSIDE)
def a_table_of_the_module(u, v):
    for t in stencil.steps(3):
        v[j, i] = u[j, i] * ARRAY[t]  # here


@refused("n" + OUTSIDE, arrays=(ARRAY, ARRAY, 2))
def an_argument_as_a_subscript(u, v, n):
    v[j, i] = u[j, i] * ARRAY[0][n]  # here


@refused(INTEGER)
def a_list(u, v):
    for t in stencil.steps(3):
        v[j, i] = u[j, i] * [1.0, 2.0, 3.0][t]  # here


@refused(INTEGER, arrays=(ARRAY, ARRAY, 2))
def a_loop_over_a_range(u, v, n):
    for _ in range(n):  # here
        v[j, i] = u[j, i]


@refused("len of the field 'u'; its extents are u.shape, as in u.shape[0]")
def the_length_of_a_field(u, v):
    v[j, i] = u[j, i] / len(u)  # here


@refused("u[j, i-9] reads 9 cells beyond the side of 'u' along i, which has 8 cells for "
         "stencil.mirror to copy from; pass larger arrays",
         boundaries=stencil.mirror(at="point"))
def more_than_a_mirror_has(u, v):
    v[j, i] = u[j, i-9]  # here


class Messages(unittest.TestCase):
    def test_each_has_its_line_reason_and_remedy(self):
        CASES.check(self)

    def test_methods(self):
        class Model:
            @stencil.program
            def step(self, u):
                u[j, i] = 2 * u[j, i]

            @stencil.program
            def unbound(u):  # noqa: N805 - a program is no method
                u[j, i] = 2 * u[j, i]

        with self.assertRaises(stencil.TraceError) as caught:
            Model().step(ARRAY.copy())
        self.assertEqual(caught.exception.remedy, "its arguments are (self, u); a program is no "
                         "method, and gets no object: leave self out")
        self.assertEqual(Model().unbound(ARRAY.copy(), on="interpreter")[0, 0], 2)

    def test_a_row_for_each_step_as_messages_say(self):
        @stencil.program
        def step(u, row):
            u[j, i] = 0.5 * u[j, i] + row[i]

        rows = numpy.random.default_rng(2).random((4, 9))
        found, expected = numpy.ones((8, 9)), numpy.ones((8, 9))
        for row in rows:
            step(found, row, on="interpreter")
            expected = 0.5 * expected + row
        self.assertEqual(found.tobytes(), expected.tobytes())

    def test_boundaries_of_arguments_that_are_not_read(self):
        def moved(u, c):
            u[j, i] = 2 * u[j, i-1]

        inside = stencil.periodic()
        for one in (stencil.mirror(j), stencil.mirror("i"), stencil.halo(4, j), stencil.mirror()):
            with self.subTest(one):
                program = stencil.program(boundaries={"u": inside, "c": one})(moved)
                for other in (ARRAY, numpy.ones(3), numpy.ones((2, 2)), numpy.ones((2, 2, 2))):
                    found = program(ARRAY.copy(), other, on="interpreter")
                    self.assertEqual(found[0, 0], 2)
        with self.assertRaisesRegex(stencil.TraceError, "'c' has no axis 'k'; its axes are j, i"):
            stencil.program(boundaries={"u": inside, "c": stencil.mirror("k")})(moved).mlir(
                ARRAY, ARRAY)

    def test_programs_of_points_alone(self):
        def corner(v):
            v[3, 5] = 7.0

        def counted(v, w, n):
            for t in stencil.steps(n):
                v[-1, 2, 0] = 0.5 * t + w[0, 0, 1]

        def advanced(v, n):
            for t in stencil.steps(n):
                v[t+1, 2] = v[t, 2] + 1

        for on in ("interpreter", "emulator"):
            found = stencil.program(corner)(numpy.zeros((8, 9)), on=on)
            self.assertEqual((found[3, 5], found.sum()), (7, 7))
            found = stencil.program(counted)(numpy.zeros((4, 4, 4)), numpy.ones((4, 4, 4)), 4,
                                             on=on)
            self.assertEqual((found[-1, 2, 0], found.sum()), (2.5, 2.5))
            self.assertEqual(stencil.program(advanced)(numpy.zeros(9), 4, on=on).tolist(),
                             [0, 0, 4] + 6 * [0])

    def test_devices(self):
        program = stencil.program(copy)
        for device, text in [
                ([], "device=[] names no device; leave it out, or give a number, device=0, or one "
                 "for each part of the domain, device=[0, 1]"),
                ("cuda:0", "device='cuda:0' is no number of a device; they count from 0: device=0, "
                 "or device=[0, 1] for several that share the domain"),
                (["0"], "device '0' is no number of a device; they count from 0: device=0, or "
                 "device=[0, 1] for several that share the domain"),
                (1.5, "device=1.5 is no number of a device; they count from 0: device=0, or "
                 "device=[0, 1] for several that share the domain"),
                (True, "device=True is no number of a device; they count from 0: device=0, or "
                 "device=[0, 1] for several that share the domain"),
                ([0, -1], "device -1 does not exist, they count from 0"),
                (-1, "device -1 does not exist, they count from 0")]:
            for call in (lambda: program(ARRAY, ARRAY.copy(), on="interpreter", device=device),
                         lambda: program(ARRAY, ARRAY.copy(), on="emulator", device=device),
                         lambda: program.time(ARRAY, ARRAY.copy(), on="emulator", device=device),
                         lambda: program.verify(ARRAY, ARRAY, on="emulator", device=device)):
                with self.subTest(device), self.assertRaises(stencil.ArgumentError) as caught:
                    call()
                self.assertEqual(str(caught.exception), text)
        for device in (numpy.int64(0), [numpy.int32(0)], (0,)):
            found = program(ARRAY, numpy.zeros((8, 9)), on="emulator", device=device)
            self.assertEqual(found[7, 8], 1)


@refused("'~' takes conditions, found a number; compare first, and put comparisons in brackets: "
         "~(a > 0)")
def a_number_that_is_negated(u, v):
    v[j, i] = ~u[j, i]  # here


@refused("'~' takes conditions, found a number; compare first, and put comparisons in brackets: "
         "~(a > 0)")
def a_count_that_is_negated(u, v):
    v[j, i] = u[j, i] + ~i  # here


@refused("'^' takes conditions, found a number; compare first, and put comparisons in brackets: "
         "(a > 0) ^ (b > 0)")
def numbers_that_are_joined(u, v):
    v[j, i] = u[j, i] ^ v[j, i]  # here


@refused("'s' has no axis 'j'; the program indexes it by no index of the grid, so that it has no "
         "sides: declare no boundary for it", (numpy.ones(9), ARRAY),
         boundaries={"s": stencil.mirror(j)})  # here
def a_table(s, v):
    v[j, i] = s[2]


@refused("w[2] is assigned to, and is not indexed by all indices of the grid in their order, (j, "
         "i); assign to fields of the grid's dimensions; arrays of fewer dimensions are read only",
         (numpy.ones(9), ARRAY))
def a_point_of_a_smaller_array(w, v):
    v[j, i] = v[j, i] + 1
    w[2] = 1.0  # here


@refused("w[2] is assigned to, and is not indexed by all indices of the grid in their order, (j, "
         "i); assign to fields of the grid's dimensions; arrays of fewer dimensions are read only",
         (numpy.ones(9), ARRAY))
def a_point_of_a_smaller_array_and_one(w, v):
    v[3, 5] = 1.0
    w[2] = 1.0  # here


if __name__ == "__main__":
    unittest.main()
