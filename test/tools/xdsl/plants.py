"""Differences planted in a module, each of which a comparison must see.

A comparison that cannot fail shows nothing. For every program, each of its accesses is moved by a
cell, each store is made a cell smaller, operands are exchanged, constants and the planes of
combines moved: one change at a time, in a copy of the module.
"""

from xdsl.dialects import arith, builtin, scf, stencil

EXCHANGEABLE = (arith.SubfOp, arith.SubiOp, arith.DivfOp)


def moved(index, dimension, by):
    values = list(index)
    values[dimension] += by
    return stencil.IndexAttr.from_indices(*values)


def access(op):
    for dimension in range(len(op.offset)):
        def change(op, dimension=dimension):
            op.attributes["offset"] = moved(op.offset, dimension, 1)

        yield f"offset {dimension}", change


def store(op):
    for dimension in range(len(op.bounds.lb)):
        if op.bounds.ub.array.data[dimension].data - op.bounds.lb.array.data[dimension].data < 2:
            continue

        def change(op, dimension=dimension):
            upper = moved(op.bounds.ub, dimension, -1)
            op.properties["bounds"] = stencil.StencilBoundsAttr(op.bounds.lb, upper)

        yield f"extent {dimension}", change


def exchange(first, second):
    def change(op):
        values = list(op.operands)
        values[first], values[second] = values[second], values[first]
        op.operands = values

    return change


def constant(op):
    value = op.value

    def change(op):
        if isinstance(value, builtin.FloatAttr):
            other = builtin.FloatAttr(value.value.data * 1.25 + 0.5, value.type)
        else:
            other = builtin.IntegerAttr(value.value.data + 1, value.type)
        op.properties["value"] = other

    yield "value", change


def plane(op):
    def change(op):
        op.properties["index"] = builtin.IntegerAttr(op.index.value.data + 1, op.index.type)

    yield "plane", change


def coordinate(op):
    dimension = op.dim.value.data

    def change(op):
        op.properties["offset"] = moved(op.offset, dimension, 1)

    yield "offset", change


def of_op(op):
    match op:
        case stencil.AccessOp():
            yield from access(op)
        case stencil.StoreOp():
            yield from store(op)
        case arith.ConstantOp():
            yield from constant(op)
        case stencil.CombineOp():
            yield from plane(op)
        case stencil.IndexOp():
            yield from coordinate(op)
        case arith.SelectOp():
            yield "exchange", exchange(1, 2)
        case stencil.ReturnOp() | scf.YieldOp() if len(op.operands) > 1:
            if op.operands[0].type == op.operands[1].type and op.operands[0] != op.operands[1]:
                yield "exchange", exchange(0, 1)
        case _ if isinstance(op, EXCHANGEABLE) and op.operands[0] != op.operands[1]:
            yield "exchange", exchange(0, 1)


def planted(module):
    """Pairs of a name and a copy of the module with one difference."""
    for number, op in enumerate(module.walk()):
        for name, change in of_op(op):
            copy = module.clone()
            change(list(copy.walk())[number])
            yield f"{number} {op.name} {name}", copy
