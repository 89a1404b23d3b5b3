"""Runs a module of xDSL's in-memory IR with NumPy: the reference that programs are compared with.

It shares nothing with the compiler but the meaning of the ops. Functions run op by op; a temp is
a recipe that is asked for the values of a box when a store, or a reader of that box, needs them,
so no bounds are inferred here. A point function is evaluated for all points of a box at once.
"""

import dataclasses
import itertools

import numpy as np
from xdsl.dialects import builtin, func, scf, stencil

from scalars import SCALARS, dtype_of, from_bits, stored_dtype, to_bits


class NoMeaning(Exception):
    """What a program does not say: a read outside of a field, a group of points cut in two ..."""


@dataclasses.dataclass
class Memory:
    """A field: an array and the coordinates of its first cell, which a cast may give."""

    array: np.ndarray
    lower: tuple | None
    element: object

    def snapshot(self):
        return Memory(self.array.copy(), self.lower, self.element)

    def slices(self, lower, upper):
        begin = [low - first for low, first in zip(lower, self.lower)]
        end = [high - first for high, first in zip(upper, self.lower)]
        inside = all(
            0 <= low and high <= extent
            for low, high, extent in zip(begin, end, self.array.shape)
        )
        if not inside:
            raise NoMeaning(f"cells {lower} to {upper} of a field at {self.lower}")
        return tuple(slice(low, high) for low, high in zip(begin, end))

    def read(self, lower, upper):
        """Values of a box, and which of them there are (None: all)."""
        return from_bits(self.array[self.slices(lower, upper)], self.element), None


class Result:
    """A result of an apply."""

    def __init__(self, applied, position):
        self.applied, self.position = applied, position

    def read(self, lower, upper):
        values, written = self.applied.read(lower, upper)[self.position]
        return values, written


class Joined:
    """A result of a combine; on a side that is missing nothing is written."""

    def __init__(self, dimension, at, lower, upper, kind):
        self.dimension, self.at, self.sides = dimension, at, (lower, upper)
        self.element = kind.element_type

    def read(self, lower, upper):
        parts = []
        middle = min(max(self.at, lower[self.dimension]), upper[self.dimension])
        for side, (begin, end) in zip(
            self.sides, ((lower[self.dimension], middle), (middle, upper[self.dimension]))
        ):
            if begin == end:
                continue
            low, high = list(lower), list(upper)
            low[self.dimension], high[self.dimension] = begin, end
            if side is None:
                shape = tuple(last - first for first, last in zip(low, high))
                parts.append((np.zeros(shape, dtype_of(self.element)), np.zeros(shape, bool)))
            else:
                parts.append(side.read(tuple(low), tuple(high)))
        values = np.concatenate([values for values, _ in parts], self.dimension)
        if all(written is None for _, written in parts):
            return values, None
        masks = [np.ones(v.shape, bool) if w is None else w for v, w in parts]
        return values, np.concatenate(masks, self.dimension)


class Applied:
    """An apply with its operands as they were when it stood in line."""

    def __init__(self, op, operands):
        self.op, self.operands = op, operands
        self.unroll = op.region.block.last_op.unroll
        self.box = None
        # Where groups of points begin: at the bounds, where they are known.
        self.declared = None
        known = op.get_bounds()
        if self.unroll is not None and isinstance(known, stencil.StencilBoundsAttr):
            self.declared = (tuple(known.lb), tuple(known.ub))
        self.values = None

    def read(self, lower, upper):
        """Per result the values of a box, and which are written."""
        begun = self.box or self.declared
        first, last = begun or (lower, upper)
        first, last = tuple(map(min, lower, first)), tuple(map(max, upper, last))
        if self.box != (first, last):
            if begun not in (None, (first, last)) and self.unroll is not None:
                raise NoMeaning("groups of points begin at the first box that is asked for")
            self.values, self.box = self.compute(first, last), (first, last)
        part = tuple(
            slice(low - first, high - first)
            for low, high, first in zip(lower, upper, self.box[0])
        )
        return [(v[part], None if w is None else w[part]) for v, w in self.values]

    def compute(self, lower, upper):
        group = tuple(self.unroll) if self.unroll is not None else (1,) * len(lower)
        shape = tuple(high - low for low, high in zip(lower, upper))
        if any(extent % step for extent, step in zip(shape, group)):
            raise NoMeaning("a group of points that is cut in two")
        axes = [np.arange(low, high, step) for low, high, step in zip(lower, upper, group)]
        firsts = [grid.ravel() for grid in np.meshgrid(*axes, indexing="ij")]
        returned = Points(self.op, self.operands, firsts).run()
        places = list(itertools.product(*map(range, group)))
        results = []
        for start in range(0, len(returned), len(places)):
            values, written = None, np.ones(shape, bool)
            for place, (part, mask) in zip(places, returned[start:]):
                cells = tuple(slice(offset, None, step) for offset, step in zip(place, group))
                values = np.zeros(shape, part.dtype) if values is None else values
                values[cells] = part.reshape(values[cells].shape)
                written[cells] = mask.reshape(values[cells].shape)
            results.append((values, None if written.all() else written))
        return results


class Points:
    """One run of a point function, for a list of points."""

    def __init__(self, apply, operands, coordinates):
        self.apply, self.coordinates = apply, coordinates
        self.environment = dict(zip(apply.region.block.args, operands))

    @property
    def count(self):
        return len(self.coordinates[0])

    def run(self):
        """The operands of the `return`: values and which of them are stored."""
        ends = self.block(self.apply.region.block)
        results = []
        for end, value in zip(ends, self.apply.region.block.last_op.arg):
            if not isinstance(value.type, stencil.ResultType):
                end = (end, np.ones(self.count, bool))
            values, mask = end
            results.append((np.broadcast_to(values, self.count), mask))
        return results

    def block(self, block):
        for op in block.ops:
            if op is block.last_op:
                return [self.environment[value] for value in op.operands]
            results = self.evaluate(op)
            self.environment.update(zip(op.results, results))
        raise AssertionError("a block ends in a terminator")

    def evaluate(self, op):
        values = [self.environment[value] for value in op.operands]
        match op:
            case stencil.AccessOp():
                mapping = op.offset_mapping or range(len(op.offset))
                along = [self.coordinates[d] + o for d, o in zip(mapping, op.offset)]
                return [gather(values[0], along)]
            case stencil.DynAccessOp():
                return [self.dynamic(op, values)]
            case stencil.IndexOp():
                dimension = op.dim.value.data
                return [self.coordinates[dimension] + list(op.offset)[dimension]]
            case stencil.StoreResultOp():
                if op.arg is None:
                    nothing = np.zeros(self.count, dtype_of(op.res.type.elem))
                    return [(nothing, np.zeros(self.count, bool))]
                return [(np.broadcast_to(values[0], self.count), np.ones(self.count, bool))]
            case scf.IfOp():
                return self.branch(op, values[0])
            case scf.ForOp():
                return repeat(op, values, self.environment, self.block)
            case _:
                return SCALARS[op.name](op, values)

    def dynamic(self, op, values):
        along = [np.broadcast_to(place, self.count) for place in values[1:]]
        for place, point, low, high in zip(along, self.coordinates, op.lb, op.ub):
            if self.count and not ((place >= point + low) & (place <= point + high)).all():
                raise NoMeaning("a dynamic access outside of its extent")
        return gather(values[0], along)

    def branch(self, op, condition):
        """Each side is evaluated for its own points only."""
        condition = np.broadcast_to(condition, self.count).astype(bool)
        sides = []
        for region, chosen in ((op.true_region, condition), (op.false_region, ~condition)):
            part = Points(self.apply, [], [along[chosen] for along in self.coordinates])
            part.environment = {
                value: chosen_points(held, chosen, self.count)
                for value, held in self.environment.items()
            }
            sides.append((chosen, part.block(region.block)))
        merged = []
        for position in range(len(op.results)):
            pairs = [(chosen, values[position]) for chosen, values in sides]
            merged.append(merge(pairs, self.count))
        return merged


def chosen_points(held, chosen, count):
    if isinstance(held, tuple):
        return tuple(part[chosen] for part in held)
    if isinstance(held, np.ndarray) and held.shape == (count,):
        return held[chosen]
    return held


def merge(pairs, count):
    """One value out of the values of disjoint points."""
    if isinstance(pairs[0][1], tuple):
        halves = [[(chosen, value[half]) for chosen, value in pairs] for half in range(2)]
        return tuple(merge(half, count) for half in halves)
    whole = np.zeros(count, np.asarray(pairs[0][1]).dtype)
    for chosen, values in pairs:
        whole[chosen] = values
    return whole


def gather(source, along):
    """The values at some coordinates, out of the box around them."""
    if len(along[0]) == 0:
        return np.zeros(0, np.float64)
    lower = tuple(int(place.min()) for place in along)
    upper = tuple(int(place.max()) + 1 for place in along)
    values, written = source.read(lower, upper)
    cells = tuple(place - low for place, low in zip(along, lower))
    if written is not None and not written[cells].all():
        raise NoMeaning("a cell that was never given a value")
    return values[cells]


def repeat(op, values, environment, run):
    """`scf.for`; `run` runs its block and gives what it yields."""
    first, last, step, *carried = values
    for time in range(int(first), int(last), int(step)):
        environment.update(zip(op.body.block.args, [np.int64(time), *carried]))
        carried = run(op.body.block)
    return carried


class Function:
    """A run of a function."""

    def __init__(self, arguments):
        self.environment = arguments

    def block(self, block):
        for op in block.ops:
            if isinstance(op, (func.ReturnOp, scf.YieldOp)):
                return [self.environment[value] for value in op.operands]
            self.environment.update(zip(op.results, self.evaluate(op)))
        return []

    def evaluate(self, op):
        values = [self.environment[value] for value in op.operands]
        match op:
            case stencil.ExternalStoreOp():
                values[1].array[...] = values[0].array
                return []
            case stencil.CastOp() | stencil.ExternalLoadOp():
                return [Memory(values[0].array, tuple(op.result.type.bounds.lb), values[0].element)]
            case stencil.AllocOp():
                kind = op.field.type
                array = np.zeros(kind.get_shape(), stored_dtype(kind.element_type))
                return [Memory(array, tuple(kind.bounds.lb), kind.element_type)]
            case stencil.LoadOp():
                return [values[0].snapshot()]
            case stencil.BufferOp():
                return values
            case stencil.StoreOp():
                write(values[0], values[1], op.bounds)
                return []
            case stencil.CombineOp():
                return combined(op, self.environment)
            case stencil.ApplyOp():
                return self.apply(op, values)
            case scf.ForOp():
                return repeat(op, values, self.environment, self.block)
            case _:
                return SCALARS[op.name](op, values)

    def apply(self, op, values):
        values = [v.snapshot() if isinstance(v, Memory) else v for v in values]
        applied = Applied(op, values[: len(op.args)])
        for position, target in enumerate(op.dest):
            write(Result(applied, position), self.environment[target], op.bounds)
        return [Result(applied, position) for position in range(len(op.res))]


def combined(op, environment):
    dimension, at = op.dim.value.data, op.index.value.data
    sides = [*zip(op.lower, op.upper), *((low, None) for low in op.lowerext)]
    sides += [(None, high) for high in op.upperext]
    return [
        Joined(dimension, at, low and environment[low], high and environment[high], result.type)
        for (low, high), result in zip(sides, op.results_)
    ]


def write(source, target, box):
    lower, upper = tuple(box.lb), tuple(box.ub)
    values, written = source.read(lower, upper)
    cells = target.slices(lower, upper)
    values = to_bits(values, target.element)
    target.array[cells] = values if written is None else np.where(
        written, values, target.array[cells])


def run(module, name, arrays):
    """Runs a function on arrays and scalars, by position; the arrays change."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    block = functions[name].body.block
    arguments = {}
    for argument, given in zip(block.args, arrays, strict=True):
        if isinstance(argument.type, stencil.FieldType):
            box = argument.type.bounds
            lower = None if isinstance(box, builtin.IntAttr) else tuple(box.lb)
            given = Memory(given, lower, argument.type.element_type)
        elif isinstance(argument.type, builtin.MemRefType):
            given = Memory(given, None, argument.type.element_type)
        else:
            given = dtype_of(argument.type).type(given)
        arguments[argument] = given
    Function(arguments).block(block)
