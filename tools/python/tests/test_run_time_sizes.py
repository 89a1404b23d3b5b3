"""One package for all extents: those of the arrays of each call."""

import unittest

import numpy

import scenery
from scenery import stencil

FIELD = "!stencil.field<[-1,33]x[0,32]xf64>"
PROGRAM = f"""
func.func @mean(%u: {FIELD} {{stencil.name = "u"}}, %v: {FIELD} {{stencil.name = "v"}},
                %k: f64 {{stencil.name = "k"}}) {{
  %t = stencil.load %u : {FIELD} -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>, %b = %k : f64) -> (!stencil.temp<?x?xf64>) {{
    %x = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
    %y = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
    %sum = arith.addf %x, %y : f64
    %mean = arith.mulf %sum, %b : f64
    stencil.return %mean : f64
  }}
  stencil.store %r to %v(<[0, 0], [32, 32]>) : !stencil.temp<?x?xf64> to {FIELD}
  return
}}
"""
OPEN = """
parameter M, N;
iterator j, i;
double u[M,N], v[M,N];
copyin u, v;
stencil sum (out, in) { out[j][i] = in[j-1][i] + in[j+1][i]; }
sum (v, u);
copyout v;
"""


def setUpModule():
    scenery.needs_compiler()


class RunTimeSizes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mean = staticmethod(
            stencil.compile(PROGRAM, run_time_sizes=True, on="emulator", k=0.5))

    def test_arrays_say_the_extents(self):
        random = numpy.random.default_rng(1)
        for rows, columns in [(32, 32), (1, 1), (7, 70), (33, 1), (7, 70)]:
            u = random.uniform(-1, 1, (rows + 2, columns))
            v = numpy.full_like(u, 9)
            self.mean(u, v)
            expected = numpy.full_like(u, 9)
            expected[1:-1] = (u[:-2] + u[2:]) * 0.5
            self.assertEqual(v.tobytes(), expected.tobytes(), (rows, columns))

    def test_large_arrays_are_swept(self):
        swept = stencil.compile(PROGRAM, run_time_sizes=True, on="emulator", k=0.5,
                                plan="mapping=warp,threads=1x32,points=1x2")
        self.assertEqual(list(swept.functions), ["mean", "mean_aligned", "mean_swept"])
        random = numpy.random.default_rng(2)
        # None of these is named: the base, the variant for any rows, that for aligned ones.
        for rows, columns in [(3, 3), (9, 131), (20, 136)]:
            u = random.uniform(-1, 1, (rows + 2, columns))
            v = numpy.full_like(u, 9)
            swept(u, v)
            expected = numpy.full_like(u, 9)
            expected[1:-1] = (u[:-2] + u[2:]) * 0.5
            self.assertEqual(v.tobytes(), expected.tobytes(), (rows, columns))

    def test_strided_arrays_too(self):
        u = numpy.arange(12.0 * 10).reshape(12, 10)[::2, ::2]
        v = numpy.zeros((6, 5))
        self.mean(u, v)
        self.assertTrue((v[1:-1] == (u[:-2] + u[2:]) * 0.5).all())

    def test_arrays_that_disagree_are_refused(self):
        with self.assertRaisesRegex(stencil.ArgumentError, "argument 0 'u' gives dimension 1 of "
                                    "the domain 4 points, argument 1 'v' gives it 5"):
            self.mean(numpy.zeros((6, 4)), numpy.zeros((6, 5)))
        with self.assertRaisesRegex(stencil.ArgumentError, "its margins need more"):
            self.mean(numpy.zeros((2, 4)), numpy.zeros((2, 4)))

    def test_sizes_that_a_program_leaves_open(self):
        plate = stencil.compile(OPEN, on="emulator", strict=True)
        random = numpy.random.default_rng(4)
        for rows, columns in [(3, 2), (7, 70), (33, 4)]:
            u = random.uniform(-1, 1, (rows, columns))
            v = numpy.full_like(u, 9)
            plate(u, v)
            expected = numpy.full_like(u, 9)
            expected[1:-1] = u[:-2] + u[2:]
            self.assertEqual(v.tobytes(), expected.tobytes(), (rows, columns))
        with self.assertRaisesRegex(stencil.ArgumentError, "dimension 1 of argument 0 'u' gives "
                                    "size 'N' the value 4, dimension 1 of argument 1 'v' gives it "
                                    "5"):
            plate(numpy.zeros((6, 4)), numpy.zeros((6, 5)))

    def test_arrays_of_another_rank_are_refused(self):
        plate = stencil.compile(OPEN, on="emulator", strict=True)
        right = numpy.zeros((6, 5))
        for package, more in ((plate, {}), (self.mean, {"k": 0.5})):
            for shape in ((6,), (6, 5, 1), ()):
                for place, name in enumerate("uv"):
                    given = [right, right.copy()]
                    given[place] = numpy.zeros(shape)
                    for call in (package, package.bind):
                        with self.assertRaises(stencil.ArgumentError) as caught:
                            call(*given, **more)
                        self.assertEqual(str(caught.exception), f"argument {place} '{name}' takes "
                                         f"an array of 2 dimensions, found shape {shape}")


if __name__ == "__main__":
    unittest.main()
