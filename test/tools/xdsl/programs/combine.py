"""Every form of `stencil.combine`."""

import numpy as np

from construct import *
from programs import np_put, program


def two_sides(values, shape):
    """An apply for each side of a combine."""
    zeros = [0] * shape
    after = [*zeros[:-1], 1]
    lower = apply([values], shape, lambda t: t[tuple(after)] - t[tuple(zeros)])
    upper = apply([values], shape, lambda t: t[tuple(zeros)] * 0.5)
    return lower, upper


@program("two applies joined on a line", by_hand=lambda u, v: {
    1: np.concatenate([u[1:5] - u[0:4], u[4:9] * 0.5])})
def combine_line():
    def body(u, v):
        lower, upper = two_sides(load(u), 1)
        store(combine(0, 4, [lower], [upper]), v, (0, 9))

    return module(lambda: function("combine_line", [field([(0, 9)])] * 2, body))


@program("joined along the fast dimension of a plane")
def combine_columns():
    def body(u, v):
        lower, upper = two_sides(load(u), 2)
        store(combine(1, 3, [lower], [upper]), v, (0, 5), (0, 8))

    return module(lambda: function("combine_columns", [field([(0, 5), (0, 8)])] * 2, body))


@program("joined along the middle dimension of a volume, below zero")
def combine_volume():
    def body(u, v):
        lower, upper = two_sides(load(u), 3)
        store(combine(1, -2, [lower], [upper]), v, (0, 3), (-5, 1), (0, 4))

    types = [field([(0, 3), (-5, 1), (0, 5)]), field([(0, 3), (-5, 1), (0, 4)])]
    return module(lambda: function("combine_volume", types, body))


@program("two pairs in one combine", by_hand=lambda u, v, w: {
    1: np.concatenate([u[1:4] + u[:3], u[3:7] * 3.0]),
    2: np.concatenate([u[1:4] - u[:3], u[3:7] * 5.0])})
def combine_pairs():
    def body(u, v, w):
        values = load(u)
        lower = apply([values], 1, lambda t: [t[1] + t[0], t[1] - t[0]])
        upper = apply([values], 1, lambda t: [t[0] * 3.0, t[0] * 5.0])
        first, second = combine(0, 3, lower, upper)
        store(first, v, (0, 7))
        store(second, w, (0, 7))

    types = [field([(0, 8)]), field([(0, 7)]), field([(0, 7)])]
    return module(lambda: function("combine_pairs", types, body))


@program("a result of the lower side alone", by_hand=lambda u, v, w: {
    1: np.concatenate([-u[:5], u[5:]]), 2: np_put(w, np.s_[:5], u[:5] * u[:5])})
def combine_lowerext():
    def body(u, v, w):
        values = load(u)
        low, extra = apply([values], 1, lambda t: [-t[0], t[0] * t[0]])
        high = apply([values], 1, lambda t: t[0])
        joined, below = combine(0, 5, [low], [high], lowerext=[extra])
        store(joined, v, (0, 9))
        store(below, w, (0, 5))

    return module(lambda: function("combine_lowerext", [field([(0, 9)])] * 3, body))


@program("a result of the upper side alone")
def combine_upperext():
    def body(u, v, w):
        values = load(u)
        low = apply([values], 2, lambda t: t[0, 0])
        high, extra = apply([values], 2, lambda t: [-t[0, 0], t[0, 0] * t[0, 1]])
        joined, above = combine(0, 2, [low], [high], upperext=[extra])
        store(joined, v, (0, 5), (0, 6))
        store(above, w, (2, 5), (0, 6))

    types = [field([(0, 5), (0, 7)])] * 3
    return module(lambda: function("combine_upperext", types, body))


@program("results of both sides, of one side and of the other")
def combine_both_ext():
    def body(u, v, w, x):
        values = load(u)
        low, low_extra = apply([values], 1, lambda t: [t[0] * 2.0, t[-1] - t[0]])
        high, high_extra = apply([values], 1, lambda t: [t[0] * 4.0, t[1] - t[0]])
        joined, below, above = combine(0, 4, [low], [high], [low_extra], [high_extra])
        store(joined, v, (0, 8))
        store(below, w, (1, 4))
        store(above, x, (4, 8))

    types = [field([(-1, 9)]), field([(0, 8)]), field([(0, 8)]), field([(0, 8)])]
    return module(lambda: function("combine_both_ext", types, body))


@program("an extra result stored across the plane: nothing is written beyond it",
         by_hand=lambda u, v, w: {1: np.concatenate([u[:4] * 2.0, u[4:]]),
                                  2: np_put(w, np.s_[:4], u[:4] - 1.0)},
         equivalent={"16 stencil.store extent 0": "nothing is written so far up"})
def combine_ext_across():
    def body(u, v, w):
        values = load(u)
        low, extra = apply([values], 1, lambda t: [t[0] * 2.0, t[0] - 1.0])
        high = apply([values], 1, lambda t: t[0])
        joined, below = combine(0, 4, [low], [high], lowerext=[extra])
        store(joined, v, (0, 8))
        store(below, w, (0, 8))

    return module(lambda: function("combine_ext_across", [field([(0, 8)])] * 3, body))


@program("one apply of two results on both sides", by_hand=lambda u, v: {
    1: np.concatenate([u[:3] * 2.0, u[3:8] - 7.0])})
def combine_same_apply():
    def body(u, v):
        doubled, lowered = apply([load(u)], 1, lambda t: [t[0] * 2.0, t[0] - 7.0])
        store(combine(0, 3, [doubled], [lowered]), v, (0, 8))

    return module(lambda: function("combine_same_apply", [field([(0, 8)])] * 2, body))


@program("one apply on both sides, its results exchanged between them", by_hand=lambda u, v, w: {
    1: np.concatenate([u[:3] * 2.0, u[3:8] - 7.0]),
    2: np.concatenate([u[:3] - 7.0, u[3:8] * 2.0])})
def combine_exchanged():
    def body(u, v, w):
        doubled, lowered = apply([load(u)], 1, lambda t: [t[0] * 2.0, t[0] - 7.0])
        first, second = combine(0, 3, [doubled, lowered], [lowered, doubled])
        store(first, v, (0, 8))
        store(second, w, (0, 8))

    return module(lambda: function("combine_exchanged", [field([(0, 8)])] * 3, body))


@program("one apply on both sides, and as an extra result")
def combine_same_apply_ext():
    def body(u, v, w):
        a, b, c = apply([load(u)], 2, lambda t: [t[0, 0] * 2.0, t[0, 1], t[1, 0] - t[0, 0]])
        joined, below = combine(1, 2, [a], [b], lowerext=[c])
        store(joined, v, (0, 4), (0, 6))
        store(below, w, (0, 4), (0, 2))

    types = [field([(0, 5), (0, 7)]), field([(0, 4), (0, 6)]), field([(0, 4), (0, 6)])]
    return module(lambda: function("combine_same_apply_ext", types, body))


@program("a combine of combines: four quadrants", by_hand=lambda u, v: {1: np.block([
    [u[:2, :3] * 2.0, u[:2, 3:] * 3.0], [u[2:, :3] * 5.0, u[2:, 3:] * 7.0]])})
def quadrants():
    def body(u, v):
        values = load(u)
        parts = [apply([values], 2, lambda t, k=k: t[0, 0] * k) for k in (2.0, 3.0, 5.0, 7.0)]
        top = combine(1, 3, [parts[0]], [parts[1]])
        bottom = combine(1, 3, [parts[2]], [parts[3]])
        store(combine(0, 2, [top], [bottom]), v, (0, 5), (0, 6))

    return module(lambda: function("quadrants", [field([(0, 5), (0, 6)])] * 2, body))


@program("an apply that reads across the plane of a combine")
def read_across():
    def body(u, v):
        lower, upper = two_sides(load(u), 1)
        joined = combine(0, 4, [lower], [upper])
        store(apply([joined], 1, lambda t: t[1] - t[-1]), v, (1, 8))

    return module(lambda: function("read_across", [field([(0, 10)]), field([(0, 9)])], body))
