"""The cable schedule in a few lines."""

from __future__ import annotations

from typing import Any

from planner.report.cabling import cable_lines
from planner.report.decision import part_name
from planner.report.markdown_table import table
from planner.report.plain import markdown
from planner.report.sections.section import Section
from planner.report.view import View


def _context(view: View) -> dict[str, Any]:
    kinds = cable_lines(view.solution)
    return {"cables": kinds, "links": sum(kind.links for kind in kinds)}


def _markdown(view: View) -> list[str]:
    w, n = view.w, view.n
    keys = ("tier", "part", "length", "links", "assemblies", "modules", "longest")
    rows = [
        [
            w.label("cable", kind.tier),
            markdown(part_name(view.solution, kind.part, w)),
            n.short(kind.length_m, 2),
            n.number(kind.links),
            n.number(kind.assemblies),
            n.number(kind.modules),
            n.short(kind.longest_m, 2),
        ]
        for kind in cable_lines(view.solution)
    ]
    return table([w(f"cabling.{key}") for key in keys], rows, "llrrrrr")


SECTION = Section(
    key="cabling",
    title="cabling.title",
    shown=lambda solution: bool(solution.link_count),
    context=_context,
    markdown=_markdown,
)
