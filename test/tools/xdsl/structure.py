"""Whether two modules are the same program, and where they differ.

Two texts of one program may differ in what means nothing: names of values, properties that stand
among the attributes, flags that are spelled out though they are the default, the mapping of an
access that lacks no dimension. `normalised` takes these away; what is left must be equal, op by op.
"""

import io

from xdsl.context import Context
from xdsl.dialects import arith, get_all_dialects, stencil
from xdsl.parser import Parser
from xdsl.printer import Printer


def context():
    made = Context()
    for name, factory in get_all_dialects().items():
        made.register_dialect(name, factory)
    return made


CONTEXT = context()


def parse(text, name="module"):
    """A module out of a text, verified."""
    module = Parser(CONTEXT, text, name).parse_module()
    module.verify()
    return module


def printed(module, generic=False):
    """What xDSL prints."""
    stream = io.StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue() + "\n"


DEFAULTS = (arith.FastMathFlagsAttr("none"), arith.IntegerOverflowAttr("none"))


def normalised(module):
    """A copy without what means nothing."""
    module = module.clone()
    for op in module.walk():
        for group in (op.properties, op.attributes):
            for name in [name for name, value in group.items() if value in DEFAULTS]:
                del group[name]
        if isinstance(op, stencil.AccessOp):
            whole = tuple(range(op.get_apply().get_rank()))
            if op.offset_mapping is not None and tuple(op.offset_mapping) == whole:
                del op.attributes["offset_mapping"]
    return module


def difference(first, second):
    """The first op that is not the same in two modules, in words; None if there is none."""
    first, second = normalised(first), normalised(second)
    if first.is_structurally_equivalent(second):
        return None
    names = [[op.name for op in each.walk()] for each in (first, second)]
    if names[0] != names[1]:
        return f"the ops differ: {names[0]} and {names[1]}"
    for left, right in zip(first.walk(), second.walk()):
        facts = [facts_of(op) for op in (left, right)]
        if facts[0] != facts[1]:
            return f"{left.name}: {facts[0]} and {facts[1]}"
    return "operands are others"


def facts_of(op):
    arguments = [each for region in op.regions for block in region.blocks for each in block.args]
    types = [*op.operands, *op.results, *arguments]
    return (
        {name: str(value) for name, value in sorted(op.properties.items())},
        {name: str(value) for name, value in sorted(op.attributes.items())},
        [str(value.type) for value in types],
    )


def temps(module):
    """The type of every temp, in the order of the text, with the op that makes it."""
    found = []
    for op in module.walk():
        for result in op.results:
            if isinstance(result.type, stencil.TempType):
                found.append((op.name, str(result.type)))
        if isinstance(op, stencil.ApplyOp):
            found += [("argument", str(a.type)) for a in op.region.block.args
                      if isinstance(a.type, stencil.TempType)]
    return found
