"""What values, ranges, differences and temporaries must not be: the less common messages."""

import unittest
from unittest import mock

import numpy

from refusals import ARRAY, Cases
from scenery import stencil
from stencil import driver

j, i = stencil.indices("j i")
CASES = Cases()
refused = CASES.refused
BOOLEANS = ARRAY > 0


# ---- values -------------------------------------------------------------------------------------

@refused("an array of shape (8, 9) is used inside of a program; pass it as an argument of the "
         "program and index it, as in c[j, i]")
def an_array_on_the_right(u, v):
    v[j, i] = ARRAY  # here


@refused("1j is complex; stencils have real types: write real and imaginary part as two fields")
def a_complex_number(u, v):
    v[j, i] = 1j * u[j, i]  # here


@refused("a str is no value of a stencil; use fields, numbers, indices and functions of stencil")
def a_text(u, v):
    v[j, i] = u[j, i] + "1"  # here


@refused("a value of a stencil is compared with something that is no number; test 'is None' for "
         "arguments that may be missing")
def a_comparison_with_none(u, v):
    v[j, i] = stencil.where(u[j, i] == None, 1, 2)  # noqa: E711  # here


@refused("the number 2 is used with a truth value; make a number of it: stencil.where(condition, "
         "1, 0)")
def a_product_with_a_condition(u, v):
    v[j, i] = 2 * (u[j, i] > 0)  # here


@refused("'*' of float64 and bool; make a number of the condition: stencil.where(condition, 1, 0)")
def a_product_of_value_and_condition(u, v):
    v[j, i] = u[j, i] * (u[j, i] > 0)  # here


@refused("'+' of two truth values; join conditions with & and |")
def a_sum_of_conditions(u, v):
    v[j, i] = stencil.where((u[j, i] > 0) + (v[j, i] > 0), 1, 2)  # here


@refused("'-' of a truth value; write ~condition", (BOOLEANS, BOOLEANS))
def a_negative_condition(u, v):
    v[j, i] = -u[j, i]  # here


# ---- subscripts ---------------------------------------------------------------------------------

@refused("i+1 restricts points and has an offset; write i[first:end], and offsets where fields are "
         "read")
def a_range_at_an_offset(u, v):
    v[j, (i+1)[2:]] = u[j, i]  # here


@refused("i[:0.5] has an end that is no integer; give integers that are known when the program is "
         "traced")
def a_range_to_a_half(u, v):
    v[j, i[:0.5]] = u[j, i]  # here


@refused("i['x'] is no range of points; write i[first:end] or i[point]")
def a_range_of_text(u, v):
    v[j, i["x"]] = u[j, i]  # here


@refused("the time step is not the first index of 'u'; write u[t, j, i]")
def a_time_step_that_comes_last(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = u[j, i, t]  # here


@refused("'u' is indexed by None; use indices of stencil.indices, with integers added, and the "
         "time step of stencil.steps")
def a_new_axis(u, v):
    v[j, i] = u[j, None]  # here


@refused("'v' is indexed by (i) and by (j); an array of fewer dimensions lies along the same axes "
         "everywhere; pass it as two arguments", (ARRAY, numpy.ones(9)))
def an_array_along_two_axes(u, v):
    u[j, i] = v[j] * v[i]  # here


@refused("v[j, 9] reads 9 along dimension 1, the array 'v' has cells from 0 to 8; read inside of "
         "the array")
def a_point_outside(u, v):
    u[j, i] = v[j, 9]  # here


@refused("temporary 'w' is indexed by the time step; it has no levels: write w[j, i]")
def a_level_of_a_temporary(u, v):
    w = stencil.temporary("w")
    for t in stencil.steps(3):
        w[t, j, i] = u[t, j, i]  # here


@refused("temporary 'w' is indexed by the time step; it has no levels: write w[j, i]")
def a_level_of_a_temporary_that_is_read(u, v):
    w = stencil.temporary("w")
    for t in stencil.steps(3):
        w[j, i] = u[t, j, i]
        u[t+1, j, i] = w[t, j, i]  # here


@refused("temporary 'w' is indexed by (0, i), the grid has (j, i); write w[j, i], with offsets")
def a_point_of_a_temporary(u, v):
    w = stencil.temporary("w")
    w[j, i] = u[j, i]
    v[j, i] = w[0, i]  # here


@refused("'a b' is no name of a temporary; give a name: stencil.temporary('flux')")
def a_temporary_without_a_name(u, v):
    stencil.temporary("a b")  # here


# ---- differences --------------------------------------------------------------------------------

@refused("stencil.shift along i+1; give an index of stencil.indices: stencil.shift(value, i, 1)")
def a_shift_along_a_neighbour(u, v):
    v[j, i] = stencil.shift(u[j, i], i+1, 1)  # here


@refused("stencil.laplace along 2 indices has 3 mesh widths; give one, or one for each index")
def three_mesh_widths(u, v):
    v[j, i] = stencil.laplace(u[j, i], spacing=(1, 2, 3))  # here


@refused("stencil.divergence of 1 components along 2 indices; give one component for each index")
def a_divergence_of_one(u, v):
    v[j, i] = stencil.divergence((u[j, i],))  # here


@refused("derivative 0 of order 2; give integers of at least 1")
def no_derivative(u, v):
    v[j, i] = stencil.derivative(u[j, i], i, 0)  # here


@refused("side='left'; side is 'centre', 'forward' or 'backward'")
def a_side_that_is_not_there(u, v):
    v[j, i] = stencil.derivative(u[j, i], i, side="left")  # here


@refused("a staggered derivative of order 3; its order is even")
def an_odd_staggered_order(u, v):
    v[j, i] = stencil.derivative(u[j, i], i, at=0.5, order=3)  # here


@refused("a mesh width of 0; give the distance of two points")
def no_mesh_width(u, v):
    v[j, i] = stencil.derivative(u[j, i], i, spacing=0)  # here


@refused("a derivative of a value that reads no field; give a value at the point, as u[t, k, j, i]")
def a_derivative_of_a_number(u, v):
    v[j, i] = u[j, i] + stencil.laplace(2.0)  # here


class Refusals(unittest.TestCase):
    def test_each_has_its_line_reason_and_remedy(self):
        CASES.check(self)


class Declarations(unittest.TestCase):
    def check(self, call, text, error=stencil.TraceError):
        with self.assertRaises(error) as caught:
            call()
        self.assertEqual(str(caught.exception).partition(".py:")[2].partition(": ")[2]
                         or str(caught.exception), text)

    def traced(self, boundaries, arrays=(ARRAY, ARRAY), **options):
        def copy(u, v):
            v[j, i] = u[j, i-1]

        return lambda: stencil.program(boundaries={"u": boundaries}, **options)(copy).mlir(*arrays)

    def test_boundaries(self):
        self.check(lambda: stencil.fixed("i", 0.5), "0.5 is no axis; give indices of "
                   "stencil.indices, their names, or numbers of dimensions")
        self.check(lambda: stencil.fixed([0]), "stencil.fixed([0]) is no number; give a number: "
                   "stencil.fixed(0.0)")
        self.check(lambda: stencil.periodic(i+1), "i+1 has an offset and is no axis; give i")
        self.check(self.traced(stencil.mirror(2)), "'u' has no dimension 2; it has 2")
        self.check(self.traced([stencil.periodic(i), stencil.mirror(j)], (ARRAY, ARRAY[:, :8])),
                   "'v' has 8 points along i, 'u' has 9; all arrays of a program lie on one grid; "
                   "if one has cells beyond it, declare them: boundaries={'v': "
                   "stencil.halo(width)}")
        half = [stencil.Boundary("periodic", (i,), "low", at=None)]
        with self.assertRaisesRegex(stencil.TraceError, "'u' is periodic at one side of i only; a "
                                    "periodic axis has no other boundary"):
            self.traced(half)()
        self.check(self.traced(stencil.halo(5)), "'u' has 8 cells along j, and its halo takes 10; "
                   "pass a larger array")
        self.check(self.traced(stencil.periodic(), (ARRAY[:, :1], ARRAY[:, :1]),
                               levels="arguments"),
                   "argument 'u' has shape (8, 1), and its ghost cells take (0, 1) of it; pass "
                   "arrays that hold the domain and its ghost cells")

    def test_boundaries_of_integers(self):
        def refused(boundary, dtype, text):
            integers = numpy.ones((8, 9), dtype)
            self.check(self.traced(boundary, (integers, integers)), text)

        def hold(dtype, number, low, high):
            return (f"'u' holds {dtype}, which cannot hold the number of stencil.fixed({number}); "
                    f"give an integer from {low} to {high}, or convert the array: "
                    "a.astype('float32')")

        for number in (128, -129, 0.5, float("nan"), float("inf")):
            refused(stencil.fixed(number), "i1", hold("int8", number, -128, 127))
        refused(stencil.fixed(2 ** 31), "i4", hold("int32", 2 ** 31, -2 ** 31, 2 ** 31 - 1))
        refused(stencil.fixed(2), "?", hold("bool", 2, 0, 1))
        refused(stencil.absorbing(2), "i4", "'u' holds int32, and stencil.absorbing takes a "
                "fraction of it; convert the array: a.astype('float32')")
        refused(stencil.mirror(sign=-1), "?", "'u' holds bool, and stencil.mirror with sign=-1 "
                "takes its negative; leave sign out, or convert the array: a.astype('int8')")

    def test_arguments(self):
        def scaled(u, v, c):
            v[j, i] = stencil.cast(u[j, i], "f64") * c

        program = stencil.program(scaled)
        self.check(lambda: program.mlir(ARRAY.astype("f4"), ARRAY, 0.1), "argument 'c' is a float, "
                   "and the arrays have several types of floats; say which type it has: "
                   "numpy.float32(x) or numpy.float64(x)")
        self.assertIn("%c: f64", program.mlir(ARRAY.astype("f4"), ARRAY, numpy.float64(0.1)))
        self.check(lambda: program.mlir(ARRAY, ARRAY, 1j), "argument 'c' is complex; stencils have "
                   "real types")
        self.check(lambda: program.options(static="u").mlir(ARRAY, ARRAY, 1), "argument 'u' is "
                   "static and is an array; static arguments are numbers, strings, functions and "
                   "tuples of them")
        self.check(lambda: program.options(on="cpu"), "on='cpu'; it is one of auto, interpreter, "
                   "emulator, gpu")
        self.check(lambda: program.options(boundary=None), "'boundary' is no option of a program; "
                   "options are boundaries, static, fast_math, levels, on, plan, target, strict, "
                   "merge")
        self.check(lambda: program.ptx(ARRAY, ARRAY, 0.1, plan=2), "plan=2 is no plan; give a "
                   "dictionary, as {'mapping': 'warp'} or {'loop': {'steps': 2}}",
                   stencil.CompileError)

    def test_a_gpu_after_the_emulator(self):
        def copy(u, v):
            v[j, i] = u[j, i]

        with mock.patch.object(driver, "is_emulator", lambda: True):
            self.check(lambda: stencil.program(copy)(ARRAY, ARRAY.copy(), on="gpu"),
                       "the emulator has run in this process and takes the place of the GPU's "
                       "driver; run on the GPU first, or in another process", stencil.DriverError)


if __name__ == "__main__":
    unittest.main()
