"""Finite differences with exact coefficients.

Weights are computed with fractions by Fornberg's recurrence [Fornberg, Generation of Finite
Difference Formulas on Arbitrarily Spaced Grids, Mathematics of Computation 51, 1988] and rounded
once, to the type of the field.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy

from .expressions import Index, Value, as_number, as_value, binary, postorder
from .fields import Field
from .locations import refuse
from .tracing import current

#: A mesh width: a number, or a scalar of the program.
Spacing = Union[int, float, Fraction, Value]


def weights(order: int, points: Sequence[Union[int, Fraction]],
            at: Union[int, float, Fraction] = 0) -> List[Fraction]:
    """The weights of a derivative: exact for polynomials of degree below the number of points.

    The derivative of order `order` at `at` is the sum of the weights times the values at `points`,
    in units of the mesh width to the power of -`order`. Raises `TraceError` if there are not more
    points than `order`, or two are equal.
    """
    if not isinstance(order, int) or order < 0:
        refuse(f"weights of derivative {order!r}", "its order is an integer of at least 0")
    try:
        nodes = [_exact(f"point {one!r}", one) for one in points]
    except TypeError:
        refuse(f"weights at {points!r}", "give the points as a tuple or a range of numbers")
    if len(nodes) <= order or len(set(nodes)) != len(nodes):
        refuse(f"weights of derivative {order} at {len(nodes)} points",
               "give different points, more than the order of the derivative")
    # table[m][n]: weight of node n for derivative m, with the nodes up to the current one.
    table = [[Fraction(0)] * len(nodes) for _ in range(order + 1)]
    table[0][0] = Fraction(1)
    product, here = Fraction(1), _exact(f"at={at!r}", at)
    for last in range(1, len(nodes)):
        grown = Fraction(1)
        for node in range(last):
            apart = nodes[last] - nodes[node]
            grown *= apart
            if node == last - 1:
                for m in range(min(last, order), -1, -1):
                    before = table[m - 1][last - 1] * m if m else Fraction(0)
                    table[m][last] = product / grown * (
                        before - (nodes[last - 1] - here) * table[m][last - 1])
            for m in range(min(last, order), -1, -1):
                before = table[m - 1][node] * m if m else Fraction(0)
                table[m][node] = ((nodes[last] - here) * table[m][node] - before) / apart
        product = grown
    return table[order]


def shift(value: Any, index: Index, by: int) -> Value:
    """The value at a neighbour: every read of fields and temporaries moves by `by` points.

    Raises `TraceError` for what is no index of `stencil.indices`, or no value.
    """
    if not isinstance(index, Index) or index.offset:
        refuse(f"stencil.shift along {index!r}", "give an index of stencil.indices: "
               "stencil.shift(value, i, 1)")
    if isinstance(by, bool) or not isinstance(by, (int, numpy.integer)):
        refuse(f"stencil.shift by {by!r} points",
               "give an integer: stencil.shift(value, i, 1)")
    root, by = as_value(value), int(by)
    _check_grid(root, index)
    moved: "dict[int, Value]" = {}
    for node in postorder([root]):
        operands = tuple(moved[id(one)] for one in node.operands)
        data = node.data
        if node.operation == "access":
            places = tuple(one.moved(by) if isinstance(one, Index)
                           and one.dimension == index.dimension else one for one in data.places)
            data = data._replace(places=places)
        elif node.operation == "coordinate" and data.dimension == index.dimension:
            data = data.moved(by)
        elif all(new is old for new, old in zip(operands, node.operands)):
            moved[id(node)] = node
            continue
        moved[id(node)] = Value(node.operation, operands, data, node.element)
    return moved[id(root)]


def _exact(text: str, value: Any) -> Fraction:
    """A finite number, exactly."""
    number = as_number(value)
    if number is None or not math.isfinite(number):
        refuse(f"{text} is no number", "give one, as Fraction(1, 2)")
    return Fraction(number)


def _check_grid(value: Value, index: Index) -> None:
    """Refuses an axis of another grid than that of the program, or of the value outside of one."""
    trace = current()
    if trace is not None:
        trace.use(index)
    for node in postorder([value]):
        data = node.data
        places = [data] if node.operation == "coordinate" else \
            data.places if node.operation == "access" else []
        for one in places:
            if isinstance(one, Index) and one.names != index.names:
                refuse(f"index '{index.name}' belongs to ({', '.join(index.names)}), the value is "
                       f"one of ({', '.join(one.names)})",
                       "take all indices of a program from one call of stencil.indices")


def derivative(value: Any, index: Index, n: int = 1, *, order: int = 2,
               at: Union[int, float, Fraction] = 0, side: str = "centre",
               spacing: Spacing = 1) -> Value:
    """The `n`-th derivative along an index, to an accuracy of `order` in the mesh width.

    `at` is 0 for the point itself, or a half, `Fraction(1, 2)` or `0.5`, for a staggered grid: the
    derivative between this point and the next one (-1/2: the one before), of values at points.
    `side` is "centre", "forward" or "backward": on which side of the point values are read, where
    `at` is 0. `spacing` is the mesh width, in the unit of the coordinate: a number, which becomes a
    part of the exact weights, or a scalar of the program, by whose power the sum is divided.

    Terms are added from the farthest pair of points to the nearest one, each pair of equal weights
    added (or of opposite ones subtracted) before it is multiplied. Raises `TraceError` for orders
    that are not possible.
    """
    points = _points(n, order, at, side)
    found = weights(n, points, at)
    scale, divisor = _scaled(spacing, n)
    terms = [(point, weight * scale) for point, weight in zip(points, found) if weight]
    total = _sum_of_pairs(as_value(value), index, terms, 2 * Fraction(at))
    return total if divisor is None else total / divisor


def laplace(value: Any, *indices: Index, order: int = 2,
            spacing: Union[Spacing, Sequence[Spacing]] = 1) -> Value:
    """The sum of the second derivatives along all indices of the value, or those given.

    `order` is the accuracy, an even number: the radius is half of it. `spacing` is one mesh width
    or one for each index. With one width the values at each distance are added along all axes,
    slowest first, and multiplied by their common weight; from the farthest distance inwards, and
    the centre last. With several widths the derivatives along each axis are added. Raises
    `TraceError` for an odd order, and for a value without indices.
    """
    root = as_value(value)
    every = indices or _indices_of(root)
    if isinstance(spacing, (list, tuple)):
        if len(spacing) != len(every):
            refuse(f"stencil.laplace along {len(every)} indices has {len(spacing)} mesh widths",
                   "give one, or one for each index")
        parts = [derivative(root, one, 2, order=order, spacing=width)
                 for one, width in zip(every, spacing)]
        total = parts[0]
        for part in parts[1:]:
            total = binary("add", total, part)
        return total
    points = _points(2, order, 0, "centre")
    found = dict(zip(points, weights(2, points)))
    scale, divisor = _scaled(spacing, 2)
    sum_: Optional[Value] = None
    for distance in range(order // 2, 0, -1):
        shell = None
        for index in every:
            pair = binary("add", shift(root, index, -distance), shift(root, index, distance))
            shell = pair if shell is None else binary("add", shell, pair)
        term = _times(found[distance] * scale, shell)
        sum_ = term if sum_ is None else binary("add", term, sum_)
    sum_ = binary("add", _times(found[0] * scale * len(every), root), sum_)
    return sum_ if divisor is None else sum_ / divisor


def gradient(value: Any, *indices: Index, order: int = 2, at: Union[int, float, Fraction] = 0,
             spacing: Spacing = 1) -> Tuple[Value, ...]:
    """The first derivatives along all indices of the value, or those given.

    One for each index, in units of the value over those of `spacing`. Raises what `derivative`
    raises.
    """
    root = as_value(value)
    return tuple(derivative(root, one, order=order, at=at, spacing=spacing)
                 for one in indices or _indices_of(root))


def divergence(values: Sequence[Any], *indices: Index, order: int = 2,
               at: Union[int, float, Fraction] = 0, spacing: Spacing = 1) -> Value:
    """The sum of the first derivatives of each component along its own index.

    Raises `TraceError` unless there is one component for each index.
    """
    if not isinstance(values, (tuple, list)):
        refuse(f"stencil.divergence of {values!r}", "give a tuple of components: "
               "stencil.divergence((u[j, i], v[j, i]), j, i)")
    roots = [as_value(one) for one in values]
    every = indices or (_indices_of(roots[0]) if roots else ())
    if not roots or len(roots) != len(every):
        refuse(f"stencil.divergence of {len(roots)} components along {len(every)} indices",
               "give one component for each index")
    total = None
    for root, index in zip(roots, every):
        part = derivative(root, index, order=order, at=at, spacing=spacing)
        total = part if total is None else binary("add", total, part)
    assert total is not None
    return total


def _points(n: int, order: int, at: Union[int, float, Fraction], side: str) -> List[int]:
    """The offsets that a formula reads, from the lowest."""
    whole = _exact(f"at={at!r}", at)
    if not isinstance(n, int) or not isinstance(order, int) or n < 1 or order < 1:
        refuse(f"derivative {n!r} of order {order!r}", "give integers of at least 1")
    if side not in ("centre", "forward", "backward"):
        refuse(f"side={side!r}", "side is 'centre', 'forward' or 'backward'")
    if whole.denominator == 2 and side == "centre":
        if order % 2:
            refuse(f"a staggered derivative of order {order}", "its order is even")
        # An odd derivative gains an order from symmetry, an even one needs another pair.
        pairs = (order + n - n % 2 + 1) // 2
        low = int(whole - Fraction(1, 2))
        return list(range(low - pairs + 1, low + pairs + 1))
    if whole != 0:
        refuse(f"at={at!r}", "a derivative is at the point (0) or half a mesh width from it "
               "(Fraction(1, 2), Fraction(-1, 2)), with side='centre'")
    if side != "centre":
        count = n + order
        return list(range(count)) if side == "forward" else list(range(1 - count, 1))
    if order % 2:
        refuse(f"a centred derivative of order {order}", "its order is even; one-sided ones, "
               "side='forward' or 'backward', have any")
    radius = (n + 1) // 2 + order // 2 - 1
    return list(range(-radius, radius + 1))


def _scaled(spacing: Any, n: int) -> "Tuple[Fraction, Optional[Value]]":
    """What weights are multiplied with, and what the sum is divided by."""
    number = as_number(spacing)
    if number is None:
        return Fraction(1), as_value(spacing) ** n
    if _exact(f"spacing={spacing!r}", number) == 0:
        refuse("a mesh width of 0", "give the distance of two points")
    return 1 / Fraction(number) ** n, None


def _sum_of_pairs(value: Value, index: Index, terms: Sequence[Tuple[int, Fraction]],
                  mirror: Fraction) -> Value:
    """A sum of weighted neighbours, the farthest first; pairs mirrored at `mirror` / 2 together."""
    left = dict(terms)
    total: Optional[Value] = None
    for point in sorted(left, key=lambda one: (-abs(2 * one - mirror), one)):
        if point not in left:
            continue
        weight = left.pop(point)
        other = int(mirror) - point
        here = shift(value, index, point)
        if other != point and left.get(other) in (weight, -weight):
            sign = left.pop(other) / weight
            there = shift(value, index, other)
            low, high = (here, there) if point < other else (there, here)
            # The weight is that of the higher point, so that differences look ahead.
            term = binary("add", low, high) if sign == 1 else binary("sub", high, low)
            weight = weight if sign == 1 or point > other else -weight
        else:
            term = here
        term = _times(weight, term)
        total = term if total is None else binary("add", term, total)
    assert total is not None
    return total


def _times(weight: Fraction, value: Any) -> Value:
    return as_value(value) if weight == 1 else binary("mul", weight, value)


def _indices_of(value: Value) -> Tuple[Index, ...]:
    """The indices of the fields that a value reads."""
    found: "dict[int, Index]" = {}
    for node in postorder([value]):
        if node.operation == "access":
            for one in node.data.places:
                if isinstance(one, Index):
                    found[one.dimension] = one.moved(-one.offset)
    if not found:
        refuse("a derivative of a value that reads no field",
               "give a value at the point, as u[t, k, j, i]")
    return tuple(found[dimension] for dimension in sorted(found))


__all__ = ["Field", "derivative", "divergence", "gradient", "laplace", "shift", "weights"]
