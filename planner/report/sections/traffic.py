"""What each level of links carries in a step, how long it is busy, and which one holds the step up."""

from __future__ import annotations

from typing import Any

from planner.domain.solution import Solution, WorkloadResult
from planner.report.charts.traffic import traffic_chart
from planner.report.link_levels import bottleneck_text, existing_level, level_uses
from planner.report.markdown_table import table
from planner.report.plain import markdown
from planner.report.sections.section import Section
from planner.report.view import View

GIB = 2**30


def _context(view: View) -> dict[str, Any]:
    fabric = view.solution.design.fabric if view.solution.design else None
    jobs = [
        {
            "result": result,
            "levels": level_uses(result, fabric),
            "bottleneck": bottleneck_text(result, fabric, view.w, view.n),
        }
        for result in _senders(view.solution)
    ]
    return {
        "jobs": jobs,
        "chart": traffic_chart(view),
        "existing_level": existing_level,
        "fabric": fabric,
    }


def _senders(solution: Solution) -> list[WorkloadResult]:
    return [result for result in solution.workloads if result.collectives]


def _markdown(view: View) -> list[str]:
    w, n = view.w, view.n
    fabric = view.solution.design.fabric if view.solution.design else None
    keys = ("level", "links_for", "sent", "busy", "use", "exposed")
    lines: list[str] = []
    for result in _senders(view.solution):
        rows = [
            [
                w.label("level", use.level),
                "; ".join(w.label("part", name) for name in use.purposes),
                n.short(use.sent_bytes / GIB, 3),
                n.number(use.busy_s, 4),
                n.percent(use.busy_share),
                n.number(use.exposed_s, 4),
            ]
            for use in level_uses(result, fabric)
        ]
        lines += ["", f"### {markdown(result.name)}", "", bottleneck_text(result, fabric, w, n)]
        lines += table([w(f"traffic.{key}") for key in keys], rows, "llrrrr")
    return lines


SECTION = Section(
    key="traffic",
    title="traffic.title",
    shown=lambda solution: bool(_senders(solution)),
    context=_context,
    markdown=_markdown,
)
