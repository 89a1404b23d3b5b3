"""What Python refuses of objects by itself is refused of values of a stencil with a remedy."""

import copy
import pickle
import unittest

import numpy

import scenery  # noqa: F401 - it sets the path
from refusals import ARRAY, Cases
from scenery import stencil

j, i = stencil.indices("j i")
CASES = Cases()
refused = CASES.refused
LEAKED = {}
NO_NUMBER = ("a value of a stencil has no number while the program is traced; use functions of "
             "stencil (stencil.sqrt, stencil.cast) on it, and pass what decides how the program is "
             "written as a static argument")
VALUES = "use the operators of Python and the functions of stencil, as in stencil.sqrt(a)"
ANOTHER = "; make it anew in each call of the program's function, and keep nothing of a call"
NAMES = (" names no grid; give one to three different names, the slowest dimension first: "
         "stencil.indices('k j i')")


# ---- attributes ---------------------------------------------------------------------------------

@refused("'u' is a field and has no 'mean': it has no cells while the program is traced; a program "
         "says what happens at one point, u[j, i], and what concerns all points is computed from "
         "arrays before or after the call")
def a_mean(u, v):
    v[j, i] = u.mean()  # here


@refused("'w' is a field and has no 'T': it has no cells while the program is traced; a program "
         "says what happens at one point, w[j, i], and what concerns all points is computed from "
         "arrays before or after the call")
def a_temporary(u, v):
    w = stencil.temporary("w")
    w[j, i] = u[j, i]
    v[j, i] = w.T[j, i]  # here


@refused(f"u[j, i] has no 'real'; {VALUES}")
def a_real_part(u, v):
    v[j, i] = u[j, i].real  # here


@refused(f"i+1 has no 'foo'; {VALUES}")
def an_attribute_of_an_index(u, v):
    v[j, i] = (i + 1).foo  # here


@refused(f"t+1 has no 'foo'; {VALUES}")
def an_attribute_of_a_time_step(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = (t + 1).foo  # here


# ---- subscripts and other syntax ----------------------------------------------------------------

@refused("'u' is indexed by nothing; write u[j, i]")
def no_index(u, v):
    v[j, i] = u[()]  # here


@refused("'v' is indexed by nothing; write v[j, i]")
def a_store_without_an_index(u, v):
    v[()] = 1  # here


@refused("'w' is indexed by nothing; write w[j, i]")
def a_temporary_without_an_index(u, v):
    w = stencil.temporary("w")
    w[()] = 1.0  # here


@refused("'w' is indexed by nothing; write w[j, i]")
def a_read_of_a_temporary_without_an_index(u, v):
    w = stencil.temporary("w")
    w[j, i] = u[j, i]
    v[j, i] = w[()]  # here


@refused("i[2:] restricts points and is used as a value; a range stands in the subscript that is "
         "assigned to, as in v[j, i[2:]] = ...")
def a_range_in_arithmetic(u, v):
    v[j, i] = 2.0 * i[2:]  # here


@refused("i[2:] restricts points and is used as a value; a range stands in the subscript that is "
         "assigned to, as in v[j, i[2:]] = ...")
def a_range_with_an_offset(u, v):
    v[j, i[2:] + 1] = u[j, i]  # here


@refused("u[j, i] is assigned to as if it had points; assign to fields and temporaries")
def a_store_to_a_value(u, v):
    u[j, i][0] = 3  # here


@refused("t is no field and cannot be indexed; index fields, as in u[t, j, i]")
def a_point_of_a_time_step(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = t[1]  # here


@refused("cells of 'u' cannot be deleted; assign a value to them")
def a_deletion(u, v):
    del u[j, i]  # here


@refused(NO_NUMBER)
def a_text(u, v):
    v[j, i] = float(f"{u[j, i]:.2f}")  # here


@refused("a power with a modulus; write (a ** b) % c, of integers")
def a_power_with_a_modulus(u, v):
    v[j, i] = pow(u[j, i], 2, 3)  # here


# ---- arguments of functions ---------------------------------------------------------------------

@refused("stencil.shift by 0.5 points; give an integer: stencil.shift(value, i, 1)")
def a_shift_by_a_half(u, v):
    v[j, i] = stencil.shift(u[j, i], i, 0.5)  # here


@refused("stencil.shift by None points; give an integer: stencil.shift(value, i, 1)")
def a_shift_by_nothing(u, v):
    v[j, i] = stencil.shift(u[j, i], i, None)  # here


@refused("at='x' is no number; give one, as Fraction(1, 2)")
def a_place_that_is_a_text(u, v):
    v[j, i] = stencil.derivative(u[j, i], i, at="x")  # here


@refused("at=nan is no number; give one, as Fraction(1, 2)")
def a_place_that_is_no_number(u, v):
    v[j, i] = stencil.gradient(u[j, i], i, at=float("nan"))[0]  # here


@refused("spacing=nan is no number; give one, as Fraction(1, 2)")
def a_width_that_is_no_number(u, v):
    v[j, i] = stencil.derivative(u[j, i], i, spacing=float("nan"))  # here


@refused("spacing=inf is no number; give one, as Fraction(1, 2)")
def an_infinite_width(u, v):
    v[j, i] = stencil.laplace(u[j, i], spacing=float("inf"))  # here


@refused("stencil.divergence of 3; give a tuple of components: stencil.divergence((u[j, i], v[j, "
         "i]), j, i)")
def a_divergence_of_a_number(u, v):
    v[j, i] = stencil.divergence(3)  # here


@refused("weights of derivative 'a'; its order is an integer of at least 0")
def an_order_that_is_a_text(u, v):
    v[j, i] = stencil.weights("a", (1, 2))[0]  # here


@refused("weights at 5; give the points as a tuple or a range of numbers")
def points_that_are_a_number(u, v):
    v[j, i] = stencil.weights(1, 5)[0]  # here


@refused("point None is no number; give one, as Fraction(1, 2)")
def a_point_that_is_none(u, v):
    v[j, i] = stencil.weights(1, (0, None))[0]  # here


@refused("there is no type 'foo' for a constant; types are f16, bf16, f32, f64, i8, i16, i32 and "
         "i64")
def a_constant_of_no_type(u, v):
    v[j, i] = stencil.constant(1, "foo")  # here


@refused("stencil.indices(3)" + NAMES)
def indices_of_a_number(u, v):
    stencil.indices(3)  # here


@refused("stencil.indices(('j', 'i'))" + NAMES)
def indices_of_a_tuple(u, v):
    stencil.indices(("j", "i"))  # here


@refused("stencil.temporaries(3) names nothing; give names: a, b = stencil.temporaries('a b')")
def temporaries_of_a_number(u, v):
    stencil.temporaries(3)  # here


@refused(f"stencil.steps of {2 ** 70}, which is no integer of 64 bits; give a smaller one")
def too_many_steps(u, v):
    for _ in stencil.steps(2 ** 70):  # here
        v[j, i] = u[j, i]


@refused("'u' has 1180591620717411303425 levels of time, from t to t+1180591620717411303424; a "
         "level is an array of its own: a field has 1024 at most")
def too_many_levels(u, v):
    for t in stencil.steps(3):
        u[t+2**70, j, i] = u[t, j, i]  # here


# ---- what belongs to a call of the function -----------------------------------------------------

LEVEL_OF_A_LOOP_THAT_HAS_ENDED = (
    "u[t, j, i] is a level of a loop that has ended, in what a name holds since; keep what the "
    "loop computes in a field, or read the newest level after the loop, without the time step")


@refused(LEVEL_OF_A_LOOP_THAT_HAS_ENDED)
def a_level_after_its_loop(u, v):
    for t in stencil.steps(3):
        twice = 2 * u[t, j, i]  # here
        u[t+1, j, i] = twice
    v[j, i] = twice


@refused(LEVEL_OF_A_LOOP_THAT_HAS_ENDED)
def a_level_in_another_loop(u, v):
    for t in stencil.steps(3):
        twice = 2 * u[t, j, i]  # here
        u[t+1, j, i] = twice
    for t in stencil.steps(3):
        u[t+1, j, i] = u[t, j, i] + twice


@refused("the time step of a loop that has ended is used as a value; keep what the loop computes "
         "in a field, or compute it from the number of steps")
def a_time_step_after_its_loop(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = u[t, j, i] + t
    v[j, i] = u[j, i] * t  # here


@refused("'a' is a field of another call of a program" + ANOTHER)
def a_field_of_another_call(u, v):
    v[j, i] = LEAKED["a"][j, i]  # here


@refused("'a' is a field of another call of a program" + ANOTHER)
def a_value_of_another_call(u, v):
    v[j, i] = u[j, i]
    v[j[0], i] = LEAKED["value"]  # here


@refused("'a' is a field of another call of a program" + ANOTHER)
def a_store_to_a_field_of_another_call(u, v):
    LEAKED["a"][j, i] = u[j, i]  # here


@refused("'c' is an argument of another call of a program" + ANOTHER)
def a_number_of_another_call(u, v):
    v[j, i] = u[j, i] * LEAKED["c"]  # here


@refused("'n' is an argument of another call of a program" + ANOTHER)
def a_number_of_steps_of_another_call(u, v):
    for _ in stencil.steps(LEAKED["n"] + 1):  # here
        v[j, i] = u[j, i]


@refused("'w' is a temporary of another call of a program" + ANOTHER)
def a_temporary_of_another_call(u, v):
    v[j, i] = LEAKED["w"][j, i]  # here


@refused("stencil.steps of -3, and a number of time steps is not negative; give a number of at "
         "least 0, or the first step and the end: stencil.steps(first, end)")
def fewer_steps_than_none(u, v):
    for t in stencil.steps(-3):  # here
        u[t+1, j, i] = u[t, j, i]


@refused(f"stencil.steps of {2 ** 63}, which is no integer of 64 bits; give a smaller one")
def more_steps_than_64_bits(u, v):
    for t in stencil.steps(numpy.uint64(2 ** 63)):  # here
        u[t+1, j, i] = u[t, j, i]


@refused("stencil.steps of array([1, 2]), which is no integer; give an integer, or an argument of "
         "the program that calls give as an integer")
def steps_of_an_array(u, v):
    for t in stencil.steps(numpy.array([1, 2])):  # here
        u[t+1, j, i] = u[t, j, i]


@refused("stencil.steps of True, which is no integer; give an integer, or an argument of the "
         "program that calls give as an integer")
def steps_of_a_truth_value(u, v):
    for t in stencil.steps(True):  # here
        u[t+1, j, i] = u[t, j, i]


class Misuse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        def leaking(a, c, n):
            w = stencil.temporary("w")
            w[j, i] = a[j, i]
            LEAKED.update(a=a, value=a[j, i], c=c, n=n, w=w)
            for t in stencil.steps(n):
                a[j, i] = a[j, i] * c

        stencil.program(leaking).mlir(ARRAY, 2.0, 3)

    def test_each_has_its_line_reason_and_remedy(self):
        CASES.check(self)

    def test_missing_attributes_are_missing(self):
        found = []

        def asking(u, v):
            found.append([hasattr(one, "foo") for one in (u, u[j, i], i)])
            found.append(getattr(u, "foo", None))
            v[j, i] = u[j, i]

        stencil.program(asking).mlir(ARRAY, ARRAY)
        self.assertEqual(found, [[False] * 3, None])
        with self.assertRaises(AttributeError):
            i.foo
        self.assertEqual([str(copy.deepcopy(i)), str(pickle.loads(pickle.dumps(i + 1)))],
                         ["i", "i+1"])

    def test_values_are_shown_in_texts(self):
        found = []

        def printing(u, v):
            found.append(f"{u[j, i-1]} {u} {i+1}")
            v[j, i] = u[j, i]

        stencil.program(printing).mlir(ARRAY, ARRAY)
        self.assertEqual(found, ["u[j, i-1] <field u, shape (8, 9), float64> i+1"])

    def test_constants_have_types_by_any_name(self):
        def constant(u, v):
            v[j, i] = u[j, i] + stencil.constant(1, "float64") + stencil.constant(2, numpy.float64)

        self.assertIn("arith.constant 2.0 : f64",
                      stencil.program(constant).mlir(ARRAY, ARRAY))


if __name__ == "__main__":
    unittest.main()
