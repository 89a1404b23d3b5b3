"""Element types and the arithmetic on them."""

import numpy as np

from construct import *
from programs import program


def difference(element):
    """Two fields of one type, and what the upper one gets."""
    def point(t):
        return (t[1] - t[-1]) * 0.3 + t[0] * t[0]

    def body(u, v):
        store(apply([load(u)], 1, point), v, (0, 16))

    return [field([(-1, 17)], element), field([(0, 16)], element)], body


def by_numpy(kind):
    return lambda u, v: {1: (u[2:] - u[:-2]) * kind(0.3) + u[1:-1] * u[1:-1]}


@program("f16: every operation is rounded", by_hand=by_numpy(np.float16))
def half():
    return module(lambda: function("half", *difference(f16)))


@program("bf16: every operation is rounded")
def brain():
    return module(lambda: function("brain", *difference(bf16)))


@program("f32", by_hand=by_numpy(np.float32))
def single():
    return module(lambda: function("single", *difference(f32)))


def integer_point(t):
    return (t[1] - t[-1]) * 3 + t[0] % 7 - pick(arith.MaxSIOp, t[0], t[1])


def integers(element):
    def body(u, v):
        store(apply([load(u)], 1, integer_point), v, (0, 12))

    return [field([(-1, 13)], element), field([(0, 12)], element)], body


def integers_by_numpy(u, v):
    left, middle, right = u[:-2], u[1:-1], u[2:]
    rest = np.fmod(middle, middle.dtype.type(7))
    return {1: (right - left) * 3 + rest - np.maximum(middle, right)}


@program("i32: differences, products, remainders with their sign", by_hand=integers_by_numpy)
def words():
    return module(lambda: function("words", *integers(i32)))


@program("i64", by_hand=integers_by_numpy)
def long_words():
    return module(lambda: function("long_words", *integers(i64)))


@program("i8 and i16: sums that wrap", by_hand=lambda u, v: {
    1: (u[:-1] + u[1:]).astype(np.int16) * np.int16(300)})
def short_words():
    def body(u, v):
        def point(t):
            return convert(arith.ExtSIOp, t[0] + t[1], builtin.i16) * 300

        store(apply([load(u)], 1, point), v, (0, 12))

    types = [field([(0, 13)], builtin.i8), field([(0, 12)], builtin.i16)]
    return module(lambda: function("short_words", types, body))


@program("f32 in memory, f64 in between", by_hand=lambda u, v: {
    1: (u[2:].astype(np.float64) / u[1:-1] - u[:-2] * np.float64(0.1)).astype(np.float32)})
def widened():
    def point(t):
        left, middle, right = (convert(arith.ExtFOp, t[place], f64) for place in (-1, 0, 1))
        return convert(arith.TruncFOp, right / middle - left * 0.1, f32)

    def body(u, v):
        store(apply([load(u)], 1, point), v, (0, 12))

    types = [field([(-1, 13)], f32), field([(0, 12)], f32)]
    return module(lambda: function("widened", types, body))


@program("f64 to bf16 and f16, rounded once")
def narrowed():
    def body(u, v, w):
        def point(t):
            both = t[0] * t[1]
            return [convert(arith.TruncFOp, both, bf16), convert(arith.TruncFOp, both, f16)]

        brains, halves = apply([load(u)], 1, point)
        store(brains, v, (0, 12))
        store(halves, w, (0, 12))

    types = [field([(0, 13)]), field([(0, 12)], bf16), field([(0, 12)], f16)]
    return module(lambda: function("narrowed", types, body))


@program("comparison and selection: a limiter")
def limiter():
    def point(t):
        left, right = t[0] - t[-1], t[1] - t[0]
        smaller = select(compare("olt", unary(math.AbsFOp, left), unary(math.AbsFOp, right)),
                         left, right)
        same = compare("ogt", left * right, 0.0)
        return select(same, smaller, number(0.0, f64))

    def body(u, v):
        store(apply([load(u)], 1, point), v, (0, 12))

    return module(lambda: function("limiter", [field([(-1, 13)]), field([(0, 12)])], body))


@program("roots, magnitudes, quotients, minima and maxima", by_hand=lambda u, v: {
    1: np.maximum(np.sqrt(np.abs(u[:-1])) / u[1:], np.minimum(u[:-1], -u[1:]))})
def roots():
    def point(t):
        quotient = unary(math.SqrtOp, unary(math.AbsFOp, t[0])) / t[1]
        return pick(arith.MaximumfOp, quotient, pick(arith.MinimumfOp, t[0], -t[1]))

    def body(u, v):
        store(apply([load(u)], 1, point), v, (0, 12))

    return module(lambda: function("roots", [field([(0, 13)]), field([(0, 12)])], body))


@program("`math.fpowi`, as Devito writes powers", by_hand=lambda u, v: {
    1: u[1:-1] * (1.0 / (u[:-2] * u[:-2])) + u[2:] * (u[2:] * u[2:])})
def powers():
    def point(t):
        return t[0] * power(t[-1], -2) + power(t[1], 3)

    def body(u, v):
        store(apply([load(u)], 1, point), v, (0, 12))

    return module(lambda: function("powers", [field([(-1, 13)]), field([(0, 12)])], body))


# Bounds of exp (3) and sin (4) in units in the last place, and the rounding of the product: 8
# units, relative to the largest result.
@program("functions that no machine rounds correctly", within=8 * 2.0 ** -52,
         by_hand=lambda u, v: {1: np.exp(u[:-1]) * np.sin(u[1:])})
def transcendental():
    def point(t):
        return unary(math.ExpOp, t[0]) * unary(math.SinOp, t[1])

    def body(u, v):
        store(apply([load(u)], 1, point), v, (0, 12))

    return module(lambda: function("transcendental", [field([(0, 13)]), field([(0, 12)])], body))
