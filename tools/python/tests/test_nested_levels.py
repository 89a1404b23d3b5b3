"""Levels of time, numbers of steps, temporaries and scans in loops in loops, as NumPy has them."""

import unittest

import numpy

import scenery
from compared import Compared
from scenery import stencil

j, i = stencil.indices("j i")
x, = stencil.indices("x")
z, y, x3 = stencil.indices("z y x3")
CONTENT = numpy.random.default_rng(12)
SHAPE = (7, 9)


def setUpModule():
    scenery.needs_compiler()


class Levels(Compared):
    def test_older_levels(self):
        """The second newest level of an inner loop stays from one outer step to the next."""
        @stencil.program(boundaries=stencil.periodic())
        def program(u, p, n, m):
            for t in stencil.steps(n):
                for s in stencil.steps(m):
                    p[s+1, x] = 2 * p[s, x] - p[s-1, x+1] + 0.125 * u[t-2, x]
                u[t+1, x] = u[t, x] - u[t-1, x-1] + p[x]

        def expected(u, p, n, m):
            u, p, given = list(u), list(p), (u, p)
            for _ in range(n):
                for _ in range(m):
                    p = [p[1], 2 * p[1] - numpy.roll(p[0], -1) + 0.125 * u[0]]
                u = [*u[1:], u[2] - numpy.roll(u[1], 1) + p[1]]
            for before, after in zip(given, (u, p)):
                for one, two in zip(before, after):
                    one[...] = two

        for numbers in ((0, 3), (1, 2), (2, 3), (5, 1), (3, 0)):
            self.compare(program, expected, tuple(CONTENT.random((3, 11))),
                         tuple(CONTENT.random((2, 11))), numbers=numbers)

    def test_the_new_level_of_the_outer_loop(self):
        """It is computed before the inner loop, which reads it at neighbours beyond the sides."""
        @stencil.program(boundaries=stencil.periodic())
        def program(u, p, n, m):
            for t in stencil.steps(n):
                u[t+1, x] = 0.5 * (u[t, x-1] + p[x+1])
                for s in stencil.steps(m):
                    p[s+1, x] = p[s, x] - 0.25 * u[t+1, x+1] + u[t, x-1]
                u[t+1, x[0]] = p[x]

        def expected(u, p, n, m):
            for _ in range(n):
                new = 0.5 * (numpy.roll(u, 1) + numpy.roll(p, -1))
                for _ in range(m):
                    p[...] = p - 0.25 * numpy.roll(new, -1) + numpy.roll(u, 1)
                new[0] = p[0]
                u[...] = new

        for numbers in ((1, 2), (3, 3), (2, 0)):
            self.compare(program, expected, CONTENT.random(11), CONTENT.random(11),
                         numbers=numbers)

    def test_loops_one_after_another_and_three_deep(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, p, q, n, m):
            for t in stencil.steps(n):
                for s in stencil.steps(m):
                    p[s+1, x] = 0.5 * (p[s, x-1] + p[s, x+1])
                    for r in stencil.steps(2):
                        q[r+1, x] = q[r, x+1] - 0.25 * p[s+1, x-1] + 0.125 * u[t, x+1]
                    p[s+1, x[2]] = q[x]
                q[x] = q[x] + p[x]
                for s in stencil.steps(1, m):
                    p[s+1, x] = p[s, x+1] * 0.5 + q[x-1]
                u[t+1, x] = u[t, x] + p[x]

        def expected(u, p, q, n, m):
            for _ in range(n):
                for _ in range(m):
                    new = 0.5 * (numpy.roll(p, 1) + numpy.roll(p, -1))
                    for _ in range(2):
                        q[...] = numpy.roll(q, -1) - 0.25 * numpy.roll(new, 1) \
                            + 0.125 * numpy.roll(u, -1)
                    new[2] = q[2]
                    p[...] = new
                q += p
                for _ in range(1, m):
                    p[...] = numpy.roll(p, -1) * 0.5 + numpy.roll(q, 1)
                u += p

        for numbers in ((0, 1), (1, 0), (2, 1), (3, 2), (2, 5)):
            self.compare(program, expected, *CONTENT.random((3, 13)), numbers=numbers)

    def test_a_loop_of_loops_alone(self):
        @stencil.program
        def program(p, n, m):
            for _ in stencil.steps(n):
                for s in stencil.steps(m):
                    p[s+1, x] = p[s, x] + 1
                for s in stencil.steps(2):
                    p[s+1, x] = 2 * p[s, x]

        def expected(p, n, m):
            for _ in range(n):
                p[...] = (p + m) * 4

        for dtype in ("f4", "i4", "i8"):
            self.compare(program, expected, numpy.arange(5).astype(dtype), numbers=(3, 2))

    def test_fields_without_levels(self):
        @stencil.program(boundaries=stencil.mirror())
        def program(u, v, n, m):
            for t in stencil.steps(n):
                for _ in stencil.steps(m):
                    v[x] = 0.5 * (v[x-1] + u[t, x+1])
                u[t+1, x] = v[x+1]

        def expected(u, v, n, m):
            for _ in range(n):
                for _ in range(m):
                    v[...] = 0.5 * (numpy.append(v[:1], v[:-1]) + numpy.append(u[1:], u[-1:]))
                u[...] = numpy.append(v[1:], v[-1:])

        self.compare(program, expected, *CONTENT.random((2, 9)), numbers=(3, 2))

    def test_levels_that_are_arguments(self):
        """They take turns in the arrays of a call as often as the inner loop has steps in all."""
        def program(p, q, n, m):
            for t in stencil.steps(n):
                for s in stencil.steps(t, t + m % 3):
                    p[s+1, x] = p[s, x] + 1
                for s in stencil.steps(t):
                    q[s+1, x] = q[s, x] - q[s-1, x]

        private, whole = stencil.program(program), stencil.program(levels="arguments")(program)
        start = CONTENT.random((4, 5))
        for n, m in ((0, 2), (1, 2), (2, 2), (3, 1), (3, 5), (4, 3)):
            expected = [start[0].copy(), (start[2].copy(), start[3].copy())]
            private(*expected, n, m, on="interpreter")
            given = [(start[0].copy(), numpy.zeros(5)),
                     (start[2].copy(), start[3].copy(), numpy.zeros(5))]
            p, q = whole(*given, n, m, on="emulator")
            self.assertEqual(p[0].tolist(), expected[0].tolist())
            self.assertEqual([one.tolist() for one in q[:2]],
                             [one.tolist() for one in expected[1]])

    def test_steps_as_numbers_and_of_tables(self):
        @stencil.program
        def program(p, g, n, m):
            for t in stencil.steps(n):
                for s in stencil.steps(m):
                    p[s+1, x] = 0.5 * p[s, x] + t + 3 * s + g[t] * g[s+1]
                p[x] = p[x] - t

        def expected(p, g, n, m):
            for t in range(n):
                for s in range(m):
                    p[...] = 0.5 * p + t + 3 * s + g[t] * g[s+1]
                p -= t

        self.compare(program, expected, CONTENT.random(5), CONTENT.random(4), numbers=(4, 3))

    def test_numbers_of_steps_that_are_computed(self):
        @stencil.program
        def program(p, n, m):
            for t in stencil.steps(n):
                for s in stencil.steps(stencil.where(t % 3 == 1, m // 2, t - 1)):
                    p[s+1, x] = 0.5 * p[s, x] + s
                for s in stencil.steps(t - 1, m):
                    p[s+1, x] = p[s, x] + s * s

        def expected(p, n, m):
            for t in range(n):
                for s in range(m // 2 if t % 3 == 1 else t - 1):
                    p[...] = 0.5 * p + s
                for s in range(t - 1, m):
                    p[...] = p + s * s

        for numbers in ((1, 1), (2, 5), (5, 3)):
            self.compare(program, expected, CONTENT.random(5), numbers=numbers)


# ---- temporaries and scans ----------------------------------------------------------------------

class Temporaries(Compared):
    def test_those_of_both_loops(self):
        @stencil.program(boundaries=stencil.periodic())
        def program(u, p, n, m):
            w, inner, part = stencil.temporaries("w inner part")
            for t in stencil.steps(n):
                w[x] = u[t, x-1] + p[x]
                part[x] = 2 * u[t, x]
                part[x[0]] = p[x]
                for s in stencil.steps(m):
                    inner[x] = p[s, x+1] * w[x-1]
                    p[s+1, x] = inner[x-1] - 0.5 * w[x] + 0.25 * part[x]
                w[x] = w[x] + p[x-1]
                u[t+1, x] = w[x+1]

        def expected(u, p, n, m):
            for _ in range(n):
                w, part = numpy.roll(u, 1) + p, 2 * u
                part[0] = p[0]
                for _ in range(m):
                    inner = numpy.roll(p, -1) * numpy.roll(w, 1)
                    p[...] = numpy.roll(inner, 1) - 0.5 * w + 0.25 * part
                w = w + numpy.roll(p, 1)
                u[...] = numpy.roll(w, -1)

        for numbers in ((1, 1), (2, 3), (3, 0)):
            self.compare(program, expected, *CONTENT.random((2, 9)), numbers=numbers)

    def test_one_that_an_inner_loop_reads_is_in_memory(self):
        """So that several sweeps are made at once; what they read is stored once for all."""
        @stencil.program(boundaries=stencil.mirror(), target="sm_90a")
        def program(u, p, n, m):
            d = stencil.temporary("d")
            for t in stencil.steps(n):
                d[z, y, x3] = u[t, z, y, x3+1] - u[t, z, y-1, x3]
                for s in stencil.steps(m):
                    around = p[s, z-1, y, x3] + p[s, z+1, y, x3] + p[s, z, y-1, x3] \
                        + p[s, z, y+1, x3]
                    p[s+1, z, y, x3] = 0.25 * around - d[z, y, x3]
                u[t+1, z, y, x3] = u[t, z, y, x3] - p[z, y, x3]

        array = stencil.Array((256, 256, 256), "float32")
        self.assertEqual(program.mlir(array, array, 2, 40).count("%d_cells = stencil.alloc"), 1)
        reasons = [one["decision"]["why"] for one in program.explain(array, array, 2, 40).kernels]
        self.assertTrue(any("time steps of 'p' per sweep" in one for one in reasons), reasons)

    def test_a_scan_in_the_inner_loop(self):
        """Lines are relaxed one after another; `v` is carried along each."""
        @stencil.program(boundaries={"p": stencil.periodic(j)})
        def program(u, p, n, m):
            for t in stencil.steps(n):
                for s in stencil.steps(m):
                    with stencil.forward(i):
                        p[s+1, j, i[0]] = p[s, j-1, i] + u[t, j, i]
                        p[s+1, j, i[1:]] = 0.5 * p[s+1, j, i-1] + p[s, j+1, i]
                u[t+1, j, i] = u[t, j, i] - p[j, i]

        def expected(u, p, n, m):
            for _ in range(n):
                for _ in range(m):
                    new = numpy.zeros_like(p)
                    new[:, 0] = numpy.roll(p, 1, 0)[:, 0] + u[:, 0]
                    for one in range(1, p.shape[1]):
                        new[:, one] = 0.5 * new[:, one - 1] + numpy.roll(p, -1, 0)[:, one]
                    p[...] = new
                u -= p

        for numbers in ((1, 1), (2, 3)):
            self.compare(program, expected, CONTENT.random(SHAPE), CONTENT.random(SHAPE),
                         numbers=numbers)

    def test_a_name_again_after_an_inner_loop(self):
        @stencil.program
        def program(u, n, m):
            w = stencil.temporary("w")
            for t in stencil.steps(n):
                for _ in stencil.steps(m):
                    w[x] = 2 * u[t, x]
                w[x] = 3 * u[t, x]
                u[t+1, x] = w[x]

        def expected(u, n, m):
            u *= 3 ** n

        self.compare(program, expected, numpy.arange(5.0), numbers=(2, 2))


if __name__ == "__main__":
    unittest.main()
