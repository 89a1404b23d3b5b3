"""Programs and packages as functions of JAX. Needs JAX; on a GPU if it finds one."""

import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy  # noqa: E402 - the path comes first

import scenery  # noqa: E402
from scenery import stencil  # noqa: E402

try:
    import jax
except ImportError:
    jax = None

j, i = stencil.indices("j i")


def heat_of(on):
    @stencil.program(boundaries={"u": stencil.periodic()}, on=on)
    def heat(u, r, steps):
        for t in stencil.steps(steps):
            u[t+1, j, i] = u[t, j, i] + r * stencil.laplace(u[t, j, i])
    return heat


def setUpModule():
    if jax is None:
        raise unittest.SkipTest("there is no JAX")
    scenery.needs_compiler()
    global ON
    # Before the emulator takes the place of a driver.
    ON = "gpu" if jax.default_backend() == "gpu" else "emulator"


def random(*shape, dtype="float32", seed=1):
    return jax.numpy.asarray(numpy.random.default_rng(seed).random(shape).astype(dtype))


def called(program, *values):
    """The arrays of a call in place, on copies of these."""
    given = [[numpy.array(one) for one in value] if isinstance(value, (list, tuple)) else
             numpy.array(value) if isinstance(value, jax.Array) else value for value in values]
    program(*given)
    return given


class Heat(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = heat_of(ON)
        cls.heat = staticmethod(stencil.jax.op(cls.program))

    def wanted(self, *values):
        return called(self.program.options(on="interpreter"), *values)[0]

    def check(self, found, wanted):
        self.assertTrue((numpy.asarray(found) == wanted).all())

    def test_extents_and_types_are_those_of_a_call(self):
        for shape, dtype in [((17, 33), "float32"), ((1, 31), "float32"), ((6, 7), "float16")]:
            u = random(*shape, dtype=dtype)
            kept = numpy.array(u)
            found = self.heat(u, 0.2, 5)
            self.check(found, self.wanted(u, 0.2, 5))
            self.check(u, kept)
            self.assertEqual((found.shape, found.dtype), (u.shape, u.dtype))

    def test_jit(self):
        u = random(17, 33)
        whole = jax.jit(lambda one: self.heat(self.heat(one + one, r=0.2, steps=5), 0.1, 2))
        first = self.wanted(u + u, 0.2, 5)
        self.check(whole(u), self.wanted(jax.numpy.asarray(first), 0.1, 2))
        named = jax.jit(self.heat, static_argnames=("r", "steps"))
        self.check(named(u, r=0.2, steps=5), self.wanted(u, 0.2, 5))
        shape = jax.eval_shape(lambda one: self.heat(one, 0.2, 5), u)
        self.assertEqual((shape.shape, shape.dtype), (u.shape, u.dtype))
        loop = jax.jit(lambda one: jax.lax.fori_loop(
            0, 3, lambda _, now: self.heat(now, 0.2, 2), one))
        self.check(loop(u), self.wanted(u, 0.2, 6))

    def test_memory_that_is_given_away_is_not_copied(self):
        u = random(17, 33)
        wanted = self.wanted(u, 0.2, 5)
        for donated in ((), (0,)):
            step = jax.jit(lambda one: self.heat(one, 0.2, 5), donate_argnums=donated)
            text = step.lower(u).compile().as_text()
            self.assertEqual(" copy(" in text, not donated)
            self.check(step(u + 0), wanted)

    def test_vmap_runs_one_after_the_other(self):
        both = jax.numpy.stack([random(5, 6), random(5, 6, seed=2)])
        found = jax.vmap(lambda one: self.heat(one, 0.2, 3))(both)
        for one, other in zip(found, both):
            self.check(one, self.wanted(other, 0.2, 3))

    def test_derivatives_are_those_of_the_user(self):
        u = random(5, 6)
        with self.assertRaisesRegex(ValueError, "`stencil` cannot be differentiated"):
            jax.grad(lambda one: self.heat(one, 0.2, 3).sum())(u)
        step = jax.custom_vjp(lambda one: self.heat(one, 0.2, 3))
        # Diffusion between periodic sides is its own adjoint.
        step.defvjp(lambda one: (step(one), None), lambda _, out: (self.heat(out, 0.2, 3),))
        weights = random(5, 6, seed=3)
        self.check(jax.grad(lambda one: (weights * step(one)).sum())(u),
                   self.wanted(weights, 0.2, 3))

    def test_numbers_are_not_traced(self):
        with self.assertRaisesRegex(stencil.ArgumentError, "a number is traced.*static_argnames"):
            jax.jit(self.heat)(random(5, 6), 0.2, 3)

    def test_what_fails_while_it_runs_is_an_error_of_jax(self):
        u = random(19, 6)
        problem = stencil.DriverError("kernel 'heat' failed")
        with mock.patch.object(stencil.Package, "run_views", side_effect=problem):
            with self.assertRaisesRegex(Exception, "kernel 'heat' failed"):
                jax.block_until_ready(self.heat(u, 0.2, 3))
        self.check(self.heat(u, 0.2, 3), self.wanted(u, 0.2, 3))


class Levels(unittest.TestCase):
    """Several levels of time, arguments that are no numbers, and packages."""

    def test_levels_are_given_in_the_order_of_the_next_call(self):
        @stencil.program(boundaries={"p": stencil.fixed(0.0)}, static="order", on=ON)
        def wave(p, c2, order, steps):
            for t in stencil.steps(steps):
                change = c2[j, i] * stencil.laplace(p[t, j, i], order=order)
                p[t+1, j, i] = 2 * p[t, j, i] - p[t-1, j, i] + change

        levels, c2 = [random(13, 9), random(13, 9, seed=2)], random(13, 9, seed=3) / 4
        wanted = called(wave, levels, c2, 4, 5)[0]
        step = stencil.jax.op(wave)
        for found in (step(levels, c2, 4, 5), jax.jit(lambda *one: step(*one, 4, 5))(levels, c2)):
            self.assertTrue(all((a == b).all() for a, b in zip(found, wanted)))
        # One array may be two levels: they do not share memory then.
        both = step([levels[0]] * 2, c2, 4, 5)
        again = called(wave, [levels[0]] * 2, c2, 4, 5)[0]
        self.assertTrue(all((a == b).all() for a, b in zip(both, again)))

        @stencil.program(boundaries={"p": stencil.fixed(0.0)}, levels="arguments", on=ON)
        def turning(p, c2, steps):
            for t in stencil.steps(steps):
                p[t+1, j, i] = 2 * p[t, j, i] - p[t-1, j, i] + c2 * stencil.laplace(p[t, j, i])

        given = [random(11, 17, seed=seed) for seed in range(3)]
        again = turning([numpy.array(one) for one in given], 0.1, 4)
        for one, other in zip(stencil.jax.op(turning)(given, 0.1, 4), again):
            self.assertTrue((one == other).all())

    def test_layers_that_absorb_are_constants(self):
        @stencil.program(boundaries=stencil.absorbing(3), on=ON)
        def sponge(u, steps):
            for t in stencil.steps(steps):
                u[t+1, j, i] = u[t, j, i] + 0.1 * stencil.laplace(u[t, j, i])

        u = random(17, 12)
        self.assertTrue((stencil.jax.op(sponge)(u, 3) == called(sponge, u, 3)[0]).all())

    def test_packages_have_their_numbers(self):
        package = stencil.compile(scenery.KERNELS / "devito-acoustic2d.mlir", dt=0.02, h_x=0.1,
                                  h_y=0.125, on=ON)
        acoustic = stencil.jax.op(package["Kernel"])
        fields = [random(56, 48, seed=seed) for seed in range(3)]
        wanted = [numpy.array(one) for one in fields]
        package(*wanted, time_m=0, time_M=6)
        found = jax.jit(lambda *one: acoustic(*one, 0, time_M=6))(*fields)
        self.assertTrue(all((a == b).all() for a, b in zip(found, wanted)))
        for wrong, text in [(fields[0][1:], r"takes shape \(56, 48\)"),
                            (fields[0].astype("float16"), "takes float32 .* found float16")]:
            with self.assertRaisesRegex(stencil.ArgumentError, text):
                acoustic(wrong, *fields[1:], 0, 6)
        with self.assertRaisesRegex(stencil.ArgumentError, "a program or a package, found str"):
            stencil.jax.op("acoustic.mlir")


if __name__ == "__main__":
    unittest.main()
