"""Time loops in time loops that are refused, and calls of such programs."""

import unittest

import numpy

import scenery
from refusals import Cases
from scenery import stencil

j, i = stencil.indices("j i")
x, = stencil.indices("x")
CASES = Cases()
refused = CASES.refused


def setUpModule():
    scenery.needs_compiler()


# ---- what a call gives --------------------------------------------------------------------------

class Calls(unittest.TestCase):
    def check(self, kind, text, function, *values):
        lines = function.__code__.co_firstlineno
        for on in ("interpreter", "emulator"):
            with self.assertRaises(kind) as caught:
                stencil.program(function)(*values, on=on)
            self.assertEqual(str(caught.exception).partition(":")[2],
                             text.format(*(lines + one for one in range(6))))

    def test_tables_that_are_short(self):
        def program(p, g, n, first, m):
            for t in stencil.steps(n):
                for s in stencil.steps(first + t, m):
                    p[s+1, x] = p[s, x] + g[t] * g[s-1]

        more = "; make fewer, or pass more values"
        values = numpy.zeros(5), numpy.ones(4)
        self.check(stencil.ArgumentError, "{3}: argument 'g' has values for 4 time steps from 1 "
                   "on, and the time loop of line {2} has steps up to 5" + more, program, *values,
                   2, 1, 6)
        self.check(stencil.ArgumentError, "{3}: argument 'g' has values from time step 1 on, and "
                   "the time loop of line {2} starts at 0; start later", program, *values, 1, 0, 2)
        self.check(stencil.ArgumentError, "{3}: argument 'g' has values for 1 time step from 0 "
                   "on, and the time loop of line {1} has steps up to 1" + more, shorter,
                   numpy.zeros(5), numpy.ones(1), 2, 1)
        # What no step reads need not be there.
        stencil.program(program)(*values, 9, 1, 0, on="interpreter")

    def test_numbers_of_steps_without_a_result(self):
        def program(p, n, m):
            for t in stencil.steps(n):
                for s in stencil.steps(6 // (m - t)):
                    p[s+1, x] = p[s, x] + 1

        self.check(stencil.ProgramError, "{2}: an integer is divided by zero; have no zero among "
                   "the divisors, as in a // stencil.where(b == 0, 1, b)", program,
                   numpy.zeros(5), 3, 2)
        field = numpy.zeros(5)
        stencil.program(program)(field, 2, 2, on="interpreter")
        self.assertEqual(field.tolist(), [9] * 5)


def shorter(p, g, n, m):
    for t in stencil.steps(n):
        for s in stencil.steps(m):
            p[s+1, x] = p[s, x] + g[t]


# ---- refusals -----------------------------------------------------------------------------------

BEFORE_OR_AFTER = (": assign to it before or after the inner loop, or have the inner loop step "
                   "another field")
ASSIGNED_INSIDE = ("'u' has levels of time in the loop of line {earlier}, and is assigned to in a "
                   "loop inside of it; one loop steps a field" + BEFORE_OR_AFTER)
STEPPED_INSIDE = (", and a loop inside of it steps 'v'; read the newest level, without the time "
                  "step, or in the inner loop a level of its time step")


@refused("'u' is assigned to at the time step of an outer loop, in a loop inside of it; the inner "
         "loop would compute this level again in each of its steps" + BEFORE_OR_AFTER)
def an_outer_level_assigned_inside(u, v):
    for t in stencil.steps(3):
        for _ in stencil.steps(3):
            u[t+1, j, i] = u[t, j, i]  # here


@refused(ASSIGNED_INSIDE)
def a_field_of_two_loops(u, v):
    for t in stencil.steps(3):
        for s in stencil.steps(3):
            u[s+1, j, i] = v[j, i]  # here
        u[t+1, j, i] = u[t, j, i]


@refused(ASSIGNED_INSIDE)
def a_field_of_the_outer_loop_without_a_level(u, v):
    for t in stencil.steps(3):
        for _ in stencil.steps(3):
            u[j, i] = v[j, i]  # here
        u[t+1, j, i] = u[t, j, i]


@refused("'u' has levels of time in the loop of line {earlier} and is used without one; write "
         "u[t, ...] or u[t+1, ...]")
def a_field_of_the_outer_loop_read_without_a_level(u, v):
    for t in stencil.steps(3):
        for s in stencil.steps(3):
            v[s+1, j, i] = v[s, j, i] + u[j, i]  # here
        u[t+1, j, i] = u[t, j, i]


@refused("v[t, j, i] is a level of time of the loop of line {before}" + STEPPED_INSIDE)
def a_level_of_the_outer_step_around_the_inner_loop(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = v[t, j, i]  # here
        for s in stencil.steps(3):
            v[s+1, j, i] = v[s, j, i]


@refused("v[t, j, i] is a level of time of the loop of line {earlier}" + STEPPED_INSIDE)
def a_level_of_the_outer_step_in_the_inner_loop(u, v):
    for t in stencil.steps(3):
        for s in stencil.steps(3):
            v[s+1, j, i] = v[t, j, i]  # here


@refused("u[t+1, j, i] is read before it is assigned to in the step; read level t, or assign first")
def a_new_level_that_is_assigned_to_after(u, v):
    for t in stencil.steps(3):
        for s in stencil.steps(3):
            v[s+1, j, i] = v[s, j, i] + u[t+1, j, i]  # here
        u[t+1, j, i] = u[t, j, i]


@refused("u[t+1, j, i] reads points that nothing has assigned to yet in the step; assign to all "
         "points first, or restrict the statement to points that are assigned to before it")
def a_new_level_that_is_assigned_to_in_parts(u, v):
    for t in stencil.steps(3):
        u[t+1, j[1:], i] = u[t, j, i]
        for s in stencil.steps(3):
            v[s+1, j, i] = v[s, j, i] + u[t+1, j, i]  # here
        u[t+1, j[0], i] = u[t, j, i]


@refused("the time step of a loop that has ended indexes 'v'; after a loop v[j, i] is the newest "
         "level")
def an_inner_step_after_its_loop(u, v):
    for t in stencil.steps(3):
        for s in stencil.steps(3):
            v[s+1, j, i] = v[s, j, i]
        u[t+1, j, i] = v[s, j, i]  # here


@refused("the time loop is left by break, return or an exception; its body is recorded once; "
         "choose per point with stencil.where, and the number of steps with stencil.steps(n)")
def an_inner_loop_that_is_left(u, v):
    for t in stencil.steps(3):
        for s in stencil.steps(3):  # here
            v[s+1, j, i] = v[s, j, i]
            break
        u[t+1, j, i] = u[t, j, i]


@refused("the time loop is left by break, return or an exception; its body is recorded once; "
         "choose per point with stencil.where, and the number of steps with stencil.steps(n)")
def two_loops_in_one(u, v):
    for t, s in zip(stencil.steps(3), stencil.steps(3)):  # here
        v[s+1, j, i] = v[s, j, i] + t


@refused("stencil.steps of t-1, the time step of a loop that has ended; compute it from arguments "
         "of the program")
def steps_of_a_step_of_before(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = u[t, j, i]
    for s in stencil.steps(t - 1):  # here
        v[s+1, j, i] = v[s, j, i]


@refused("stencil.steps of t, the time step of a loop that has ended; compute it from arguments of "
         "the program")
def steps_that_are_made_before(u, v):
    for t in stencil.steps(3):
        u[t+1, j, i] = u[t, j, i]
        later = stencil.steps(t)
    for s in later:  # here
        v[s+1, j, i] = v[s, j, i]


@refused("temporary 'w' is read after the time loop that assigns to it; a temporary lives in one "
         "step; keep the values in a field")
def a_temporary_after_the_inner_loop(u, v):
    w = stencil.temporary("w")
    for t in stencil.steps(3):
        for s in stencil.steps(3):
            w[j, i] = u[t, j, i]
            v[s+1, j, i] = w[j, i]
        u[t+1, j, i] = w[j, i]  # here


AFTER = ("temporary 'w' is read after the time loop that assigns to it, in what a name holds "
         "since; a temporary lives in one step; keep the values in a field")


@refused(AFTER)
def a_value_of_a_temporary_after_the_inner_loop(u, v):
    w = stencil.temporary("w")
    for t in stencil.steps(3):
        for s in stencil.steps(3):
            w[j, i] = u[t, j, i]
            twice = 2 * w[j, i]  # here
            v[s+1, j, i] = twice
        u[t+1, j, i] = twice


@refused(AFTER)
def a_value_of_a_kept_temporary_after_its_loop(u, v):
    w = stencil.temporary("w")
    for t in stencil.steps(3):
        w[j, i] = u[t, j, i]
        w[j[0], i] = v[j, i]
        twice = 2 * w[j, i]  # here
        u[t+1, j, i] = twice
    v[j, i] = twice


CARRIED = ("temporary 'w' is assigned to in a time loop that has read an earlier value of it; a "
           "temporary is not carried from step to step; use a field with levels")


@refused(CARRIED)
def a_temporary_from_inner_step_to_step(u, v):
    w = stencil.temporary("w")
    for t in stencil.steps(3):
        w[j, i] = u[t, j, i]
        for s in stencil.steps(3):
            v[s+1, j, i] = w[j, i]
            w[j, i] = 2 * v[s, j, i]  # here
        u[t+1, j, i] = u[t, j, i]


@refused(CARRIED)
def a_temporary_from_outer_step_to_step(u, v):
    w = stencil.temporary("w")
    w[j, i] = v[j, i]
    for t in stencil.steps(3):
        u[t+1, j, i] = w[j, i]
        for _ in stencil.steps(3):
            w[j, i] = 2 * u[t, j, i]  # here


@refused("'v' is assigned to again at all points of line {before}, and nothing has read what that "
         "line computed; assign once, or restrict the later statement to some points, as in i[0]")
def an_inner_level_twice(u, v):
    for t in stencil.steps(3):
        for s in stencil.steps(3):
            v[s+1, j, i] = u[t, j, i]
            v[s+1, j, i] = 2 * u[t, j, i]  # here
        u[t+1, j, i] = u[t, j, i]


class Refusals(unittest.TestCase):
    def test_messages(self):
        CASES.check(self)


if __name__ == "__main__":
    unittest.main()
