"""How programs and reports are shown: as text, and as HTML in notebooks."""

from __future__ import annotations

import html
from typing import Any, Dict, Iterable, List, Sequence

from .fields import Field
from .layout import Layout
from .tracing import Loop, Statement


class Report:
    """What the compiler decided; `str` gives a text, a notebook shows a table.

    `kernels` has one dictionary for each kernel, as `stencilc compile --report` writes them.
    """

    def __init__(self, name: str, data: Dict[str, Any]) -> None:
        self.name = name
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

    def _repr_html_(self) -> str:
        rows = []
        for one in self.kernels:
            decision = one.get("decision") or {}
            flops, cells = one["flops_per_point"], one["bytes_per_point"]
            rows.append((one["stage"], one.get("location") or "", f"{one['points']:,}",
                         flops["executed"], cells["compulsory"], decision.get("plan") or "",
                         decision.get("why") or ""))
        head = ("kernel", "line", "points", "FLOPs", "bytes", "plan", "why")
        return f"<b>{html.escape(self.name)}</b> for {html.escape(self.data['target'])}" \
            + _table(head, rows)


def summary(layout: Layout) -> str:
    """A program in a few words."""
    extents = " x ".join(map(str, layout.extents))
    loops = sum(isinstance(one, Loop) for one in layout.trace.body)
    return (f"{extents} points, {len(layout.statements)} statement"
            f"{'s' * (len(layout.statements) != 1)}, {loops} time loop{'s' * (loops != 1)}")


def layout_html(name: str, layout: Layout) -> str:
    """Fields and statements as two tables."""
    fields = []
    for field, memory in layout.memories.items():
        sides = sorted({f"{one.kind}" for pair in memory.sides for one in pair.values()
                        if one is not None})
        ghosts = ", ".join(f"{low}+{high}" for low, high in memory.ghosts)
        fields.append((field.name, field.dtype, " x ".join(map(str, field.shape)),
                       memory.levels, ", ".join(sides) or "-",
                       ghosts if memory.has_ghosts else "-",
                       "written" if memory.is_written else "read"))
    head = ("field", "type", "shape", "levels", "boundary", "ghost cells", "use")
    statements = [(one.name, f"{one.at.name}:{one.at.line}", _points(layout, one),
                   "field" if isinstance(one.target, Field) else "temporary")
                  for one in layout.statements]
    return (f"<b>{html.escape(name)}</b>: {html.escape(summary(layout))}" + _table(head, fields)
            + _table(("statement", "line", "points", "target"), statements))


def _points(layout: Layout, statement: Statement) -> str:
    box = layout.boxes[statement]
    return ", ".join(f"{name} {int(low)}:{int(high)}"
                     for name, (low, high) in zip(layout.names, box))


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    def cells(row: Sequence[Any], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(str(one))}</{tag}>" for one in row)

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table><tr>{cells(head, 'th')}</tr>{body}</table>"
