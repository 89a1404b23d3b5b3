"""What an apply gives: unrolled bodies, several results, `store_result` with and without value."""

import numpy as np

from construct import *
from programs import np_put, program

UNROLLED = (
    "an unrolled body is run at the first point of each group only, so the offsets of the others "
    "are too far by their place in the group; xDSL adds them to the last point as well"
)


@program("four points of a line at once", bounds_differ=UNROLLED, by_hand=lambda u, v: {
    1: u[:-2] - u[2:]})
def unroll_line():
    def point(t):
        return [t[place - 1] - t[place + 1] for place in range(4)]

    def body(u, v):
        store(apply([load(u)], 1, point, unroll=[4]), v, (0, 16))

    types = [field([(-1, 17)]), field([(0, 16)])]
    return module(lambda: function("unroll_line", types, body))


@program("two results, two points each: results first, then points", bounds_differ=UNROLLED,
         by_hand=lambda u, v, w: {1: u[1:, :-1] + u[:-1, :-1], 2: u[:-1, 1:] * u[:-1, :-1]})
def unroll_results():
    def point(t):
        sums = [t[1, place] + t[0, place] for place in range(2)]
        return sums + [t[0, place + 1] * t[0, place] for place in range(2)]

    def body(u, v, w):
        sums, products = apply([load(u)], 2, point, unroll=[1, 2])
        store(sums, v, (0, 5), (0, 8))
        store(products, w, (0, 5), (0, 8))

    types = [field([(0, 6), (0, 9)]), field([(0, 5), (0, 8)]), field([(0, 5), (0, 8)])]
    return module(lambda: function("unroll_results", types, body))


@program("a box of two by three points of a volume at once", bounds_differ=UNROLLED)
def unroll_box():
    def point(t):
        return [t[row, 0, column - 1] - t[row + 1, 1, column]
                for row in range(2) for column in range(3)]

    def body(u, v):
        store(apply([load(u)], 3, point, unroll=[2, 1, 3]), v, (0, 4), (-2, 2), (0, 6))

    types = [field([(0, 5), (-2, 3), (-1, 6)]), field([(0, 4), (-2, 2), (0, 6)])]
    return module(lambda: function("unroll_box", types, body))


@program("points of a group that compute different things", bounds_differ=UNROLLED,
         by_hand=lambda u, v: {1: np_put(np_put(v, np.s_[0::2], u[0::2] + u[1::2]),
                                         np.s_[1::2], u[0::2] - u[1::2])})
def unroll_uneven():
    def body(u, v):
        transform = apply([load(u)], 1, lambda t: [t[0] + t[1], t[0] - t[1]], unroll=[2])
        store(transform, v, (0, 12))

    return module(lambda: function("unroll_uneven", [field([(0, 12)])] * 2, body))


@program("unrolled, with values in `store_result`", bounds_differ=UNROLLED)
def unroll_stored():
    def body(u, v):
        both = apply([load(u)], 1, lambda t: [stored(t[0] * 2.0), stored(t[1] * 2.0)], unroll=[2])
        store(both, v, (-4, 4))

    return module(lambda: function("unroll_stored", [field([(-4, 4)])] * 2, body))


@program("every value in a `store_result`")
def always_stored():
    def body(u, v):
        store(apply([load(u)], 2, lambda t: stored(t[0, 1] + t[1, 0])), v, (0, 5), (0, 6))

    types = [field([(0, 6), (0, 7)]), field([(0, 5), (0, 6)])]
    return module(lambda: function("always_stored", types, body))


def red_black(u, v):
    rows, columns = np.indices(v.shape)
    return {1: np.where((rows + columns) % 2 == 0, u[:-2, 1:-1] + u[2:, 1:-1], v)}


@program("every second point is not written, like the squares of a chess board",
         by_hand=red_black)
def chess_board():
    def point(t):
        rest = (coordinate(0, [0, 0]) + coordinate(1, [0, 0])) % 2
        kind = stencil.ResultType(f64)
        return if_else(compare("eq", rest, 0), [kind],
                       lambda: stored(t[-1, 0] + t[1, 0]), lambda: not_stored(f64))[0]

    def body(u, v):
        store(apply([load(u)], 2, point), v, (0, 6), (0, 7))

    types = [field([(-1, 7), (-1, 8)]), field([(0, 6), (0, 7)])]
    return module(lambda: function("chess_board", types, body))


@program("a point that is never written, next to a result that is",
         by_hand=lambda u, v, w: {1: -u},
         equivalent={"10 stencil.store extent 0": "it stores no value"})
def never_stored():
    def body(u, v, w):
        kept, dropped = apply([load(u)], 1, lambda t: [stored(-t[0]), not_stored(f64)])
        store(kept, v, (0, 6))
        store(dropped, w, (0, 6))

    return module(lambda: function("never_stored", [field([(0, 6)])] * 3, body))


@program("two results of different types")
def two_types():
    def body(u, v, w):
        def point(t):
            return [t[1] - t[0], convert(arith.TruncFOp, t[0] * t[-1], f32)]

        wide, narrow = apply([load(u)], 1, point)
        store(wide, v, (0, 7))
        store(narrow, w, (0, 7))

    types = [field([(-1, 8)]), field([(0, 7)]), field([(0, 7)], f32)]
    return module(lambda: function("two_types", types, body))


@program("one temp stored to two fields, on different boxes")
def two_stores():
    def body(u, v, w):
        values = apply([load(u)], 1, lambda t: t[0] * t[0])
        store(values, v, (0, 5))
        store(values, w, (3, 8))

    return module(lambda: function("two_stores", [field([(0, 8)])] * 3, body))


def edges(u, v):
    changed = v.copy()
    changed[1:-1, 1:-1] = u[:-2, 1:-1] - u[2:, 1:-1]
    changed[0, :] = u[1, :]
    changed[-1, :] = u[-2, :]
    return {1: changed}


@program("boundary strips: several applies store to parts of one field", by_hand=edges)
def strips():
    def body(u, v):
        values = load(u)
        store(apply([values], 2, lambda t: t[-1, 0] - t[1, 0]), v, (1, 7), (1, 6))
        store(apply([values], 2, lambda t: t[1, 0]), v, (0, 1), (0, 7))
        store(apply([values], 2, lambda t: t[-1, 0]), v, (7, 8), (0, 7))

    return module(lambda: function("strips", [field([(0, 8), (0, 7)])] * 2, body))


@program("stores that overlap: the last one stays", by_hand=lambda u, v: {
    1: np_put(np_put(v, np.s_[0:6], u[0:6] * 2.0), np.s_[4:9], -u[4:9])},
         equivalent={"8 stencil.store extent 0": "the second store covers the cell"})
def overlap():
    def body(u, v):
        values = load(u)
        store(apply([values], 1, lambda t: t[0] * 2.0), v, (0, 6))
        store(apply([values], 1, lambda t: -t[0]), v, (4, 9))

    return module(lambda: function("overlap", [field([(0, 9)])] * 2, body))
