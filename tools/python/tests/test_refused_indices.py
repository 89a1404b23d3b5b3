"""Indices of another grid are refused wherever an index may be written."""

import unittest

import numpy

from refusals import ARRAY, Cases
from scenery import stencil

j, i = stencil.indices("j i")
a, b = stencil.indices("a b")
k3, j3, i3 = stencil.indices("k j i")
x, = stencil.indices("x")
CASES = Cases()
refused = CASES.refused
PERIODIC = {"boundaries": stencil.periodic()}
EARLIER = b * 2


def another(name, names):
    return (f"index '{name}' belongs to ({names}), the program has used (j, i); take all indices "
            "of a program from one call of stencil.indices")


# ---- values -------------------------------------------------------------------------------------

@refused(another("b", "a, b"))
def a_value(u, v):
    v[j, i] = u[j, i] + b  # here


@refused(another("x", "x"))
def a_value_of_a_line(u, v):
    v[j, i] = u[j, i] * x  # here


@refused(another("i", "k, j, i"))
def a_value_of_the_same_name(u, v):
    v[j, i] = u[j, i] + i3  # here


@refused(another("b", "a, b"))
def a_value_alone(u, v):
    v[j, i] = 0.5 * b  # here


@refused(another("b", "a, b"))
def a_value_in_an_expression_of_a_name(u, v):
    far = b + 0.5  # here
    v[j, i] = u[j, i] * far


@refused(another("a", "a, b"))
def a_condition(u, v):
    v[j, i] = stencil.where(a == 1, u[j, i], 0.0)  # here


@refused(another("b", "a, b"))
def a_temporary(u, v):
    w = stencil.temporary("w")
    w[j, i] = u[j, i] + b  # here
    v[j, i] = w[j, i]


@refused(another("b", "a, b"))
def a_temporary_of_a_scan(u, v):
    w = stencil.temporary("w")
    with stencil.forward(j):
        w[j, i] = u[j, i] + b  # here
    v[j, i] = w[j, i]


# ---- axes ---------------------------------------------------------------------------------------

@refused(another("b", "a, b"), **PERIODIC)
def a_shift(u, v):
    v[j, i] = stencil.shift(u[j, i], b, 1)  # here


@refused(another("b", "a, b"), **PERIODIC)
def a_shift_of_nothing(u, v):
    v[j, i] = stencil.shift(u[j, i], b, 0)  # here


@refused(another("j", "k, j, i"), **PERIODIC)
def a_derivative(u, v):
    v[j, i] = stencil.derivative(u[j, i], j3)  # here


@refused(another("x", "x"), **PERIODIC)
def a_laplacian(u, v):
    v[j, i] = stencil.laplace(u[j, i], x)  # here


@refused(another("a", "a, b"), **PERIODIC)
def a_gradient(u, v):
    v[j, i] = stencil.gradient(u[j, i], a)[0]  # here


@refused(another("a", "a, b"), **PERIODIC)
def a_divergence(u, v):
    v[j, i] = stencil.divergence((u[j, i], u[j, i]), a, b)  # here


@refused(another("x", "x"))
def a_scan(u, v):
    v[j, i] = u[j, i]
    with stencil.forward(x):  # here
        v[j, i] = u[j, i]


class Indices(unittest.TestCase):
    def test_each_has_its_line_reason_and_remedy(self):
        CASES.check(self)

    def test_values_made_outside_of_the_program(self):
        def earlier(u, v):
            v[j, i] = u[j, i] + EARLIER

        with self.assertRaisesRegex(stencil.TraceError, r"index 'b' belongs to \(a, b\)"):
            stencil.program(earlier).mlir(ARRAY, ARRAY)
        with self.assertRaisesRegex(stencil.TraceError, r"index 'a' belongs to \(a, b\), .*\(j, i"):
            stencil.shift(2 * j, a, 1)

    def test_axes_of_boundaries(self):
        def moved(u, v):
            v[j, i] = u[j, i-1]

        with self.assertRaisesRegex(stencil.TraceError, r"index 'i' belongs to \(k, j, i\)"):
            stencil.program(boundaries={"u": stencil.periodic(i3)})(moved).mlir(ARRAY, ARRAY)

    def test_indices_of_equal_names_are_those_of_one_grid(self):
        again, once = stencil.indices("j i")

        def moved(u, v):
            v[j, i] = stencil.shift(u[again, once], once, -1) + once

        text = stencil.program(**PERIODIC)(moved).mlir(ARRAY, numpy.ones((8, 9)))
        self.assertIn("stencil.index 1", text)


if __name__ == "__main__":
    unittest.main()
