"""Memory by name: `buffer`, `alloc`, applies that write to fields, fields that change in place."""

import numpy as np

from construct import *
from programs import np_put, program

READS_TEMPS = "shape inference stops: an apply that writes to fields has no result to look at"


@program("a buffer between two applies", by_hand=lambda u, v: {
    1: (u[2:] - u[:-2])[2:] - (u[2:] - u[:-2])[:-2] * 0.5})
def buffered():
    def body(u, v):
        slope = buffer(apply([load(u)], 1, lambda t: t[1] - t[-1]))
        store(apply([slope], 1, lambda t: t[1] - t[-1] * 0.5), v, (0, 8))

    return module(lambda: function("buffered", [field([(-2, 10)]), field([(0, 8)])], body))


@program("a buffer of one result of two, both read")
def buffered_result():
    def body(u, v):
        first, second = apply([load(u)], 2, lambda t: [t[0, 1], t[1, 0] * 2.0])
        kept = buffer(first)
        store(apply([kept, second], 2, lambda a, b: a[1, 0] - b[0, 1]), v, (0, 4), (0, 5))

    types = [field([(0, 6), (0, 7)]), field([(0, 4), (0, 5)])]
    return module(lambda: function("buffered_result", types, body))


@program("a buffer of a combine")
def buffered_combine():
    def body(u, v):
        values = load(u)
        low = apply([values], 1, lambda t: t[0] * 2.0)
        high = apply([values], 1, lambda t: t[1])
        joined = buffer(combine(0, 4, [low], [high]))
        store(apply([joined], 1, lambda t: t[-1] + t[1]), v, (1, 8))

    return module(lambda: function("buffered_combine", [field([(0, 10)]), field([(0, 9)])], body))


@program("an apply that reads a field and writes to another", bounds_differ=READS_TEMPS,
         by_hand=lambda u, v: {1: np_put(v, np.s_[1:7], u[0:6] - u[2:8])})
def to_field():
    def body(u, v):
        apply_to([u], [v], [(0, 6)], lambda f: f[-1] - f[1])

    return module(lambda: function("to_field", [field([(-1, 7)])] * 2, body))


@program("two target fields, through memory that is allocated between", bounds_differ=READS_TEMPS,
         by_hand=lambda u, v, w: {
             1: (u[1:] * u[1:] - u[:-1])[1:], 2: (u[1:] * u[1:] - u[:-1])[:-1]})
def through_alloc():
    def body(u, v, w):
        between = alloc([(0, 9)])
        apply_to([u], [between], [(0, 9)], lambda f: f[1] * f[1] - f[0])
        apply_to([between], [v, w], [(0, 8)], lambda f: [f[1], f[0]])

    types = [field([(0, 10)]), field([(0, 8)]), field([(0, 8)])]
    return module(lambda: function("through_alloc", types, body))


@program("a stored temp in memory that is allocated, and loaded again")
def alloc_and_load():
    def body(u, v):
        between = alloc([(-1, 7), (0, 5)])
        store(apply([load(u)], 2, lambda t: t[0, 0] * 3.0), between, (-1, 7), (0, 5))
        store(apply([load(between)], 2, lambda t: t[1, 0] - t[-1, 0]), v, (0, 6), (0, 5))

    types = [field([(-1, 7), (0, 5)]), field([(0, 6), (0, 5)])]
    return module(lambda: function("alloc_and_load", types, body))


@program("a field that is loaded and stored: reads see what was there before",
         by_hand=lambda u: {0: np_put(u, np.s_[1:-1], u[:-2] + u[2:])})
def in_place():
    def body(u):
        store(apply([load(u)], 1, lambda t: t[-1] + t[1]), u, (1, 11))

    return module(lambda: function("in_place", [field([(0, 12)])], body))


@program("an apply that reads and writes one field", bounds_differ=READS_TEMPS,
         by_hand=lambda u: {0: np_put(u, np.s_[1:-1], u[:-2] - u[2:])})
def field_in_place():
    def body(u):
        apply_to([u], [u], [(1, 11)], lambda f: f[-1] - f[1])

    return module(lambda: function("field_in_place", [field([(0, 12)])], body))


@program("a temp that was loaded before a store keeps the old values",
         by_hand=lambda u, v: {0: u * 2.0, 1: u[::1] - u * 2.0})
def old_and_new():
    def body(u, v):
        old = load(u)
        store(apply([old], 1, lambda t: t[0] * 2.0), u, (0, 7))
        new = load(u)
        store(apply([old, new], 1, lambda a, b: a[0] - b[0]), v, (0, 7))

    return module(lambda: function("old_and_new", [field([(0, 7)])] * 2, body))


@program("two fields that change places by way of loads")
def exchange():
    def body(u, v):
        first, second = load(u), load(v)
        store(apply([second], 2, lambda t: t[0, 0]), u, (0, 4), (0, 5))
        store(apply([first], 2, lambda t: t[0, 0]), v, (0, 4), (0, 5))

    return module(lambda: function("exchange", [field([(0, 4), (0, 5)])] * 2, body))
