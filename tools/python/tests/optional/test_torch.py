"""Programs and packages as operations of PyTorch. Needs PyTorch; on a GPU if it finds one."""

import os
import sys
import unittest
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy  # noqa: E402 - the path comes first

import scenery  # noqa: E402
from scenery import stencil  # noqa: E402

try:
    import torch
except ImportError:
    torch = None

j, i = stencil.indices("j i")


@stencil.program(boundaries={"u": stencil.periodic()})
def heat(u, r, steps):
    for t in stencil.steps(steps):
        u[t+1, j, i] = u[t, j, i] + r * stencil.laplace(u[t, j, i])


@stencil.program(boundaries={"p": stencil.fixed(0.0)}, static="order")
def wave(p, c2, order, steps):
    for t in stencil.steps(steps):
        change = c2[j, i] * stencil.laplace(p[t, j, i], order=order)
        p[t+1, j, i] = 2 * p[t, j, i] - p[t-1, j, i] + change


def setUpModule():
    if torch is None:
        raise unittest.SkipTest("there is no PyTorch")
    scenery.needs_compiler()
    global DEVICE, ON
    # Before the emulator takes the place of a driver.
    DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
    ON = "gpu" if DEVICE == "cuda" else "emulator"
    # Where the emulator has its place PyTorch says that it finds no GPU.
    warnings.filterwarnings("ignore", message="CUDA initialization")


def random(*shape, dtype="float32", seed=1):
    cells = numpy.random.default_rng(seed).random(shape)
    return torch.from_numpy(cells.astype(dtype)).to(DEVICE)


def host(tensor):
    return tensor.detach().cpu().numpy().copy()


def interpreted(program, *values):
    """The arrays of a call, as the interpreter leaves them."""
    given = [[host(one) for one in value] if isinstance(value, list) else
             host(value) if isinstance(value, torch.Tensor) else value for value in values]
    program.options(on="interpreter")(*given)
    return given


def operation(program, *examples, **options):
    return stencil.torch.op(program.options(on=ON), *examples, **options)


class Heat(unittest.TestCase):
    """One array, in place and functional."""

    @classmethod
    def setUpClass(cls):
        example = stencil.Array((8, 8), "float32")
        cls.changing = operation(heat, example, 0.1, 3, name="tests::heat")
        cls.functional = operation(heat, example, 0.1, 3, name="tests::heat_of", functional=True)

    def check(self, found, wanted):
        self.assertTrue((host(found) == wanted).all())

    def test_schemas_say_what_changes(self):
        for made, text in [
                (self.changing, "tests::heat(Tensor(a0!) u, float r, SymInt steps) -> ()"),
                (self.functional, "tests::heat_of(Tensor u, float r, SymInt steps) -> Tensor")]:
            self.assertEqual(str(made._opoverload._schema), text)

    def test_extents_types_and_layouts_are_those_of_a_call(self):
        for shape, dtype in [((17, 33), "float32"), ((5, 7), "float64"), ((1, 31), "float32")]:
            u = random(*shape, dtype=dtype)
            wanted, *_ = interpreted(heat, u, 0.2, 5)
            self.check(self.functional(u, 0.2, 5), wanted)
            self.assertIsNone(self.changing(u, 0.2, 5))
            self.check(u, wanted)
        u = random(33, 17).T
        wanted, *_ = interpreted(heat, u, 0.2, 5)
        found = self.functional(u, 0.2, 5)
        self.check(found, wanted)
        self.assertTrue(found.is_contiguous())

    def test_torch_finds_nothing_wrong(self):
        for made in (self.changing, self.functional):
            found = torch.library.opcheck(made, (random(9, 11), 0.2, 3))
            self.assertEqual(set(found.values()), {"SUCCESS"})

    def test_whole_models_are_compiled(self):
        def model(u, steps):
            twice = u * 2
            self.changing(twice, 0.2, steps)
            return self.functional(twice, 0.1, 2) - twice

        compiled = torch.compile(model, fullgraph=True, backend="aot_eager", dynamic=True)
        for shape, steps in [((17, 33), 4), ((9, 12), 4), ((9, 12), 5)]:
            u = random(*shape)
            self.check(compiled(u, steps), host(model(u, steps)))

    def test_models_are_exported(self):
        class Model(torch.nn.Module):
            def forward(self, u):
                return self.step(u, 0.2, 3)

        Model.step = staticmethod(self.functional)
        u = random(9, 11)
        exported = torch.export.export(Model(), (u,))
        self.check(exported.module()(u), interpreted(heat, u, 0.2, 3)[0])

    def test_gradients_are_refused_where_there_is_no_formula(self):
        u = random(9, 11).requires_grad_()
        with self.assertRaisesRegex(stencil.ArgumentError, "'tests::heat' changes its arguments "
                                    "in place and has no gradient, and 'u' requires one"):
            self.changing(u * 1, 0.2, 3)
        with torch.no_grad():
            before = u._version
            self.changing(u, 0.2, 3)
            self.assertGreater(u._version, before)
        with self.assertRaisesRegex(RuntimeError, "no autograd formula was registered"):
            self.functional(u, 0.2, 3).sum().backward()

    def test_gradients_have_the_formula_of_the_user(self):
        made = operation(heat, random(8, 8), 0.1, 3, name="tests::heat_backward", functional=True)

        def keep(ctx, inputs, output):
            ctx.numbers = inputs[1:]

        # Diffusion between periodic sides is its own adjoint.
        made.register_autograd(lambda ctx, out: (made(out, *ctx.numbers), None, None),
                               setup_context=keep)
        u = random(5, 6, dtype="float64").requires_grad_()
        self.assertTrue(torch.autograd.gradcheck(lambda one: made(one, 0.2, 3), (u,)))

    @unittest.skipUnless(torch and torch.cuda.is_available(), "there is no GPU")
    def test_work_goes_to_the_current_stream_and_into_graphs(self):
        u = random(640, 320)
        wanted, *_ = interpreted(heat, u, 0.2, 4)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            first = self.functional(u, 0.2, 4)
        side.synchronize()
        self.check(first, wanted)
        graph, kept = torch.cuda.CUDAGraph(), u.clone()
        with torch.cuda.graph(graph):
            self.changing(kept, 0.2, 4)
        self.check(kept, host(u))
        graph.replay()
        self.check(kept, wanted)


class Levels(unittest.TestCase):
    """Several levels of time, arguments that are no numbers, and packages."""

    def values(self):
        return [random(13, 9), random(13, 9, seed=2)], random(13, 9, seed=3) / 4

    def test_levels_are_lists(self):
        levels, c2 = self.values()
        changing = operation(wave, levels, c2, 4, 3, name="tests::wave")
        made = operation(wave, levels, c2, 4, 3, name="tests::wave_of", functional=True)
        self.assertEqual(str(made._opoverload._schema), "tests::wave_of(Tensor[] p, Tensor c2, "
                                                        "SymInt steps) -> (Tensor, Tensor)")
        wanted = interpreted(wave, levels, c2, 4, 5)[0]
        for found, one in zip(made(levels, c2, 5), wanted):
            self.assertTrue((host(found) == one).all())
        for one in (made, changing):
            found = torch.library.opcheck(one, (levels, c2, 3))
            self.assertEqual(set(found.values()), {"SUCCESS"})
        with self.assertRaisesRegex(stencil.ArgumentError, "'p' is a list of 2 tensors, found 1"):
            changing(levels[:1], c2, 3)
        changing(levels, c2, 5)
        for found, one in zip(levels, wanted):
            self.assertTrue((host(found) == one).all())

    def test_levels_that_take_turns_are_given_in_order(self):
        @stencil.program(boundaries={"p": stencil.fixed(0.0)}, levels="arguments", on=ON)
        def turning(p, c2, steps):
            for t in stencil.steps(steps):
                p[t+1, j, i] = 2 * p[t, j, i] - p[t-1, j, i] + c2 * stencil.laplace(p[t, j, i])

        given = [random(11, 17, seed=seed) for seed in range(3)]
        made = stencil.torch.op(turning, given, 0.1, 4, functional=True, name="tests::turning")
        found = made(given, 0.1, 4)
        again = turning([one.clone() for one in given], 0.1, 4)
        for one, other in zip(found, again):
            self.assertTrue((host(one) == host(other)).all())

    def test_packages_have_their_numbers(self):
        package = stencil.compile(scenery.KERNELS / "devito-acoustic2d.mlir", dt=0.02, h_x=0.1,
                                  h_y=0.125, on=ON)
        made = stencil.torch.op(package["Kernel"], name="tests::acoustic", functional=True)
        fields = [random(56, 48, seed=seed) for seed in range(3)]
        wanted = [host(one) for one in fields]
        package(*wanted, time_m=0, time_M=6)
        for found, one in zip(made(*fields, 0, 6), wanted):
            self.assertTrue((host(found) == one).all())
        self.assertIn("SymInt time_m, SymInt time_M)", str(made._opoverload._schema))
        with self.assertRaisesRegex(stencil.ArgumentError, "takes float32 .* found float64"):
            made(fields[0].double(), *fields[1:], 0, 6)
        with self.assertRaisesRegex(stencil.ArgumentError, r"takes shape \(56, 48\)"):
            made(fields[0][1:], *fields[1:], 0, 6)


class Descriptions(unittest.TestCase):
    def refused(self, text, *values, **options):
        with self.assertRaisesRegex(stencil.StencilError, text):
            stencil.torch.op(*values, **options)

    def test_what_describes_nothing_is_refused(self):
        self.refused(r"say which, op\(heat, array, number", heat)
        self.refused("'mylib::heat'", heat, random(8, 8), 0.1, 3, name="my heat")
        self.refused("made of a program or a package, found str", "heat.mlir")
        self.refused("missing a required argument: 'steps'", heat, random(8, 8), 0.1)
        package = heat.compile(random(8, 8), 0.1, 3).package("emulator") if ON == "emulator" \
            else heat.compile(random(8, 8), 0.1, 3).package()
        self.refused("says itself what it takes", package, random(8, 8))


if __name__ == "__main__":
    unittest.main()
