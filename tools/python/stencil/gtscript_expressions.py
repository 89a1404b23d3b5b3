"""Expressions of GT4Py's intermediate representation GTIR as text of the language.

Types of GTIR are explicit: what GT4Py converts is a `Cast` there, and a cast here. Operations stay
as they are and in their order, so results are those of GT4Py's backend for NumPy, bit for bit, but
for functions whose last bits differ from one library to another.
"""

from __future__ import annotations

import inspect
from typing import Any, Dict, List, Mapping, NoReturn, Tuple

from .errors import TraceError
from .language.locations import refuse

#: Functions that have another name here, or the same.
_FUNCTIONS = {"abs": "absolute", "min": "minimum", "max": "maximum", "sin": "sin", "cos": "cos",
              "tan": "tan", "arcsin": "arcsin", "arccos": "arccos", "arctan": "arctan",
              "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "sqrt": "sqrt", "exp": "exp",
              "log": "log", "log10": "log10", "cbrt": "cbrt", "floor": "floor", "ceil": "ceil",
              "trunc": "trunc", "erf": "erf", "round": "rint"}
_TYPES = {"BOOL": "i1", "INT8": "i8", "INT16": "i16", "INT32": "i32", "INT64": "i64",
          "FLOAT32": "f32", "FLOAT64": "f64"}
_LOGICAL = {"and": "&", "or": "|"}


class Writer:
    """Writes expressions of one stencil."""

    def __init__(self, stencil: Any, axes: str, function: Any = None) -> None:
        self._function = function
        self.axes = axes
        params = {str(one.name): one for one in stencil.params}
        self.fields = {name: one for name, one in params.items() if kind_of(one) == "FieldDecl"}
        self.scalars = {name: one for name, one in params.items() if name not in self.fields}
        self.temporaries = {str(one.name): one for loop in stencil.vertical_loops
                            for one in loop.temporaries}
        #: Names in the program by symbols of GTIR, and those that only the program has.
        self._names: Dict[str, str] = {name: name for name in params}
        for one in self.temporaries:
            self._names[one] = self.free(_short(one))
        #: What the indices along the axes are called.
        self.indices = {axis: self.take(axis.lower()) for axis in axes}
        floats = {one.dtype.name for one in self.fields.values()
                  if one.dtype.name.startswith("FLOAT")} or {"FLOAT64"}
        #: Numbers that are parts of the program: truth values, and those of another type than
        #: that of the arrays, which numbers of calls have.
        self.static = {name: one for name, one in self.scalars.items()
                       if one.dtype.name == "BOOL" or one.dtype.name.startswith("FLOAT")
                       and len(floats) == 1 and one.dtype.name not in floats}
        for name, one in {**self.fields, **self.temporaries}.items():
            if tuple(getattr(one, "data_dims", ()) or ()):
                self.refuse(one, f"field '{name}' has data dimensions",
                            "pass a field for each component")

    def free(self, wanted: str) -> str:
        """A name that nothing else has."""
        taken, count, found = set(self._names.values()) | {"stencil"}, 0, wanted
        while found in taken:
            count, found = count + 1, f"{wanted}_{count + 1}"
        return found

    def take(self, wanted: str) -> str:
        """A name that nothing else has, or will have."""
        found = self.free(wanted)
        self._names[f"{found} of the writer"] = found
        return found

    def name(self, symbol: Any) -> str:
        """What a symbol of GTIR is called in the program."""
        return self._names[str(symbol)]

    def refuse(self, node: Any, reason: str, remedy: str) -> NoReturn:
        """Refuses a node, at its line of the user's function."""
        loc = getattr(node, "loc", None)
        if loc is None:
            refuse(reason, remedy)
        if self._function is None:
            raise TraceError(reason, remedy, str(loc.filename), loc.line)
        file, first = inspect.getsourcefile(self._function), self._function.__code__.co_firstlineno
        known = getattr(self._function, "_gtscript_", {}).get("externals") or {}
        if any(map(inspect.isfunction, known.values())):
            # GT4Py counts the lines of a function that it writes out from that function's first.
            reason = f"{reason}, in line {loc.line} of '{self._function.__name__}' or of a " \
                     "function that it calls"
            raise TraceError(reason, remedy, str(file), first)
        raise TraceError(reason, remedy, str(file), first + loc.line - 1)

    # ---- points ---------------------------------------------------------------------------------

    def axes_of(self, name: str) -> str:
        """The axes of a field, in the order of its subscripts."""
        dimensions = dict(zip("IJK", {**self.fields, **self.temporaries}[name].dimensions))
        return "".join(axis for axis in self.axes if dimensions[axis])

    def offsets(self, access: Any) -> Dict[str, int]:
        """The offset of an access along each axis."""
        kind = kind_of(access.offset)
        if kind == "VariableKOffset":
            self.refuse(access, f"'{access.name}' is read at a vertical offset that is computed",
                        "read at constant offsets, and choose among them with conditions")
        if tuple(getattr(access, "data_index", ()) or ()):
            self.refuse(access, f"'{access.name}' has data dimensions",
                        "pass a field for each component")
        if kind == "AbsoluteKIndex":
            return {"I": 0, "J": 0}
        return {"I": access.offset.i, "J": access.offset.j, "K": access.offset.k}

    def point(self, access: Any) -> str:
        """An access as a subscript."""
        offsets, places = self.offsets(access), []
        for axis in self.axes_of(str(access.name)):
            index = self.indices[axis]
            if axis in offsets:
                places.append(index + (f"{offsets[axis]:+d}" if offsets[axis] else ""))
                continue
            plane = getattr(access.offset.k, "value", access.offset.k)
            try:
                places.append(str(int(plane)))
            except (TypeError, ValueError):
                self.refuse(access, f"'{access.name}' is read at a plane that is computed",
                            "read at planes that are numbers, as u.at(K=0)")
        return f"{self.name(access.name)}[{', '.join(places)}]"

    # ---- expressions ----------------------------------------------------------------------------

    def typed(self, node: Any) -> str:
        """An expression that has a type by itself, numbers too."""
        text = self.text(node)
        if not _is_number(node):
            return text
        return f"stencil.constant({text}, {self.element(node)!r})"

    def element(self, node: Any) -> str:
        """The type of a node."""
        return _TYPES[node.dtype.name]

    def text(self, node: Any) -> str:
        """An expression, in brackets where it is one of an operator."""
        found: str = getattr(self, f"_{kind_of(node)}", self._unknown)(node)
        return found

    def _operands(self, nodes: List[Any]) -> List[str]:
        """Operands of one type: numbers take it from another operand, if one has it."""
        if all(map(_is_number, nodes)):
            return [self.typed(one) for one in nodes]
        return [self.text(one) for one in nodes]

    def _unknown(self, node: Any) -> NoReturn:
        self.refuse(node, f"a {kind_of(node)} has no counterpart in programs",
                    "write the stencil with @stencil.program")

    def _Literal(self, node: Any) -> str:
        text = str(getattr(node.value, "value", node.value))
        if node.dtype.name == "BOOL":
            return "True" if text.lower() == "true" else "False"
        return repr(float(text)) if node.dtype.name.startswith("FLOAT") else str(int(text))

    def _ScalarAccess(self, node: Any) -> str:
        name = self.name(node.name)
        is_number = str(node.name) in self.static and node.dtype.name != "BOOL"
        return f"stencil.constant({name}, {self.element(node)!r})" if is_number else name

    def _FieldAccess(self, node: Any) -> str:
        return self.point(node)

    def _IteratorAccess(self, node: Any) -> str:
        axis = str(getattr(node.name, "value", node.name))
        if axis != "K":
            self.refuse(node, f"the index {axis} is used as a number",
                        "pass a field that holds it")
        return f"stencil.cast({self.indices['K']}, {self.element(node)!r})"

    def _Cast(self, node: Any) -> str:
        if _is_number(node.expr):
            return self.text(node.expr)
        if node.expr.dtype.name == "BOOL":
            return f"stencil.where({self.text(node.expr)}, *[stencil.constant(n, " \
                   f"{self.element(node)!r}) for n in (1, 0)])"
        return f"stencil.cast({self.text(node.expr)}, {self.element(node)!r})"

    def _UnaryOp(self, node: Any) -> str:
        sign, text = str(getattr(node.op, "value", node.op)), self.text(node.expr)
        # Truth values that are parts of the program are Python's, whose '~' is that of integers.
        negation = "not " if _is_static_condition(node.expr, self.static) else "~"
        return text if sign == "+" else f"({negation}{text})" if sign == "not" else f"(-{text})"

    def _BinaryOp(self, node: Any) -> str:
        sign = str(getattr(node.op, "value", node.op))
        if sign == "@":
            self.refuse(node, "'@' multiplies matrices", "write the sums of products")
        left, right = self._operands([node.left, node.right])
        return f"({left} {_LOGICAL.get(sign, sign)} {right})"

    def _TernaryOp(self, node: Any) -> str:
        condition = self.typed(node.cond)
        one, two = self._operands([node.true_expr, node.false_expr])
        return f"stencil.where({condition}, {one}, {two})"

    def _NativeFuncCall(self, node: Any) -> str:
        name, values = str(getattr(node.func, "value", node.func)), list(node.args)
        if name == "pow":
            return self._power(*values)
        if name == "isnan":
            text = self.typed(values[0])
            return f"({text} != {text})"
        if name in ("int32", "int64", "float32", "float64"):
            return f"stencil.cast({self.typed(values[0])}, {self.element(node)!r})"
        if name == "round_away_from_zero":
            text = self.typed(values[0])
            return f"stencil.copysign(stencil.floor(stencil.absolute({text}) + 0.5), {text})"
        if name not in _FUNCTIONS:
            self.refuse(node, f"the function '{name}' has no counterpart in programs",
                        "write it with others, or compute it before the call and pass a field")
        return f"stencil.{_FUNCTIONS[name]}({', '.join(self._operands(values))})"

    def _power(self, base: Any, exponent: Any) -> str:
        while kind_of(exponent) == "Cast":
            exponent = exponent.expr
        if kind_of(exponent) == "Literal" and float(str(exponent.value)).is_integer():
            return f"({self.typed(base)} ** {int(float(str(exponent.value)))})"
        return f"stencil.power({', '.join(self._operands([base, exponent]))})"


def kind_of(node: Any) -> str:
    """The class of a node."""
    return type(node).__name__


def children(node: Any) -> List[Any]:
    """The expressions that an expression is made of."""
    found: List[Any] = []
    for name in ("expr", "left", "right", "cond", "true_expr", "false_expr"):
        if hasattr(node, name):
            found.append(getattr(node, name))
    return found + list(getattr(node, "args", ()))


def accesses(node: Any) -> List[Any]:
    """The fields that an expression reads."""
    if kind_of(node) == "FieldAccess":
        return [node]
    return [access for one in children(node) for access in accesses(one)]


def _is_number(node: Any) -> bool:
    """Whether an expression is made of numbers alone."""
    if kind_of(node) == "Literal":
        return bool(node.dtype.name != "BOOL")
    parts = children(node)
    return kind_of(node) in ("UnaryOp", "Cast") and bool(parts) and all(map(_is_number, parts))


def _is_static_condition(node: Any, static: Mapping[str, Any]) -> bool:
    """Whether an expression is made of truth values alone that are known when it is traced."""
    if getattr(getattr(node, "dtype", None), "name", "") != "BOOL":
        return False
    if kind_of(node) == "ScalarAccess":
        return str(node.name) in static
    parts = children(node)
    return kind_of(node) == "Literal" or kind_of(node) in ("UnaryOp", "BinaryOp") and all(
        _is_static_condition(one, static) for one in parts)


def _short(symbol: str) -> str:
    """A symbol without what GT4Py appends to names of its functions."""
    found: Tuple[str, str, str] = symbol.partition("__")
    return found[0].lower() if found[1] and found[0] else symbol


__all__ = ["Writer", "accesses", "children", "kind_of"]
