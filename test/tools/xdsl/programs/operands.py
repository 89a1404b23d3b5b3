"""What an apply takes: fields of lower rank, scalars, several fields with halos of their own."""

from construct import *
from programs import program


@program("a coefficient for each row and one for each column", by_hand=lambda u, r, c, v: {
    3: u[:, 1:] * r[1:-1, None] + c[None, 2:] * r[2:, None]})
def rows_and_columns():
    def point(t, row, column):
        return t[0, 1] * row[0, None] + column[None, 2] * row[1, None]

    def body(u, row, column, v):
        store(apply([load(u), load(row), load(column)], 2, point), v, (0, 6), (0, 7))

    types = [field([(0, 6), (0, 8)]), field([(-1, 7)]), field([(0, 9)]), field([(0, 6), (0, 7)])]
    return module(lambda: function("rows_and_columns", types, body))


@program("planes of every orientation in a volume")
def planes():
    def point(t, a, b, c):
        return t[0, 0, 0] * a[0, 1, None] + b[-1, None, 0] * c[None, 0, 1]

    def body(u, a, b, c, v):
        operands = [load(each) for each in (u, a, b, c)]
        store(apply(operands, 3, point), v, (0, 4), (0, 5), (0, 6))

    types = [field([(0, 4), (0, 5), (0, 6)]), field([(0, 4), (0, 6)]), field([(-1, 4), (0, 6)]),
             field([(0, 5), (0, 7)]), field([(0, 4), (0, 5), (0, 6)])]
    return module(lambda: function("planes", types, body))


@program("a profile along each dimension of a volume")
def profiles():
    def point(t, a, b, c):
        return (t[0, 0, 0] + a[-1, None, None]) * b[None, 1, None] - c[None, None, 0]

    def body(u, a, b, c, v):
        operands = [load(each) for each in (u, a, b, c)]
        store(apply(operands, 3, point), v, (0, 4), (-2, 3), (0, 6))

    types = [field([(0, 4), (-2, 3), (0, 6)]), field([(-1, 4)]), field([(-2, 4)]),
             field([(0, 6)]), field([(0, 4), (-2, 3), (0, 6)])]
    return module(lambda: function("profiles", types, body))


@program("an apply of rank 1 feeds one of rank 2")
def low_rank_producer():
    def body(profile, u, v):
        slope = apply([load(profile)], 1, lambda t: t[1] - t[-1])
        product = apply([slope, load(u)], 2, lambda s, t: s[None, -1] * t[0, 0])
        store(product, v, (0, 5), (0, 7))

    types = [field([(-2, 7)]), field([(0, 5), (0, 7)]), field([(0, 5), (0, 7)])]
    return module(lambda: function("low_rank_producer", types, body))


@program("scalars: a float and an index", scalars={2: 0.3, 3: 5}, by_hand=lambda u, v, dt, n: {
    1: u + dt * (u * float(n))})
def scalars():
    def point(t, dt, n):
        whole = convert(arith.SIToFPOp, convert(arith.IndexCastOp, n, i64), f64)
        return t[0] + dt * (t[0] * whole)

    def body(u, v, dt, n):
        store(apply([load(u), dt, n], 1, point), v, (0, 9))

    return module(lambda: function("scalars", [field([(0, 9)])] * 2 + [f64, INDEX], body))


@program("a scalar that is computed outside of the apply", scalars={2: 0.25, 3: 3.0})
def scalar_expression():
    def body(u, v, dt, h):
        factor = dt / (h * h)
        store(apply([load(u), factor], 1, lambda t, k: (t[1] - t[-1]) * k), v, (1, 8))

    return module(lambda: function("scalar_expression", [field([(0, 9)])] * 2 + [f64, f64], body))


@program("five fields, each with a halo of its own")
def halos():
    def point(a, b, c, d):
        return a[0, 0] + b[-1, 0] * c[0, 2] - d[1, -1]

    def body(a, b, c, d, v):
        operands = [load(each) for each in (a, b, c, d)]
        store(apply(operands, 2, point), v, (0, 6), (0, 6))

    types = [field([(0, 6), (0, 6)]), field([(-1, 5), (0, 6)]), field([(0, 6), (2, 8)]),
             field([(1, 7), (-1, 5)]), field([(0, 6), (0, 6)])]
    return module(lambda: function("halos", types, body))


@program("one temp twice among the operands, and one that is not read")
def same_twice():
    def body(u, w, v):
        values = load(u)
        both = apply([values, load(w), values], 1, lambda a, unread, b: a[1] * b[-1])
        store(both, v, (0, 8))

    types = [field([(-1, 9)]), field([(0, 8)]), field([(0, 8)])]
    return module(lambda: function("same_twice", types, body))


@program("a field itself as operand of an apply with results",
         bounds_differ="shape inference stops at an assertion: an access reads temps only")
def field_operand():
    def body(u, v):
        store(apply([u], 1, lambda f: f[1] - f[-1]), v, (0, 8))

    return module(lambda: function("field_operand", [field([(-1, 9)]), field([(0, 8)])], body))


@program("no operand at all")
def no_operand():
    def point():
        return convert(arith.SIToFPOp, convert(arith.IndexCastOp, coordinate(0, [0]), i32), f64)

    def body(v):
        store(apply([], 1, point), v, (-3, 5))

    return module(lambda: function("no_operand", [field([(-4, 6)])], body))
