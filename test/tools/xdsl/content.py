"""What functions are run on: fields with random content, the same in every run."""

import zlib

import numpy as np
from xdsl.dialects import builtin, func, stencil

from scalars import FLOATS, dtype_of, round_to_bf16, to_bits


def functions(module):
    return {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}


def shape_of(argument):
    """The extents of a field; an argument of unknown bounds has those of its cast."""
    if isinstance(argument.type.bounds, stencil.StencilBoundsAttr):
        return argument.type.get_shape()
    casts = [use.operation for use in argument.uses if isinstance(use.operation, stencil.CastOp)]
    return casts[0].result.type.get_shape()


def random_field(shape, element, generator):
    if str(element) == "bf16":
        return to_bits(round_to_bf16(generator.uniform(-1, 1, shape)), element)
    if str(element) in FLOATS:
        return generator.uniform(-1, 1, shape).astype(dtype_of(element))
    # All bit patterns: sums and products wrap.
    kind = dtype_of(element)
    return generator.integers(np.iinfo(kind).min, np.iinfo(kind).max, shape, kind, endpoint=True)


def arguments(module, name, scalars):
    """Arrays and numbers for every argument of a function."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    made = []
    for position, argument in enumerate(functions(module)[name].body.block.args):
        if isinstance(argument.type, stencil.FieldType):
            shape, element = shape_of(argument), argument.type.element_type
            made.append(random_field(shape, element, generator))
        elif isinstance(argument.type, builtin.MemRefType):
            kind = argument.type
            made.append(random_field(kind.get_shape(), kind.element_type, generator))
        else:
            made.append(scalars[position])
    return made


def copied(arguments):
    return [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
