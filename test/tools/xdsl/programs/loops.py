"""Loops over time around loads and stores, and modules of several functions."""

import numpy as np

from construct import *
from programs import np_put, program


def heat(fields):
    now, following = fields
    smooth = apply([load(now)], 1, lambda t: t[-1] * 0.25 + t[0] * 0.5 + t[1] * 0.25)
    store(smooth, following, (0, 10))


def heat_by_numpy(fields, steps):
    fields = [each.copy() for each in fields]
    for _ in range(steps):
        now, following = fields
        following[1:-1] = now[:-2] * 0.25 + now[1:-1] * 0.5 + now[2:] * 0.25
        fields = [following, now]
    return fields if steps % 2 == 0 else fields[::-1]


def rotating(name, types, first, last, step, each):
    """A function that loops over its fields, which move on by one place every time."""
    def body(*fields):
        def once(time, *carried):
            each(carried, time)
            return [*carried[1:], carried[0]]

        loop(first, last, step, fields, once)

    return module(lambda: function(name, types, body))


TWO = [field([(-1, 11)])] * 2


@program("two fields that change places, an odd number of steps",
         by_hand=lambda u, v: dict(enumerate(heat_by_numpy([u, v], 5))))
def two_levels():
    return rotating("two_levels", TWO, 0, 5, 1, lambda fields, time: heat(fields))


@program("no step at all", by_hand=lambda u, v: {},
         equivalent={"*": "what is not run cannot show"})
def no_step():
    return rotating("no_step", TWO, 3, 3, 1, lambda fields, time: heat(fields))


@program("one step of a loop that counts by three, from a negative time",
         by_hand=lambda u, v: dict(enumerate(heat_by_numpy([u, v], 1))),
         equivalent={name: "it is one step still" for name in (
             "2 arith.constant value", "4 arith.constant value", "21 scf.yield exchange")})
def one_long_step():
    return rotating("one_long_step", TWO, -1, 2, 3, lambda fields, time: heat(fields))


def wave_by_numpy(u, v, w):
    fields = [u.copy(), v.copy(), w.copy()]
    for _ in range(4):
        old, now, new = fields
        spread = (now[:-2, 1:-1] + now[2:, 1:-1]) + (now[1:-1, :-2] + now[1:-1, 2:])
        middle = now[1:-1, 1:-1]
        new[1:-1, 1:-1] = (middle * 2.0 - old[1:-1, 1:-1]) + (spread - middle * 4.0) * 0.125
        fields = [now, new, old]
    # After four turns of three fields everything is one place further.
    return {0: fields[2], 1: fields[0], 2: fields[1]}


@program("three fields in rotation: the wave equation", by_hand=wave_by_numpy)
def wave():
    def point(now, old):
        spread = (now[-1, 0] + now[1, 0]) + (now[0, -1] + now[0, 1])
        return (now[0, 0] * 2.0 - old[0, 0]) + (spread - now[0, 0] * 4.0) * 0.125

    def each(fields, time):
        old, now, new = fields
        store(apply([load(now), load(old)], 2, point), new, (0, 5), (0, 6))

    return rotating("wave", [field([(-1, 6), (-1, 7)])] * 3, 0, 4, 1, each)


@program("values that depend on the time step",
         equivalent={"3 arith.constant value": "the step of two passes over the last number"})
def time_dependent():
    def each(fields, time):
        now, following = fields
        moment = convert(arith.SIToFPOp, convert(arith.IndexCastOp, time, i64), f64) * 0.5
        store(apply([load(now), moment], 1, lambda t, k: t[-1] + k), following, (0, 10))

    return rotating("time_dependent", TWO, 2, 9, 2, each)


@program("a number of steps that is an argument", scalars={2: 3})
def steps_argument():
    def body(u, v, steps):
        def once(time, now, following):
            heat([now, following])
            return [following, now]

        loop(0, steps, 1, [u, v], once)

    return module(lambda: function("steps_argument", [*TWO, INDEX], body))


@program("a loop that changes a field in place", by_hand=lambda u: {0: np_put(
    u, np.s_[1:-1], (lambda once: np_put(once, np.s_[1:-1], once[:-2] * 0.5 + once[2:] * 0.5))(
        np_put(u, np.s_[1:-1], u[:-2] * 0.5 + u[2:] * 0.5))[1:-1])})
def loop_in_place():
    def body(u):
        def once(time, same):
            store(apply([load(same)], 1, lambda t: t[-1] * 0.5 + t[1] * 0.5), same, (1, 9))
            return [same]

        loop(0, 2, 1, [u], once)

    return module(lambda: function("loop_in_place", [field([(0, 10)])], body))


@program("a loop that carries nothing, around strips of a boundary")
def loop_and_strips():
    def body(u):
        def once(time):
            values = load(u)
            store(apply([values], 2, lambda t: t[-1, 0] - t[1, 0]), u, (1, 5), (0, 6))
            store(apply([values], 2, lambda t: t[1, 0]), u, (0, 1), (0, 6))
            return []

        loop(0, 3, 1, [], once)

    return module(lambda: function("loop_and_strips", [field([(0, 6), (0, 6)])], body))


@program("two functions, of which one has attributes", runs={"scale": {2: 1.5}, "shift": {}})
def two_functions():
    def scale(u, v, k):
        store(apply([load(u), k], 1, lambda t, f: t[0] * f), v, (0, 6))

    def shift(u, v):
        store(apply([load(u)], 1, lambda t: t[1]), v, (0, 6))

    kept = {"llvm.emit_c_interface": builtin.UnitAttr(),
            "param_names": builtin.ArrayAttr([builtin.StringAttr(name) for name in "uvk"])}
    types = [field([(0, 7)]), field([(0, 6)])]
    return module(lambda: function("scale", [*types, f64], scale, kept),
                  lambda: function("shift", types, shift))
