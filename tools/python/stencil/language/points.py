"""The code of one point: the region of a `stencil.apply`.

Operations are those that the user wrote, in the user's order, each once: an expression that occurs
twice is computed once.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import integers, types
from .expressions import ARITHMETIC, COMPARISONS, Value, postorder
from .locations import Location
from .printing import Names, Text

#: Operations to which `fastmath` flags apply, beside functions of the dialect 'math'.
_FLAGGED = ("addf", "subf", "mulf", "divf", "negf", "minimumf", "maximumf")
_RESULTS = {"add": "sum", "sub": "difference", "mul": "product", "div": "quotient",
            "min": "least", "max": "greatest", "neg": "negated", "select": "chosen",
            "compare": "is", "and": "both", "or": "either", "xor": "differs", "cast": "cast"}
_UNMARKED = ("floor", "ceil", "trunc", "round", "roundeven", "copysign", "absf")


class Operand:
    """A value from outside of the region: what its argument is called, and its type."""

    def __init__(self, outside: str, inside: str, type_text: str) -> None:
        self.outside = outside
        self.inside = inside
        self.type = type_text


#: How a read is written: gives the operation's text, and a name for its result.
Reader = Callable[["PointCode", Value], Tuple[str, str]]


class PointCode:
    """Writes the operations of expressions into a region."""

    def __init__(self, text: Text, names: Names, flags: str, read: Reader,
                 operands: Dict[Any, Operand], known: Dict[str, str]) -> None:
        self._text = text
        self._names = names
        self._flags = f" fastmath<{flags}>" if flags else ""
        self._read = read
        self._operands = operands
        #: Operations of the region, by text.
        self._known = known
        self._of_node: Dict[int, str] = {}

    def value(self, root: Value) -> str:
        """Writes an expression; gives the name of its value."""
        for node in postorder([root]):
            if id(node) not in self._of_node:
                self._of_node[id(node)] = self._node(node)
        return self._of_node[id(root)]

    def operand(self, key: Any) -> Operand:
        """An operand of the apply."""
        return self._operands[key]

    def operation(self, text: str, wanted: str, at: Optional[Location]) -> str:
        """An operation, written once; gives the name of its result."""
        if text not in self._known:
            name = self._names.take(wanted)
            self._text.line(f"{name} = {text}", at)
            self._known[text] = name
        return self._known[text]

    def index_constant(self, value: int, at: Optional[Location]) -> str:
        """A coordinate."""
        return self.operation(f"arith.constant {value} : index", f"at{value}".replace("-", "m"), at)

    def moved(self, name: str, offset: int, at: Optional[Location]) -> str:
        """A coordinate with an offset."""
        if offset == 0:
            return name
        by = self.index_constant(offset, at)
        return self.operation(f"arith.addi {name}, {by} : index", "moved", at)

    def coordinate(self, dimension: int, offset: int, rank: int, at: Optional[Location]) -> str:
        """The coordinate of the point along a dimension."""
        offsets = ["0"] * rank
        offsets[dimension] = str(offset)
        return self.operation(f"stencil.index {dimension} <[{', '.join(offsets)}]>",
                              f"coordinate{dimension}", at)

    def _node(self, node: Value) -> str:
        if node.operation in ("access", "table", "coordinate", "time", "scalar"):
            text, wanted = self._read(self, node)
            return self.operation(text, wanted, node.at) if wanted else text
        if node.operation == "constant":
            return self._constant(node)
        names = [self._of_node[id(one)] for one in node.operands]
        if node.operation == "cast":
            return self._cast(names[0], str(node.operands[0].element), str(node.element), node.at)
        if node.operation in integers.DIVISIONS:
            return integers.written(node.operation, names[0], names[1], node,
                                    lambda text, wanted: self.operation(text, wanted, node.at))
        text = self._operation_text(node, names)
        return self.operation(text, _RESULTS.get(node.operation, node.operation), node.at)

    def _constant(self, node: Value) -> str:
        element = str(node.element)
        written = types.literal(node.data, element)
        if element == "i1":
            return self.operation(f"arith.constant {written}", written, node.at)
        short = written.replace("-", "m").replace(".0", "").replace(".", "p")
        wanted = f"c{short}" if len(short) <= 8 and "+" not in short else "c"
        return self.operation(f"arith.constant {written} : {element}", wanted, node.at)

    def _operation_text(self, node: Value, names: Sequence[str]) -> str:
        listed = ", ".join(names)
        operation, element = node.operation, str(node.operands[0].element)
        is_float = types.is_float(element)
        if operation == "compare":
            predicate = COMPARISONS[node.data][0 if is_float else 1]
            if element == "i1":
                predicate = {"eq": "eq", "ne": "ne"}.get(node.data, "u" + node.data)
            return f"arith.cmp{'f' if is_float else 'i'} {predicate}, {listed} : {element}"
        if operation in ("and", "or", "xor"):
            return f"arith.{operation}i {listed} : i1"
        if operation == "select":
            return f"arith.select {listed} : {node.element}"
        if operation == "neg":
            return f"arith.negf {listed}{self._flags} : {element}"
        if operation in ARITHMETIC:
            name = ARITHMETIC[operation][0 if is_float else 1]
            flags = self._flags if name in _FLAGGED else ""
            return f"arith.{name} {listed}{flags} : {element}"
        flags = "" if operation in _UNMARKED else self._flags
        return f"math.{operation} {listed}{flags} : {element}"

    def _cast(self, name: str, source: str, target: str, at: Optional[Location]) -> str:
        if source == "index":
            name, source = self._convert("index_cast", name, "index", "i64", at), "i64"
            if target == source:
                return name
        if target == "index":
            return self._convert("index_cast", name, source, target, at)
        if {source, target} == {"f16", "bf16"}:
            name, source = self._convert("extf", name, source, "f32", at), "f32"
        return self._convert(_conversion(source, target), name, source, target, at)

    def _convert(self, operation: str, name: str, source: str, target: str,
                 at: Optional[Location]) -> str:
        return self.operation(f"arith.{operation} {name} : {source} to {target}",
                              f"as_{target}", at)


_BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32,
         "f64": 64}


def _conversion(source: str, target: str) -> str:
    """The operation of the dialect 'arith' that converts."""
    if types.is_float(source) and types.is_float(target):
        return "extf" if _BITS[target] > _BITS[source] else "truncf"
    if types.is_float(target):
        return "uitofp" if source == "i1" else "sitofp"
    if types.is_float(source):
        return "fptosi"
    if _BITS[target] < _BITS[source]:
        return "trunci"
    return "extui" if source == "i1" else "extsi"


def needed(values: Sequence[Value]) -> List[Value]:
    """The reads of several expressions, in the order in which they are first needed."""
    return [node for node in postorder(values)
            if node.operation in ("access", "table", "coordinate", "time", "scalar")]
