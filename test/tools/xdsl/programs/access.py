"""Reads at constant offsets: ranks 1 to 3, all directions, far and negative origins."""

import numpy as np

from construct import *
from programs import np_put, program


@program("three points of a line", by_hand=lambda u, v: {
    1: np_put(v, np.s_[0:20], u[0:20] * 0.25 + u[1:21] * 0.5 + u[2:22] * 0.25)})
def line():
    source, target = field([(-1, 21)]), field([(0, 20)])

    def body(u, v):
        values = load(u)
        smooth = apply([values], 1, lambda t: t[-1] * 0.25 + t[0] * 0.5 + t[1] * 0.25)
        store(smooth, v, (0, 20))

    return module(lambda: function("line", [source, target], body))


@program("a copy", by_hand=lambda u, v: {1: np_put(v, np.s_[3:9], u[3:9])})
def copy():
    def body(u, v):
        store(apply([load(u)], 1, lambda t: t[0]), v, (3, 9))

    return module(lambda: function("copy", [field([(0, 12)])] * 2, body))


@program("five points of a plane", by_hand=lambda u, v: {
    1: (u[:-2, 1:-1] + u[2:, 1:-1]) + (u[1:-1, :-2] + u[1:-1, 2:]) - 4.0 * u[1:-1, 1:-1]})
def star2d():
    def point(t):
        return (t[-1, 0] + t[1, 0]) + (t[0, -1] + t[0, 1]) - t[0, 0] * 4.0

    def body(u, v):
        store(apply([load(u)], 2, point), v, (0, 12), (0, 9))

    types = [field([(-1, 13), (-1, 10)]), field([(0, 12), (0, 9)])]
    return module(lambda: function("star2d", types, body))


def nine_points(u, v):
    total = np.zeros((8, 6), np.float32)
    for row in range(3):
        for column in range(3):
            weight = np.float32(row + 2 * column + 1)
            total = total + u[row:row + 8, column:column + 6] * weight
    return {1: np_put(v, np.s_[1:9, 1:7], total)}


@program("nine weighted points in f32, bounds on both sides of zero", by_hand=nine_points)
def box2d():
    def point(t):
        total = number(0.0, f32)
        for row in range(3):
            for column in range(3):
                total = total + t[row - 1, column - 1] * float(row + 2 * column + 1)
        return total

    def body(u, v):
        store(apply([load(u)], 2, point), v, (-4, 4), (-3, 3))

    types = [field([(-5, 5), (-4, 4)], f32)] * 2
    return module(lambda: function("box2d", types, body))


@program("seven points of a volume", by_hand=lambda u, v: {1: (
    (u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1]) + (u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1])
    + (u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:])) * 0.125 + u[1:-1, 1:-1, 1:-1] * 0.25})
def star3d():
    def point(t):
        rows = t[-1, 0, 0] + t[1, 0, 0]
        columns = t[0, -1, 0] + t[0, 1, 0]
        return (rows + columns + (t[0, 0, -1] + t[0, 0, 1])) * 0.125 + t[0, 0, 0] * 0.25

    def body(u, v):
        store(apply([load(u)], 3, point), v, (0, 6), (0, 5), (0, 7))

    types = [field([(-1, 7), (-1, 6), (-1, 8)]), field([(0, 6), (0, 5), (0, 7)])]
    return module(lambda: function("star3d", types, body))


@program("upwind differences: one side only, neither the point itself")
def upwind():
    def point(t):
        return t[-3, 0] * 2.0 - t[-2, 0] * 9.0 + t[0, -1] * 18.0 - t[-1, -2] * 11.0

    def body(u, v):
        store(apply([load(u)], 2, point), v, (0, 7), (0, 8))

    types = [field([(-3, 7), (-2, 8)]), field([(0, 7), (0, 8)])]
    return module(lambda: function("upwind", types, body))


@program("a grid that lies below zero in every dimension", by_hand=lambda u, v: {
    1: np_put(v, np.s_[2:10, 1:7], u[0:8, 2:8] - u[4:12, 0:6])})
def below_zero():
    def body(u, v):
        difference = apply([load(u)], 2, lambda t: t[-2, 1] - t[2, -1])
        store(difference, v, (-38, -30), (-19, -13))

    types = [field([(-40, -28), (-20, -12)])] * 2
    return module(lambda: function("below_zero", types, body))


@program("a grid that begins far above zero, other radii in each dimension")
def far_above():
    def point(t):
        far = t[-3, 0, 0] + t[3, 0, 0]
        return far * 0.5 - (t[0, -1, 0] + t[0, 2, 0]) * 0.25 + t[0, 0, 1]

    def body(u, v):
        store(apply([load(u)], 3, point), v, (1003, 1008), (2001, 2005), (500, 506))

    types = [field([(1000, 1011), (2000, 2007), (500, 507)])] * 2
    return module(lambda: function("far_above", types, body))


@program("reads inside of a region of control flow")
def under_condition():
    def point(t):
        large = compare("ogt", t[0, 0], 0.0)
        return if_else(large, [f64], lambda: t[-1, 0] - t[0, 0], lambda: t[0, 1] * t[0, 0])[0]

    def body(u, v):
        store(apply([load(u)], 2, point), v, (0, 6), (0, 7))

    types = [field([(-1, 6), (0, 8)]), field([(0, 6), (0, 7)])]
    return module(lambda: function("under_condition", types, body))
