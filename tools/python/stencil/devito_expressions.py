"""Expressions of Devito, which are those of SymPy, as text of the language.

Numbers are written as Devito writes them in C: with the digits that it keeps. Factors that are
numbers come first in products, so that what is known when a program is traced is one number.
"""

from __future__ import annotations

import importlib
from typing import Any, Dict, List, Optional, Tuple

from .language.locations import refuse

#: Functions of SymPy that have another name here, or the same.
_FUNCTIONS = {"sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos",
              "atan": "arctan", "atan2": "arctan2", "sinh": "sinh", "cosh": "cosh",
              "tanh": "tanh", "exp": "exp", "log": "log", "sqrt": "sqrt", "Abs": "absolute",
              "floor": "floor", "ceiling": "ceil", "erf": "erf", "Max": "maximum",
              "Min": "minimum"}
#: Numbers that have no free symbols, and are none of the following kinds of SymPy.
_NAMED_NUMBERS = ("Pi", "Exp1")

#: An index: the name of a dimension and the offset from it, or none and a point of the grid.
Place = Tuple[Optional[str], int]


class Writer:
    """Writes expressions on one grid; collects the arguments that they need."""

    def __init__(self, grid: Any, name: str) -> None:
        self.grid = grid
        self.name = name
        #: Arguments by name: functions, constants, mesh widths with their values, and `dt`.
        self.fields: Dict[str, Any] = {}
        self.constants: Dict[str, Optional[float]] = {}
        self.widths: Dict[str, Optional[float]] = {}
        self.time_widths: List[str] = []
        self.time, self.steps = "t", "steps"
        self.indices = [one.name for one in grid.dimensions]
        self._values = {key.name: float(value) for key, value in grid.spacing_map.items()}
        #: What an equation computes: reads of other points of it would be in an order of points.
        self.forbidden: Optional[Tuple[Any, Optional[int], str]] = None
        #: The point that a source is injected into, the source, and its table of values.
        self._point: Dict[str, int] = {}
        self._source: Optional[Tuple[Any, str]] = None

    def width(self, index: str) -> float:
        """The mesh width along an index."""
        return self._values[f"h_{index}"]

    def begin_point(self, point: Dict[str, int], source: Any, table: str) -> None:
        """From here on functions are those at one point, and the source is a table."""
        self._point, self._source = point, (source, table)

    def end_point(self) -> None:
        """Functions are those at all points again."""
        self._point, self._source = {}, None

    # ---- points of functions --------------------------------------------------------------------

    def is_access(self, node: Any) -> bool:
        """Whether this is a function of the grid at some point."""
        return hasattr(node, "indices") and hasattr(node, "function") and (
            getattr(node, "is_DiscreteFunction", False) or getattr(node, "is_Indexed", False))

    def level(self, node: Any) -> Optional[int]:
        """The level of time that is meant, 0 for the current one; None for functions without."""
        function = node.function
        if not getattr(function, "is_TimeFunction", False):
            return None
        if getattr(function, "save", None):
            refuse(f"'{function.name}' saves {function.save} time steps",
                   "leave save= out, and run the program in parts: copy the array after each")
        if function.dimensions[0] != self.grid.stepping_dim:
            self._refuse_dimension(function, function.dimensions[0])
        place = self._offset(node, node.indices[0], self.grid.stepping_dim,
                             self.grid.time_dim.spacing, 0)
        if place is None:
            refuse(f"{node} is a level of time that does not follow the current one",
                   f"use {function.name}, {function.name}.forward and {function.name}.backward")
        return place

    def places(self, node: Any) -> List[Place]:
        """What is read along each dimension of space."""
        function = node.function
        if getattr(function, "is_SparseFunction", False) or \
                getattr(function, "is_SparseTimeFunction", False):
            refuse(f"'{function.name}' is a sparse function",
                   "inject and interpolate between calls of the program")
        is_timed = getattr(function, "is_TimeFunction", False)
        is_indexed = getattr(node, "is_Indexed", False)
        found: List[Place] = []
        for axis, dimension in list(enumerate(function.dimensions))[int(is_timed):]:
            if dimension not in self.grid.dimensions:
                self._refuse_dimension(function, dimension)
            index = node.indices[axis]
            if not getattr(index, "free_symbols", ()):
                found.append((None, int(index)))
                continue
            origin = 0 if is_indexed else function.origin[axis]
            offset = self._offset(node, index, dimension, dimension.spacing, origin)
            if offset is None:
                refuse(f"{node} is no point at a constant distance along {dimension.name}",
                       f"neighbours are {dimension.name} plus an integer; between points take "
                       "derivatives or means that Devito expands")
            found.append((dimension.name, offset))
        return found

    @staticmethod
    def extents(function: Any) -> Tuple[int, ...]:
        """The points of a function along its dimensions of space; raises nothing."""
        return tuple(function.shape)[int(getattr(function, "is_TimeFunction", False)):]

    def _refuse_dimension(self, function: Any, dimension: Any) -> None:
        refuse(f"'{function.name}' has dimension '{dimension.name}', which is none of the grid",
               f"a program has {', '.join(self.indices)} and time steps that are all computed: "
               "write a function for each component, and run in parts instead of subsampling")

    @staticmethod
    def _offset(node: Any, index: Any, dimension: Any, width: Any, origin: Any) -> Optional[int]:
        """The integer that an index is away from the point; None if there is none."""
        sympy: Any = importlib.import_module("sympy")
        # Devito's own sums have rules of their own; these are plain ones.
        distance = sympy.Add(*sympy.Add.make_args(sympy.sympify(index))) - dimension - origin
        distance = sympy.expand(distance).subs(width, 1)
        return int(distance) if distance.is_Integer else None

    def access(self, node: Any) -> str:
        """A point of a function, as it is read or assigned to."""
        if self._source is not None and node.function == self._source[0].function:
            return self._value_of_source(node, self._source[1])
        name = self._argument(node.function.name)
        self.fields.setdefault(name, node.function)
        level = self.level(node)
        parts = [] if level is None else [self.time + (f"{level:+d}" if level else "")]
        for dimension, place in self.places(node):
            if dimension is None:
                parts.append(str(place))
            elif self._point:
                parts.append(str(self._point[dimension] + place))
            else:
                parts.append(dimension + (f"{place:+d}" if place else ""))
        text = f"{name}[{', '.join(parts)}]"
        if self.forbidden is not None and self.forbidden[:2] == (node.function, level) \
                and text != self.forbidden[2] and None not in dict(self.places(node)):
            refuse(f"{self.forbidden[2]} is computed from {text}, in the order of Devito's loops",
                   "points of a program have no order: read another level of time, or compute "
                   "into another function")
        return text

    def _value_of_source(self, node: Any, table: str) -> str:
        if self._offset(node, node.indices[0], self.grid.time_dim, self.grid.time_dim.spacing, 0):
            refuse(f"{node} is another time step of a source", "shift the rows of its table")
        name = self._argument(table)
        self.fields.setdefault(name, node.function)
        return f"{name}[{self.time}]"

    def _argument(self, name: str) -> str:
        taken = (*self.indices, self.time, self.steps, self.name, "stencil")
        if name in taken or not name.isidentifier():
            refuse(f"'{name}' is a function or a constant, and the name of something else in the "
                   "program", f"give it another name than {', '.join(taken)}")
        return name

    # ---- expressions ----------------------------------------------------------------------------

    def text(self, node: Any) -> str:
        """An expression, in brackets where it needs them."""
        if self.is_access(node):
            return self._read(node)
        if getattr(node, "is_Number", False):
            return self._number(node)
        if type(node).__name__ in _NAMED_NUMBERS:
            return f"{float(node)!r}"
        if getattr(node, "is_Add", False):
            return f"({' + '.join(map(self.text, node.args))})"
        if getattr(node, "is_Mul", False):
            return self._product(node)
        if getattr(node, "is_Pow", False):
            return self._power(node.base, node.exp)
        if getattr(node, "is_Symbol", False):
            return self._symbol(node)
        called = _FUNCTIONS.get(type(node).__name__)
        if called is None:
            refuse(f"{type(node).__name__} in {node} is no operation of a program",
                   "use + - * / **, derivatives, minima, maxima and elementary functions; choices "
                   "per point are written with @stencil.program and stencil.where")
        text = self.text(node.args[0])
        if called == "arctan2":
            return f"stencil.arctan2({text}, {self.text(node.args[1])})"
        if len(node.args) == 1:
            return f"stencil.{called}({text})"
        for one in node.args[1:]:
            text = f"stencil.{called}({text}, {self.text(one)})"
        return text

    def _read(self, node: Any) -> str:
        if self._source is not None and node.function == self._source[0].function:
            return self.access(node)
        for (dimension, place), extent in zip(self.places(node), self.extents(node.function)):
            if dimension is None and not 0 <= place < extent:
                refuse(f"{node} is read, in Devito's halo",
                       "leave equations for the halo out and declare what lies there: boundaries="
                       "stencil.periodic(), stencil.mirror(), stencil.fixed(0.0)")
        return self.access(node)

    @staticmethod
    def _number(node: Any) -> str:
        if node.is_Integer:
            text = str(int(node))
        elif node.is_Rational:
            text = f"{node.p} / {node.q}"
        else:
            text = repr(float(str(node)))
        return f"({text})" if text[0] == "-" or "/" in text else text

    def _product(self, node: Any) -> str:
        """Factors that are no functions first; negative powers divide."""
        numbers, above, below = [], [], []
        for one in node.args:
            if not any(map(self.is_access, importlib.import_module("sympy").preorder_traversal(
                    one))):
                numbers.append(self.text(one))
            elif getattr(one, "is_Pow", False) and one.exp.is_Integer and one.exp < 0:
                below.append(self._power(one.base, -one.exp))
            else:
                above.append(self.text(one))
        if numbers:
            above.insert(0, f"({' * '.join(numbers)})" if len(numbers) > 1 else numbers[0])
        text = " * ".join(above) or "1"
        for one in below:
            text += f" / {one}"
        return f"({text})"

    def _power(self, base: Any, exponent: Any) -> str:
        inner = self.text(base)
        if exponent == 1:
            return inner
        if exponent.is_Integer:
            return f"({inner} ** {int(exponent)})"
        twice = 2 * exponent
        if twice in (1, -1):
            root = f"stencil.sqrt({inner})"
            return root if twice == 1 else f"(1 / {root})"
        return f"stencil.power({inner}, {self.text(exponent)})"

    def _symbol(self, node: Any) -> str:
        name = node.name
        if node in self.grid.dimensions:
            return str(name)
        if name in self._values and getattr(node, "is_Symbol", False):
            self.widths[name] = self._values[name]
            return self._argument(name)
        if node == self.grid.time_dim.spacing:
            if name not in self.time_widths:
                self.time_widths.append(name)
            return self._argument(name)
        if hasattr(node, "data"):
            self.constants[name] = float(node.data)
            return self._argument(name)
        if getattr(node, "is_Dimension", False):
            refuse(f"{name} is used as a number",
                   "write the program with @stencil.program, where the time step of "
                   "stencil.steps is one")
        refuse(f"'{name}' has no value", "make it a devito.Constant(name=..., value=...)")


__all__ = ["Place", "Writer"]
