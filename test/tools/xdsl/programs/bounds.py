"""Which points are computed: known and unknown bounds, casts, chains of applies."""

import numpy as np

from construct import *
from programs import np_put, program


@program("arguments of unknown bounds, given by casts", by_hand=lambda u, v: {
    1: np_put(v, np.s_[2:8, 2:9], u[0:6, 4:11] + u[4:10, 0:7])})
def casts():
    def body(u, v):
        u, v = cast(u, (-2, 8), (-2, 9)), cast(v, (-2, 8), (-2, 9))
        store(apply([load(u)], 2, lambda t: t[-2, 2] + t[2, -2]), v, (0, 6), (0, 7))

    return module(lambda: function("casts", [field(2)] * 2, body))


@program("every bound is written in the types")
def all_known():
    def body(u, v):
        values = load(u, bounds((-1, 9), (0, 8)))
        sum_of = apply([values], [(0, 8), (0, 8)], lambda t: t[-1, 0] + t[1, 0])
        store(sum_of, v, (0, 8), (0, 8))

    return module(lambda: function("all_known", [field([(-2, 10), (-2, 10)])] * 2, body))


@program("a load that is known and wider than needed, and one that grows")
def known_loads():
    def body(u, v, w):
        wide, narrow = load(u, bounds((-2, 10))), load(v, bounds((2, 4)))
        mixed = apply([wide, narrow], 1, lambda s, t: s[0] * t[-1] + t[1])
        store(mixed, w, (0, 8))

    types = [field([(-2, 10)]), field([(-1, 9)]), field([(0, 8)])]
    return module(lambda: function("known_loads", types, body))


def smooth(values):
    return values[:-2] * 0.25 + values[1:-1] * 0.5 + values[2:] * 0.25


@program("three applies in a row", by_hand=lambda u, v: {1: smooth(smooth(smooth(u)))})
def chain():
    def body(u, v):
        values = load(u)
        for _ in range(3):
            values = apply([values], 1, lambda t: t[-1] * 0.25 + t[0] * 0.5 + t[1] * 0.25)
        store(values, v, (0, 11))

    types = [field([(-3, 14)]), field([(0, 11)])]
    return module(lambda: function("chain", types, body))


@program("a value that two applies read, and one that reads both")
def diamond():
    def body(u, v):
        top = apply([load(u)], 2, lambda t: t[0, 0] * t[0, 0])
        left = apply([top], 2, lambda t: t[-1, 0] - t[0, 0])
        right = apply([top], 2, lambda t: t[0, 1] + t[0, 2])
        store(apply([left, right], 2, lambda l, r: l[0, 1] * r[1, 0]), v, (0, 6), (0, 5))

    types = [field([(-1, 7), (0, 8)]), field([(0, 6), (0, 5)])]
    return module(lambda: function("diamond", types, body))


@program("two results of which readers ask for different points")
def shared_results():
    def body(u, v, w):
        first, second = apply([load(u)], 1, lambda t: [t[0] + t[1], t[0] * t[-1]])
        store(apply([first], 1, lambda t: t[-2]), v, (0, 4))
        store(apply([second], 1, lambda t: t[3]), w, (4, 8))

    types = [field([(-3, 12)]), field([(0, 8)]), field([(0, 8)])]
    return module(lambda: function("shared_results", types, body))


@program("one point in each dimension")
def one_point():
    def body(u, v):
        store(apply([load(u)], 3, lambda t: t[-1, 1, 0] - t[1, 0, -1]), v, (0, 1), (0, 1), (0, 1))

    types = [field([(-1, 2), (0, 2), (-1, 1)]), field([(0, 1)] * 3)]
    return module(lambda: function("one_point", types, body))


@program("a store inside a larger field leaves the rest", by_hand=lambda u, v: {
    1: np_put(v, np.s_[3:5, 1:7], -u[3:5, 1:7])})
def inner_store():
    def body(u, v):
        store(apply([load(u)], 2, lambda t: -t[0, 0]), v, (3, 5), (1, 7))

    return module(lambda: function("inner_store", [field([(0, 9), (0, 8)])] * 2, body))


@program("a result that nobody reads, next to one that is stored",
         bounds_differ="the block argument of an apply that nobody reads keeps unknown bounds, "
                       "while its operand gets known ones: xDSL's result does not verify",
         equivalent={"4 stencil.access offset 0": "nobody reads the apply that it is in"})
def unused():
    def body(u, v):
        values = load(u)
        apply([values], 1, lambda t: t[100])
        store(apply([values], 1, lambda t: t[1] * 3.0), v, (0, 7))

    types = [field([(0, 8)]), field([(0, 7)])]
    return module(lambda: function("unused", types, body))
