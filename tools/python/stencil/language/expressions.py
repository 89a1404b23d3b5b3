"""Values at a point of the grid, and the operations that make new ones of them.

A `Value` is a node of an expression: an operation, its operands, and the line that wrote it. It has
no number while a program is traced; whoever asks it for one is told so. Numbers of Python take the
type of what they are used with, and values of two types never mix silently. Indices and arguments
that are integers have 64 bits: they take the type of floats or of 64 bits beside them, narrower
integers are compared with them in 64 bits, and anything else needs a conversion that is written.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Dict, Iterable, List, NoReturn, Optional, Sequence, Tuple, Union

import numpy

from . import types
from .locations import Location, here, refuse
from .operators import Operators
from .types import Number

#: What operators take beside values: numbers, and whatever stands for a value.
Operand = Union["Value", "Index", Number, bool]

#: Operations by kind of operands: floating point, and integers.
ARITHMETIC = {"add": ("addf", "addi"), "sub": ("subf", "subi"), "mul": ("mulf", "muli"),
              "div": ("divf", ""), "min": ("minimumf", "minsi"), "max": ("maximumf", "maxsi")}
COMPARISONS = {"lt": ("olt", "slt"), "le": ("ole", "sle"), "gt": ("ogt", "sgt"),
               "ge": ("oge", "sge"), "eq": ("oeq", "eq"), "ne": ("une", "ne")}
#: How Python writes them.
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "gt": ">",
         "ge": ">=", "eq": "==", "ne": "!=", "and": "&", "or": "|", "xor": "^",
         "floordiv": "//", "mod": "%"}
#: What does for real values what these do for integers.
_INSTEAD = {"floordiv": "stencil.floor(a / b)", "mod": "a - b * stencil.floor(a / b)"}
_INTEGRAL = ("i8", "i16", "i32", "i64", "index")
#: Integers that cannot hold every index and every argument, which have 64 bits.
_NARROW = ("i8", "i16", "i32")
#: Operations of numbers alone that any type of integers has.
_WHOLE = ("add", "sub", "mul", "min", "max", "neg", "absf", "select")


class Value(Operators):
    """A value at a point: what a field holds there, or what is computed from such values.

    `element` is its type, as `f32`; None for one that is made of numbers alone, and takes the type
    of what it is used with.
    """

    __slots__ = ("operation", "operands", "data", "element", "at")

    def __init__(self, operation: str, operands: Tuple["Value", ...] = (), data: Any = None,
                 element: Optional[str] = None, at: Optional[Location] = None) -> None:
        self.operation = operation
        self.operands = operands
        self.data = data
        self.element = element
        self.at = at or here()

    @property
    def _is_index(self) -> bool:  # type: ignore[override]
        return self.element == "index"

    def __repr__(self) -> str:
        return _written(self, 4)

    def __getitem__(self, indices: Any) -> "Value":
        refuse("a value at a point has no other points",
               "index the field, or make a temporary: w = stencil.temporary('w'); w[j, i] = ...")


class Index(Operators):
    """A coordinate of the current point, and an offset: the `i+1` of `u[j, i+1]`.

    In subscripts it says which neighbour is read. In arithmetic and comparisons it is the
    coordinate, counted from 0 at the first point of the domain: `stencil.where(i < 4, a, b)`.
    `i[2:-2]` in a subscript that is assigned to restricts the statement to these points.
    """

    __slots__ = ("name", "dimension", "names", "offset")
    _is_index = True

    def __init__(self, name: str, dimension: int, names: Tuple[str, ...], offset: int = 0) -> None:
        self.name = name
        self.dimension = dimension
        #: All indices of the grid.
        self.names = names
        self.offset = offset

    @property
    def rank(self) -> int:
        """Dimensions of the grid."""
        return len(self.names)

    def moved(self, by: int) -> "Index":
        """The index of a neighbour, `by` points further; raises nothing."""
        return Index(self.name, self.dimension, self.names, self.offset + by)

    def __add__(self, other: Any) -> Any:
        return self.moved(int(other)) if _is_integer(other) else binary("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self.moved(-int(other)) if _is_integer(other) else binary("sub", self, other)

    def __getitem__(self, points: Any) -> "Points":
        if self.offset:
            refuse(f"{self} restricts points and has an offset",
                   f"write {self.name}[first:end], and offsets where fields are read")
        if isinstance(points, slice):
            step = points.step
            if step is not None and not (_is_integer(step) and int(step) == 1):
                refuse(f"{self.name}[{_slice(points)}] leaves out points",
                       "statements are computed at all points of a range; choose with "
                       "stencil.where, or write the statement once for each range")
            for end in (points.start, points.stop):
                if end is not None and not _is_integer(end):
                    refuse(f"{self.name}[{_slice(points)}] has an end that is no integer",
                           "give integers that are known when the program is traced")
            return Points(self, points.start, points.stop)
        if not _is_integer(points):
            refuse(f"{self.name}[{points!r}] is no range of points",
                   f"write {self.name}[first:end] or {self.name}[point]")
        point = int(points)
        return Points(self, point, point + 1 if point != -1 else None)

    def __repr__(self) -> str:
        return self.name + (f"{self.offset:+d}" if self.offset else "")


class Points(Operators):
    """A range of points along an index: `i[2:-2]`; ends below zero count from the last point."""

    __slots__ = ("index", "start", "stop")

    def __init__(self, index: Index, start: Optional[int], stop: Optional[int]) -> None:
        self.index = index
        self.start = start
        self.stop = stop

    def __repr__(self) -> str:
        return f"{self.index.name}[{_slice(slice(self.start, self.stop))}]"

    def _refuse_as_value(self) -> NoReturn:
        refuse(f"{self!r} restricts points and is used as a value", "a range stands in the "
               f"subscript that is assigned to, as in v[j, {self!r}] = ...")


def _written(value: Value, depth: int) -> str:
    """An expression as a user would write it, without what lies deep inside."""
    if value.operation in ("access", "table", "constant", "coordinate", "time"):
        return str(value.data)
    if value.operation == "scalar":
        return str(value.data.name)
    if depth == 0:
        return "..."
    operands = [_written(one, depth - 1) for one in value.operands]
    sign = SIGNS.get(value.data if value.operation == "compare" else value.operation)
    if sign is not None and len(operands) == 2:
        return f"({operands[0]} {sign} {operands[1]})"
    name = {"select": "where", "neg": "-"}.get(value.operation, value.operation)
    return f"{PUBLIC.get(name, name)}({', '.join(operands)})"


def _slice(points: slice) -> str:
    ends = ["" if end is None else str(end) for end in (points.start, points.stop)]
    return ":".join(ends + ([str(points.step)] if points.step is not None else []))


def _is_integer(value: Any) -> bool:
    return isinstance(value, (int, numpy.integer)) and not isinstance(value, bool)


# ---- operands -----------------------------------------------------------------------------------

def as_value(operand: Any) -> Value:
    """An operand as a value; refuses what cannot be one."""
    if isinstance(operand, Value):
        return operand
    if isinstance(operand, Index):
        return Value("coordinate", (), operand, "index")
    as_value_of = getattr(operand, "_as_value", None)
    if as_value_of is not None:
        found: Value = as_value_of()
        return found
    if isinstance(operand, (bool, numpy.bool_)):
        return Value("constant", (), bool(operand), "i1")
    number = as_number(operand)
    if number is not None:
        return Value("constant", (), number)
    as_field = getattr(operand, "_refuse_as_value", None)
    if as_field is not None:
        as_field()
    if isinstance(operand, numpy.ndarray) or hasattr(operand, "__dlpack__"):
        refuse(f"an array of shape {tuple(operand.shape)} is used inside of a program",
               "pass it as an argument of the program and index it, as in c[j, i]")
    if isinstance(operand, complex):
        refuse(f"{operand!r} is complex", "stencils have real types: write real and imaginary part "
                                          "as two fields")
    refuse(f"a {type(operand).__name__} is no value of a stencil",
           "use fields, numbers, indices and functions of stencil")


def as_number(operand: Any) -> Optional[Number]:
    """A number of Python or NumPy, exactly; None for other things."""
    if isinstance(operand, (bool, numpy.bool_)):
        return None
    if isinstance(operand, (int, float, Fraction)):
        return operand if not isinstance(operand, numpy.floating) else float(operand)
    if isinstance(operand, numpy.integer):
        return int(operand)
    if isinstance(operand, numpy.floating):
        return float(operand)
    return None


def typed(value: Value, element: str) -> Value:
    """A value made of numbers alone, in the type of what it is used with."""
    if value.element is not None:
        return value
    known: Dict[int, Value] = {}
    for node in postorder([value]):
        if node.element is not None:
            known[id(node)] = node
        elif node.operation == "constant":
            known[id(node)] = _constant(node.data, element, node.at)
        else:
            known[id(node)] = _operation(node, [known[id(one)] for one in node.operands], element)
    return known[id(value)]


def _operation(node: Value, operands: Sequence[Value], element: str) -> Value:
    """An operation on numbers alone, on operands of a type; refuses one that the type has not."""
    is_float = types.is_float(element)
    if element == "i1":
        refuse(f"the number {node!r} is used with a truth value",
               "make a number of it: stencil.where(condition, 1, 0)", node.at)
    if not is_float and node.operation not in _WHOLE:
        refuse(f"{node!r} is used with {types.name_of(element)}, which cannot hold it",
               "divide integers with //, or convert the value first: stencil.cast(value, 'f64')",
               node.at)
    taken = tuple(_beside(one, element) if one.element == "index" else one for one in operands)
    if not is_float and node.operation == "neg":
        return negated(taken[0])
    if not is_float and node.operation == "absf":
        return function("absf", taken[0])
    return Value(node.operation, taken, node.data, element, node.at)


def _beside(value: Value, element: str) -> Value:
    """An index or an argument in the type of what it is used with; refuses one that is narrower."""
    if element in _NARROW:
        refuse(f"{value!r}, an integer of 64 bits, is used with {types.name_of(element)}",
               f"convert it, stencil.cast({value!r}, '{element}'), which keeps its last "
               f"{element[1:]} bits, or what it is used with, stencil.cast(value, 'i64')")
    return converted(value, element)


def _constant(number: Number, element: str, at: Location) -> Value:
    if element == "i1":
        refuse(f"the number {number} is used with a truth value",
               "make a number of it: stencil.where(condition, 1, 0)", at)
    if not types.is_float(element):
        low, high = types.range_of("i64" if element == "index" else element)
        if not types.is_whole(number) or not low <= number <= high:
            refuse(f"the number {number} is used with {types.name_of(element)}, which cannot hold "
                   "it", "pass an array of float32 or float64, a.astype('float32'), or convert the "
                   "value: stencil.cast(value, 'f32')", at)
        number = int(number)
    elif types.is_too_large(number, element):
        refuse(f"the number {types.shown(number)} is used with {types.name_of(element)}, which "
               "cannot hold it: it is too large",
               "give a smaller one" if element == "f64" else
               "give a smaller one, or convert the value: stencil.cast(value, 'f64')", at)
    return Value("constant", (), number, element, at)


def postorder(roots: Iterable[Value]) -> List[Value]:
    """Every node that the roots need, operands first, each once."""
    found: List[Value] = []
    seen = set()
    stack: List[Tuple[Value, bool]] = [(root, False) for root in reversed(list(roots))]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            found.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((one, False) for one in reversed(node.operands))
    return found


def unified(sign: str, one: Any, two: Any) -> Tuple[Value, Value]:
    """Two operands in one type; refuses two types."""
    left, right = as_value(one), as_value(two)
    if {left.element, right.element} == {None, "index"} and not (
            _is_whole(left) and _is_whole(right)):
        # The type is that of what both are used with.
        return left, right
    if left.element is None and right.element is not None:
        return typed(left, right.element), right
    if right.element is None and left.element is not None:
        return left, typed(right, left.element)
    if left.element == right.element:
        return left, right
    if left.element == "index" and right.element != "i1":
        return _beside(left, str(right.element)), right
    if right.element == "index" and left.element != "i1":
        return left, _beside(right, str(left.element))
    first, second = types.name_of(str(left.element)), types.name_of(str(right.element))
    if "i1" in (left.element, right.element):
        refuse(f"'{sign}' of {first} and {second}",
               "make a number of the condition: stencil.where(condition, 1, 0)")
    refuse(f"'{sign}' of {first} and {second}: types are not converted silently",
           f"convert one of them, stencil.cast(value, '{right.element}'), or pass arrays of one "
           "type")


def _is_whole(value: Value) -> bool:
    """Whether this is an index, or an integer that is used with one."""
    return value.element == "index" or (
        value.operation == "constant" and types.is_whole(value.data))


def _has_index(value: Value) -> bool:
    """Whether this is computed with indices or arguments, in 64 bits."""
    return value.element == "index" or value.element is None and any(
        node.element is None and any(one.element == "index" for one in node.operands)
        for node in postorder([value]))


def converted(value: Value, element: str) -> Value:
    """The value in another type, rounded once; of integers the last bits, as many as it has."""
    if value.element is None:
        if element in _NARROW and _has_index(value):
            return converted(typed(value, "i64"), element)
        return typed(value, element)
    if value.element == element:
        return value
    return Value("cast", (value,), None, element)


# ---- operations ---------------------------------------------------------------------------------

def binary(operation: str, one: Any, two: Any) -> Value:
    """A sum, difference, product, quotient, minimum or maximum."""
    sign = SIGNS.get(operation, operation)
    left, right = unified(sign, one, two)
    if left.element == "i1":
        refuse(f"'{sign}' of two truth values", "join conditions with & and |")
    if operation == "div" and left.element == right.element == "index":
        # A quotient of integers is a floating-point number, as in Python.
        return Value(operation, (left, right), None, None)
    if operation == "div" and left.element in _INTEGRAL and left.element != "index":
        refuse(f"'/' of {types.name_of(left.element)}",
               "convert them first: stencil.cast(value, 'f32')")
    return Value(operation, (left, right), None,
                 left.element if left.element == right.element else None)


def divided(operation: str, one: Any, two: Any) -> Value:
    """A quotient that is rounded down, or its remainder; refuses what is no integer."""
    sign = SIGNS[operation]
    left, right = unified(sign, one, two)
    element = left.element
    if element == "i1":
        refuse(f"'{sign}' of two truth values", "join conditions with & and |")
    if element is None or element != right.element or types.is_float(element):
        refuse(f"'{sign}' of values that are no integers", f"use {_INSTEAD[operation]}")
    if right.operation == "constant" and right.data == 0:
        refuse(f"'{sign}' by 0", "give a divisor that is not zero")
    return Value(operation, (left, right), None, element)


def negated(value: Value) -> Value:
    """The value with the other sign."""
    if value.element == "i1":
        refuse("'-' of a truth value", "write ~condition")
    if value.element in _INTEGRAL:
        return binary("sub", 0, value)
    return Value("neg", (value,), None, value.element)


def compared(operation: str, one: Any, two: Any) -> Value:
    """A truth value; comparisons with a NaN are false, but for !=."""
    if one is None or two is None or isinstance(one, str) or isinstance(two, str):
        refuse("a value of a stencil is compared with something that is no number",
               "test 'is None' for arguments that may be missing")
    left, right = as_value(one), as_value(two)
    left, right = unified(SIGNS[operation], _widened(left, right), _widened(right, left))
    if None in (left.element, right.element):
        left, right = converted(left, "f64"), converted(right, "f64")
    return Value("compare", (left, right), operation, "i1")


def _widened(value: Value, other: Value) -> Value:
    """What is compared with an index or an argument, in their 64 bits: that changes no value."""
    return converted(value, "i64") if value.element in _NARROW and _has_index(other) else value


def logical(operation: str, one: Any, two: Any, sign: str = "") -> Value:
    """Conditions joined; `sign` is what was written, if it is not that of the operation."""
    values = [as_value(one), as_value(two)]
    sign = sign or SIGNS[operation]
    for value in values:
        if value.element != "i1":
            example = "~(a > 0)" if sign == "~" else f"(a > 0) {sign} (b > 0)"
            refuse(f"'{sign}' takes conditions, found a number",
                   f"compare first, and put comparisons in brackets: {example}")
    return Value(operation, tuple(values), None, "i1")


def power(base: Any, exponent: Any) -> Value:
    """A power: products for exponents that are integers, in the order of squares."""
    number = as_number(exponent)
    if number is None or not types.is_whole(number):
        for value in map(as_value, (base, exponent)):
            if value.element != "index":
                _check_real("powf", value)
        left, right = unified("**", base, exponent)
        if left.element == right.element == "index":
            _check_real("powf", as_value(exponent))
        return _float_function("powf", (left, right))
    left, count, result = as_value(base), abs(int(number)), None
    factor = left
    while count:
        if count % 2:
            result = factor if result is None else binary("mul", result, factor)
        count //= 2
        if count:
            factor = binary("mul", factor, factor)
    if result is None:
        return binary("add", binary("mul", left, 0), 1) if left.element in _INTEGRAL \
            else typed(as_value(1), left.element or "f64")
    return binary("div", 1, result) if number < 0 else result


def _check_real(name: str, value: Value) -> None:
    """Refuses an operand of a function that is no floating-point number."""
    if value.element == "i1" or value.element in _INTEGRAL:
        called = f"stencil.{PUBLIC.get(name, name)}"
        if value.element == "index":
            refuse(f"{called} of an index, an integer of 64 bits", "convert it first to the type "
                   f"of a field that it is used with, as in stencil.cast({value!r}, u.dtype)")
        refuse(f"{called} of {types.name_of(value.element or '')}",
               "convert it first: stencil.cast(value, 'f32')")


def _float_function(name: str, values: Tuple[Value, ...]) -> Value:
    for value in values:
        _check_real(name, value)
    return Value(name, values, None, values[0].element)


def function(name: str, *operands: Any) -> Value:
    """A function of the dialect 'math' on values of one type of floating-point numbers."""
    values = [as_value(one) for one in operands]
    if name == "absf" and values[0].element in _INTEGRAL:
        return binary("max", values[0], binary("sub", 0, values[0]))
    element = next((one.element for one in values
                    if one.element is not None and one.element != "index"), None)
    if element in _INTEGRAL:
        return _float_function(name, tuple(values))
    for place, value in enumerate(values):
        if element is not None and value.element in (None, "index"):
            values[place] = converted(value, element)
        elif value.element != element:
            unified(f"stencil.{PUBLIC.get(name, name)}", values[0], value)
    return _float_function(name, tuple(values))


#: What operations of the dialect 'math' are called here, where names differ.
PUBLIC = {"absf": "absolute", "powf": "power", "roundeven": "rint", "atan2": "arctan2",
          "asin": "arcsin", "acos": "arccos", "atan": "arctan", "min": "minimum", "max": "maximum"}
