"""What calls, declarations and decorated functions must not be, and what is said of it."""

import functools
import unittest

import numpy

from scenery import stencil

j, i = stencil.indices("j i")
k3, j3, i3 = stencil.indices("k j i")
OUTSIDE = numpy.ones((8, 9))


def copy(u, v):
    v[j, i] = u[j, i]


class Calls(unittest.TestCase):
    """Messages about arguments and declarations: the place is that of the program or the call."""

    def check(self, call, text, error=stencil.TraceError):
        with self.assertRaises(error) as caught:
            call()
        found = str(caught.exception)
        self.assertEqual(found.split(": ", 1)[1] if error is stencil.TraceError else found, text)

    def test_arrays(self):
        program = stencil.program(copy)
        for array, text in [
                (numpy.ones((2, 2, 8, 9)), "argument 'u' is an array of shape (2, 2, 8, 9); a grid "
                 "has one to three dimensions, each with at least one point"),
                (numpy.ones((8, 9), complex), "argument 'u' is an array of complex128, which "
                 "stencils do not have; pass real and imaginary part as two fields: a.real.copy(), "
                 "a.imag.copy()"),
                (numpy.ones((8, 9), "m8[s]"), "argument 'u' is an array of timedelta64[s], which "
                 "stencils do not have; convert it: a.astype('int64')"),
                (numpy.ones((8, 9), "u1"), "argument 'u' is an array of uint8, which stencils do "
                 "not have; convert it: a.astype('float32') or a.astype('float64')"),
                ([[1, 2], [3, 4]], "argument 'u' is a list, which is no array and cannot be "
                 "compared with that of another call; make an array or a tuple of it"),
                ((OUTSIDE, numpy.ones((8, 8))), "the levels of 'u' have several shapes or types: "
                 "(8, 9) of float64, (8, 8) of float64; levels of time are arrays of one shape and "
                 "type")]:
            self.check(functools.partial(program, array, OUTSIDE), text)
        self.check(lambda: program(1, 2), "program 'copy' is called without an array; pass arrays, "
                   "or stencil.Array(shape, dtype)")
        self.check(lambda: program(OUTSIDE), "call of program 'copy': missing a required argument: "
                   "'v'; its arguments are (u, v)")

    def test_levels(self):
        @stencil.program
        def wave(u, n):
            for t in stencil.steps(n):
                u[t+1, j, i] = 2 * u[t, j, i] - u[t-1, j, i]

        self.check(lambda: wave(OUTSIDE, 3), "argument 'u' is 1 array, and the program reads 2 "
                   "levels of time; pass 2 arrays: level t-1, level t, as a tuple in this order")
        self.check(lambda: wave((OUTSIDE, OUTSIDE), 2.5), "stencil.steps takes a number of steps "
                   "that is an integer; call the program with an int for it, as steps=100")
        self.check(lambda: wave((OUTSIDE, OUTSIDE), 2, on="cpu"), "on is 'auto', 'interpreter', "
                   "'emulator' or 'gpu', not 'cpu'", stencil.CompileError)

    def test_programs_inside_of_programs(self):
        inner = stencil.program(copy)

        @stencil.program
        def outer(u, v):
            inner(u, v)

        self.check(lambda: outer.mlir(OUTSIDE, OUTSIDE), "program 'copy' is called inside of "
                   "program 'outer'; call a plain function of Python instead, without "
                   "@stencil.program; its statements are recorded where it is called")

    def test_declarations(self):
        for options, text in [
                ({"boundaries": {"w": stencil.periodic()}}, "a boundary is declared for 'w', which "
                 "is no argument of the program; its arguments are u, v"),
                ({"boundaries": {"u": 0}}, "0 is no boundary; use stencil.periodic(), mirror(), "
                 "fixed(), halo(width) or absorbing(width)"),
                ({"static": "order"}, "static argument 'order' is no argument of program 'copy'; "
                 "its arguments are u, v"),
                ({"fast_math": "fast"}, "fast_math='fast'; it is False, 'contract' or True"),
                ({"levels": "own"}, "levels='own'; it is 'private' or 'arguments'")]:
            self.check(functools.partial(stencil.program(**options), copy), text)
        self.check(lambda: stencil.program(boundaries={"u": stencil.periodic(k3)})(copy).mlir(
            OUTSIDE, OUTSIDE), "'u' has no axis 'k'; its axes are j, i")
        self.check(lambda: stencil.program(boundaries={"u": [
            stencil.periodic(i), stencil.mirror("i")]})(copy).mlir(OUTSIDE, OUTSIDE),
            "'u' has two boundaries along i, stencil.periodic and stencil.mirror; declare one for "
            "each side")
        for call, text in [
                (lambda: stencil.mirror(sign=2), "stencil.mirror(sign=2); sign is 1 or -1"),
                (lambda: stencil.mirror(at="cell"), "stencil.mirror(at='cell'); at is 'face' or "
                 "'point'"),
                (lambda: stencil.fixed(0, side="left"), "side='left' is no side; side is 'low', "
                 "'high' or 'both'"),
                (lambda: stencil.halo(0), "stencil.halo(0); give the number of cells, at least 1, "
                 "or one for the low and one for the high side"),
                (lambda: stencil.absorbing(0), "stencil.absorbing(0); give the number of cells of "
                 "the layer, at least 1"),
                (lambda: stencil.indices("a b c d"), "stencil.indices('a b c d') names no grid; "
                 "give one to three different names, the slowest dimension first: "
                 "stencil.indices('k j i')"),
                (lambda: stencil.steps(3), "stencil.steps is called outside of a program; call it "
                 "in a function that @stencil.program decorates"),
                (lambda: stencil.temporary(), "stencil.temporary is called outside of a program; "
                 "call it in a function that @stencil.program decorates")]:
            self.check(call, text)

    def test_functions(self):
        self.check(lambda: stencil.program(lambda u, on: None), "program '<lambda>' has an "
                   "argument 'on', which is a keyword of calls; give it another name")
        self.check(lambda: stencil.program(lambda *u: None), "program '<lambda>' takes '*u'; name "
                   "each argument")
        self.check(lambda: stencil.program(3), "3 is no function; decorate a function with "
                   "@stencil.program")
        self.check(lambda: stencil.program(lambda u: u).mlir(OUTSIDE), "program '<lambda>' returns "
                   "Field; assign to fields, which are arguments of the program")
        self.check(lambda: stencil.program(lambda u: None).mlir(OUTSIDE), "program '<lambda>' "
                   "assigns to no field; assign to a field at the current point, as in v[j, i] = "
                   "...")


if __name__ == "__main__":
    unittest.main()
