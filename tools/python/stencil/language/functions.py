"""Functions of values at a point.

Each takes and gives values of one type of floating-point numbers; numbers take the type of the
values beside them. `exact` functions give equal bits on the interpreter, the emulator and every
GPU; `approximate` ones lie within a stated distance (dialects/docs/arithmetic.md).
"""

from __future__ import annotations

from typing import Any, Optional

from . import types
from .expressions import Operand, Value, as_value, binary, converted, function, typed, unified
from .locations import refuse


def where(condition: Operand, one: Operand, two: Operand) -> Value:
    """`one` at points where the condition holds, `two` at the others.

    Both sides are values at the point; what is not taken has no effect, a NaN neither. Raises
    `TraceError` if the condition is no truth value or the sides have two types.
    """
    chosen = as_value(condition)
    if chosen.element != "i1":
        refuse("the condition of stencil.where is a number",
               "compare it: stencil.where(a > 0, ...)")
    left, right = unified("where", one, two)
    element = left.element if left.element == right.element else None
    return Value("select", (chosen, left, right), None, element)


def cast(value: Operand, element: Any) -> Value:
    """The value in another type, as `f32` or `float32`, rounded once, to nearest, ties to even.

    Floating-point numbers become integers towards zero; those outside of the type are an error of
    the program. Of an integer the type takes the last bits, as `astype` of NumPy does. Raises
    `TraceError` for a type that there is not.
    """
    given = as_value(value)
    if given.element == "i1" and _named(element) == "i1":
        return given
    return converted(given, _element(element, "to convert to"))


def _element(element: Any, what: str) -> str:
    """The type of elements that a user names, by a text or a type of NumPy."""
    name = _named(element)
    if name == "i1":
        refuse(f"bool is no type {what}: truth values are results of comparisons",
               "compare the value, as in value != 0, or write True or False")
    if name is None:
        refuse(f"there is no type {element!r} {what}",
               "types are f16, bf16, f32, f64, i8, i16, i32 and i64")
    return name


def _named(element: Any) -> Optional[str]:
    """The type of elements that is named, if there is one."""
    return types.element_of(element if isinstance(element, str) else str(
        getattr(element, "__name__", getattr(element, "name", element))))


def minimum(one: Operand, two: Operand) -> Value:
    """The smaller value; NaN if one of them is, -0 of two zeros of different signs. Exact.

    Values at the point, of floating-point numbers or integers. Raises `TraceError` for two
    types, and for truth values.
    """
    return binary("min", one, two)


def maximum(one: Operand, two: Operand) -> Value:
    """The larger value; NaN if one of them is, +0 of two zeros of different signs. Exact.

    Values at the point, of floating-point numbers or integers. Raises `TraceError` for two
    types, and for truth values.
    """
    return binary("max", one, two)


def power(base: Operand, exponent: Operand) -> Value:
    """`base ** exponent`: products if the exponent is an integer number, else approximate.

    Values at the point, of one type of floating-point numbers. Raises `TraceError` for others.
    """
    return as_value(base) ** exponent


def fma(one: Operand, two: Operand, three: Operand) -> Value:
    """`one * two + three`, rounded once. Exact.

    Values at the point, of one type of floating-point numbers. Raises `TraceError` for others.
    """
    return function("fma", one, two, three)


def arctan2(one: Operand, two: Operand) -> Value:
    """The angle of the point (two, one), in radians, from -pi to pi. Approximate.

    Values at the point, of one type of floating-point numbers. Raises `TraceError` for others.
    """
    return function("atan2", one, two)


def copysign(one: Operand, two: Operand) -> Value:
    """The magnitude of the first value with the sign of the second. Exact.

    Values at the point, of one type of floating-point numbers. Raises `TraceError` for others.
    """
    return function("copysign", one, two)


def absolute(value: Operand) -> Value:
    """The magnitude. Exact.

    A value at the point, of floating-point numbers or integers; the result has its type. Raises
    `TraceError` for others.
    """
    return function("absf", value)


def sqrt(value: Operand) -> Value:
    """The square root, rounded once; NaN of a number below zero. Exact.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("sqrt", value)


def rsqrt(value: Operand) -> Value:
    """`1 / sqrt(value)`, as two operations. Exact.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("rsqrt", value)


def floor(value: Operand) -> Value:
    """The integer below. Exact.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("floor", value)


def ceil(value: Operand) -> Value:
    """The integer above. Exact.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("ceil", value)


def trunc(value: Operand) -> Value:
    """The integer towards zero. Exact.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("trunc", value)


def rint(value: Operand) -> Value:
    """The nearest integer, ties to even. Exact.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("roundeven", value)


def exp(value: Operand) -> Value:
    """The exponential function. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("exp", value)


def exp2(value: Operand) -> Value:
    """Two to the power of the value. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("exp2", value)


def expm1(value: Operand) -> Value:
    """`exp(value) - 1`, without cancellation. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("expm1", value)


def log(value: Operand) -> Value:
    """The natural logarithm. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("log", value)


def log2(value: Operand) -> Value:
    """The logarithm to base 2. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("log2", value)


def log10(value: Operand) -> Value:
    """The logarithm to base 10. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("log10", value)


def log1p(value: Operand) -> Value:
    """`log(1 + value)`, without cancellation. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("log1p", value)


def sin(value: Operand) -> Value:
    """The sine of an angle in radians. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("sin", value)


def cos(value: Operand) -> Value:
    """The cosine of an angle in radians. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("cos", value)


def tan(value: Operand) -> Value:
    """The tangent of an angle in radians. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("tan", value)


def arcsin(value: Operand) -> Value:
    """The angle in radians whose sine this is. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("asin", value)


def arccos(value: Operand) -> Value:
    """The angle in radians whose cosine this is. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("acos", value)


def arctan(value: Operand) -> Value:
    """The angle in radians whose tangent this is. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("atan", value)


def sinh(value: Operand) -> Value:
    """The hyperbolic sine. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("sinh", value)


def cosh(value: Operand) -> Value:
    """The hyperbolic cosine. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("cosh", value)


def tanh(value: Operand) -> Value:
    """The hyperbolic tangent. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("tanh", value)


def cbrt(value: Operand) -> Value:
    """The cube root. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("cbrt", value)


def erf(value: Operand) -> Value:
    """The error function. Approximate.

    A value at the point, of floating-point numbers; the result has its type. Raises `TraceError`
    for others.
    """
    return function("erf", value)


def constant(value: Any, element: str) -> Value:
    """A number in a type, rounded once: `stencil.constant(Fraction(1, 3), "f32")`.

    Raises `TraceError` for what is no number, or no type.
    """
    return typed(as_value(value), _element(element, "for a constant"))
