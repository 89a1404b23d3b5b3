"""Operators and functions of NumPy on values of a stencil.

A number of NumPy on the left of an operator calls the operator's function of NumPy, which asks the
value on the right what to do. Operators mean the same here; other functions are refused.
"""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, Tuple

import numpy

from .expressions import Value, as_value, binary, compared, divided, negated, power
from .locations import refuse

#: Functions of this package with the names of NumPy's.
NAMED = frozenset((
    "absolute", "arccos", "arcsin", "arctan", "arctan2", "cbrt", "ceil", "copysign", "cos", "cosh",
    "exp", "exp2", "expm1", "floor", "log", "log10", "log1p", "log2", "maximum", "minimum", "rint",
    "sin", "sinh", "sqrt", "tan", "tanh", "trunc"))


def _moved(operation: Callable[[Any, Any], Any], name: str, one: Any, two: Any) -> Any:
    """A sum or difference: with an integer those of Python, which move an index or a time step."""
    one, two = (int(side) if isinstance(side, numpy.integer) else side for side in (one, two))
    is_whole = any(isinstance(side, int) and not isinstance(side, bool) for side in (one, two))
    return operation(one, two) if is_whole else binary(name, one, two)


#: Operators that NumPy calls for its own numbers.
_UFUNCS: Dict[str, Callable[..., Any]] = {
    "add": lambda a, b: _moved(operator.add, "add", a, b),
    "subtract": lambda a, b: _moved(operator.sub, "sub", a, b),
    "multiply": lambda a, b: binary("mul", a, b), "divide": lambda a, b: binary("div", a, b),
    "true_divide": lambda a, b: binary("div", a, b), "power": power, "float_power": power,
    "floor_divide": lambda a, b: divided("floordiv", a, b),
    "remainder": lambda a, b: divided("mod", a, b), "negative": lambda a: negated(as_value(a)),
    "less": lambda a, b: compared("lt", a, b), "less_equal": lambda a, b: compared("le", a, b),
    "greater": lambda a, b: compared("gt", a, b), "equal": lambda a, b: compared("eq", a, b),
    "greater_equal": lambda a, b: compared("ge", a, b),
    "not_equal": lambda a, b: compared("ne", a, b)}


def of_numpy(ufunc: Any, method: str, inputs: Tuple[Any, ...], more: Dict[str, Any]) -> Value:
    """Operators whose left side is a number of NumPy; other functions of NumPy are refused."""
    name = getattr(ufunc, "__name__", str(ufunc))
    if any(isinstance(one, numpy.ndarray) and one.ndim for one in inputs):
        array = next(one for one in inputs if isinstance(one, numpy.ndarray))
        refuse(f"an array of shape {array.shape} is used inside of a program",
               "pass it as an argument of the program and index it, as in c[j, i]")
    if method != "__call__" or more or name not in _UFUNCS:
        known = {"fabs": "absolute", "abs": "absolute"}.get(name, name)
        refuse(f"numpy.{name} does not compute values of a stencil",
               f"use stencil.{known}" if known in NAMED else
               "there is no such function here; write it with those of stencil")
    found: Value = _UFUNCS[name](*(one.item() if isinstance(one, numpy.ndarray) else one
                                   for one in inputs))
    return found
