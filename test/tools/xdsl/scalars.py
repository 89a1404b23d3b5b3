"""Scalar ops on arrays of NumPy, after `dialects/docs/arithmetic.md`: every result rounded once.

A bf16 value is held as the f32 that equals it; in memory it is its 16 bits.
"""

import numpy as np

FLOATS = {"f16": np.float16, "bf16": np.float32, "f32": np.float32, "f64": np.float64}
INTEGERS = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
            "index": np.int64}


def dtype_of(element):
    """What values of a type are held in."""
    return np.dtype({**FLOATS, **INTEGERS}[str(element)])


def stored_dtype(element):
    """What a file of a field holds."""
    return np.dtype(np.uint16) if str(element) == "bf16" else dtype_of(element)


def to_bits(values, element):
    """Values as a field holds them."""
    if str(element) != "bf16":
        return values
    return (values.astype(np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)


def from_bits(values, element):
    if str(element) != "bf16":
        return values
    return (values.astype(np.uint32) << np.uint32(16)).view(np.float32)


def round_to_bf16(values):
    """Nearest, ties to even, from f64 or f32 in one step, as f32."""
    exact = np.asarray(values, np.float64)
    near = exact.astype(np.float32)
    bits = near.view(np.uint32)
    # To odd first: an f32 with an odd last digit tells that digits were lost, and on which side.
    above = np.abs(near.astype(np.float64)) > np.abs(exact)
    lost = (near.astype(np.float64) != exact) & np.isfinite(exact) & np.isfinite(near)
    towards_zero = np.where(lost & above, bits - np.uint32(1), bits)
    odd = np.where(lost, towards_zero | np.uint32(1), bits)
    half = np.uint32(0x7FFF) + ((odd >> np.uint32(16)) & np.uint32(1))
    rounded = np.where(np.isnan(exact), bits | np.uint32(0x400000), odd + half)
    return (rounded & np.uint32(0xFFFF0000)).astype(np.uint32).view(np.float32)


def finish(op, values):
    """Holds results in their type, rounded where NumPy has no such type."""
    element = op.results[0].type
    if str(element) == "bf16":
        return round_to_bf16(values)
    return np.asarray(values).astype(dtype_of(element))


def of(function):
    return lambda op, values: [finish(op, function(*values))]


def constant(op, values):
    value = op.value.value.data
    return [finish(op, np.asarray(value))]


def power(op, values):
    base, exponent = values[0], int(values[1])
    left, result, factor = abs(exponent), None, base
    while left:
        if left % 2:
            result = factor if result is None else finish(op, result * factor)
        left //= 2
        if left:
            factor = finish(op, factor * factor)
    result = np.ones_like(base) if result is None else result
    return [finish(op, 1 / result) if exponent < 0 else result]


COMPARE_FLOATS = {1: np.equal, 2: np.greater, 3: np.greater_equal, 4: np.less, 5: np.less_equal}
COMPARE_INTEGERS = {0: np.equal, 1: np.not_equal, 2: np.less, 3: np.less_equal, 4: np.greater,
                    5: np.greater_equal}


def compare(table):
    return lambda op, values: [table[op.predicate.value.data](*values)]


SCALARS = {
    "arith.constant": constant,
    "arith.addf": of(np.add),
    "arith.subf": of(np.subtract),
    "arith.mulf": of(np.multiply),
    "arith.divf": of(np.divide),
    "arith.negf": of(np.negative),
    "arith.maximumf": of(np.maximum),
    "arith.minimumf": of(np.minimum),
    "arith.addi": of(np.add),
    "arith.subi": of(np.subtract),
    "arith.muli": of(np.multiply),
    "arith.remsi": of(np.fmod),
    "arith.maxsi": of(np.maximum),
    "arith.minsi": of(np.minimum),
    "arith.ori": of(np.bitwise_or),
    "arith.andi": of(np.bitwise_and),
    "arith.extf": of(lambda value: value),
    "arith.truncf": of(lambda value: value),
    "arith.extsi": of(lambda value: value),
    "arith.sitofp": of(lambda value: value),
    "arith.index_cast": of(lambda value: value),
    "arith.cmpf": compare(COMPARE_FLOATS),
    "arith.cmpi": compare(COMPARE_INTEGERS),
    "arith.select": lambda op, values: [np.where(*values)],
    "math.absf": of(np.abs),
    "math.sqrt": of(np.sqrt),
    "math.exp": of(np.exp),
    "math.sin": of(np.sin),
    "math.fpowi": power,
}
