"""The operators of Python on values, and on what stands for a value.

What Python would do with an object that has none of them, as a TypeError without a remedy, is
refused here, with what to write instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Tuple

from ..errors import MissingAttributeError
from .locations import refuse

if TYPE_CHECKING:
    from .expressions import Value


class Operators:
    """The operators of Python on values, and on what stands for a value."""

    __slots__ = ()
    #: Whether this is an integer that counts points, steps or what a call says.
    _is_index = False
    __hash__ = object.__hash__
    #: Operators of NumPy's arrays and numbers leave the work to these.
    __array_priority__ = 1000

    def __add__(self, other: Any) -> "Value":
        return expressions.binary("add", self, other)

    def __radd__(self, other: Any) -> "Value":
        return expressions.binary("add", other, self)

    def __sub__(self, other: Any) -> "Value":
        return expressions.binary("sub", self, other)

    def __rsub__(self, other: Any) -> "Value":
        return expressions.binary("sub", other, self)

    def __mul__(self, other: Any) -> "Value":
        return expressions.binary("mul", self, other)

    def __rmul__(self, other: Any) -> "Value":
        return expressions.binary("mul", other, self)

    def __truediv__(self, other: Any) -> "Value":
        return expressions.binary("div", self, other)

    def __rtruediv__(self, other: Any) -> "Value":
        return expressions.binary("div", other, self)

    def __floordiv__(self, other: Any) -> "Value":
        return expressions.divided("floordiv", self, other)

    def __rfloordiv__(self, other: Any) -> "Value":
        return expressions.divided("floordiv", other, self)

    def __mod__(self, other: Any) -> "Value":
        return expressions.divided("mod", self, other)

    def __rmod__(self, other: Any) -> "Value":
        return expressions.divided("mod", other, self)

    def __divmod__(self, other: Any) -> "Tuple[Value, Value]":
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> "Tuple[Value, Value]":
        return other // self, other % self

    def __matmul__(self, other: Any) -> "Value":
        refuse("'@' of values of a stencil is not defined",
               "write products and their sum: a[j, i] * b[j, i] + ...")

    __rmatmul__ = __matmul__

    def __lshift__(self, other: Any) -> "Value":
        refuse("'<<' of values of a stencil is not defined",
               "multiply by a power of two, or divide with // by it")

    def __rshift__(self, other: Any) -> "Value":
        refuse("'>>' of values of a stencil is not defined",
               "multiply by a power of two, or divide with // by it")

    __rlshift__, __rrshift__ = __lshift__, __rshift__

    def __pow__(self, exponent: Any, modulus: Any = None) -> "Value":
        if modulus is not None:
            refuse("a power with a modulus", "write (a ** b) % c, of integers")
        return expressions.power(self, exponent)

    def __rpow__(self, base: Any) -> "Value":
        return expressions.power(base, self)

    def __neg__(self) -> "Value":
        return expressions.negated(expressions.as_value(self))

    def __pos__(self) -> "Value":
        return expressions.as_value(self)

    def __abs__(self) -> "Value":
        return expressions.function("absf", self)

    def __lt__(self, other: Any) -> "Value":
        return expressions.compared("lt", self, other)

    def __le__(self, other: Any) -> "Value":
        return expressions.compared("le", self, other)

    def __gt__(self, other: Any) -> "Value":
        return expressions.compared("gt", self, other)

    def __ge__(self, other: Any) -> "Value":
        return expressions.compared("ge", self, other)

    def __eq__(self, other: Any) -> "Value":  # type: ignore[override]
        return expressions.compared("eq", self, other)

    def __ne__(self, other: Any) -> "Value":  # type: ignore[override]
        return expressions.compared("ne", self, other)

    def __and__(self, other: Any) -> "Value":
        return expressions.logical("and", self, other)

    def __or__(self, other: Any) -> "Value":
        return expressions.logical("or", self, other)

    def __xor__(self, other: Any) -> "Value":
        return expressions.logical("xor", self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> "Value":
        return expressions.logical("xor", self, True, "~")

    def __bool__(self) -> bool:
        refuse("a value of a stencil has no truth value while the program is traced: 'if', 'and', "
               "'or', 'not', 'min' and 'max' cannot ask for it",
               "choose per point with stencil.where(condition, a, b); join conditions with & and |")

    def _no_number(self, *_: Any) -> Any:
        refuse("a value of a stencil has no number while the program is traced",
               "use functions of stencil (stencil.sqrt, stencil.cast) on it, and pass what decides "
               "how the program is written as a static argument")

    def __index__(self) -> int:
        refuse("a value of a stencil has no number while the program is traced: range(n) and the "
               "subscripts of lists ask for it",
               "loop over time steps with stencil.steps(n), pass arrays and tables as arguments of "
               "the program and index those, and pass what decides how the program is written as a "
               "static argument")

    __float__ = __int__ = __complex__ = __round__ = __floor__ = __ceil__ = _no_number
    __trunc__ = __len__ = _no_number

    def __format__(self, how: str) -> str:
        return str(self._no_number() if how else self)

    def __getitem__(self, indices: Any) -> Any:
        refuse(f"{self!r} is no field and cannot be indexed", "index fields, as in u[t, j, i]")

    def __setitem__(self, indices: Any, value: Any) -> None:
        refuse(f"{self!r} is assigned to as if it had points",
               "assign to fields and temporaries")

    if not TYPE_CHECKING:  # Else every attribute would have any type.
        def __getattr__(self, name: str) -> NoReturn:
            # Protocols ask for names that begin so; slots may be asked for before they are set.
            if name.startswith("_") or hasattr(type(self), name):
                raise AttributeError(name)
            self._refuse_attribute(name)

    def _refuse_attribute(self, name: str) -> NoReturn:
        refuse(f"{self!r} has no '{name}'", "use the operators of Python and the functions of "
               "stencil, as in stencil.sqrt(a)", error=MissingAttributeError)

    def __iter__(self) -> Any:
        refuse("a value of a stencil is one point and cannot be iterated over",
               "index the field, as in u[j, i+1]")

    def __array__(self, *_: Any, **__: Any) -> Any:
        if self._is_index:
            refuse(f"{self!r} is used in an array of NumPy, which is no argument of the program",
                   "pass the array as an argument of the program and index that; use functions of "
                   "stencil in place of NumPy's")
        refuse("a value of a stencil is no array of NumPy",
               "use the function of stencil in place of NumPy's, as in stencil.sqrt")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **more: Any) -> "Value":
        # There and not here: what it calls is made of the operators of this class.
        from .ufuncs import of_numpy
        return of_numpy(ufunc, method, inputs, more)


# The two modules need each other: whichever is imported first finds the class.
from . import expressions  # noqa: E402
