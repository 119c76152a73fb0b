"""Rack elevations, one for each filling."""

from __future__ import annotations

from typing import Any

from planner.report.drawings.racks import rack_drawings
from planner.report.sections.section import Section
from planner.report.view import View


def _context(view: View) -> dict[str, Any]:
    drawings, left_out = rack_drawings(view.solution, view.w, view.n)
    return {"drawings": drawings, "left_out": left_out}


SECTION = Section(
    key="racks",
    title="racks.title",
    shown=lambda solution: bool(solution.racks),
    context=_context,
)
