"""Programs of stencils of GT4Py compute what its NumPy backend does, bit for bit. Needs GT4Py."""

import atexit
import importlib
import inspect
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

# GT4Py keeps what it makes, in the current folder by default.
os.environ["GT_CACHE_ROOT"] = tempfile.mkdtemp(prefix="stencil-gt4py-")
atexit.register(shutil.rmtree, os.environ["GT_CACHE_ROOT"], True)
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy  # noqa: E402 - the path comes first

import scenery  # noqa: E402
from scenery import stencil  # noqa: E402

try:
    from gt4py.cartesian import gtscript
    from gt4py.cartesian.gtscript import (  # noqa: F401 - names of gtscript
        BACKWARD, FORWARD, IJ, PARALLEL, Field, I, J, K, computation, horizontal, interval, region)
except ImportError:
    gtscript = None

SHAPE, DEPTH = (9, 8), 6


def setUpModule():
    if gtscript is None:
        raise unittest.SkipTest("there is no gt4py")
    scenery.needs_compiler()


if gtscript is not None:
    f4, f8 = Field[numpy.float32], Field[numpy.float64]

    @gtscript.function
    def laplacian(u):
        return -4.0 * u[0, 0, 0] + (u[-1, 0, 0] + u[1, 0, 0]) + (u[0, -1, 0] + u[0, 1, 0])

    @gtscript.function
    def centred(flux):
        return flux - flux[-1, 0, 0]

    def laplacians(u: f8, out: f8):
        with computation(PARALLEL), interval(...):
            once = laplacian(u)
            twice = laplacian(once[0, 0, 0])
            out = laplacian(twice) - 0.5 * once[1, 1, 0]

    def horizontal_diffusion(u: f8, coefficient: f8, out: f8):
        from __externals__ import LIMITED
        with computation(PARALLEL), interval(...):
            lap = 4.0 * u - (u[1, 0, 0] + u[-1, 0, 0] + u[0, 1, 0] + u[0, -1, 0])
            x = lap[1, 0, 0] - lap
            y = lap[0, 1, 0] - lap
            if __INLINED(LIMITED):  # noqa: F821 - a word of gtscript
                along_x = 0.0 if x * (u[1, 0, 0] - u) > 0.0 else x
                along_y = 0.0 if y * (u[0, 1, 0] - u) > 0.0 else y
            else:
                along_x = x
                along_y = y
            out = u - coefficient * (along_x - along_x[-1, 0, 0] + along_y - along_y[0, -1, 0])

    def tridiagonal(lower: f8, centre: f8, upper: f8, right: f8, out: f8):
        with computation(FORWARD):
            with interval(0, 1):
                upper = upper / centre
                right = right / centre
            with interval(1, None):
                upper = upper / (centre - upper[0, 0, -1] * lower)
                right = (right - lower * right[0, 0, -1]) / (centre - upper[0, 0, -1] * lower)
        with computation(BACKWARD):
            with interval(-1, None):
                out = right
            with interval(0, -1):
                out = right - upper * out[0, 0, 1]

    def vertical_advection(u: f8, wind: f8, before: f8, tendency: f8, *, dt: float, weight: float):
        with computation(FORWARD):
            with interval(0, 1):
                up = 0.25 * (wind[1, 0, 1] + wind[0, 0, 1])
                c = up * weight
                centre = 1.0 / dt - c
                d = (u / dt + tendency - up * (before[0, 0, 1] - before)) / centre
                c = c / centre
            with interval(1, -1):
                down = -0.25 * (wind[1, 0, 0] + wind)
                up = 0.25 * (wind[1, 0, 1] + wind[0, 0, 1])
                a = down * weight
                c = up * weight
                centre = 1.0 / dt - a - c
                explicit = -down * (before[0, 0, -1] - before) - up * (before[0, 0, 1] - before)
                d = u / dt + tendency + explicit
                d = (d - d[0, 0, -1] * a) / (centre - c[0, 0, -1] * a)
                c = c / (centre - c[0, 0, -1] * a)
            with interval(-1, None):
                down = -0.25 * (wind[1, 0, 0] + wind)
                a = down * weight
                d = u / dt + tendency - down * (before[0, 0, -1] - before)
                d = (d - d[0, 0, -1] * a) / (1.0 / dt - a - c[0, 0, -1] * a)
        with computation(BACKWARD):
            with interval(-1, None):
                now = d
                tendency = (now - u) / dt
            with interval(0, -1):
                now = d - c * now[0, 0, 1]
                tendency = (now - u) / dt

    def conditions(u: f8, mask: Field[bool], out: f8, bound: float, n: int, *, flag: bool):
        with computation(PARALLEL), interval(...):
            edge = u * 2.0
            if u > bound and not mask:
                edge = u if u < 0.25 else -u - bound
                if n > 2 or edge == 0.0:
                    edge += n
            elif mask:
                edge = 1
            if flag:
                edge = min(edge, 0.5) + max(u, 0.25)
            if not flag:
                edge = edge + 1.0
            if not flag or u > bound:
                edge = edge * 0.5
            out = edge[1, 0, 0] + edge[0, -1, 0]

    def intervals(u: f8, out: f8):
        with computation(PARALLEL):
            with interval(0, 1):
                w = u[0, 0, 1] * 2.0
            with interval(1, -1):
                w = u[0, 0, 1] - u[0, 0, -1]
            with interval(-1, None):
                w = u
        with computation(PARALLEL), interval(1, -1):
            out = w[1, 0, 1] + w[-1, 0, -1]
        with computation(FORWARD), interval(2, 4):
            out = out + out[0, 0, -1]

    def fewer_dimensions(u: f8, surface: Field[IJ, numpy.float64], levels: Field[K, numpy.float64],
                         out: f8):
        with computation(PARALLEL), interval(...):
            out = u + surface[1, 0] * levels + surface[0, -1]
        with computation(BACKWARD), interval(0, -1):
            out = out[0, 0, 1] * levels[1] + u

    def regions(u: f8, out: f8):
        with computation(PARALLEL), interval(...):
            w = u * 3.0
            with horizontal(region[I[0], :], region[I[-1], J[0]]):
                w = 0.5
            out = w[1, 0, 0] + w
            with horizontal(region[:, J[-1]]):
                out = -u

    def types(a: f4, b: f8, n: Field[numpy.int32], out: f8, single: f4):
        with computation(PARALLEL), interval(...):
            out = a * b + n * a
            single = a / 3 + 2.5 if n > 1 else -a

    def singles(u: f4, out: f4, weight: numpy.float64, *, scale: numpy.float32):
        with computation(PARALLEL), interval(...):
            out = u * scale + weight

    def without_counterpart(u: f8, out: f8):
        with computation(PARALLEL), interval(...):
            out = u
            out = gamma(u)  # noqa: F821 - a word of gtscript

    def inside_of_a_function(u: f8, out: f8):
        with computation(PARALLEL), interval(...):
            out = remainders(u)

    @gtscript.function
    def remainders(u):
        return u % 2.0

    def functions(u: f8, out: f8):
        with computation(PARALLEL), interval(...):
            out = sqrt(abs(u)) + floor(u * 7.0) - ceil(u) * trunc(3.0 * u)  # noqa: F821
            out = out + u**2 + round(u * 9.0) - mixed(u)  # noqa: F821

    @gtscript.function
    def mixed(u):
        x = max(u, 0.125)
        y = min(x, u[0, 0, 0] * 2.0)
        return x - y

    def aliases(u: f8, out: f8, unused: f8, i: float):
        with computation(PARALLEL), interval(...):
            k = u * i
            out = k[1, 0, 0] + k


class Stencils(unittest.TestCase):
    """Each stencil on random arrays, by GT4Py and by ours."""

    def compare(self, function, *, halo, planes=0, scalars=None, externals=None, **changes):
        scalars = dict(scalars or {})
        theirs = gtscript.stencil(
            backend="numpy", externals=externals or {}, rebuild=True)(function)
        content = numpy.random.default_rng(3)
        arrays = {}
        wide = tuple(n + 2 * halo for n in SHAPE)
        for name, info in theirs.field_info.items():
            shape = {"IJK": (*wide, DEPTH + 2 * planes), "IJ": wide, "K": (DEPTH + 2 * planes,)}[
                "".join(info.axes) if info is not None else "IJK"]
            dtype = numpy.dtype(info.dtype if info is not None else "f8")
            arrays[name] = (content.uniform(-1.0, 1.0, shape) * 4).astype(dtype) \
                if dtype.kind != "b" else content.random(shape) < 0.5
        arrays.update({name: change(arrays[name]) for name, change in changes.items()})
        expected = {name: numpy.copy(one) for name, one in arrays.items()}
        theirs(**expected, **scalars, origin=(halo, halo, planes),
               domain=(*SHAPE, DEPTH))
        self.assertTrue(any(not (expected[one] == arrays[one]).all() for one in arrays))
        for axes in ("IJK", "KJI"):
            program = stencil.from_gtscript(function, externals=externals, axes=axes,
                                            halo=(halo, halo, planes))
            for on in ("interpreter", "emulator"):
                found = {name: numpy.copy(one) for name, one in arrays.items()}
                given = {name: one if axes == "IJK" else one.T for name, one in found.items()}
                program(**given, **scalars, on=on)
                for name, one in found.items():
                    with self.subTest(stencil=function.__name__, axes=axes, on=on, field=name):
                        self.assertEqual(one.tobytes(), expected[name].tobytes())
        return program

    def test_laplacians(self):
        self.compare(laplacians, halo=4)

    def test_horizontal_diffusion(self):
        for limited in (True, False):
            self.compare(horizontal_diffusion, halo=2, externals={"LIMITED": limited})

    def test_tridiagonal_systems(self):
        program = self.compare(tridiagonal, halo=0, centre=lambda a: abs(a) + 9.0)
        text = inspect.getsource(program)
        self.assertEqual(text.count("with stencil.forward("), 1)
        self.assertEqual(text.count("with stencil.backward("), 1)

    def test_vertical_advection(self):
        self.compare(vertical_advection, halo=1, scalars={"dt": 0.125, "weight": 0.75})

    def test_conditions(self):
        for flag, n in ((True, 3), (False, 1)):
            self.compare(conditions, halo=1, scalars={"bound": 0.3, "n": n, "flag": flag})

    def test_intervals(self):
        self.compare(intervals, halo=1)

    def test_fields_of_fewer_dimensions(self):
        self.compare(fewer_dimensions, halo=1)

    def test_regions(self):
        self.compare(regions, halo=1)

    def test_types(self):
        self.compare(types, halo=0)

    def test_numbers_of_another_type_than_the_arrays(self):
        self.compare(singles, halo=0, scalars={"weight": 0.1, "scale": numpy.float32(0.3)})

    def test_refusals_have_the_line_of_the_user(self):
        with self.assertRaises(stencil.TraceError) as caught:
            stencil.from_gtscript(without_counterpart)
        first = without_counterpart.__code__.co_firstlineno
        self.assertEqual((caught.exception.file, caught.exception.line), (__file__, first + 3))
        self.assertIn("'gamma' has no counterpart", caught.exception.reason)
        with self.assertRaises(stencil.TraceError) as caught:
            stencil.from_gtscript(inside_of_a_function)
        self.assertIn("in line 3 of 'inside_of_a_function' or of a function that it calls",
                      caught.exception.reason)

    def test_functions(self):
        self.compare(functions, halo=0)

    def test_names_of_the_user(self):
        # GT4Py's own backend takes these names for its indices: NumPy is compared.
        u = numpy.random.default_rng(2).random((5, 4, 3))
        out = numpy.zeros((5, 4, 3))
        stencil.from_gtscript(aliases)(u, out, u, 2.0, on="emulator")
        self.assertEqual(out[:-1].tobytes(), (u[1:] * 2.0 + u[:-1] * 2.0).tobytes())
        self.assertFalse(out[-1].any())

    def test_stencils_of_the_peers(self):
        peers = scenery.CHECKOUT / "tools" / "examples" / "peers"
        sys.path.insert(0, str(peers))
        self.addCleanup(sys.path.remove, str(peers))
        compared = 0
        for file in sorted(peers.glob("gt4py_*.py")):
            for name, one in vars(importlib.import_module(file.stem)).items():
                if hasattr(one, "definition_func"):
                    with self.subTest(file=file.name, name=name):
                        self.compare(one.definition_func, halo=3, planes=3, scalars={
                            argument: 0.25 for argument, info in one.parameter_info.items()})
                        compared += 1
        self.assertGreaterEqual(compared, 4)

    def test_arrays_fit_without_a_halo_that_is_given(self):
        program = stencil.from_gtscript(laplacians)
        u = numpy.random.default_rng(1).random((12, 13, 2))
        out, expected = numpy.zeros_like(u), numpy.zeros_like(u)
        program(u, out, on="emulator")
        gtscript.stencil(backend="numpy")(laplacians)(u, expected, origin=(3, 3, 0))
        self.assertEqual(out.tobytes(), expected.tobytes())

    def test_stencils_that_are_compiled_already(self):
        made = gtscript.stencil(backend="numpy")(laplacians)
        self.assertEqual(inspect.getsource(stencil.from_gtscript(made)),
                         inspect.getsource(stencil.from_gtscript(laplacians)))
        lazy = gtscript.lazy_stencil(backend="numpy", externals={"LIMITED": True})(
            horizontal_diffusion)
        self.assertIn("where", inspect.getsource(stencil.from_gtscript(lazy)))


if __name__ == "__main__":
    unittest.main()
