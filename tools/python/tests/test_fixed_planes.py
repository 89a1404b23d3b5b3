"""Planes that do not move are read at neighbours along other axes, beyond the sides too: as NumPy.
"""

import unittest

import numpy

import scenery
from scenery import stencil

k, j, i = stencil.indices("k j i")
CONTENT = numpy.random.default_rng(5)
SHAPE = (3, 5, 6)
#: Boundaries along an axis, and how `numpy.pad` makes such cells.
SIDES = {"periodic": (stencil.periodic, {"mode": "wrap"}),
         "mirror": (stencil.mirror, {"mode": "symmetric"}),
         "point": (lambda axis: stencil.mirror(axis, at="point"), {"mode": "reflect"}),
         "number": (lambda axis: stencil.fixed(0.5, axis), {"constant_values": 0.5})}


def setUpModule():
    scenery.needs_compiler()


def beyond(array, sides, axis, width=2):
    """An array and cells beyond its sides along an axis."""
    widths = [(0, 0)] * array.ndim
    widths[axis] = (width, width)
    return numpy.pad(array, widths, **SIDES[sides][1])


class FixedPlanes(unittest.TestCase):
    def compare(self, program, expected, *arrays, numbers=(), on=("interpreter", "emulator")):
        """Runs both on copies of the arrays, and compares all of them."""
        wanted = [one.copy() for one in arrays]
        expected(*wanted, *numbers)
        for where in on:
            found = [one.copy() for one in arrays]
            program(*found, *numbers, on=where)
            for one, two in zip(found, wanted):
                self.assertEqual(one.tobytes(), two.tobytes(), where)

    def test_neighbours_in_a_plane(self):
        for sides, (boundary, _) in SIDES.items():
            with self.subTest(sides):
                @stencil.program(boundaries=boundary(i))
                def program(p, v):
                    v[k, j, i] = p[k, j, i] - 0.5 * (p[0, j, i-1] + p[-1, j, i+2])

                def expected(p, v):
                    wide = beyond(p, sides, 2)
                    v[...] = p - 0.5 * (wide[0, :, 1:-3] + wide[-1, :, 4:])

                self.compare(program, expected, CONTENT.random(SHAPE), numpy.zeros(SHAPE))

    def test_edges_of_a_plane(self):
        @stencil.program(boundaries=[stencil.periodic(j), stencil.mirror(i, sign=-1)])
        def program(p, v):
            v[k, j, i] = p[k, j, i] + p[1, j-1, i+1]

        def expected(p, v):
            rows = beyond(p, "periodic", 1, 1)[1, :-2]
            v[...] = p + numpy.concatenate([rows[:, 1:], -rows[:, -1:]], axis=1)

        self.compare(program, expected, CONTENT.random(SHAPE), numpy.zeros(SHAPE))

    def test_levels_of_time(self):
        for sides, (boundary, _) in SIDES.items():
            for levels in ("private", "arguments"):
                with self.subTest(sides=sides, levels=levels):
                    self.compare_levels(sides, boundary, levels)

    def compare_levels(self, sides, boundary, levels):
        @stencil.program(boundaries={"u": [boundary(j), stencil.mirror(i)]}, levels=levels)
        def program(u, n):
            for t in stencil.steps(n):
                u[t+1, k, j, i] = 0.5 * u[t, k, j, i] + 0.25 * u[t, 0, j-1, i] - 0.5 * u[
                    t, k, j+1, i]

        def step(u):
            wide = beyond(u, sides, 1, 1)
            return 0.5 * u + 0.25 * wide[0, :-2] - 0.5 * wide[:, 2:]

        first = CONTENT.random(SHAPE)
        wanted = first
        for _ in range(3):
            wanted = step(wanted)
        for on in ("interpreter", "emulator"):
            if levels == "private":
                found = program(first.copy(), 3, on=on)
            else:
                ghosts = ((0, 0), (1, 1), (0, 0))
                arrays = (numpy.pad(first, ghosts, constant_values=0.5),
                          numpy.pad(first, ghosts, constant_values=0.5))
                found = program(arrays, 3, on=on)[0][:, 1:-1]
            self.assertEqual(found.tobytes(), wanted.tobytes(), on)

    def test_fields_in_place_and_temporaries(self):
        for sides, (boundary, _) in SIDES.items():
            with self.subTest(sides):
                @stencil.program(boundaries=boundary(i))
                def program(u, v, n):
                    w = stencil.temporary("w")
                    for _ in stencil.steps(n):
                        w[k, j, i] = u[k, j, i] - u[0, j, i]
                        u[k, j, i] = 0.5 * w[k, j, i-1] + u[1, j, i+1]
                        v[k, j, i] = v[k, j, i] + u[2, j, i-2]

                def expected(u, v, n):
                    for _ in range(n):
                        wide = beyond(u, sides, 2)
                        w = wide - wide[0]
                        u[...] = 0.5 * w[:, :, 1:-3] + wide[1, :, 3:-1]
                        v[...] = v + beyond(u, sides, 2)[2, :, :-4]

                self.compare(program, expected, CONTENT.random(SHAPE), CONTENT.random(SHAPE),
                             numbers=(3,))

    def test_cells_that_keep_their_values(self):
        @stencil.program(boundaries={"u": stencil.fixed(None, i)})
        def program(u, n):
            w = stencil.temporary("w")
            for t in stencil.steps(n):
                w[k, j, i] = u[t, k, j, i] - u[t, 0, j, i-1]
                u[t+1, k, j, i] = u[t, k, j, i] + 0.5 * w[k, j, i+1] - u[t, 1, j, i-2]

        def expected(u, n):
            for _ in range(n):
                u[:, :, 2:-1] = u[:, :, 2:-1] + 0.5 * (u[:, :, 3:] - u[0, :, 2:-1]) - u[1, :, :-3]

        self.compare(program, expected, CONTENT.random(SHAPE), numbers=(3,))

    def test_scans(self):
        @stencil.program(boundaries={"p": stencil.periodic(i)})
        def program(p, v):
            with stencil.forward(k):
                v[k[0], j, i] = p[1, j, i-1]
                v[k[1:], j, i] = v[k-1, j, i] * 0.5 + p[0, j, i+1]

        def expected(p, v):
            v[0] = numpy.roll(p[1], 1, 1)
            for plane in range(1, len(v)):
                v[plane] = v[plane-1] * 0.5 + numpy.roll(p[0], -1, 1)

        self.compare(program, expected, CONTENT.random(SHAPE), CONTENT.random(SHAPE))

    def test_arrays_of_fewer_dimensions(self):
        for boundary in (stencil.periodic(), stencil.periodic(i), stencil.periodic(1)):
            @stencil.program(boundaries={"c": boundary})
            def program(c, v, n):
                for _ in stencil.steps(n):
                    v[k, j, i] = 0.5 * v[k, j, i] + c[0, i+1] - c[1, i-1]

            def expected(c, v, n):
                for _ in range(n):
                    v[...] = 0.5 * v + numpy.roll(c[0], -1) - numpy.roll(c[1], 1)

            self.compare(program, expected, CONTENT.random((2, 6)), CONTENT.random(SHAPE),
                         numbers=(2,))

    def test_an_index_along_another_axis(self):
        @stencil.program
        def program(p, v):
            v[2, 1, i] = p[j, 0, i]

        def expected(p, v):
            v[2, 1] = p[1, 0]

        self.compare(program, expected, CONTENT.random((5, 5, 5)), CONTENT.random((5, 5, 5)))

    def test_refusals(self):
        def program(p, v):
            v[k, j, i] = p[0, j, i-1]

        arrays = stencil.Array(SHAPE), stencil.Array(SHAPE)
        for boundaries, text in (
                (None, "p[0, j, i-1] reads 'p' at i = -1, the array has cells from 0 to 5, and no "
                       "boundary is declared there"),
                (stencil.periodic(j), "p[0, j, i-1] reads 'p' at i = -1")):
            with self.assertRaises(stencil.TraceError) as caught:
                stencil.program(boundaries=boundaries)(program).mlir(*arrays)
            self.assertIn(text, str(caught.exception))
            self.assertIn("declare one", caught.exception.remedy)

    def test_ghost_cells_of_the_caller(self):
        def program(c, v):
            v[k, j, i] = c[0, i+1] - c[1, i-1]

        with self.assertRaises(stencil.TraceError) as caught:
            stencil.program(boundaries={"c": stencil.periodic()}, levels="arguments")(
                program).mlir(stencil.Array((2, 8)), stencil.Array(SHAPE))
        self.assertEqual(caught.exception.reason, "argument 'c' does not lie on the whole grid and "
                         "has ghost cells, and levels='arguments' has the caller keep them")
        self.assertEqual(caught.exception.remedy, "pass an array that holds the cells beyond its "
                         "sides, and declare {'c': stencil.halo(width)}")
        wide = numpy.pad(CONTENT.random((2, 6)), ((0, 0), (1, 1)), mode="wrap")
        self.compare(
            stencil.program(boundaries={"c": stencil.halo(1, i)}, levels="arguments")(program),
            lambda c, v: v.__setitem__(..., c[0, 2:] - c[1, :-2]), wide, numpy.zeros(SHAPE))

    def test_planes_that_are_assigned_to_later(self):
        def program(u, v, n):
            for t in stencil.steps(n):
                u[t+1, k[1:], j, i] = u[t, k, j, i] + 1.0
                v[k, j, i] = u[t+1, 0, j, i]
                u[t+1, k[0], j, i] = u[t, k, j, i]

        with self.assertRaisesRegex(stencil.TraceError, "reads points that nothing has assigned"):
            stencil.program(program).mlir(stencil.Array(SHAPE), stencil.Array(SHAPE), 3)


if __name__ == "__main__":
    unittest.main()
