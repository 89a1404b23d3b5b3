"""Order of statements, levels of time, temporaries, updates in place: the same with NumPy."""

import unittest

import numpy

import scenery
from scenery import stencil

j, i = stencil.indices("j i")
(p,) = stencil.indices("p")
CONTENT = numpy.random.default_rng(1)


def setUpModule():
    scenery.needs_compiler()


def at(array, distance, axis):
    """The values at a distance, in a periodic box."""
    return numpy.roll(array, -distance, axis)


def around(u):
    """The sum of the four neighbours, in a periodic box."""
    return at(u, -1, 0) + at(u, 1, 0) + at(u, -1, 1) + at(u, 1, 1)


def mean_inside(u):
    """The mean of the neighbours of all points that have four."""
    return 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


class Semantics(unittest.TestCase):
    def compare(self, program, expected, *arguments):
        """Runs both on copies of the arguments, and compares all arrays."""
        for on in ("interpreter", "emulator"):
            found = [one.copy() if isinstance(one, numpy.ndarray) else one for one in arguments]
            wanted = [one.copy() if isinstance(one, numpy.ndarray) else one for one in arguments]
            program(*found, on=on)
            expected(*wanted)
            for one, two in zip(found, wanted):
                if isinstance(one, numpy.ndarray):
                    self.assertEqual(one.tobytes(), two.tobytes(), on)

    def test_a_temporary_of_all_steps(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, m, n):
            w = stencil.temporary("w")
            w[j, i] = m[j, i+1] - m[j, i]
            for t in stencil.steps(n):
                u[t+1, j, i] = u[t, j, i] + w[j, i-1] * u[t, j-1, i]

        def expected(u, m, n):
            w = at(m, 1, 1) - m
            for _ in range(n):
                u[...] = u + at(w, -1, 1) * at(u, -1, 0)

        self.compare(program, expected, CONTENT.random((8, 9)), CONTENT.random((8, 9)), 3)

    def test_a_temporary_that_is_assigned_to_again(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, v):
            w = stencil.temporary("w")
            w[j, i] = 2 * u[j, i]
            first = w[j, i+1]
            w[j, i] = first - w[j, i-1]
            v[j, i] = w[j+1, i] + first

        def expected(u, v):
            w = at(2 * u, 1, 1) - at(2 * u, -1, 1)
            v[...] = at(w, 1, 0) + at(2 * u, 1, 1)

        self.compare(program, expected, CONTENT.random((8, 9)), CONTENT.random((8, 9)))

    def test_updates_in_place(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, v, n):
            for _ in stencil.steps(n):
                u[j, i] = 0.5 * (u[j-1, i] + v[j, i+1])
                v[j, i] = v[j, i-1] + u[j+1, i]

        def expected(u, v, n):
            for _ in range(n):
                u[...] = 0.5 * (at(u, -1, 0) + at(v, 1, 1))
                v[...] = at(v, -1, 1) + at(u, 1, 0)

        self.compare(program, expected, CONTENT.random((8, 9)), CONTENT.random((8, 9)), 3)

    def test_a_level_that_is_assigned_to_three_times(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, v, n):
            for t in stencil.steps(n):
                u[t+1, j, i] = 0.25 * (u[t, j-1, i] + u[t, j+1, i] + u[t, j, i-1] + u[t, j, i+1])
                u[t+1, j, i] = stencil.where(v[j, i] > 0.5, u[t+1, j, i], u[t, j, i])
                u[t+1, 3, 4] = 1.0

        def expected(u, v, n):
            for _ in range(n):
                u[...] = numpy.where(v > 0.5, 0.25 * around(u), u)
                u[3, 4] = 1.0

        self.compare(program, expected, CONTENT.random((8, 9)), CONTENT.random((8, 9)), 4)

    def test_new_levels_at_neighbours(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, v, n):
            for t in stencil.steps(n):
                u[t+1, j, i] = u[t, j, i+1] + v[t, j, i]
                v[t+1, j, i] = v[t, j, i] * 0.5 + u[t+1, j, i-1] - u[t+1, j+1, i]

        def expected(u, v, n):
            for _ in range(n):
                u[...] = at(u, 1, 1) + v
                v[...] = v * 0.5 + at(u, -1, 1) - at(u, 1, 0)

        self.compare(program, expected, CONTENT.random((8, 9)), CONTENT.random((8, 9)), 4)

    def test_strips_after_the_domain(self):
        @stencil.program(boundaries=stencil.fixed())
        def program(u, n):
            for t in stencil.steps(n):
                u[t+1, j, i] = 0.25 * (u[t, j-1, i] + u[t, j+1, i] + u[t, j, i-1] + u[t, j, i+1])
                u[t+1, 0, i] = u[t+1, 1, i]
                u[t+1, j[-1], i] = 0.0

        def expected(u, n):
            for _ in range(n):
                u[1:-1, 1:-1] = mean_inside(u)
                u[0] = u[1]
                u[-1] = 0.0

        self.compare(program, expected, CONTENT.random((8, 9)), 4)

    def test_statements_after_a_loop(self):
        @stencil.program(boundaries=stencil.halo(1))
        def program(u, n):
            for t in stencil.steps(n):
                u[t+1, j, i] = 0.25 * (u[t, j-1, i] + u[t, j+1, i] + u[t, j, i-1] + u[t, j, i+1])
            u[j, i] = 2 * u[j, i]

        def expected(u, n):
            for _ in range(n):
                u[1:-1, 1:-1] = mean_inside(u)
            u[1:-1, 1:-1] *= 2

        self.compare(program, expected, CONTENT.random((8, 9)), 4)

    def test_values_that_are_set_before_a_loop(self):
        @stencil.program(boundaries=stencil.fixed())
        def program(u, n):
            u[j[0], i] = 5.0 + 0.0 * u[j, i]
            for t in stencil.steps(n):
                u[t+1, j, i] = 0.25 * (u[t, j-1, i] + u[t, j+1, i] + u[t, j, i-1] + u[t, j, i+1])

        def expected(u, n):
            u[0] = 5.0
            for _ in range(n):
                new = u.copy()
                new[1:-1, 1:-1] = mean_inside(u)
                u[...] = new

        for steps in (0, 1, 4):
            self.compare(program, expected, numpy.zeros((6, 7)), steps)

    def test_loops_that_compute_other_points(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, m, n):
            for t in stencil.steps(m):
                u[t+1, j, i] = u[t, j, i] + 1.0
            for t in stencil.steps(n):
                u[t+1, j[2:-2], i] = u[t, j, i] + u[t, j-1, i]

        def expected(u, m, n):
            for _ in range(m):
                u += 1.0
            for _ in range(n):
                new = u.copy()
                new[2:-2] = u[2:-2] + u[1:-3]
                u[...] = new

        for steps in ((0, 3), (1, 2), (3, 0), (2, 3)):
            self.compare(program, expected, CONTENT.random((8, 5)), *steps)

    def test_levels_of_a_loop_that_reads_fewer(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, m, n):
            for t in stencil.steps(m):
                u[t+1, j, i] = 0.5 * u[t, j-1, i]
            for t in stencil.steps(n):
                u[t+1, j, i] = u[t, j, i] - u[t-2, j, i+1]

        def expected(u, m, n):
            levels = list(u)
            for _ in range(m):
                levels = [*levels[1:], 0.5 * at(levels[-1], -1, 0)]
            for _ in range(n):
                levels = [*levels[1:], levels[-1] - at(levels[0], 1, 1)]
            return levels

        for m, n in ((0, 2), (1, 2), (2, 1), (4, 4)):
            start = [CONTENT.random((6, 5)) for _ in range(3)]
            for on in ("interpreter", "emulator"):
                found = [one.copy() for one in start]
                program(tuple(found), m, n, on=on)
                for one, two in zip(found, expected(start, m, n)):
                    self.assertEqual(one.tobytes(), two.tobytes(), (m, n, on))

    def test_older_levels_in_a_scan(self):
        @stencil.program(boundaries=stencil.fixed())
        def program(u, n):
            for t in stencil.steps(n):
                with stencil.forward(p):
                    u[t+1, p[0]] = u[t, p] + 1.0
                    u[t+1, p[1:]] = u[t-1, p] + 0.5 * u[t+1, p-1]

        def expected(levels, n):
            before, now = levels
            for _ in range(n):
                new = before.copy()
                new[0] = now[0] + 1.0
                for place in range(1, len(new)):
                    new[place] += 0.5 * new[place - 1]
                before, now = now, new
            return before, now

        for steps in range(4):
            start = CONTENT.random((2, 6))
            for on in ("interpreter", "emulator"):
                found = start.copy()
                program((found[0], found[1]), steps, on=on)
                for one, two in zip(found, expected(start, steps)):
                    self.assertEqual(one.tobytes(), two.tobytes(), (steps, on))

    def test_without_a_loop(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, v):
            v[j, i] = u[j+3, i] - u[j, i-4]
            u[j, i] = u[j+1, i] - u[j, i-1]

        def expected(u, v):
            v[...] = at(u, 3, 0) - at(u, -4, 1)
            u[...] = at(u, 1, 0) - at(u, -1, 1)

        self.compare(program, expected, CONTENT.random((8, 9)), CONTENT.random((8, 9)))

    def test_integers_with_levels(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, n):
            for t in stencil.steps(n):
                near = u[t, j-1, i] + u[t, j+1, i] + u[t, j, i-1] + u[t, j, i+1]
                more = u[t, j, i] + stencil.cast(n, u.dtype)
                u[t+1, j, i] = stencil.where(near > 2, u[t, j, i] - 1, more)

        def expected(u, n):
            for _ in range(n):
                u[...] = numpy.where(around(u) > 2, u - 1, u + n)

        for dtype in ("i1", "i4"):
            self.compare(program, expected, CONTENT.integers(0, 3, (8, 9)).astype(dtype), 3)

    def test_conditions(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(a, b):
            b[j, i] = (a[j, i] & ~a[j, i+1]) | (a[j-1, i] ^ b[j, i])

        def expected(a, b):
            b[...] = (a & ~at(a, 1, 1)) | (at(a, -1, 0) ^ b)

        self.compare(program, expected, CONTENT.random((8, 9)) > 0.5, CONTENT.random((8, 9)) > 0.5)

    def test_numbers_of_steps(self):
        @stencil.program
        def program(u, n, m):
            for t in stencil.steps(n, 2 * n + m - 1):
                u[j, i] = u[j, i] + t

        def expected(u, n, m):
            for t in range(n, 2 * n + m - 1):
                u += t

        self.compare(program, expected, CONTENT.random((4, 5)), 3, 2)

    def test_a_line_with_mirrors(self):
        @stencil.program(boundaries=stencil.mirror(at="point"))
        def program(u, n):
            w = stencil.temporary("w")
            for t in stencil.steps(n):
                w[p] = u[t, p-2] - u[t, p+2]
                u[t+1, p] = w[p-1] + w[p+1]

        def expected(u, n):
            for _ in range(n):
                wide = numpy.pad(u, 3, mode="reflect")
                w = wide[:-4] - wide[4:]
                u[...] = w[:-2] + w[2:]

        self.compare(program, expected, CONTENT.random(13), 3)


if __name__ == "__main__":
    unittest.main()
