"""Programs of equations of Devito compute what Devito does, and say why not. Needs Devito."""

import inspect
import os
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ["DEVITO_LOGGING"] = "ERROR"
os.environ["DEVITO_LANGUAGE"] = "C"

import numpy  # noqa: E402 - the path comes first

import scenery  # noqa: E402
from scenery import stencil  # noqa: E402

try:
    import devito
except ImportError:
    devito = None

SHAPE = (9, 10, 11)
#: What remains of rounding after some steps, by type.
TOLERANCES = {"float64": 1e-12, "float32": 2e-5}
#: What remains where Devito multiplies weights with numbers: it has more than nine digits then.
NINE_DIGITS = 1e-8


def setUpModule():
    if devito is None:
        raise unittest.SkipTest("there is no devito")
    scenery.needs_compiler()


def grid_of(rank=2, dtype="float64"):
    shape = SHAPE[:rank]
    extent = [0.5 * (axis + 2) * (n - 1) for axis, n in enumerate(shape)]
    return devito.Grid(shape, extent=extent, dtype=numpy.dtype(dtype).type)


def order_of(function):
    """The levels of time that a step reads; 0 for functions without time."""
    return function.time_order if function.is_TimeFunction else 0


class Equations(unittest.TestCase):
    def compare(self, equations, steps=5, fields=(), on="emulator", tolerance=0.0, **numbers):
        """Runs both from the same content; `fields` are Devito's functions, ours by their names."""
        content = numpy.random.default_rng(len(str(equations)))
        program = stencil.from_devito(equations, name="drawn")
        given, results, changed = {}, {}, False
        for one in fields:
            order = order_of(one)
            shape = one.shape[1:] if order else one.shape
            levels = [content.uniform(0.5, 1.5, shape).astype(one.dtype)
                      for _ in range(max(order, 1))]
            for place, level in enumerate(levels):
                (one.data[place] if order else one.data)[:] = level
            given[one.name] = tuple(levels) if order > 1 else levels[0]
            results[one.name] = levels[-1]
        before = {name: one.copy() for name, one in results.items()}
        order = max(map(order_of, fields))
        devito.Operator(equations)(time_m=order - 1, time_M=order + steps - 2, **numbers)
        if "steps" in inspect.signature(program).parameters:
            numbers["steps"] = steps
        program(**given, **numbers, on=on)
        for one in fields:
            order = order_of(one)
            theirs = numpy.array(one.data[(order - 1 + steps) % one.shape[0]] if order
                                 else one.data)
            bound = max(tolerance, TOLERANCES[numpy.dtype(one.dtype).name])
            bound *= max(1, abs(theirs).max())
            numpy.testing.assert_allclose(results[one.name], theirs, rtol=bound, atol=bound)
            changed = changed or abs(before[one.name] - results[one.name]).max() > 1e-3
        self.assertTrue(changed)
        return program

    def test_a_wave_has_two_levels_and_its_numbers(self):
        for dtype in TOLERANCES:
            for rank in (1, 2, 3):
                with self.subTest(dtype, rank=rank):
                    grid = grid_of(rank, dtype)
                    u = devito.TimeFunction(name="u", grid=grid, time_order=2, space_order=4)
                    m = devito.Function(name="m", grid=grid, space_order=4)
                    c = devito.Constant(name="c", value=0.3, dtype=grid.dtype)
                    wave = devito.solve(m * u.dt2 - u.laplace + c * u, u.forward)
                    found = self.compare(devito.Eq(u.forward, wave), fields=(u, m), dt=0.1)
                    self.assertIn("c=0.3", inspect.getsource(found)[:80])

    def test_sources(self):
        for rank, points in ((1, [[2.3]]), (2, [[2.25, 7.9], [4.0, 5.0]]), (3, [[3.1, 7.0, 9.2]])):
            grid = grid_of(rank)
            u = devito.TimeFunction(name="u", grid=grid, time_order=2, space_order=4)
            m = devito.Function(name="m", grid=grid, space_order=4)
            source = devito.SparseTimeFunction(name="src", grid=grid, npoint=len(points), nt=12)
            source.coordinates.data[:] = points
            content = numpy.random.default_rng(rank)
            source.data[:] = content.uniform(-9, 9, source.data.shape)
            m.data[:] = content.uniform(0.5, 1.5, m.shape)
            start = [content.uniform(0.5, 1.5, grid.shape) for _ in range(2)]
            for place in range(2):
                u.data[place] = start[place]
            dt = grid.time_dim.spacing
            equations = [devito.Eq(u.forward, devito.solve(m * u.dt2 - u.laplace, u.forward)),
                         source.inject(field=u.forward, expr=source * dt ** 2 / m)]
            program = stencil.from_devito(equations)
            devito.Operator(equations)(time_m=1, time_M=5, dt=0.1)
            # Step 1 of Devito is the first one here, which takes row 0.
            tables = [numpy.ascontiguousarray(source.data[1:, n]) for n in range(len(points))]
            newest = program((start[0], start[1]), numpy.array(m.data), *tables, 5, 0.1,
                             on="emulator")
            numpy.testing.assert_allclose(newest, numpy.array(u.data[6 % 3]), rtol=1e-11,
                                          atol=1e-11)
            calm = program(*(tuple(one.copy() for one in start), numpy.array(m.data)),
                           *(0 * one for one in tables), 5, 0.1, on="interpreter")
            self.assertGreater(abs(calm - newest).max(), 1e-3)

    def test_sources_that_are_refused(self):
        grid = grid_of(2)
        u = devito.TimeFunction(name="u", grid=grid, space_order=2)
        update = devito.Eq(u.forward, u + u.laplace)

        def refuse(text, points, field=u.forward, kind=devito.SparseTimeFunction, **more):
            source = kind(name="src", grid=grid, npoint=len(points), **more)
            source.coordinates.data[:] = points
            with self.assertRaises(stencil.TraceError) as caught:
                stencil.from_devito([update, source.inject(field=field, expr=source)])
            self.assertIn(text, str(caught.exception))

        refuse("'src' has a point at x = 99.0, beyond the grid", [[99.0, 1.0]], nt=5)
        refuse("'src' has 33 points; a program takes 32 at most", [[1.0, 1.0]] * 33, nt=5)
        refuse("which is not the next level of time; inject into u.forward", [[1.0, 1.0]], u, nt=5)
        refuse("'src' has no value for each time step", [[1.0, 1.0]], kind=devito.SparseFunction)
        receiver = devito.SparseTimeFunction(name="rec", grid=grid, npoint=1, nt=5)
        with self.assertRaisesRegex(stencil.TraceError, "interpolate between calls"):
            stencil.from_devito([update, receiver.interpolate(u)])

    def test_several_unknowns_and_functions_of_elements(self):
        grid = grid_of(3)
        u = devito.TimeFunction(name="u", grid=grid, space_order=2)
        v = devito.TimeFunction(name="v", grid=grid, space_order=2)
        k = devito.Function(name="k", grid=grid, space_order=2)
        self.compare([devito.Eq(k, k * 0.1 + 0.2),
                      devito.Eq(u.forward, u + 0.1 * (k * u.dx).dx + devito.sin(v) / (1 + v ** 2)),
                      devito.Eq(v.forward, devito.sqrt(abs(u.forward)) * 0.5
                                + devito.Max(v.dyl, -v, 0) * 0.1 + u.forward.dzr * 0.1)],
                     fields=(u, v, k), on="interpreter")

    def test_staggered_velocities(self):
        grid = grid_of(2)
        v = devito.VectorTimeFunction(name="v", grid=grid, space_order=4)
        p = devito.TimeFunction(name="p", grid=grid, space_order=4)
        b = devito.Function(name="b", grid=grid, space_order=4)
        self.compare([devito.Eq(v.forward, v - 0.1 * b * devito.grad(p)),
                      devito.Eq(p.forward, p - 0.1 * devito.div(v.forward))],
                     fields=(v[0], v[1], p, b))

    def test_elastic_waves(self):
        grid = grid_of(3)
        v = devito.VectorTimeFunction(name="v", grid=grid, space_order=4)
        tau = devito.TensorTimeFunction(name="s", grid=grid, space_order=4)
        b, lam, mu = (devito.Function(name=name, grid=grid, space_order=4) for name in "blm")
        strain = devito.grad(v.forward) + devito.grad(v.forward).transpose(inner=False)
        fields = [*v, *(tau[i, j] for i in range(3) for j in range(i, 3)), b, lam, mu]
        self.compare([devito.Eq(v.forward, v + 0.1 * b * devito.div(tau)),
                      devito.Eq(tau.forward, tau + 0.1 * (
                          lam * devito.diag(devito.div(v.forward)) + mu * strain))],
                     steps=3, fields=fields)

    def test_values_at_sides(self):
        grid = grid_of(2)
        (y, x), t = grid.dimensions, grid.stepping_dim
        u = devito.TimeFunction(name="u", grid=grid, space_order=2)
        last = grid.shape[0] - 1
        self.compare([devito.Eq(u.forward, u + 0.05 * u.laplace), devito.Eq(u[t+1, 0, x], 1.0),
                      devito.Eq(u[t+1, last, x], u[t+1, last - 1, x])], fields=(u,))

    def test_boundaries_are_declared_in_place_of_equations(self):
        grid = grid_of(2)
        u = devito.TimeFunction(name="u", grid=grid, space_order=2)
        heat = stencil.from_devito(devito.Eq(u.forward, u + 0.1 * u.laplace), name="heat",
                                   boundaries=stencil.periodic(), static="h_x h_y")
        plate = numpy.random.default_rng(3).uniform(0, 1, grid.shape)
        expected = plate.copy()
        h_y, h_x = 1.0, 1.5
        for _ in range(4):
            expected = expected + 0.1 * sum(
                (numpy.roll(expected, 1, axis) + numpy.roll(expected, -1, axis) - 2 * expected)
                / width ** 2 for axis, width in enumerate((h_y, h_x)))
        heat(plate, 4, on="interpreter")
        numpy.testing.assert_allclose(plate, expected, rtol=1e-13)
        self.assertGreater(heat.mlir(plate, 4).count("stencil.apply"), 0)

    def test_drawn_equations(self):
        for seed in range(8):
            draw = random.Random(seed)
            grid = grid_of(draw.choice((1, 2, 3)))
            order = draw.choice((2, 4))
            u = devito.TimeFunction(name="u", grid=grid, time_order=draw.choice((1, 2)),
                                    space_order=order)
            m = devito.Function(name="m", grid=grid, space_order=order)
            terms = [u.laplace, m * u, u ** 2 / (1 + m), devito.cos(u), devito.Min(u, m), 1 / m]
            for dimension in grid.dimensions:
                terms += [getattr(u, f"d{dimension.name}"), m * getattr(u, f"d{dimension.name}2"),
                          getattr(m * getattr(u, f"d{dimension.name}"), f"d{dimension.name}")]
            if u.time_order == 2:
                terms += [u.backward, u.backward * m]
            chosen = draw.sample(terms, draw.randint(2, 4))
            value = u + sum(round(draw.uniform(-0.1, 0.1), 3) * one for one in chosen)
            value += 0 * m + m / 10
            if u.time_order == 2:
                value += u.backward / 8
            with self.subTest(seed=seed, value=str(value)):
                self.compare(devito.Eq(u.forward, value), steps=draw.randint(1, 6), fields=(u, m),
                             on="interpreter", tolerance=NINE_DIGITS)


class Refusals(unittest.TestCase):
    def setUp(self):
        self.grid = grid_of(2)
        self.u = devito.TimeFunction(name="u", grid=self.grid, space_order=2)
        self.m = devito.Function(name="m", grid=self.grid, space_order=2)

    def refused(self, equations, *parts, **options):
        with self.assertRaises(stencil.TraceError) as caught:
            stencil.from_devito(equations, **options)
        for part in parts:
            self.assertIn(part, str(caught.exception))
        self.assertEqual(caught.exception.file, __file__)
        self.assertGreater(caught.exception.line, 0)
        self.assertTrue(caught.exception.remedy)

    def test_what_is_no_equation(self):
        update = devito.Eq(self.u.forward, self.u + 1)
        self.refused(3, "a int is no equation")
        self.refused([], "without an equation")
        self.refused(update, "no name of a program", name="a b")
        self.refused(devito.Operator(update, name="Step"), "operator 'Step'", "pass the list")
        self.refused(devito.Inc(self.m, self.u), "Inc reads and changes its left side m(x, y)")

    def test_sparse_functions(self):
        s = devito.SparseTimeFunction(name="s", grid=self.grid, npoint=1, nt=5)
        self.refused([devito.Eq(self.u.forward, self.u), s.inject(self.u.forward, expr=s.dt)],
                     "another time step of a source")
        self.refused(s.interpolate(self.u), "sparse operation")

    def test_parts_of_the_grid(self):
        self.refused(devito.Eq(self.u.forward, self.u, subdomain=self.grid.interior),
                     "subdomain 'interior'", "x[1:-1]")
        t, x = self.grid.stepping_dim, self.grid.dimensions[1]
        self.refused(devito.Eq(self.u[t, -1, x], self.u[t, 8, x]), "computed", "u.forward")
        self.refused([devito.Eq(self.u.forward, self.u), devito.Eq(self.u[t+1, -1, x], 0)],
                     "before the first point", "stencil.periodic()")
        self.refused(devito.Eq(self.u.forward, self.u[t, 9, x]), "is read, in Devito's halo")

    def test_levels_of_time(self):
        saved = devito.TimeFunction(name="w", grid=self.grid, save=4)
        self.refused(devito.Eq(self.u.backward, self.u), "time runs backwards")
        self.refused(devito.Eq(self.u, self.u + 1), "not the next level")
        self.refused(devito.Eq(self.u.forward, saved), "saves 4 time steps")

    def test_dimensions_and_grids(self):
        extra = devito.Dimension(name="e")
        f = devito.Function(name="f", grid=self.grid, dimensions=(*self.grid.dimensions, extra),
                            shape=(*self.grid.shape, 2))
        self.refused(devito.Eq(self.u.forward, f[(*self.grid.dimensions, 0)]), "dimension 'e'")
        other = devito.Function(name="o", grid=grid_of(1))
        self.refused(devito.Eq(self.u.forward, other), "2 grids")

    def test_orders_of_points(self):
        y, x = self.grid.dimensions
        self.refused(devito.Eq(self.m, self.m[y-1, x]), "in the order of Devito's loops")

    def test_names_and_operations(self):
        named = devito.Function(name="steps", grid=self.grid)
        self.refused(devito.Eq(self.u.forward, named), "the name of something else")
        self.refused(devito.Eq(self.u.forward, devito.sign(self.u)), "no operation of a program")
        self.refused(devito.Eq(self.u.forward, self.u + devito.Symbol(name="q")),
                     "'q' has no value", "devito.Constant")
        self.refused(devito.Eq(self.u.forward, self.u + self.grid.time_dim), "used as a number")

    def test_what_has_no_time_between_what_has(self):
        k = devito.Function(name="k", grid=self.grid)
        self.refused([devito.Eq(self.u.forward, self.u), devito.Eq(k, self.m),
                      devito.Eq(self.m, self.u)], "stands between equations")


if __name__ == "__main__":
    unittest.main()
