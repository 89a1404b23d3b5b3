"""What belongs to the toolchains of others: memrefs are fields here, the rest is not run."""

from construct import *
from programs import program

GRID = [(0, 8), (0, 8)]


@program("fields out of memrefs and back: `external_load`, `external_store`",
         by_hand=lambda a, b: {1: a * 2.0})
def external():
    outside = memref.MemRefType(f64, [8, 8])

    def body(a, b):
        u = Value(stencil.ExternalLoadOp(a.ssa, field(GRID)).result)
        v = Value(stencil.ExternalLoadOp(b.ssa, field(GRID)).result)
        store(apply([load(u)], 2, lambda t: t[0, 0] * 2.0), v, *GRID)
        stencil.ExternalStoreOp.build(operands=[v.ssa, b.ssa])

    return module(lambda: function("external", [outside, outside], body))


@program("`reduce` with `yield`", refused="'stencil.reduce'", scalars={0: 1.0, 1: 2.0})
def reduction():
    def body(total, zero):
        block = Block(arg_types=[f64, f64])
        with ImplicitBuilder(block):
            stencil.YieldOp((Value(block.args[0]) + Value(block.args[1])).ssa)
        stencil.ReduceOp(total.ssa, zero.ssa, Region(block))

    return module(lambda: function("reduction", [f64, f64], body))


@program("elements that are tensors", refused="tensor")
def tensors():
    element = builtin.TensorType(f32, [16])

    def body(u, v):
        store(apply([load(u)], 2, lambda t: Value(
            arith.AddfOp(t[-1, 0].ssa, t[0, 1].ssa).result)), v, (0, 4), (0, 4))

    types = [field([(-1, 5), (-1, 5)], element)] * 2
    return module(lambda: function("tensors", types, body))


@program("a buffer that is a field, as bufferization leaves it for a moment", runs={})
def buffer_field():
    def body(u):
        values = apply([load(u)], 1, lambda t: t[0])
        stencil.BufferOp.build(operands=[values.ssa], result_types=[field(1)])

    return module(lambda: function("buffer_field", [field([(0, 8)])], body))


def exchanges():
    yield dmp.ExchangeDeclarationAttr([4, 0], [1, 4], [-1, 0], [1, 0])
    yield dmp.ExchangeDeclarationAttr([-1, 0], [1, 4], [1, 0], [-1, 0])


@program("`dmp.swap` of a temp on a grid of processes", refused="dmp.swap")
def swap_temp():
    strategy = dmp.GridSlice2dAttr([2, 2])

    def body(u, v):
        values = swap(load(u, bounds((-1, 5), (-1, 5))), strategy, exchanges())
        store(apply([values], 2, lambda t: t[-1, 0] + t[1, 0]), v, (0, 4), (0, 4))

    types = [field([(-1, 5), (-1, 5)])] * 2
    return module(lambda: function("swap_temp", types, body))


@program("`dmp.swap` of a field, in three dimensions", refused="dmp.swap")
def swap_field():
    def body(u, v):
        swap(u, dmp.GridSlice3dAttr([2, 1, 2]))
        store(apply([load(u)], 3, lambda t: t[0, 0, 1]), v, (0, 4), (0, 4), (0, 4))

    types = [field([(-1, 5)] * 3)] * 2
    return module(lambda: function("swap_field", types, body))
