"""How programs and reports are shown: as text, and as HTML in notebooks."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Sequence, Union

from ..plotting import roofline
from .fields import Field, Kept
from .layout import Layout
from .tracing import Statement


class Report:
    """What the compiler decided; `str` gives a text, a notebook shows a table.

    `kernels` has one dictionary for each kernel, as `stencilc compile --report` writes them.
    """

    def __init__(self, name: str, data: Dict[str, Any],
                 alternatives: Callable[[], Drawing]) -> None:
        self.name = name
        self._alternatives = alternatives
        #: The report as `stencilc compile --report` writes it.
        self.data = data

    @property
    def kernels(self) -> List[Dict[str, Any]]:
        """What is known about each kernel: stage, place, plan, reason, resources, bounds."""
        return list(self.data["kernels"])

    def __str__(self) -> str:
        count = len(self.kernels)
        lines = [f"{self.name} for {self.data['target']}: {count} kernel{'s' * (count != 1)}"]
        for one in self.kernels:
            decision, resources = one.get("decision") or {}, one.get("resources")
            lines += ["", f"{one['stage']}, {one.get('location') or 'no line'}",
                      f"    {one['points']:,} points, {one['flops_per_point']['executed']} FLOPs "
                      f"and {one['bytes_per_point']['compulsory']} bytes a point"]
            if resources:
                spilled = resources["spill_store_bytes"] + resources["spill_load_bytes"]
                lines.append(f"    {resources['registers']} registers, {spilled} bytes spilled, "
                             f"{one['shared_bytes']} bytes of shared memory")
            lines += [f"    plan {decision['plan']}"] if decision.get("plan") else []
            lines += [f"    {decision['why']}"] if decision.get("why") else []
        if self.data["assembler"]["status"] == "missing":
            lines += ["", f"ptxas is missing: {self.data['assembler']['message']}"]
        return "\n".join(lines)

    __repr__ = __str__

    def alternatives(self) -> Drawing:
        """The plans that each loop was compared with, and why it won, as `stencilc explain` says.

        Raises `CompileError` for what the compiler refuses.
        """
        return self._alternatives()

    def roofline(self) -> Any:
        """The kernels under the roof of the GPU, as a figure of matplotlib.

        Axes are FLOP/B and TFLOP/s: bounds, no measurements. Raises `StencilError` without
        matplotlib, or if no product of the target is known.
        """
        return roofline(self)

    def _repr_html_(self) -> str:
        rows = []
        for one in self.kernels:
            decision, bound = one.get("decision") or {}, one.get("bound") or {}
            rate = bound.get("gigapoints_per_s")
            plan = str(decision.get("plan") or "").partition(f"{one['stage']}:")
            rows.append((one["stage"], _line(one.get("location")), f"{one['points']:,}",
                         one["flops_per_point"]["executed"], one["bytes_per_point"]["compulsory"],
                         "" if rate is None else f"{rate:,.0f}",
                         _Folded(plan[2] or plan[0], str(decision.get("why") or ""))))
        head = ("kernel", "line", "points", "FLOP/point", "B/point", "bound (GPt/s)",
                "plan, and why")
        return f"<b>{html.escape(self.name)}</b> for {html.escape(self.data['target'])}" \
            + _table(head, rows)


class _Folded(NamedTuple):
    """A text of a table whose explanation is shown when asked for."""

    text: str
    explanation: str


def _line(location: Any) -> str:
    """A place as people read it: the files of a notebook's cells are named by numbers."""
    file, _, rest = str(location or "").partition(":")
    is_cell = file[:-3].isdigit() and rest
    return f"line\u00a0{rest.partition(':')[0]}" if is_cell else str(location or "")


class Drawing:
    """What `stencilc` drew: SVG or lines of text, which a notebook shows; `str` gives it."""

    def __init__(self, text: str) -> None:
        #: The drawing as `stencilc` wrote it.
        self.text = text

    @property
    def is_svg(self) -> bool:
        """Whether it is a picture in SVG; else it is text in columns."""
        return self.text.lstrip().startswith("<svg")

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes the drawing into a file; raises `OSError` where that fails."""
        Path(path).write_text(self.text, encoding="utf-8")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<drawing in SVG, {len(self.text)} bytes>" if self.is_svg else self.text

    def _repr_html_(self) -> str:
        if self.is_svg:
            return f'<div style="overflow-x: auto">{self.text}</div>'
        text = html.escape(self.text)
        return f'<pre style="font-family: monospace; line-height: 1.2">{text}</pre>'


def summary(layout: Layout) -> str:
    """A program in a few words."""
    extents = " x ".join(map(str, layout.extents))
    loops = len(layout.trace.loops)
    return (f"{extents} points, {len(layout.statements)} statement"
            f"{'s' * (len(layout.statements) != 1)}, {loops} time loop{'s' * (loops != 1)}")


def layout_html(name: str, layout: Layout) -> str:
    """Fields and statements as two tables."""
    fields = []
    for field, memory in layout.memories.items():
        sides = sorted({f"{one.kind}" for pair in memory.sides for one in pair.values()
                        if one is not None})
        ghosts = ", ".join(f"{low}+{high}" for low, high in memory.ghosts)
        shape = [high - low for low, high in memory.box]
        fields.append((field.name, field.dtype, " x ".join(map(str, shape)),
                       memory.levels, ", ".join(sides) or "-",
                       ghosts if memory.has_ghosts else "-",
                       "kept" if isinstance(field, Kept) else
                       "written" if memory.is_written else "read"))
    head = ("field", "type", "shape", "levels", "boundary", "ghost cells", "use")
    statements = [(one.name, f"{one.at.name}:{one.at.line}", _points(layout, one),
                   "temporary" if not isinstance(one.target, Field) or isinstance(one.target, Kept)
                   else "field")
                  for one in layout.statements]
    return (f"<b>{html.escape(name)}</b>: {html.escape(summary(layout))}" + _table(head, fields)
            + _table(("statement", "line", "points", "target"), statements))


def _points(layout: Layout, statement: Statement) -> str:
    box = layout.boxes[statement]
    return ", ".join(f"{name} {int(low)}:{int(high)}"
                     for name, (low, high) in zip(layout.names, box))


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table whose texts wrap and are at the left, whatever a notebook has for tables."""
    def cell(one: Any, tag: str) -> str:
        place = "right" if str(one).replace(",", "").isdigit() else "left"
        style = f"text-align: {place}; vertical-align: top; white-space: normal"
        return f'<{tag} style="{style}">{_content(one)}</{tag}>'

    def cells(row: Sequence[Any], tag: str) -> str:
        return "".join(cell(one, tag) for one in row)

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table><tr>{cells(head, 'th')}</tr>{body}</table>"


def _content(one: Any) -> str:
    if not isinstance(one, _Folded):
        return html.escape(str(one))
    # Plans are one long word.
    text = html.escape(one.text).replace(",", ",<wbr>")
    if not one.explanation:
        return text
    return f"<details><summary>{text}</summary>{html.escape(one.explanation)}</details>"
