"""What is no stencil is refused: the line, the reason and the remedy of each message."""

import math
import unittest

import numpy

from refusals import ARRAY, Cases
from scenery import stencil

j, i = stencil.indices("j i")
k3, j3, i3 = stencil.indices("k j i")
CASES = Cases()
refused = CASES.refused

TRUTH = ("a value of a stencil has no truth value while the program is traced: 'if', 'and', 'or', "
         "'not', 'min' and 'max' cannot ask for it; choose per point with stencil.where(condition, "
         "a, b); join conditions with & and |")
NUMBER = ("a value of a stencil has no number while the program is traced; use functions of "
          "stencil (stencil.sqrt, stencil.cast) on it, and pass what decides how the program is "
          "written as a static argument")
COMPUTED = ("; a neighbour has a constant integer offset, as in i+1; between two points take their "
            "mean, or stencil.derivative(..., at=Fraction(1, 2))")


# ---- subscripts ---------------------------------------------------------------------------------

@refused("'u' has 2 dimensions and is indexed by 1; write u[j, i]")
def fewer_indices(u, v):
    v[j, i] = u[i]  # here


@refused("'u' has 2 dimensions and is indexed by 3; write u[j, i]; a level of time is u[t, ...], t "
         "of stencil.steps")
def more_indices(u, v):
    v[j, i] = u[k3, j3, i3]  # here


@refused("index 'j' belongs to (k, j, i), the program has used (j, i); take all indices of a "
         "program from one call of stencil.indices")
def indices_of_another_grid(u, v):
    v[j, i] = u[j, i] + u[j3, i3]  # here


@refused("an index of 'u' is computed: (i + 0.5)" + COMPUTED)
def half_a_point(u, v):
    v[j, i] = u[j, i+0.5]  # here


@refused("'u' is indexed by 0.5, which is no integer; points between those of the grid are reached "
         "by stencil.derivative(..., at=Fraction(1, 2)) and means of neighbours")
def a_float(u, v):
    v[j, i] = u[j, 0.5]  # here


@refused("an index of 'u' is computed: (2 * i)" + COMPUTED)
def every_other_point(u, v):
    v[j, i] = u[j, 2*i]  # here


@refused("an index of 'u' is computed: (i + j)" + COMPUTED)
def a_diagonal(u, v):
    v[j, i] = u[j, i+j]  # here


@refused("an index of 'u' is computed: v[j, i]" + COMPUTED)
def an_index_from_a_field(u, v):
    v[j, i] = u[j, v[j, i]]  # here


@refused("'u' is indexed by a slice; a program says what happens at one point, with indices: k, j, "
         "i = stencil.indices('k j i'); u[k, j, i+1]")
def a_slice(u, v):
    v[j, i] = u[1:-1, i]  # here


@refused("u[i, j] has its indices in another order than the grid, (j, i); index each array in the "
         "order of stencil.indices; transpose the array before the call")
def transposed(u, v):
    v[j, i] = u[i, j]  # here


@refused("v[j, i+1] is assigned to at an offset; assign at the point itself, v[j, i], and shift "
         "what is read the other way")
def a_store_at_a_neighbour(u, v):
    v[j, i+1] = u[j, i]  # here


@refused("v[i, j] is assigned to, and is not indexed by all indices of the grid in their order, "
         "(j, i); assign to fields of the grid's dimensions; arrays of fewer dimensions are read "
         "only")
def a_transposed_store(u, v):
    v[i, j] = u[j, i]  # here


@refused("v[i] is assigned to, and is not indexed by all indices of the grid in their order, "
         "(j, i); assign to fields of the grid's dimensions; arrays of fewer dimensions are read "
         "only, or take the indices of a smaller grid from stencil.indices('i')")
def a_store_along_one_index(u, v):
    v[i] = u[j, i]  # here


@refused("j[3:20] goes beyond the domain, which has 8 points along j; ranges lie inside of the "
         "domain")
def a_range_that_is_too_long(u, v):
    v[j[3:20], i] = u[j, i]  # here


@refused("j[5:3] is no point of the domain, which has 8 points along j; ranges lie inside of the "
         "domain and are not empty")
def an_empty_range(u, v):
    v[j[5:3], i] = u[j, i]  # here


@refused("j[::2] leaves out points; statements are computed at all points of a range; choose with "
         "stencil.where, or write the statement once for each range")
def a_stride(u, v):
    v[j[::2], i] = u[j, i]  # here


@refused("8 along j is no point of the domain, which has 8 points along j; ranges lie inside of "
         "the domain and are not empty")
def a_point_outside(u, v):
    v[8, i] = u[j, i]  # here


@refused("j[1:] restricts points where 'u' is read; restrict the statement: put it into the "
         "subscript that is assigned to")
def a_range_that_is_read(u, v):
    v[j, i] = u[j[1:], i]  # here


# ---- values -------------------------------------------------------------------------------------

@refused("'u' is a field and is used as a value; say which point is meant: u[j, i]")
def a_field_without_indices(u, v):
    v[j, i] = u * v[j, i]  # here


@refused(TRUTH)
def a_branch(u, v):
    if u[j, i] > 0:  # here
        v[j, i] = 1


@refused(TRUTH)
def a_chain_of_comparisons(u, v):
    v[j, i] = stencil.where(0 < u[j, i] < 1, 1, 2)  # here


@refused(TRUTH)
def python_max(u, v):
    v[j, i] = max(u[j, i], 0)  # here


@refused("numpy.sqrt does not compute values of a stencil; use stencil.sqrt")
def a_function_of_numpy(u, v):
    v[j, i] = numpy.sqrt(u[j, i])  # here


@refused("numpy.arcsinh does not compute values of a stencil; there is no such function here; "
         "write it with those of stencil")
def a_function_that_is_not_there(u, v):
    v[j, i] = numpy.arcsinh(u[j, i])  # here


@refused("a value of a stencil is no array of NumPy; use the function of stencil in place of "
         "NumPy's, as in stencil.sqrt")
def numpy_where(u, v):
    v[j, i] = numpy.where(u[j, i] > 0, 1, 2)  # here


@refused("a value of a stencil is no array of NumPy; use the function of stencil in place of "
         "NumPy's, as in stencil.sqrt")
def numpy_sum(u, v):
    v[j, i] = numpy.sum((u[j, i], v[j, i]))  # here


@refused(NUMBER)
def a_function_of_math(u, v):
    v[j, i] = math.sqrt(u[j, i])  # here


@refused("an array of shape (8, 9) is used inside of a program; pass it as an argument of the "
         "program and index it, as in c[j, i]")
def an_array_from_outside(u, v):
    v[j, i] = ARRAY * u[j, i]  # here


@refused("a value of a stencil is one point and cannot be iterated over; index the field, as in "
         "u[j, i+1]")
def a_sum_over_a_field(u, v):
    v[j, i] = sum(u)  # here


@refused("a value at a point has no other points; index the field, or make a temporary: w = "
         "stencil.temporary('w'); w[j, i] = ...")
def a_neighbour_of_a_value(u, v):
    w = 2 * u[j, i]
    v[j, i] = w[j, i+1]  # here


@refused("'+' of float64 and float32: types are not converted silently; convert one of them, "
         "stencil.cast(value, 'f32'), or pass arrays of one type",
         (numpy.ones((8, 9), "f4"), ARRAY))
def two_types(u, v):
    v[j, i] = v[j, i] + u[j, i]  # here


@refused("'v' holds float64, and float32 is assigned to it; convert the value, stencil.cast(value, "
         "'f64'), or pass arrays of one type", (numpy.ones((8, 9), "f4"), ARRAY))
def a_value_of_another_type(u, v):
    v[j, i] = u[j, i]  # here


@refused("the number 0.25 is used with int64, which cannot hold it; pass an array of float32 or "
         "float64, a.astype('float32'), or convert the value: stencil.cast(value, 'f32')",
         (numpy.ones((8, 9), int), ARRAY))
def an_array_of_integers(u, v):
    v[j, i] = 0.25 * u[j, i]  # here


@refused("'/' of int64; convert them first: stencil.cast(value, 'f32')",
         (numpy.ones((8, 9), int), ARRAY))
def a_quotient_of_integers(u, v):
    v[j, i] = u[j, i] / 2  # here


@refused("the condition of stencil.where is a number; compare it: stencil.where(a > 0, ...)")
def a_number_as_a_condition(u, v):
    v[j, i] = stencil.where(u[j, i], 1, 2)  # here


@refused("'&' takes conditions, found a number; compare first, and put comparisons in brackets: "
         "(a > 0) & (b > 0)")
def conditions_without_brackets(u, v):
    v[j, i] = stencil.where(u[j, i] & v[j, i] > 0, 1, 2)  # here


@refused("stencil.sin of an index, an integer of 64 bits; convert it first to the type of a field "
         "that it is used with, as in stencil.cast(i, u.dtype)")
def a_function_of_an_index(u, v):
    v[j, i] = stencil.sin(i)  # here


@refused("there is no type 'float80' to convert to; types are f16, bf16, f32, f64, i8, i16, i32 "
         "and i64")
def a_type_that_is_not_there(u, v):
    v[j, i] = stencil.cast(u[j, i], "float80")  # here


@refused("'//' of values that are no integers; use stencil.floor(a / b)")
def a_floor_division(u, v):
    v[j, i] = u[j, i] // 2  # here


# ---- boundaries ---------------------------------------------------------------------------------

@refused("u[j, i-1] reads 'u' at i = -1, the array has cells from 0 to 8, and no boundary is "
         "declared there; declare one, @stencil.program(boundaries={'u': stencil.periodic()}), or "
         "mirror(), fixed(), fixed(0.0), halo(width); or restrict the statement, as in i[1:-1] in "
         "the subscript that is assigned to")
def a_read_outside(u, v):
    v[j, i] = u[j, i-1]  # here


@refused("u[j+2, i] reads 'u' at j = 7, beyond its halo: it has cells from -1 to 6; give the array "
         "a wider halo, stencil.halo(width)", (ARRAY, numpy.ones((6, 7))),
         boundaries={"u": stencil.halo(1)})
def a_read_beyond_the_halo(u, v):
    v[j, i] = u[j+2, i]  # here


@refused("no point is left along j: of 8, statements with stencil.fixed() boundaries compute those "
         "whose reads lie inside; pass larger arrays", boundaries={"u": stencil.fixed()})
def nothing_between_fixed_sides(u, v):
    v[j, i] = u[j+4, i] + u[j-5, i]  # here


@refused("v is assigned to at j from 0 to 7, and what it reads lies inside of the arrays from 1 to "
         "6; restrict it further, j[1:7]", boundaries={"u": stencil.fixed()})
def a_range_beside_fixed_sides(u, v):
    v[j[0:], i] = u[j+1, i] + u[j-1, i]  # here


@refused("u[j+12, i] reads 12 cells beyond the side of 'u' along j, which has 8 cells for "
         "stencil.periodic to copy from; pass larger arrays", boundaries={"u": stencil.periodic()})
def further_than_the_period(u, v):
    v[j, i] = u[j+12, i]  # here


@refused("'v' has 9 points along i, 'u' has 10; all arrays of a program lie on one grid; if one "
         "has cells beyond it, declare them: boundaries={'v': stencil.halo(width)}",
         (numpy.ones((8, 10)), ARRAY))
def two_shapes(u, v):
    v[j, i] = u[j, i]  # here


# ---- time ---------------------------------------------------------------------------------------

@refused("'u' has levels of time in this loop and is used without one; write u[t, ...] or u[t+1, "
         "...]")
def a_read_without_a_level(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = u[j, i]  # here


@refused("v[t, j, i] is a level of time, and the loop assigns to no level of 'v'; assign to v[t+1, "
         "...] in the loop, or read it without the time step if it is the same in every step")
def a_level_that_never_advances(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = v[t, j, i]  # here


@refused("u[t+2, j, i] is read, and level t+2 is never assigned to; the newest level is the one "
         "assigned to, t+1")
def a_level_of_the_future(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = u[t+2, j, i]  # here


@refused("u[t+1, j, i] is read before it is assigned to in the step; read level t, or assign first")
def a_level_before_it_is_there(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = u[t+1, j, i]  # here


@refused("u[t+1, j, i] reads points that nothing has assigned to yet in the step; assign to all "
         "points first, or restrict the statement to points that are assigned to before it")
def points_that_come_later(u, v):
    for t in stencil.steps(3):
        u[t+1, j[:4], i] = u[t, j, i]
        u[t+1, j[4:], i] = u[t, j, i] + u[t+1, j, i]  # here


@refused("'u' is assigned to again at all points of line {before}, and nothing has read what that "
         "line computed; assign once, or restrict the later statement to some points, as in i[0]")
def two_stores_to_a_level(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = u[t, j, i]
        u[t+1, j, i] = v[j, i]  # here


@refused("'u' is assigned to at two levels, t+1 in line {before} and t+2; each step computes one "
         "new level of a field")
def two_levels_in_a_step(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = u[t, j, i]
        u[t+2, j, i] = v[j, i]  # here


@refused("the time loop is left by break, return or an exception; its body is recorded once; "
         "choose per point with stencil.where, and the number of steps with stencil.steps(n)")
def a_loop_that_is_left(u, v):
    for t in stencil.steps(3):  # here
        u[t+1, j, i] = u[t, j, i]
        break


@refused("the time step of a loop that has ended indexes 'u'; after a loop u[j, i] is the newest "
         "level")
def a_step_after_its_loop(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = u[t, j, i]
    v[j, i] = u[t, j, i]  # here


@refused("'u' is assigned to at the time step alone; results are fields on the grid: store what is "
         "computed at its points, and take those that are wanted after the call")
def a_value_for_each_step(u, v):
    for t in stencil.steps(3):
        u[t] = v[3, 4]  # here


@refused("'u' lies on the grid and is indexed by the time step alone; write u[t, p]",
         (numpy.ones(9), numpy.ones(9)))
def a_level_without_indices(u, v):
    (p,) = stencil.indices("p")
    for t in stencil.steps(3):
        u[t+1, p] = u[t]  # here


@refused("stencil.steps of 2.5, which is no integer; give an integer, or an argument of the "
         "program that calls give as an integer")
def half_a_step(u, v):
    for t in stencil.steps(2.5):  # here
        u[t+1, j, i] = u[t, j, i]


# ---- temporaries --------------------------------------------------------------------------------

@refused("temporary 'w' is read before it is assigned to; assign first: w[j, i] = ...")
def a_temporary_without_a_value(u, v):
    w = stencil.temporary("w")
    v[j, i] = u[j, i] + w[j, i]  # here


@refused("temporary 'w' is assigned to in a time loop that has read an earlier value of it; a "
         "temporary is not carried from step to step; use a field with levels")
def a_temporary_that_is_carried(u, v):
    w = stencil.temporary("w")
    w[j, i] = v[j, i]
    for t in stencil.steps(3):
        u[t+1, j, i] = u[t, j, i] + w[j, i]
        w[j, i] = u[t, j, i]  # here


@refused("temporary 'w' is read after the time loop that assigns to it; a temporary lives in one "
         "step; keep the values in a field")
def a_temporary_after_its_loop(u, v):
    w = stencil.temporary("w")
    for t in stencil.steps(3):
        w[j, i] = u[t, j, i]
        u[t+1, j, i] = w[j, i]
    v[j, i] = w[j, i]  # here


@refused("the type of temporary 'w' is open; give the value a type: stencil.cast(value, 'f32')")
def a_temporary_of_no_type(u, v):
    w = stencil.temporary("w")
    w[j, i] = 1.5  # here
    v[j, i] = u[j, i] + w[j, i]


# ---- differences --------------------------------------------------------------------------------

@refused("a centred derivative of order 3; its order is even; one-sided ones, side='forward' or "
         "'backward', have any")
def an_odd_order(u, v):
    v[j, i] = stencil.laplace(u[j, i], order=3)  # here


@refused("weights of derivative 2 at 2 points; give different points, more than the order of the "
         "derivative")
def too_few_points(u, v):
    v[j, i] = stencil.weights(2, (0, 1))[0] * u[j, i]  # here


@refused("at=0.25; a derivative is at the point (0) or half a mesh width from it (Fraction(1, 2), "
         "Fraction(-1, 2)), with side='centre'")
def a_quarter_of_a_width(u, v):
    v[j, i] = stencil.derivative(u[j, i], i, at=0.25)  # here


class Refusals(unittest.TestCase):
    def test_each_has_its_line_reason_and_remedy(self):
        CASES.check(self)


if __name__ == "__main__":
    unittest.main()
