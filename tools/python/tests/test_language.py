"""Programs written in Python: what they compute, their text, and what is done with them."""

import math
import shutil
import subprocess
import sys
import types as modules
import unittest
from fractions import Fraction
from pathlib import Path

import numpy

import scenery
from scenery import stencil
from stencil import compiling, driver

k, j, i = stencil.indices("k j i")
y, x = stencil.indices("y x")
CONTENT = numpy.random.default_rng(1)


def setUpModule():
    scenery.needs_compiler()


@stencil.program(boundaries={"u": stencil.periodic()}, on="emulator")
def heat(u, r, n):
    for t in stencil.steps(n):
        u[t+1, y, x] = u[t, y, x] + r * stencil.laplace(u[t, y, x])


def heat_of_numpy(u, r, n):
    for _ in range(n):
        around = (numpy.roll(u, 1, 0) + numpy.roll(u, -1, 0)) + (numpy.roll(u, 1, 1)
                                                                + numpy.roll(u, -1, 1))
        u = u + u.dtype.type(r) * (-4 * u + around)
    return u


class Same(unittest.TestCase):
    def assert_same(self, found, expected):
        self.assertEqual(found.dtype, expected.dtype)
        self.assertEqual(found.tobytes(), expected.tobytes())


class Runs(Same):
    def test_backends_and_types(self):
        for dtype in ("f4", "f8"):
            start = CONTENT.random((7, 11)).astype(dtype)
            for on in ("emulator", "interpreter", "auto"):
                for steps in (0, 1, 4):
                    field = start.copy()
                    result = heat(field, 0.1, steps, on=on)
                    self.assertIs(result, field)
                    self.assert_same(field, heat_of_numpy(start, 0.1, steps))

    def test_arrays_of_any_strides(self):
        start = CONTENT.random((14, 11))
        for view in (lambda a: a[::2], lambda a: a[::-2], lambda a: a[:7, ::-1]):
            whole = start.copy()
            heat(view(whole), 0.1, 3)
            expected = start.copy()
            view(expected)[...] = heat_of_numpy(view(start), 0.1, 3)
            self.assert_same(whole, expected)
        field = numpy.asfortranarray(start)
        heat(field, 0.1, 3, on="interpreter")
        self.assertTrue((field == heat_of_numpy(start, 0.1, 3)).all())

    def test_half_precision(self):
        (p,) = stencil.indices("p")

        @stencil.program(boundaries={"u": stencil.fixed()}, on="emulator")
        def mean(u, n):
            for t in stencil.steps(n):
                u[t+1, p] = (u[t, p-1] + u[t, p+1]) * 0.5

        field = CONTENT.random(20).astype("f2")
        expected = field.copy()
        mean(field, 3)
        for _ in range(3):
            expected[1:-1] = (expected[:-2] + expected[2:]) * numpy.float16(0.5)
        self.assert_same(field, expected)

    def test_an_absorbing_layer(self):
        @stencil.program(boundaries={"u": stencil.absorbing(3, strength=0.1)}, on="emulator")
        def wave(u, c, n):
            for t in stencil.steps(n):
                u[t+1, y, x] = 2*u[t, y, x] - u[t-1, y, x] + c * stencil.laplace(u[t, y, x])

        def factors(extent):
            found = numpy.ones(extent)
            for depth in range(3):
                factor = math.exp(-(0.1 * (3 - depth)) ** 2)
                found[depth] *= factor
                found[extent - 1 - depth] *= factor
            return found

        before, newest = CONTENT.random((2, 10, 12))
        one, two = before.copy(), newest.copy()
        self.assertIs(wave((before, newest), 0.1, 5), newest)
        for _ in range(5):
            wide = numpy.pad(two, 1)
            around = (wide[:-2, 1:-1] + wide[2:, 1:-1]) + (wide[1:-1, :-2] + wide[1:-1, 2:])
            new = 2 * two - one + 0.1 * (-4.0 * two + around)
            one, two = two, new * factors(10)[:, None] * factors(12)[None, :]
        self.assert_same(newest, two)
        self.assert_same(before, one)

    def test_lines_tables_coordinates_and_time(self):
        @stencil.program(on="emulator")
        def mixed(u, row, column, table, w, n):
            for t in stencil.steps(2, n + 1):
                late = stencil.where((t == 3) & (y > 2), 1.0, 0.5)
                u[y, x] = (u[y, x] * row[x] + column[y] * table[t] + w[0] * w[-1] * x
                           + late * (t + 1))

        u, row, column, table, w = (CONTENT.random(shape) for shape in ((5, 6), 6, 5, 9, 2))
        expected = u.copy()
        mixed(u, row, column, table, w, 6)
        rows, columns = numpy.mgrid[0:5, 0:6].astype(float)
        for t in range(2, 7):
            late = numpy.where((t == 3) & (rows > 2), 1.0, 0.5)
            expected = (expected * row + column[:, None] * table[t] + w[0] * w[1] * columns
                        + late * (t + 1))
        self.assert_same(u, expected)

    def test_lines_and_tables_in_one_dimension(self):
        (p,) = stencil.indices("p")

        @stencil.program(boundaries={"u": stencil.periodic()}, on="emulator")
        def pushed(u, force, weights, n):
            for t in stencil.steps(n):
                u[t+1, p] = weights[0] * u[t, p-1] + weights[1] * u[t, p+1] + force[t]

        u, force, weights = CONTENT.random(11), CONTENT.random(5), CONTENT.random(2)
        expected = u.copy()
        pushed(u, force, weights, 5)
        for t in range(5):
            expected = (weights[0] * numpy.roll(expected, 1) + weights[1] * numpy.roll(expected, -1)
                        + force[t])
        self.assert_same(u, expected)
        for on in ("emulator", "interpreter"):
            with self.assertRaisesRegex(stencil.ArgumentError, "'force' has values for 5 time"):
                pushed(u, force, weights, 6, on=on)
            with self.assertRaisesRegex(stencil.ArgumentError, "a number of time steps is not "
                                        "negative"):
                pushed(u, force, weights, -1, on=on)

    def test_numbers_of_numpy(self):
        start = CONTENT.random((7, 11)).astype("f4")
        for number in (numpy.float64(0.1), numpy.float32(0.1), numpy.array(0.1)):
            field = start.copy()
            heat(field, number, numpy.int32(2))
            self.assert_same(field, heat_of_numpy(start, 0.1, 2))

    def test_arrays_on_the_device(self):
        if not driver.is_emulator():
            self.skipTest("the emulator is not in use")
        start = CONTENT.random((7, 11))
        array = scenery.InterfaceArray(start)
        self.assertIs(heat(array, 0.1, 3), array)
        self.assert_same(array.get(), heat_of_numpy(start, 0.1, 3))

    def test_arrays_of_other_libraries(self):
        class Tensor(scenery.CapsuleArray):
            class dtype:  # noqa: N801 - the name is PyTorch's
                def __str__(self):
                    return "torch.float64"

            dtype = dtype()

        for on in ("emulator", "interpreter"):
            start = CONTENT.random((7, 11))
            tensor = Tensor(start.copy(), device=1)
            self.assertIs(heat(tensor, 0.1, 3, on=on), tensor)
            self.assert_same(tensor.get(), heat_of_numpy(start, 0.1, 3))

    def test_points_that_do_not_move(self):
        @stencil.program(on="emulator")
        def spread(u, v):
            v[y, x] = u[y, 0] + 2 * u[-1, x]
            v[2, 3] = v[2, 3] + u[2, 4]
            v[y[0], x[1:-1]] = u[y, x+1]

        u, v = CONTENT.random((2, 5, 6))
        spread(u, v)
        expected = u[:, :1] + 2 * u[-1:]
        expected[2, 3] += u[2, 4]
        expected[0, 1:-1] = u[0, 2:]
        self.assert_same(v, expected)

    def test_integers_and_truth_values(self):
        @stencil.program(on="emulator")
        def masked(u, kinds, land, v):
            chosen = stencil.where((kinds[y, x] + 1 == 2) | land[y, x], u[y, x], -u[y, x])
            v[y, x] = chosen + stencil.cast(kinds[y, x], "f64")

        u, v = CONTENT.random((2, 5, 6))
        land = CONTENT.random((5, 6)) > 0.5
        for dtype in ("i1", "i2", "i4", "i8"):
            kinds = CONTENT.integers(0, 3, (5, 6)).astype(dtype)
            masked(u, kinds, land, v)
            self.assert_same(v, numpy.where((kinds == 1) | land, u, -u) + kinds)

    def test_loops_follow_one_another(self):
        @stencil.program(static="order", boundaries={"u": stencil.periodic()}, on="emulator")
        def two(u, out, order, n):
            for t in stencil.steps(n):
                u[t+1, y, x] = u[t, y, x] + 0.01 * stencil.laplace(u[t, y, x], order=order)
            for t in stencil.steps(n - 1):
                u[t+1, y, x] = 0.5 * (u[t, y-1, x] + u[t, y+1, x])
            out[y, x] = u[y, x+1] - u[y, x]

        u = CONTENT.random((12, 13))
        expected, out = u.copy(), numpy.zeros_like(u)
        self.assertEqual(tuple(map(id, two(u, out, 2, 3))), (id(u), id(out)))
        expected = heat_of_numpy(expected, 0.01, 3)
        for _ in range(2):
            expected = 0.5 * (numpy.roll(expected, 1, 0) + numpy.roll(expected, -1, 0))
        self.assert_same(u, expected)
        self.assert_same(out, numpy.roll(expected, -1, 1) - expected)

    def test_levels_of_the_caller(self):
        @stencil.program(boundaries={"u": stencil.mirror()}, levels="arguments", on="emulator")
        def wave(u, n):
            for t in stencil.steps(n):
                u[t+1, y, x] = u[t, y, x-1] + u[t, y, x+1] - u[t-1, y, x]

        arrays = [CONTENT.random((6, 10)) for _ in range(3)]
        private = tuple(one[:, 1:-1].copy() for one in arrays[:2])
        turned = wave(arrays, 4)
        self.assertEqual([next(n for n, one in enumerate(arrays) if one is array)
                          for array in turned], [1, 2, 0])
        wave.options(levels="private")(private, 4)
        for one, two in zip(turned, private):
            self.assertTrue((one[:, 1:-1] == two).all())
        text = wave.mlir(arrays, 4)
        self.assertIn("func.func @wave(%u0: !field, %u1: !field, %u2: !field, %n: index)", text)
        self.assertNotIn("stencil.alloc", text)

    def test_arrays_that_never_change(self):
        # JAX is not needed for that: an array is known by the module of its type.
        name = "jax.numpy"
        fake = modules.ModuleType(name)

        class Array(numpy.ndarray):
            __module__ = "jax"

        fake.asarray = lambda array: array.view(Array)
        parent = modules.ModuleType("jax")
        parent.numpy = fake
        known = {one: sys.modules.get(one) for one in ("jax", name)}
        sys.modules.update({"jax": parent, name: fake})
        try:
            start = CONTENT.random((7, 11)).view(Array)
            kept = numpy.array(start)
            result = heat(start, 0.1, 3)
            self.assertIsInstance(result, Array)
            self.assert_same(numpy.array(start), kept)
            self.assert_same(numpy.array(result), heat_of_numpy(kept, 0.1, 3))
        finally:
            for one, module in known.items():
                sys.modules.pop(one) if module is None else sys.modules.update({one: module})


class Texts(unittest.TestCase):
    def test_the_text_depends_on_the_program_alone(self):
        array = stencil.Array((16, 24), "float32")
        text = heat.mlir(array, 0.1, 10)
        other = heat.options(on="gpu")
        self.assertEqual(other.mlir(numpy.zeros((16, 24), "f4"), 0.5, 3), text)
        self.assertIn("func.func @heat(%u: !field, %r: f32, %n: index) {", text)
        self.assertIn("%u_ym1 = stencil.access %u[-1, 0] : !temp", text)
        self.assertNotIn("loc(", text)
        self.assertNotIn("fastmath", text)
        with_lines = heat.mlir(array, 0.1, 10, locations=True)
        self.assertIn(f'loc("{Path(__file__).name}":', with_lines)
        self.assertTrue(all(len(line) <= 100 for line in text.splitlines()))

    def test_an_array_may_have_nothing_but_its_interface(self):
        class OnDevice:
            __cuda_array_interface__ = {"version": 3, "shape": (16, 24), "typestr": "<f4",
                                        "data": (256, False), "strides": None, "stream": None}

        self.assertEqual(heat.mlir(OnDevice(), 0.1, 10),
                         heat.mlir(stencil.Array((16, 24), "float32"), 0.1, 10))

    def test_the_compiler_reads_it(self):
        optimizer = Path(compiling.find_compiler()).with_name("stencil-opt")
        if not optimizer.exists() and shutil.which("stencil-opt") is None:
            self.skipTest("there is no stencil-opt")
        for locations in (False, True):
            text = heat.mlir(stencil.Array((16, 24)), 0.1, 10, locations=locations)
            subprocess.run([str(optimizer)], input=text, check=True, capture_output=True, text=True)

    def test_permission_to_change_arithmetic(self):
        array = stencil.Array((16, 24))
        for permission, flags in [("contract", "fastmath<contract>"),
                                  (True, "fastmath<reassoc,contract,arcp,afn>")]:
            text = heat.options(fast_math=permission).mlir(array, 0.1, 10)
            self.assertIn(f"arith.mulf %r, %sum_3 {flags} : f64", text)

    def test_a_program_is_traced_once_for_each_signature(self):
        calls = []

        @stencil.program(static="factor")
        def scaled(u, factor, offset):
            calls.append(factor)
            u[y, x] = factor * u[y, x] + offset

        array = stencil.Array((5, 6))
        first = scaled.compile(array, 2, 1.0)
        self.assertIs(scaled.compile(numpy.ones((5, 6)), 2, 3.5), first)
        for other in ((array, 3, 1.0), (array, 2, 1), (stencil.Array((5, 6), "f4"), 2, 1.0),
                      (stencil.Array((5, 7)), 2, 1.0)):
            self.assertIsNot(scaled.compile(*other), first)
        self.assertEqual(calls, [2, 3, 2, 2, 2])
        scaled.clear()
        scaled.compile(array, 2, 1.0)
        self.assertEqual(len(calls), 6)


class Reports(unittest.TestCase):
    def test_what_was_decided(self):
        array = stencil.Array((256, 256), "float32")
        report = heat.explain(array, 0.1, 10)
        self.assertIn("heat for sm_90a: ", str(report))
        self.assertIn(f"{Path(__file__).name}:", str(report))
        self.assertIn("<table>", report._repr_html_())
        alternatives = str(report.alternatives())
        self.assertIn(f"{Path(__file__).name}:", alternatives)
        self.assertIn("loop in 'heat'", alternatives)
        self.assertIn("redundancy", alternatives)
        plan = heat.explain(array, 0.1, 10, plan={"mapping": "thread", "u": {"points": (2, 1)}})
        chosen = next(one for one in plan.kernels if one["stage"] == "u")["plan"]
        self.assertEqual((chosen["mapping"], chosen["points"]), ("thread", [2, 1]))
        self.assertIn("loop", heat.plan(array, 0.1, 10))
        self.assertIn(".visible .entry", heat.ptx(array, 0.1, 10))
        compiled = heat.compile(array, 0.1, 10)
        self.assertIn("256 x 256 points, 1 statement, 1 time loop", repr(compiled))
        self.assertIn("periodic", compiled._repr_html_())
        self.assertIn("<code>", heat._repr_html_())

    def test_the_package(self):
        start = CONTENT.random((7, 11))
        compiled = heat.compile(start, 0.1, 3)
        self.assertEqual([one.name for one in compiled.parameters], ["u", "r", "n"])
        self.assertEqual(compiled.extents, (7, 11))
        field = start.copy()
        package = compiled.package("emulator").with_values(r=0.1)
        package(field, n=3)
        self.assertTrue((field == heat_of_numpy(start, 0.1, 3)).all())
        with self.assertRaisesRegex(stencil.CompileError, "the interpreter runs no kernels"):
            compiled.package("interpreter")
        compiled.release()

    def test_verification_and_time(self):
        array = stencil.Array((12, 13))
        self.assertEqual(heat.verify(array, 0.1, 3), (1, 1, 156))
        timing = heat.time(array, 0.1, 3, repeat=2)
        self.assertEqual((timing.repeats, timing.on), (2, "emulator"))
        self.assertGreater(timing.seconds, 0)
        self.assertGreater(heat.time(array, 0.1, 3, repeat=1, on="interpreter").seconds, 0)
        with self.assertRaisesRegex(stencil.ArgumentError, "repeat=0: time at least one run"):
            heat.time(array, 0.1, 3, repeat=0)
        with self.assertRaisesRegex(stencil.ArgumentError, "which has no cells"):
            heat(array, 0.1, 3)

    def test_a_plan_gives_the_same_bits(self):
        field = CONTENT.random((70, 80))
        expected = heat_of_numpy(field, 0.1, 7)
        heat(field, 0.1, 7, plan={"loop": {"mapping": "warp", "steps": 2, "threads": (1, 32),
                                           "points": (1, 2)}})
        self.assertTrue((field == expected).all())

    def test_the_compiler_points_at_the_users_line(self):
        with self.assertRaises(stencil.CompileError) as caught:
            heat.ptx(stencil.Array((16, 24)), 0.1, 10, plan={"nothing": {"points": 2}})
        error = caught.exception
        self.assertEqual(error.file, __file__)
        self.assertIn("has keys for 'nothing', which is no kernel", str(error))
        line = Path(__file__).read_text(encoding="utf-8").splitlines()[error.line - 1]
        self.assertIn("@stencil.program(boundaries", line)
        self.assertIn(f"{__file__}:{error.line}: error: ", str(error))


class Differences(Same):
    def test_known_weights(self):
        third = Fraction(1, 3)
        for order, points, at, expected in [
                (1, (-1, 0, 1), 0, (Fraction(-1, 2), 0, Fraction(1, 2))),
                (2, (-1, 0, 1), 0, (1, -2, 1)),
                (1, (-1, 0, 1, 2), Fraction(1, 2), (Fraction(1, 24), Fraction(-9, 8),
                                                    Fraction(9, 8), Fraction(-1, 24))),
                (1, (0, 1, 2, 3), 0, (Fraction(-11, 6), 3, Fraction(-3, 2), third))]:
            self.assertEqual(tuple(stencil.weights(order, points, at)), expected)
        eighth = stencil.weights(2, range(-4, 5))
        self.assertEqual(eighth[:5], [Fraction(-1, 560), Fraction(8, 315), Fraction(-1, 5),
                                      Fraction(8, 5), Fraction(-205, 72)])

    def test_weights_are_exact_for_polynomials(self):
        points = [Fraction(n, 3) for n in (-7, -2, 0, 4, 5)]
        for order in range(4):
            for at in (Fraction(0), Fraction(1, 2), Fraction(-5, 7)):
                found = stencil.weights(order, points, at)
                for degree in range(5):
                    factor = Fraction(1)
                    for n in range(order):
                        factor *= degree - n
                    exact = factor * at ** (degree - order) if degree >= order else 0
                    self.assertEqual(sum(w * p ** degree for w, p in zip(found, points)), exact)

    def apply(self, formula, field, **options):
        @stencil.program(boundaries={"u": stencil.fixed()}, on="interpreter", **options)
        def formed(u, v):
            v[y, x] = formula(u[y, x])

        result = numpy.full_like(field, numpy.nan)
        formed(field, result)
        return result

    def test_orders_hold_for_polynomials(self):
        rows, columns = numpy.mgrid[0:12, 0:14].astype(float)
        cases = [(lambda u: stencil.derivative(u, x, order=4), columns ** 4, 4 * columns ** 3),
                 (lambda u: stencil.derivative(u, y, 2, order=4), rows ** 5, 20 * rows ** 3),
                 (lambda u: stencil.derivative(u, y, 3), rows ** 4, 24 * rows),
                 (lambda u: stencil.derivative(u, x, side="forward", order=3), columns ** 3,
                  3 * columns ** 2),
                 (lambda u: stencil.derivative(u, x, side="backward", order=1), 2 * columns,
                  2 + 0 * columns),
                 (lambda u: stencil.derivative(u, x, at=Fraction(1, 2), order=4), columns ** 4,
                  4 * (columns + 0.5) ** 3),
                 (lambda u: stencil.derivative(u, x, 2, at=0.5, order=2), columns ** 3,
                  6 * (columns + 0.5)),
                 (lambda u: stencil.laplace(u, order=4, spacing=(0.5, 2)),
                  rows ** 3 + columns ** 3, 4 * 6 * rows + 6 * columns / 4),
                 (lambda u: stencil.laplace(u, order=6, spacing=0.5), rows ** 4 * columns ** 2,
                  4 * (12 * rows ** 2 * columns ** 2 + 2 * rows ** 4)),
                 (lambda u: sum(stencil.gradient(u)[1:], stencil.gradient(u)[0]),
                  rows ** 2 + columns ** 2, 2 * rows + 2 * columns),
                 (lambda u: stencil.divergence((u, 2 * u)), rows ** 2 + columns ** 2,
                  2 * rows + 4 * columns)]
        for place, (formula, field, expected) in enumerate(cases):
            with self.subTest(place):
                found = self.apply(formula, field)
                inside = ~numpy.isnan(found)
                self.assertGreater(inside.sum(), 12)
                numpy.testing.assert_allclose(found[inside], expected[inside], rtol=1e-9,
                                              atol=1e-9)

    def test_an_argument_as_mesh_width(self):
        @stencil.program(boundaries={"u": stencil.periodic()}, on="emulator")
        def bent(u, v, h):
            v[y, x] = stencil.laplace(u[y, x], spacing=h)

        u = CONTENT.random((6, 7))
        v = numpy.zeros_like(u)
        bent(u, v, 0.3)
        around = (numpy.roll(u, 1, 0) + numpy.roll(u, -1, 0)) + (numpy.roll(u, 1, 1)
                                                                + numpy.roll(u, -1, 1))
        self.assert_same(v, (-4 * u + around) / (0.3 * 0.3))


if __name__ == "__main__":
    unittest.main()
