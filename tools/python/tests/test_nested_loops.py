"""Time loops in time loops: a projection, and cells that they do not compute, as NumPy has them."""

import unittest

import numpy

import scenery
from compared import Compared
from scenery import stencil

j, i = stencil.indices("j i")
CONTENT = numpy.random.default_rng(11)
SHAPE = (7, 9)
#: Boundaries, and how `numpy.pad` makes the cells beyond.
SIDES = {"periodic": (stencil.periodic(), {"mode": "wrap"}),
         "mirror": (stencil.mirror(), {"mode": "symmetric"}),
         "point": (stencil.mirror(at="point"), {"mode": "reflect"}),
         "number": (stencil.fixed(0.5), {"constant_values": 0.5})}


def setUpModule():
    scenery.needs_compiler()


# ---- a projection -------------------------------------------------------------------------------

def project(u, p, n, sweeps):
    """A velocity and a pressure that is relaxed in each step."""
    w, d = stencil.temporaries("w d")
    for t in stencil.steps(n):
        w[j, i] = u[t, j, i] + 0.125 * (u[t, j-1, i] - u[t, j, i+1])
        d[j, i] = w[j, i+1] - w[j, i-1]
        for s in stencil.steps(sweeps):
            around = p[s, j, i-1] + p[s, j, i+1] + p[s, j-1, i] + p[s, j+1, i]
            p[s+1, j, i] = (around - d[j, i]) / 4
        u[t+1, j, i] = w[j, i] - 0.5 * (p[j, i+1] - p[j, i-1])


def neighbours(array, pad, width=1):
    """A field at offsets along both axes: a function of these."""
    wide = numpy.pad(array, width, **pad)
    rows, columns = array.shape
    return lambda dj, di: wide[width + dj:width + dj + rows, width + di:width + di + columns]


def projected(pad):
    def run(u, p, n, sweeps):
        for _ in range(n):
            # A temporary is computed beyond the sides from the cells that lie there.
            wide = numpy.pad(u, 2, **pad)
            w = wide[1:-1, 1:-1] + 0.125 * (wide[:-2, 1:-1] - wide[1:-1, 2:])
            d = w[1:-1, 2:] - w[1:-1, :-2]
            for _ in range(sweeps):
                q = neighbours(p, pad)
                p[...] = (q(0, -1) + q(0, 1) + q(-1, 0) + q(1, 0) - d) / 4
            q = neighbours(p, pad)
            u[...] = w[1:-1, 1:-1] - 0.5 * (q(0, 1) - q(0, -1))
    return run


class Projections(Compared):
    def test_numbers_of_steps(self):
        program = stencil.program(boundaries=stencil.periodic())(project)
        for n in (0, 1, 2, 5):
            for sweeps in (0, 1, 2, 5):
                for shape in ((7, 9), (8, 5)):
                    self.compare(program, projected(SIDES["periodic"][1]), CONTENT.random(shape),
                                 CONTENT.random(shape), numbers=(n, sweeps))

    def test_boundaries(self):
        for name, (boundary, pad) in SIDES.items():
            for dtype in ("f4", "f8"):
                with self.subTest(name, dtype=dtype):
                    program = stencil.program(boundaries=boundary)(project)
                    self.compare(program, projected(pad), CONTENT.random(SHAPE).astype(dtype),
                                 CONTENT.random(SHAPE).astype(dtype), numbers=(2, 3))

    def test_numbers_of_steps_that_are_parts_of_the_program(self):
        program = stencil.program(boundaries=stencil.periodic(), static="sweeps")(project)
        for sweeps in (0, 1, 2, 5):
            self.compare(program, projected(SIDES["periodic"][1]), CONTENT.random(SHAPE),
                         CONTENT.random(SHAPE), numbers=(3, sweeps))

    def test_devices_share_it(self):
        program = stencil.program(boundaries=stencil.periodic(), static="sweeps")(project)
        for sweeps in (1, 4):
            self.compare(program, projected(SIDES["periodic"][1]), CONTENT.random((61, 9)),
                         CONTENT.random((61, 9)), numbers=(5, sweeps), on=["emulator"],
                         device=[0, 0])

    def test_devices_need_known_numbers_of_steps(self):
        program = stencil.program(boundaries=stencil.periodic())(project)
        with self.assertRaises(stencil.CompileError) as caught:
            program(*CONTENT.random((2, 61, 9)), 3, 4, on="emulator", device=[0, 0])
        self.assertIn("the time loop, which devices share, has loops inside whose numbers of steps "
                      "are not known", str(caught.exception))
        self.assertIn("make the number of steps of each loop inside it a part of the program, as "
                      "in @stencil.program(static='sweeps')", str(caught.exception))

    def test_optimized_kernels_are_verified(self):
        program = stencil.program(boundaries=stencil.mirror())(project)
        verified = program.verify(*CONTENT.random((2, 33, 40)), 3, 4, on="emulator")
        self.assertEqual(verified.fields, 2)

    def test_the_outer_loop_carries_what_the_inner_one_steps(self):
        text = stencil.program(boundaries=stencil.fixed())(project).mlir(
            *CONTENT.random((2, 9, 9)), 3, 4)
        outer, inner = [one for one in text.splitlines() if "scf.for" in one]
        self.assertIn("%p_now = ", text[text.index(outer):text.index(inner)])
        self.assertIn("%p_now_1 = %p_now", text[text.index(inner):])
        self.assertIn("scf.yield %u_next, %u_now, %end_1#0, %end_1#1", text)

    def test_reports_count_all_loops(self):
        program = stencil.program(boundaries=stencil.fixed())(project)
        self.assertIn("2 time loops", repr(program.compile(*CONTENT.random((2, 9, 9)), 3, 4)))


# ---- boundaries in the array --------------------------------------------------------------------

class Sides(Compared):
    """Cells that a loop does not compute, and cells beyond the domain."""

    def test_cells_that_are_never_computed(self):
        @stencil.program(boundaries=stencil.fixed())
        def program(u, p, n, m):
            for t in stencil.steps(n):
                for s in stencil.steps(m):
                    p[s+1, j, i] = 0.25 * (p[s, j, i-1] + p[s, j+1, i]) + u[t, j, i]
                u[t+1, j, i] = u[t, j-1, i] - p[j, i+1]

        def expected(u, p, n, m):
            for _ in range(n):
                for _ in range(m):
                    p[:-1, 1:] = 0.25 * (p[:-1, :-1] + p[1:, 1:]) + u[:-1, 1:]
                u[1:, :-1] = u[:-1, :-1] - p[1:, 1:]

        for numbers in ((0, 2), (1, 1), (3, 2), (2, 5), (4, 0)):
            self.compare(program, expected, CONTENT.random(SHAPE), CONTENT.random(SHAPE),
                         numbers=numbers)

    def test_a_side_that_the_outer_loop_sets(self):
        """What is set around the inner loop stays in all of its levels."""
        @stencil.program(boundaries=stencil.fixed())
        def program(u, p, n, m):
            for t in stencil.steps(n):
                p[j[0], i] = u[t, j, i]
                for s in stencil.steps(m):
                    p[s+1, j[1:-1], i] = 0.5 * (p[s, j-1, i] + p[s, j+1, i])
                u[t+1, j, i] = u[t, j, i] + 0.125 * p[j, i]
                p[j[-1], i] = u[t+1, j, i]

        def expected(u, p, n, m):
            for _ in range(n):
                p[0] = u[0]
                for _ in range(m):
                    p[1:-1] = 0.5 * (p[:-2] + p[2:])
                u += 0.125 * p
                p[-1] = u[-1]

        for numbers in ((0, 3), (1, 3), (2, 1), (3, 2), (5, 5)):
            self.compare(program, expected, CONTENT.random(SHAPE), CONTENT.random(SHAPE),
                         numbers=numbers)

    def test_a_loop_after_one_without_steps(self):
        """Cells that were set before keep their values, whether an outer loop has steps or not."""
        @stencil.program(boundaries=stencil.fixed())
        def program(p, n, m):
            p[j[0], i] = 2.0
            for _ in stencil.steps(n):
                p[j, i[0]] = 0.5 * p[j, i]
                for s in stencil.steps(m):
                    p[s+1, j, i] = 0.5 * (p[s, j-1, i-1] + p[s, j+1, i+1])
            for s in stencil.steps(m):
                p[s+1, j, i] = p[s, j-1, i] - p[s, j, i-1]

        def expected(p, n, m):
            p[0] = 2
            for _ in range(n):
                p[:, 0] *= 0.5
                for _ in range(m):
                    p[1:-1, 1:-1] = 0.5 * (p[:-2, :-2] + p[2:, 2:])
            for _ in range(m):
                p[1:, 1:] = p[:-1, 1:] - p[1:, :-1]

        for numbers in ((0, 2), (0, 3), (1, 1), (3, 2), (2, 3)):
            self.compare(program, expected, CONTENT.random(SHAPE), numbers=numbers)

    def test_a_start_that_is_set_anew(self):
        @stencil.program(boundaries=stencil.mirror(sign=-1))
        def program(u, p, n, m):
            for t in stencil.steps(n):
                p[j, i] = 0.0
                for s in stencil.steps(m):
                    p[s+1, j, i] = 0.25 * (p[s, j-1, i] + p[s, j, i+1] + u[t, j, i])
                u[t+1, j, i] = u[t, j, i] - p[j, i]

        def expected(u, p, n, m):
            for _ in range(n):
                p[...] = 0
                for _ in range(m):
                    wide = numpy.pad(p, 1, mode="symmetric")
                    p[...] = 0.25 * (numpy.vstack([-p[:1], p[:-1]])
                                     + numpy.hstack([p[:, 1:], -wide[1:-1, -1:]]) + u)
                u -= p

        for numbers in ((1, 2), (3, 3), (2, 0)):
            self.compare(program, expected, CONTENT.random(SHAPE), CONTENT.random(SHAPE),
                         numbers=numbers)

    def test_a_halo(self):
        @stencil.program(boundaries={"p": stencil.halo(1)})
        def program(u, p, n, m):
            for t in stencil.steps(n):
                for s in stencil.steps(m):
                    p[s+1, j, i] = p[s, j-1, i+1] * u[t, j, i]
                u[t+1, j, i] = p[j+1, i]

        def expected(u, p, n, m):
            for _ in range(n):
                for _ in range(m):
                    p[1:-1, 1:-1] = p[:-2, 2:] * u
                u[...] = p[2:, 1:-1]

        self.compare(program, expected, CONTENT.random(SHAPE), CONTENT.random((9, 11)),
                     numbers=(2, 3))

    def test_an_absorbing_layer(self):
        @stencil.program(boundaries={"p": stencil.absorbing(3, j, strength=0.25)})
        def program(u, p, n, m):
            for t in stencil.steps(n):
                for s in stencil.steps(m):
                    p[s+1, j, i] = p[s, j+1, i] + u[t, j, i]
                u[t+1, j, i] = p[j, i]

        def expected(u, p, n, m):
            factors = numpy.ones(7)
            for depth in range(3):
                factors[[depth, 6 - depth]] = numpy.exp(-(0.25 * (3 - depth)) ** 2)
            for _ in range(n):
                for _ in range(m):
                    p[...] = (numpy.vstack([p[1:], 0 * p[:1]]) + u) * factors[:, None]
                u[...] = p

        self.compare(program, expected, CONTENT.random(SHAPE), CONTENT.random(SHAPE),
                     numbers=(2, 3))

    def test_planes_that_do_not_move(self):
        @stencil.program(boundaries=stencil.periodic(i))
        def program(u, p, n, m):
            for t in stencil.steps(n):
                for s in stencil.steps(m):
                    p[s+1, j, i] = p[s, j, i] - 0.5 * p[s, 2, i-1] + u[t, -1, i+1]
                u[t+1, j, i] = u[t, j, i] + p[0, i-1]

        def expected(u, p, n, m):
            for _ in range(n):
                for _ in range(m):
                    p[...] = p - 0.5 * numpy.roll(p[2], 1) + numpy.roll(u[-1], -1)
                u[...] = u + numpy.roll(p[0], 1)

        self.compare(program, expected, CONTENT.random(SHAPE), CONTENT.random(SHAPE),
                     numbers=(3, 2))


if __name__ == "__main__":
    unittest.main()
