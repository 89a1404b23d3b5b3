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


class Messages(unittest.TestCase):
    def test_each_has_its_line_reason_and_remedy(self):
        CASES.check(self)

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
