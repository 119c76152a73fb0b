"""The best design under each forced choice, or why there is none."""

from __future__ import annotations

from typing import Any

from planner.domain.solution import Alternative
from planner.report.alternatives import delta_usd, losers, verdict
from planner.report.charts.alternatives import alternatives_chart
from planner.report.markdown_table import table
from planner.report.plain import markdown, plain
from planner.report.sections.section import Section
from planner.report.view import View


def _context(view: View) -> dict[str, Any]:
    solution, w, n = view.solution, view.w, view.n
    chosen = [item for item in solution.alternatives if item.status == "chosen"]
    rows = [
        item.model_dump()
        | {"verdict": verdict(solution, item, w, n), "delta_usd": delta_usd(solution, item)}
        for item in [*chosen, *losers(solution)]
    ]
    return {"alternatives": rows, "chart": alternatives_chart(view)}


def _markdown(view: View) -> list[str]:
    solution, w, n = view.solution, view.w, view.n
    heads = [w(f"alternatives.{key}") for key in ("question", "name", "cost", "delta", "why")]
    rows = [
        [
            markdown(w.said(item.question)),
            _named(view, item),
            n.amount(item.objective_usd) if item.objective_usd is not None else "",
            verdict(solution, item, w, n),
            markdown(w.said(plain(item.reason))),
        ]
        for item in losers(solution)
    ]
    return table(heads, rows, "llrr") if rows else []


def _named(view: View, item: Alternative) -> str:
    """Return an alternative's name with its design."""
    said = [view.w.said(plain(text)) for text in (item.name, item.summary) if text]
    return ": ".join(markdown(text) for text in said)


SECTION = Section(
    key="alternatives",
    title="alternatives.title",
    shown=lambda solution: bool(solution.alternatives),
    context=_context,
    markdown=_markdown,
)
