"""Pictures with matplotlib: cells of a field, and a roofline of the kernels of a report.

matplotlib is imported by the first picture; nothing else of the package needs it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple, Union

import numpy

from .errors import ArgumentError, StencilError

if TYPE_CHECKING:
    from .language.reports import Report

#: A mesh width or a position: one for all axes, or one for each.
PerAxis = Union[float, Sequence[float]]

_ENDLESS = {"+": "max", "-": "min", "+-": "both", "": "neither"}


def plot(field: Any, name: str = "", *, unit: str = "", spacing: PerAxis = 1.0,
         origin: PerAxis = 0.0, length_unit: str = "", axes: Sequence[str] = (),
         at: Optional[Sequence[float]] = None,
         limits: Optional[Tuple[float, float]] = None) -> Any:
    """Draws the cells of a field; gives the figure of matplotlib.

    `field` is an array of one to three dimensions of any library, shape (n0, n1, n2), or a tuple of
    arrays, levels of time of which the last is drawn. One dimension is a line, two are a picture,
    three are slices through the position `at` across each axis.

    `unit` is that of the values. Cell 0 lies at `origin`, the next one `spacing` further, both in
    `length_unit`; without a spacing axes count cells. `axes` are names, ("z", "y", "x") by default
    with a spacing and ("k", "j", "i") without. `at` is in the same units, the middle by default.
    `limits` are the values at the ends of the colours; without them all values lie inside, and
    zero is white if there are values on both sides of it.

    Raises `StencilError` without matplotlib, `ArgumentError` for what is no such array.
    """
    pyplot = _pyplot()
    cells = _cells(field)
    rank = cells.ndim
    widths, first = _per_axis("spacing", spacing, rank), _per_axis("origin", origin, rank)
    counted = spacing == 1.0 and not length_unit
    names = list(axes) or list(("k", "j", "i") if counted else ("z", "y", "x"))[-rank:]
    if len(names) != rank:
        raise ArgumentError(f"axes={tuple(axes)!r} names {len(names)} axes, the field has {rank}")
    labels = [f"{one} ({length_unit})" if length_unit else one for one in names]
    value = f"{name} ({unit})" if unit and name else name or unit
    if rank == 1:
        figure, place = pyplot.subplots(figsize=(6, 3), layout="constrained")
        place.plot(first[0] + widths[0] * numpy.arange(cells.size), cells)
        place.set(xlabel=labels[0], ylabel=value)
    else:
        positions = _positions(cells.shape, at, widths, first)
        figure = _pictures(pyplot, cells, positions, widths, first, names, labels, value, limits,
                           length_unit)
    pyplot.close(figure)
    return figure


def _pyplot() -> Any:
    try:
        return importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise StencilError("there is no matplotlib, which draws pictures: pip install "
                           "matplotlib") from None


def _cells(field: Any) -> "numpy.ndarray":
    """The newest level, on the host."""
    newest = field[-1] if isinstance(field, (tuple, list)) and len(field) > 0 else field
    for name in ("get", "cpu"):
        # CuPy's and PyTorch's way from the device.
        if hasattr(newest, name) and not isinstance(newest, numpy.ndarray):
            newest = getattr(newest, name)()
    cells = numpy.asarray(newest)
    if cells.ndim not in (1, 2, 3) or cells.size == 0 or cells.dtype.kind not in "fiub":
        raise ArgumentError(f"a picture shows an array of numbers of one to three dimensions, not "
                            f"{type(field).__name__} of shape {cells.shape}")
    return cells.astype(float)


def _per_axis(name: str, value: PerAxis, rank: int) -> List[float]:
    try:
        values = [float(one) for one in value] if hasattr(value, "__iter__") else [
            float(value)] * rank
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}={value!r} is no number; give one, or one for each "
                            "axis") from None
    if len(values) != rank:
        raise ArgumentError(f"{name}={value!r} has {len(values)} numbers, the field {rank} axes")
    return values


def _positions(shape: Sequence[int], at: Optional[Sequence[float]], widths: Sequence[float],
               first: Sequence[float]) -> List[int]:
    """The cells through which slices go."""
    if at is None:
        return [extent // 2 for extent in shape]
    if not hasattr(at, "__iter__"):
        raise ArgumentError(f"at={at!r} is no position; give a number for each axis")
    place = _per_axis("at", at, len(shape))
    cells = [round((one - low) / width) for one, low, width in zip(place, first, widths)]
    for axis, (cell, extent) in enumerate(zip(cells, shape)):
        if not 0 <= cell < extent:
            raise ArgumentError(f"at={at!r} lies outside of the field along axis {axis}: cell "
                                f"{cell} of {extent}")
    return cells


def _pictures(pyplot: Any, cells: "numpy.ndarray", positions: Sequence[int],
              widths: Sequence[float], first: Sequence[float], names: Sequence[str],
              labels: Sequence[str], value: str, limits: Optional[Tuple[float, float]],
              length_unit: str) -> Any:
    """A picture, or one for each axis that it is cut across, with one bar of colours."""
    low, high, colours, extend = _scale(cells, limits)
    cuts: List[Optional[int]] = [None] if cells.ndim == 2 else [0, 1, 2]
    size = (10.0, 3.4) if cells.ndim == 3 else _size(
        abs(widths[0] * cells.shape[0] / (widths[1] * cells.shape[1])))
    figure, places = pyplot.subplots(1, len(cuts), squeeze=False, layout="constrained",
                                     figsize=size)
    picture = None
    for cut, place in zip(cuts, places[0]):
        kept = [axis for axis in range(cells.ndim) if axis != cut]
        shown = cells if cut is None else cells.take(positions[cut], axis=cut)
        down, across = kept
        # A cell is a square around its point.
        edges = [edge for axis in (across, down) for edge in
                 (first[axis] - widths[axis] / 2,
                  first[axis] + widths[axis] * (cells.shape[axis] - 0.5))]
        picture = place.imshow(shown, origin="lower", extent=edges, cmap=colours, vmin=low,
                               vmax=high, interpolation="nearest")
        place.set(xlabel=labels[across], ylabel=labels[down])
        if cut is not None:
            where = first[cut] + widths[cut] * positions[cut]
            place.set_title(f"{names[cut]} = {where:.4g} {length_unit}".rstrip(), fontsize=10)
    figure.colorbar(picture, ax=list(places[0]), label=value, extend=extend,
                    shrink=0.9 if len(cuts) == 1 else 0.8)
    return figure


def _size(aspect: float) -> Tuple[float, float]:
    """The inches of a figure with one picture: its height over its width, and a bar beside it."""
    width = min(8.0, max(4.0, 2.8 / aspect))
    return width + 1.2, min(8.0, max(2.0, width * aspect + 0.8))


def _scale(cells: "numpy.ndarray",
           limits: Optional[Tuple[float, float]]) -> Tuple[float, float, str, str]:
    """The values at the ends of the colours, the colours, and at which ends values are outside."""
    finite = cells[numpy.isfinite(cells)]
    least, most = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    if limits is not None:
        low, high = limits
    elif least < 0 < most:
        high = max(-least, most)
        low = -high
    else:
        low, high = least, most
    outside = ("+" if most > high else "") + ("-" if least < low else "")
    return low, high, "RdBu_r" if low < 0 < high else "viridis", _ENDLESS[outside]


def roofline(report: "Report") -> Any:
    """The kernels of a report under the roof of a GPU; gives the figure of matplotlib.

    A kernel lies at its operations per compulsory byte, and as high as memory or arithmetic of the
    GPU that the report names permit: a bound, in FLOP/s, no measurement. Raises `StencilError` if
    kernels only move data, or without matplotlib.
    """
    kernels = [one for one in report.kernels if one.get("bound")
               and one["bytes_per_point"]["compulsory"] and one["flops_per_point"]["executed"]]
    if not kernels:
        raise StencilError(f"no kernel of '{report.name}' computes: they only move data")
    pyplot = _pyplot()
    figure, place = pyplot.subplots(figsize=(6, 3.8), layout="constrained")
    points = [(one["flops_per_point"]["executed"] / one["bytes_per_point"]["compulsory"],
               one["flops_per_point"]["executed"] * one["bound"]["gigapoints_per_s"] / 1e3,
               str(one["stage"])) for one in kernels]
    for bandwidth, peak in sorted({(one["bound"]["copy_bytes_per_s"] / 1e12,
                                    one["bound"]["flops_per_s"] / 1e12) for one in kernels}):
        ridge = peak / bandwidth
        ends = [min([ridge / 8, *(x / 2 for x, _, _ in points)]),
                max([ridge * 8, *(x * 2 for x, _, _ in points)])]
        place.plot([ends[0], ridge, ends[1]], [ends[0] * bandwidth, peak, peak], color="0.3")
        place.annotate(f"{bandwidth:.2f} TB/s", (ends[0], ends[0] * bandwidth), xytext=(14, 0),
                       textcoords="offset points", fontsize=9, color="0.3")
        place.annotate(f"{peak:.1f} TFLOP/s", (ends[1], peak), xytext=(0, -13), ha="right",
                       textcoords="offset points", fontsize=9, color="0.3")
    for x, y, stage in points:
        place.plot([x], [y], "o", color="C3")
        place.annotate(stage, (x, y), xytext=(7, -11), textcoords="offset points", fontsize=9)
    place.set(xscale="log", yscale="log", xlabel="operations per compulsory byte (FLOP/B)",
              ylabel="bound (TFLOP/s)", title=f"{report.name}, {kernels[0]['bound']['product']}")
    ticker = importlib.import_module("matplotlib.ticker")
    for axis in (place.xaxis, place.yaxis):
        axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter("")
    place.grid(True, which="major", color="0.9")
    pyplot.close(figure)
    return figure


__all__ = ["plot", "roofline"]
