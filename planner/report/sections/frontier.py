"""The cheapest design for each step time: what being faster costs."""

from __future__ import annotations

from typing import Any

from planner.domain.frontier import FrontierPoint
from planner.report.charts.frontier import frontier_chart
from planner.report.decision import gap_text
from planner.report.markdown_table import table
from planner.report.plain import markdown, plain
from planner.report.sections.section import Section
from planner.report.view import View


def _context(view: View) -> dict[str, Any]:
    return {
        "points": _points(view),
        "lines": _lines(view),
        "proof": lambda point: proof_text(point, view),
        "chart": frontier_chart(view),
    }


def _points(view: View) -> list[FrontierPoint]:
    frontier = view.solution.frontier
    return list(frontier.points) if frontier else []


def _lines(view: View) -> list[str]:
    """Return what the points are, and whether any is missing between them."""
    frontier, w = view.solution.frontier, view.w
    if frontier is None:
        return []
    name = plain(frontier.workload)
    lines = [w("frontier.of", workload=name) if name else w("frontier.of_all")]
    lines.append(w("frontier.complete" if frontier.complete else "frontier.open"))
    return [*lines, w.said(plain(frontier.note))] if frontier.note else lines


def proof_text(point: FrontierPoint, view: View) -> str:
    """Return how far a point is proved: optimal, or its gap."""
    if point.status == "feasible" and point.gap is not None:
        return view.w("proof.gap", gap=gap_text(point.gap, view.n))
    return view.w.label("alternative.status", point.status)


def _markdown(view: View) -> list[str]:
    w, n = view.w, view.n
    rows = [
        [
            markdown(point.workload),
            n.seconds(point.limit_s),
            n.seconds(point.step_time_s) if point.step_time_s is not None else "",
            n.amount(point.objective_usd) if point.objective_usd is not None else "",
            markdown(proof_text(point, view)),
            markdown(w.said(plain(point.summary)))
            + (f" ({w('alternative.chosen')})" if point.chosen else ""),
        ]
        for point in _points(view)
    ]
    keys = ("workload", "limit", "step", "cost", "proof", "design")
    heads = [w(f"frontier.{key}") for key in keys]
    return ["", *_lines(view), *table(heads, rows, "lrrrll")]


SECTION = Section(
    key="frontier",
    title="frontier.title",
    shown=lambda solution: solution.frontier is not None and bool(solution.frontier.points),
    context=_context,
    markdown=_markdown,
)
