"""Calls on the interpreter are refused as those on the emulator, in the same words."""

import unittest

import numpy

import scenery
from scenery import stencil

j, i = stencil.indices("j i")


def setUpModule():
    scenery.needs_compiler()


@stencil.program
def copy(u, v):
    v[j, i] = u[j, i] + 1


@stencil.program
def scale(u, c):
    u[j, i] = u[j, i] * c


@stencil.program
def count(u, n):
    for _ in stencil.steps(n):
        u[j, i] = u[j, i] + 1


@stencil.program(boundaries={"u": stencil.periodic()})
def wave(u, n):
    for t in stencil.steps(n):
        u[t+1, j, i] = 2 * u[t, j, i-1] - u[t-1, j, i]


def as_strided(extent, strides):
    return numpy.lib.stride_tricks.as_strided(numpy.arange(float(extent)), (4, 5), strides)


class Apart(unittest.TestCase):
    def check(self, program, text, *values):
        """Refused on both with this text, or by neither, and then with the same bits."""
        for on in ("interpreter", "emulator"):
            with self.subTest(on), self.assertRaises(stencil.ArgumentError) as caught:
                program(*values, on=on)
            self.assertEqual(str(caught.exception), text)

    def agree(self, program, values):
        found = [program(*values(), on=on) for on in ("interpreter", "emulator")]
        numpy.testing.assert_array_equal(*found)

    def test_arrays_in_the_same_memory(self):
        whole = numpy.ones((6, 8))
        text = ("argument 0 'u' and argument 1 'v' are bound to overlapping memory; each field "
                "needs its own")
        self.check(copy, text, whole, whole)
        self.check(copy, text, whole[:4], whole[1:5])
        self.check(copy, text, whole[:, 1:], whole[:, :-1])
        self.check(copy, text, whole[::2, ::3], whole[::2, ::3][::-1])
        self.check(wave, text.replace("'u'", "'u0'").replace("'v'", "'u1'"), (whole, whole), 3)
        self.agree(copy, lambda: (numpy.ones((6, 8))[::2], numpy.ones((6, 8))[1::2]))

        def between():
            other = numpy.arange(48.0).reshape(6, 8)
            return other[:, ::2], other[:, 1::2]
        self.agree(copy, between)
        self.agree(copy, lambda: (numpy.ones((6, 8)).T, numpy.zeros((8, 6))))

    def test_read_only_fields_may_share_memory(self):
        @stencil.program
        def add(u, v, w):
            w[j, i] = u[j, i] + v[j, i]

        whole = numpy.ones((6, 8))
        self.agree(add, lambda: (whole, whole, numpy.zeros((6, 8))))
        row = as_strided(5, (0, 8))
        self.agree(add, lambda: (row, row, numpy.zeros((4, 5))))

    def test_cells_in_the_same_memory(self):
        one = numpy.ones((4, 5))
        for strides, least in [((0, 8), 8), ((8, 8), 40), ((-8, 8), 40)]:
            target = as_strided(32, strides)
            self.check(copy, f"argument 1 'v' has a stride of {strides[0]} bytes in dimension 0; "
                       f"its cells overlap each other unless it is {least} or more", one, target)
        self.agree(copy, lambda: (numpy.ones((4, 5)), numpy.zeros((4, 5))[::-1, ::-1]))
        self.agree(copy, lambda: (numpy.ones((1, 5)), as_strided(5, (0, 8))[:1]))

    def test_arrays_that_are_no_fields(self):
        one, read_only = numpy.ones((4, 5)), numpy.ones((4, 5))
        read_only.flags.writeable = False
        self.check(copy, "argument 1 'v' is written, the array found is read-only; pass a copy",
                   one, read_only)
        self.agree(copy, lambda: (read_only, numpy.zeros((4, 5))))
        masked = numpy.ma.zeros((4, 5))
        self.check(copy, "argument 1 'v' has a mask, which a field has not; pass a.filled(...)",
                   one, masked)
        self.check(copy, "argument 0 'u' has a mask, which a field has not; pass a.filled(...)",
                   masked, one)
        self.check(copy, "argument 0 'u' takes float64 for the field [0,4]x[0,5]xf64, found >f8; "
                   "convert it, a.astype('float64')", one.astype(">f8"), one)

    def test_numbers(self):
        single, index = numpy.ones((4, 5), "f4"), 2 ** 65
        self.check(scale, "argument 1 'c': 1e+300 is not a value of type f32: it is too large",
                   single, 1e300)
        self.check(count, f"argument 1 'n': {index} is not a value of type index: it does not fit",
                   single, index)
        self.agree(scale, lambda: (numpy.ones((4, 5)), float("inf")))
        self.agree(count, lambda: (numpy.ones((4, 5)), numpy.int8(3)))

    def test_the_interpreter_takes_arrays_on_the_host(self):
        scenery.needs_device()
        there = scenery.CapsuleArray(numpy.ones((4, 5)))
        there.dtype = numpy.dtype("f8")
        with self.assertRaisesRegex(stencil.ArgumentError, "argument 0 'u' is in memory of device "
                                    "0; the interpreter takes arrays on the host: copy it there"):
            copy(there, numpy.ones((4, 5)), on="interpreter")


if __name__ == "__main__":
    unittest.main()
