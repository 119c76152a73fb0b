"""Where the racks stand in the room."""

from __future__ import annotations

from typing import Any

from planner.report.drawings.floor import floor_drawing
from planner.report.sections.section import Section
from planner.report.view import View


def _context(view: View) -> dict[str, Any]:
    return {"drawing": floor_drawing(view.solution, view.w, view.n)}


SECTION = Section(
    key="floor",
    title="floor.title",
    shown=lambda solution: bool(solution.racks),
    context=_context,
)
