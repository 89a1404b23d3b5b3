"""Builds stencil programs with xDSL's classes: no text is read and none is written here.

`program` gives a module, `function` opens a function in it, and the operators of `Value` append
xDSL's ops to the block that is open. A value that is indexed is read: `t[-1, 0]` is a
`stencil.access`, and `None` stands for a dimension that the operand lacks.
"""

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, builtin, func, math, memref, scf, stencil
from xdsl.dialects.builtin import bf16, f16, f32, f64, i1, i32, i64
from xdsl.dialects.experimental import dmp
from xdsl.ir import Block, Region

INDEX = builtin.IndexType()
FLOATS = (f16, bf16, f32, f64)


def bounds(*dimensions):
    """`#stencil.bounds` of one (lower, upper) per dimension."""
    return stencil.StencilBoundsAttr.from_bounds(dimensions)


def extent(shape):
    """Bounds, or, for a rank, none."""
    return builtin.IntAttr(shape) if isinstance(shape, int) else bounds(*shape)


def field(shape, element=f64):
    """A field's type; `shape` is a list of bounds, or a rank."""
    return stencil.FieldType(extent(shape), element)


def temp(shape, element=f64):
    """A temp's type; `shape` is a list of bounds, or a rank."""
    return stencil.TempType(extent(shape), element)


class Value:
    """An SSA value whose operators append ops."""

    def __init__(self, ssa):
        self.ssa = ssa

    @property
    def type(self):
        return self.ssa.type

    def __getitem__(self, offset):
        offset = offset if isinstance(offset, tuple) else (offset,)
        mapping = [dimension for dimension, value in enumerate(offset) if value is not None]
        known = [value for value in offset if value is not None]
        lacking = len(known) < len(offset)
        return Value(stencil.AccessOp(self.ssa, known, mapping if lacking else None).res)

    def binary(self, other, on_floats, on_integers, swapped=False):
        other = number(other, self.type)
        op = on_floats if self.type in FLOATS else on_integers
        left, right = (other, self) if swapped else (self, other)
        return Value(op(left.ssa, right.ssa).result)

    def __add__(self, other):
        return self.binary(other, arith.AddfOp, arith.AddiOp)

    def __radd__(self, other):
        return self.binary(other, arith.AddfOp, arith.AddiOp, swapped=True)

    def __sub__(self, other):
        return self.binary(other, arith.SubfOp, arith.SubiOp)

    def __rsub__(self, other):
        return self.binary(other, arith.SubfOp, arith.SubiOp, swapped=True)

    def __mul__(self, other):
        return self.binary(other, arith.MulfOp, arith.MuliOp)

    def __rmul__(self, other):
        return self.binary(other, arith.MulfOp, arith.MuliOp, swapped=True)

    def __truediv__(self, other):
        return self.binary(other, arith.DivfOp, arith.DivSIOp)

    def __mod__(self, other):
        return self.binary(other, None, arith.RemSIOp)

    def __neg__(self):
        return Value(arith.NegfOp(self.ssa).result)


def number(value, type):
    """A value as it is, or a constant."""
    if isinstance(value, Value):
        return value
    if type in FLOATS:
        attribute = builtin.FloatAttr(value, type)
    else:
        attribute = builtin.IntegerAttr(value, type)
    return Value(arith.ConstantOp(attribute).result)


def unary(op, value):
    """A math function, by the class of its op."""
    return Value(op(value.ssa).result)


def pick(op, left, right):
    """A binary op without an operator of Python: minima, maxima, `math.powf` ..."""
    return Value(op(left.ssa, number(right, left.type).ssa).result)


def convert(op, value, type):
    return Value(op(value.ssa, type).result)


def compare(predicate, left, right):
    op = arith.CmpfOp if left.type in FLOATS else arith.CmpiOp
    return Value(op(left.ssa, number(right, left.type).ssa, predicate).result)


def select(condition, yes, no):
    return Value(arith.SelectOp(condition.ssa, yes.ssa, no.ssa).result)


def power(base, exponent):
    exponent = number(exponent, i32)
    return Value(math.FPowIOp(base.ssa, exponent.ssa).result)


# ---- regions and functions ---------------------------------------------------------------------


def wrapped(values):
    return [Value(value) for value in values]


def unwrapped(values):
    values = values if isinstance(values, (list, tuple)) else [values]
    return [value.ssa for value in values]


def module(*makers):
    """A module of the functions that `makers` append."""
    made = builtin.ModuleOp([])
    with ImplicitBuilder(made.body.block):
        for maker in makers:
            maker()
    made.verify()
    return made


def function(name, types, body, attributes=None):
    """A function; `body` takes its arguments and appends ops."""
    block = Block(arg_types=types)
    with ImplicitBuilder(block):
        body(*wrapped(block.args))
        func.ReturnOp()
    made = func.FuncOp(name, (types, []), Region(block))
    made.attributes.update(attributes or {})


def if_else(condition, types, yes, no):
    """`scf.if`; both sides are functions that give its values."""
    regions = []
    for side in (yes, no):
        block = Block()
        with ImplicitBuilder(block):
            scf.YieldOp(*unwrapped(side()))
        regions.append(Region(block))
    made = scf.IfOp(condition.ssa, types, *regions)
    return wrapped(made.results)


def loop(first, last, step, carried, body):
    """`scf.for`; `body` takes the iteration and what is carried, and gives what is next."""
    first, last, step = (number(value, INDEX).ssa for value in (first, last, step))
    block = Block(arg_types=[INDEX, *(value.type for value in carried)])
    with ImplicitBuilder(block):
        scf.YieldOp(*unwrapped(body(*wrapped(block.args))))
    made = scf.ForOp(first, last, step, unwrapped(carried), Region(block))
    return wrapped(made.results)


# ---- ops of the dialect ------------------------------------------------------------------------


def load(source, box=None):
    lower, upper = (box.lb, box.ub) if box else (None, None)
    return Value(stencil.LoadOp(source.ssa, lower, upper).res)


def store(value, target, *dimensions):
    stencil.StoreOp(value.ssa, target.ssa, bounds(*dimensions))


def body_of(operands, make, unroll):
    """An apply's block, and the types of the elements that it returns."""
    block = Block(arg_types=[operand.type for operand in operands])
    with ImplicitBuilder(block):
        values = make(*wrapped(block.args))
        values = unwrapped(values)
        end = stencil.ReturnOp(values)
        if unroll:
            end.properties["unroll"] = stencil.IndexAttr.from_indices(*unroll)
    points = end.unroll_factor
    types = [value.type for value in values[::points]]
    return block, [t.elem if isinstance(t, stencil.ResultType) else t for t in types]


def apply(operands, shape, make, unroll=None):
    """An apply with results; `shape` is their rank or their bounds."""
    block, elements = body_of(operands, make, unroll)
    types = [temp(shape, element) for element in elements]
    results = wrapped(stencil.ApplyOp(unwrapped(operands), block, types).res)
    return results[0] if len(results) == 1 else results


def apply_to(operands, targets, box, make, unroll=None):
    """An apply that writes to fields."""
    block, _ = body_of(operands, make, unroll)
    stencil.ApplyOp.build(
        operands=[unwrapped(operands), unwrapped(targets)],
        regions=[Region(block)],
        result_types=[[]],
        properties={"bounds": bounds(*box)},
    )


def combine(dimension, at, lower, upper, lowerext=(), upperext=(), shape=None):
    """A combine; all groups are lists of temps."""
    sources = [*lower, *lowerext, *upperext]
    types = [temp(shape or source.type.get_num_dims(), source.type.element_type)
             for source in sources]
    made = stencil.CombineOp.build(
        operands=[unwrapped(group) for group in (lower, upper, lowerext, upperext)],
        result_types=[types],
        properties={
            "dim": builtin.IntegerAttr(dimension, INDEX),
            "index": builtin.IntegerAttr(at, INDEX),
        },
    )
    results = wrapped(made.results_)
    return results[0] if len(results) == 1 else results


def buffer(value):
    return Value(stencil.BufferOp(value.ssa).res)


def cast(source, *dimensions):
    return Value(stencil.CastOp(source.ssa, bounds(*dimensions)).result)


def alloc(shape, element=f64):
    return Value(stencil.AllocOp.build(result_types=[field(shape, element)]).field)


def coordinate(dimension, offset):
    made = stencil.IndexOp.build(
        properties={
            "dim": builtin.IntegerAttr(dimension, INDEX),
            "offset": stencil.IndexAttr.from_indices(*offset),
        },
        result_types=[INDEX],
    )
    return Value(made.idx)


def dyn_access(source, place, lower, upper):
    lower, upper = (stencil.IndexAttr.from_indices(*corner) for corner in (lower, upper))
    made = stencil.DynAccessOp.build(
        operands=[source.ssa, unwrapped(place)],
        properties={"lb": lower, "ub": upper},
        result_types=[source.type.element_type],
    )
    return Value(made.res)


def stored(value):
    made = stencil.StoreResultOp.build(
        operands=[[value.ssa]], result_types=[stencil.ResultType(value.type)]
    )
    return Value(made.res)


def not_stored(element):
    made = stencil.StoreResultOp.build(
        operands=[[]], result_types=[stencil.ResultType(element)]
    )
    return Value(made.res)


def swap(value, strategy, exchanges=()):
    made = dmp.SwapOp.get(value.ssa, strategy, builtin.ArrayAttr(exchanges))
    return Value(made.swapped_values) if made.swapped_values else None


__all__ = [name for name in globals() if not name.startswith("_")]
