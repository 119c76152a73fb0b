"""How the servers are joined."""

from __future__ import annotations

from typing import Any

from planner.report.decision import fabric_text, sentence
from planner.report.drawings.topology import topology_drawing
from planner.report.sections.section import Section
from planner.report.view import View


def _context(view: View) -> dict[str, Any]:
    solution, w, n = view.solution, view.w, view.n
    return {
        "fabric": sentence(fabric_text(solution, w, n)),
        "drawing": topology_drawing(solution, w, n),
    }


SECTION = Section(
    key="topology",
    title="topology.title",
    shown=lambda solution: solution.design is not None,
    context=_context,
)
