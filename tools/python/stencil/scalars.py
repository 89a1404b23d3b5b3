"""Typed numbers, and the operations that a host program computes with them.

A value is its type and its bits, nothing else, so NaNs, signed zeros and all 64 bits of an integer
survive. The operations are those of MLIR's `arith` and `math` that are exact or correctly rounded;
every host of a package computes the same bits, and passes one file of cases. What MLIR leaves
undefined (division by zero, conversions out of range, shifts too wide) is an error here.

Floats are computed in double precision and rounded once more to their own type. That is harmless
for add, sub, mul, div and sqrt of the narrower types, because 53 bits are at least twice 24 plus
two [Figueroa, When is double rounding innocuous?, SIGNUM Newsletter, 1995]. Fused multiply-adds and
conversions from integers, where it is not harmless, go through rational arithmetic. So does nothing
depend on how NumPy or the processor round.
"""

from __future__ import annotations

import ctypes
import math
import operator
import struct
from fractions import Fraction
from typing import Any, Callable, NamedTuple, Sequence, Union

from .errors import ArgumentError, StencilError

#: Bits of each type that carry its value; in memory a value has whole bytes.
BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64,
        "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
#: Fraction bits and exponent bits of the floating-point types.
FORMATS = {"f16": (10, 5), "bf16": (7, 8), "f32": (23, 8), "f64": (52, 11)}


class Scalar(NamedTuple):
    """A number of one of the types; equality is equality of bits."""

    type: str
    bits: int

    @property
    def signed(self) -> int:
        """The integer, read as signed: an `i1` is 0 or -1."""
        width = BITS[self.type]
        return self.bits - (1 << width) if self.bits >> (width - 1) else self.bits

    @property
    def is_nan(self) -> bool:
        """Whether this is a float that is no number."""
        return is_float(self.type) and math.isnan(widen(self))

    def __str__(self) -> str:
        if self.type == "i1":
            return "true" if self.bits else "false"
        return repr(widen(self)) if is_float(self.type) else str(self.signed)


#: An operation by its MLIR name, or a comparison with its predicate.
Operation = Union[str, "dict[str, str]"]


class ScalarError(StencilError):
    """An operation without a result; `kind` is the word for it in the table of cases."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def is_float(type_: str) -> bool:
    """Whether this is one of the floating-point types."""
    return type_ in FORMATS


def size_of(type_: str) -> int:
    """Bytes of a value in memory."""
    return (BITS[type_] + 7) // 8


def integer(type_: str, value: int) -> Scalar:
    """An integer, cut to the width of its type."""
    return Scalar(type_, value & ((1 << BITS[type_]) - 1))


def widen(value: Scalar) -> float:
    """A float as a double, which holds every value of the other types."""
    if value.type == "bf16":
        return float(struct.unpack("<f", struct.pack("<I", value.bits << 16))[0])
    whole, code = {"f16": ("<H", "<e"), "f32": ("<I", "<f"), "f64": ("<Q", "<d")}[value.type]
    return float(struct.unpack(code, struct.pack(whole, value.bits))[0])


def narrow(type_: str, value: float) -> Scalar:
    """The float of this type that is nearest to a double, ties to even."""
    if type_ == "f64":
        return Scalar(type_, struct.unpack("<Q", struct.pack("<d", value))[0])
    if type_ == "f32":
        # C's conversion rounds to nearest; struct would refuse what becomes infinite.
        return Scalar(type_, ctypes.c_uint32.from_buffer(ctypes.c_float(value)).value)
    fraction_bits, exponent_bits = FORMATS[type_]
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    if math.isnan(value):
        return Scalar(type_, infinity | 1 << (fraction_bits - 1))
    sign = int(math.copysign(1, value) < 0) << (BITS[type_] - 1)
    if math.isinf(value):
        return Scalar(type_, sign | infinity)
    return Scalar(type_, sign | _nearest(type_, abs(Fraction(value))))


def _nearest(type_: str, magnitude: Fraction) -> int:
    """Bits of the float nearest to a magnitude, ties to even; infinity beyond the largest."""
    fraction_bits, exponent_bits = FORMATS[type_]
    if magnitude == 0:
        return 0
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    lowest = 2 - (1 << (exponent_bits - 1))
    exponent = max(exponent, lowest)
    # Counted in units of the last place; `round` takes ties to even. The count runs on from one
    # exponent to the next, and from the largest number to infinity, as the encoding does.
    steps = round(magnitude / Fraction(2) ** (exponent - fraction_bits))
    bits = steps + ((exponent - lowest) << fraction_bits)
    return min(bits, ((1 << exponent_bits) - 1) << fraction_bits)


def exactly(type_: str, value: Fraction) -> Scalar:
    """The float of this type that is nearest to an exact number, ties to even."""
    sign = int(value < 0) << (BITS[type_] - 1)
    return Scalar(type_, sign | _nearest(type_, abs(value)))


def from_python(type_: str, value: Any) -> Scalar:
    """A number of Python or NumPy as a value of this type.

    Floats go to the nearest value. What the type cannot hold is an error, never wrapped or made
    infinite.
    """
    if is_float(type_):
        try:
            wide = float(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise ArgumentError(f"{value!r} is not a value of type {type_}: {error}") from None
        result = narrow(type_, wide)
        if math.isfinite(wide) and math.isinf(widen(result)):
            raise ArgumentError(f"{value!r} is not a value of type {type_}: it is too large")
        return result
    try:
        whole = int(value) if type(value).__name__ in ("bool_", "bool") else operator.index(value)
    except TypeError:
        raise ArgumentError(f"{value!r} is not a value of type {type_}: give an integer") from None
    width = BITS[type_]
    if type_ == "i1" and whole not in (0, 1):
        raise ArgumentError(f"{value!r} is not a value of type i1: give True or False")
    if not -(1 << (width - 1)) <= whole < 1 << width:
        raise ArgumentError(f"{value!r} is not a value of type {type_}: it does not fit")
    return integer(type_, whole)


def from_json(data: Any) -> Scalar:
    """A value as packages hold it: its type, and its bits in hexadecimal."""
    try:
        type_, digits = data["type"], data["bits"]
        if len(data) == 2 and digits.startswith("0x") and int(digits, 16) >> BITS[type_] == 0:
            return Scalar(type_, int(digits, 16))
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise ValueError(f"{data!r} is no typed value")


# ---- types of operations ------------------------------------------------------------------------

def _fixed(type_: str) -> bool:
    return not is_float(type_) and type_ != "index"


_RULES: dict[str, tuple[int, str, Callable[..., bool]]] = {
    "integers": (2, "(T, T) -> T with T an integer or index",
                 lambda a, b, r: a == b == r and not is_float(r)),
    "float": (1, "(T) -> T with T a float", lambda a, r: a == r and is_float(r)),
    "floats": (2, "(T, T) -> T with T a float", lambda a, b, r: a == b == r and is_float(r)),
    "three floats": (3, "(T, T, T) -> T with T a float",
                     lambda a, b, c, r: a == b == c == r and is_float(r)),
    "compared integers": (2, "(T, T) -> i1 with T an integer or index",
                          lambda a, b, r: a == b and not is_float(a) and r == "i1"),
    "compared floats": (2, "(T, T) -> i1 with T a float",
                        lambda a, b, r: a == b and is_float(a) and r == "i1"),
    "choice": (3, "(i1, T, T) -> T", lambda c, a, b, r: c == "i1" and a == b == r),
    "wider": (1, "(T) -> U with integers T, U and U wider",
              lambda a, r: _fixed(a) and _fixed(r) and BITS[r] > BITS[a]),
    "narrower": (1, "(T) -> U with integers T, U and U narrower",
                 lambda a, r: _fixed(a) and _fixed(r) and BITS[r] < BITS[a]),
    "index": (1, "(index) -> T or (T) -> index with T an integer",
              lambda a, r: (a == "index" and _fixed(r)) or (_fixed(a) and r == "index")),
    "to float": (1, "(T) -> U with T an integer and U a float",
                 lambda a, r: _fixed(a) and is_float(r)),
    "to integer": (1, "(T) -> U with T a float and U an integer",
                   lambda a, r: is_float(a) and _fixed(r)),
    "wider float": (1, "(T) -> U with floats T, U and U wider",
                    lambda a, r: is_float(a) and is_float(r) and BITS[r] > BITS[a]),
    "narrower float": (1, "(T) -> U with floats T, U and U narrower",
                       lambda a, r: is_float(a) and is_float(r) and BITS[r] < BITS[a]),
}

_RULE_OF = {name: rule for rule, names in {
    "integers": "addi subi muli divsi divui remsi remui andi ori xori shli shrsi shrui"
                " minsi minui maxsi maxui",
    "compared integers": "cmpi", "compared floats": "cmpf", "choice": "select",
    "wider": "extsi extui", "narrower": "trunci", "index": "index_cast index_castui",
    "to float": "sitofp uitofp", "to integer": "fptosi fptoui",
    "wider float": "extf", "narrower float": "truncf",
    "float": "negf absf sqrt", "three floats": "fma",
    "floats": "addf subf mulf divf minnumf maxnumf minimumf maximumf",
}.items() for name in names.split()}


def parts(operation: Operation) -> tuple[str, str]:
    """Name and predicate of an operation; the predicate is empty but for comparisons."""
    if isinstance(operation, dict) and len(operation) == 1:
        name, predicate = next(iter(operation.items()))
        known = {"cmpi": list(_INTEGER_ORDER), "cmpf": list(_FLOAT_ORDER)}.get(name, [])
        if predicate in known:
            return name, predicate
    elif isinstance(operation, str) and operation in set(_RULE_OF) - {"cmpi", "cmpf"}:
        return operation, ""
    raise ScalarError("unknown", f"there is no operation {operation!r}")


def check_types(operation: Operation, operands: Sequence[str], result: str) -> None:
    """Refuses operand and result types that the operation does not take."""
    name, predicate = parts(operation)
    count, text, accepts = _RULES[_RULE_OF[name]]
    if len(operands) != count or not accepts(*operands, result):
        shown = f"{name} {predicate}".strip()
        raise ScalarError("types", f"'{shown}' does not take ({', '.join(operands)}) -> {result}: "
                                   f"it takes {text}")


def evaluate(operation: Operation, operands: Sequence[Scalar], result: str) -> Scalar:
    """Computes an operation; types are checked first, so any input is safe."""
    check_types(operation, [operand.type for operand in operands], result)
    name, predicate = parts(operation)
    first = operands[0]
    rule = _RULE_OF[name]
    if rule == "integers":
        return integer(result, _integers(name, first, operands[1]))
    if rule == "choice":
        return operands[1] if first.bits else operands[2]
    if rule == "compared integers":
        order = _INTEGER_ORDER[predicate]
        if predicate[0] == "s":
            return Scalar(result, int(order(first.signed, operands[1].signed)))
        return Scalar(result, int(order(first.bits, operands[1].bits)))
    if rule == "compared floats":
        return Scalar(result, int(_FLOAT_ORDER[predicate](widen(first), widen(operands[1]))))
    if rule in ("wider", "narrower", "index"):
        return integer(result, first.signed if name in ("extsi", "index_cast") else first.bits)
    if rule == "to float":
        return exactly(result, Fraction(first.signed if name == "sitofp" else first.bits))
    if rule == "to integer":
        return _to_integer(name, first, result)
    return _floats(name, operands, result)


# ---- integers -----------------------------------------------------------------------------------

_INTEGER_ORDER: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne,
    "slt": operator.lt, "sle": operator.le, "sgt": operator.gt, "sge": operator.ge,
    "ult": operator.lt, "ule": operator.le, "ugt": operator.gt, "uge": operator.ge,
}

_INTEGERS: dict[str, Callable[[int, int], int]] = {
    "addi": operator.add, "subi": operator.sub, "muli": operator.mul,
    "andi": operator.and_, "ori": operator.or_, "xori": operator.xor,
    "minsi": min, "minui": min, "maxsi": max, "maxui": max,
    "shli": operator.lshift, "shrsi": operator.rshift, "shrui": operator.rshift,
}


def _integers(name: str, left: Scalar, right: Scalar) -> int:
    signed = name.endswith("si")
    a, b = (left.signed, right.signed) if signed else (left.bits, right.bits)
    if name[:3] in ("div", "rem"):
        return _divide(name, left, a, b)
    if name[:2] == "sh":
        if right.bits >= BITS[left.type]:
            raise ScalarError(
                "shift_too_wide", f"'{name}' shifts a value of {left.type} by {right.bits}: "
                                  f"the amount must be below {BITS[left.type]}")
        b = right.bits
    return _INTEGERS[name](a, b)


def _divide(name: str, left: Scalar, a: int, b: int) -> int:
    if b == 0:
        raise ScalarError("division_by_zero", f"'{name}' divides {left.signed} by zero")
    if name.endswith("si") and b == -1 and a == -(1 << (BITS[left.type] - 1)):
        raise ScalarError("division_overflow", f"'{name}' overflows: {a} divided by -1 is no value "
                                               f"of {left.type}")
    # Python rounds quotients down, MLIR toward zero.
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient if name.startswith("div") else a - quotient * b


# ---- floats -------------------------------------------------------------------------------------

def _unordered(a: float, b: float) -> bool:
    return math.isnan(a) or math.isnan(b)


_FLOAT_ORDER: dict[str, Callable[[float, float], bool]] = {
    "false": lambda a, b: False, "true": lambda a, b: True,
    "ord": lambda a, b: not _unordered(a, b), "uno": _unordered,
    "oeq": operator.eq, "ogt": operator.gt, "oge": operator.ge,
    "olt": operator.lt, "ole": operator.le,
    "one": lambda a, b: not _unordered(a, b) and a != b,
    "ueq": lambda a, b: _unordered(a, b) or a == b,
    "ugt": lambda a, b: _unordered(a, b) or a > b,
    "uge": lambda a, b: _unordered(a, b) or a >= b,
    "ult": lambda a, b: _unordered(a, b) or a < b,
    "ule": lambda a, b: _unordered(a, b) or a <= b,
    "une": operator.ne,
}


def _quotient(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))


_ARITHMETIC: dict[str, Callable[..., float]] = {
    "addf": operator.add, "subf": operator.sub, "mulf": operator.mul, "divf": _quotient,
    "sqrt": lambda a: math.nan if a < 0 else math.sqrt(a),
    "extf": lambda a: a, "truncf": lambda a: a,
}


def _floats(name: str, operands: Sequence[Scalar], result: str) -> Scalar:
    first = operands[0]
    sign = 1 << (BITS[first.type] - 1)
    if name == "negf":
        return Scalar(result, first.bits ^ sign)
    if name == "absf":
        return Scalar(result, first.bits & ~sign)
    if name[:3] in ("min", "max"):
        return _extreme(name, first, operands[1])
    wide = [widen(operand) for operand in operands]
    return _fused(result, *wide) if name == "fma" else narrow(result, _ARITHMETIC[name](*wide))


def _fused(type_: str, a: float, b: float, c: float) -> Scalar:
    """`a * b + c`, rounded once."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return narrow(type_, a * b + c)
    if not math.isfinite(c):
        return narrow(type_, c)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    # Where the sum is zero the product is exact as a double, and the sign comes out right.
    return exactly(type_, exact) if exact else narrow(type_, a * b + c)


def _extreme(name: str, left: Scalar, right: Scalar) -> Scalar:
    """The greater or the smaller of two floats: +0 is greater than -0."""
    nan_wins = name in ("minimumf", "maximumf")
    if left.is_nan or right.is_nan:
        return left if left.is_nan == nan_wins else right
    order = [(widen(value), math.copysign(1, widen(value))) for value in (left, right)]
    left_is_greater = order[0] > order[1]
    return left if left_is_greater == name.startswith("max") else right


def _to_integer(name: str, value: Scalar, result: str) -> Scalar:
    wide = widen(value)
    width = BITS[result]
    lowest, limit = (-(1 << (width - 1)), 1 << (width - 1)) if name == "fptosi" else (0, 1 << width)
    if math.isfinite(wide) and lowest <= int(wide) < limit:
        return integer(result, int(wide))
    raise ScalarError("out_of_range", f"'{name}' converts {value} to {result}, which cannot hold "
                                      "it")
