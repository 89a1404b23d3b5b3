"""Coordinates and reads at coordinates: `index`, `dyn_access`."""

import numpy as np

from construct import *
from programs import np_put, program


def clamped(index, lowest, highest):
    return pick(arith.MinSIOp, pick(arith.MaxSIOp, index, lowest), highest)


@program("the read of a neighbour by its coordinate", by_hand=lambda u, v: {1: u[:, 2:]})
def by_coordinate():
    def point(t):
        place = [coordinate(0, [0, 0]), coordinate(1, [0, 2])]
        return dyn_access(t, place, (0, 0), (0, 2))

    def body(u, v):
        store(apply([load(u)], 2, point), v, (0, 4), (0, 6))

    types = [field([(0, 4), (0, 8)]), field([(0, 4), (0, 6)])]
    return module(lambda: function("by_coordinate", types, body))


@program("reads beyond the edge take the edge's value", equivalent={
    "7 arith.constant value": "the left neighbour is never beyond the right edge",
    "10 arith.constant value": "the right neighbour is never beyond the left edge",
}, by_hand=lambda u, v: {
    1: u[1 + np.clip(np.arange(-1, 8), 0, 8)] - u[1 + np.clip(np.arange(1, 10), 0, 8)]})
def edge_values():
    def point(t):
        left = clamped(coordinate(0, [-1]), 0, 8)
        right = clamped(coordinate(0, [1]), 0, 8)
        return dyn_access(t, [left], [-1], [1]) - dyn_access(t, [right], [-1], [1])

    def body(u, v):
        store(apply([load(u)], 1, point), v, (0, 9))

    types = [field([(-1, 10)]), field([(0, 9)])]
    return module(lambda: function("edge_values", types, body))


@program("a departure point that depends on the data", by_hand=lambda u, s, v: {
    2: u[2 + np.arange(8) + np.clip(s, -2, 2)]})
def departure():
    def point(t, shift):
        whole = convert(arith.IndexCastOp, shift[0], INDEX)
        place = coordinate(0, [0]) + clamped(whole, -2, 2)
        return dyn_access(t, [place], [-2], [2])

    def body(u, s, v):
        store(apply([load(u), load(s)], 1, point), v, (0, 8))

    types = [field([(-2, 10)]), field([(0, 8)], i32), field([(0, 8)])]
    return module(lambda: function("departure", types, body))


@program("`dyn_access` inside of `scf.if`",
         bounds_differ="shape inference stops at an assertion: a `dyn_access` stands directly in "
                       "the apply")
def dynamic_branch():
    def point(t):
        place = coordinate(0, [0])
        return if_else(compare("slt", place, 4), [f64],
                       lambda: dyn_access(t, [place + 3], [3], [3]),
                       lambda: dyn_access(t, [place - 3], [-3], [-3]))[0]

    def body(u, v):
        store(apply([load(u)], 1, point), v, (0, 8))

    return module(lambda: function("dynamic_branch", [field([(-3, 11)]), field([(0, 8)])], body))


@program("coordinates with offsets, below zero, as numbers", by_hand=lambda v: {
    0: np_put(v, np.s_[1:6, 1:5], np.arange(-7, -2)[:, None] * 100 + np.arange(7, 11)[None, :])})
def coordinates():
    def point():
        row = convert(arith.IndexCastOp, coordinate(0, [-2, 9]), i32)
        column = convert(arith.IndexCastOp, coordinate(1, [5, 4]), i32)
        return row * 100 + column

    def body(v):
        store(apply([], 2, point), v, (-5, 0), (3, 7))

    return module(lambda: function("coordinates", [field([(-6, 1), (2, 8)], i32)], body))


@program("a boundary condition by coordinates")
def at_boundary():
    def point(t):
        place = coordinate(0, [0, 0])
        edge = arith.OrIOp(compare("eq", place, 0).ssa, compare("eq", place, 5).ssa)
        return if_else(Value(edge.result), [f64],
                       lambda: t[0, 0], lambda: (t[-1, 0] + t[1, 0]) * 0.5)[0]

    def body(u, v):
        store(apply([load(u)], 2, point), v, (0, 6), (0, 4))

    types = [field([(-1, 7), (0, 4)]), field([(0, 6), (0, 4)])]
    return module(lambda: function("at_boundary", types, body))


@program("a sum over a column by a loop inside of the point",
         bounds_differ="shape inference stops at an assertion: a `dyn_access` stands directly in "
                       "the apply",
         by_hand=lambda u, v: {1: ((0.0 + u[:, 0:6]) + u[:, 1:7]) + u[:, 2:8]})
def window_sum():
    def point(t):
        row, column = coordinate(0, [0, 0]), coordinate(1, [0, 0])

        def add(step, total):
            return total + dyn_access(t, [row, column + step], (0, 0), (0, 2))

        return loop(0, 3, 1, [number(0.0, f64)], add)[0]

    def body(u, v):
        store(apply([load(u)], 2, point), v, (0, 4), (0, 6))

    types = [field([(0, 4), (0, 8)]), field([(0, 4), (0, 6)])]
    return module(lambda: function("window_sum", types, body))
