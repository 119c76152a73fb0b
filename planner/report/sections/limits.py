"""Every limit and how much of it is used."""

from __future__ import annotations

from typing import Any

from planner.domain.solution import Binding
from planner.report.binding import quantity, unit_text, use_share
from planner.report.markdown_table import table
from planner.report.plain import markdown, plain
from planner.report.sections.section import Section
from planner.report.view import View


def _context(view: View) -> dict[str, Any]:
    return {"limits": [_limit(item, view) for item in view.solution.binding]}


def _limit(item: Binding, view: View) -> dict[str, Any]:
    w, n = view.w, view.n
    return item.model_dump() | {
        "limit": w.said(item.limit),
        "used_text": quantity(item.used, item.unit, n),
        "available_text": quantity(item.available, item.unit, n),
        "note": w.said(plain(item.note)),
        "unit": unit_text(item.unit, w, n),
        "use": use_share(item),
    }


def _markdown(view: View) -> list[str]:
    w, n, solution = view.w, view.n, view.solution
    needed = "used" if solution.design else "needed"
    keys = ("limit", needed, "available", "unit", "binds", "constraint")
    rows = [
        [
            markdown(w.said(item.limit)),
            quantity(item.used, item.unit, n),
            quantity(item.available, item.unit, n),
            markdown(unit_text(item.unit, w, n)),
            w("binding.yes" if item.binding else "binding.no"),
            markdown(item.constraint),
        ]
        for item in solution.binding
    ]
    return table([w(f"binding.{key}") for key in keys], rows, "lrr")


SECTION = Section(
    key="limits",
    title="limits.title",
    shown=lambda solution: bool(solution.binding),
    context=_context,
    markdown=_markdown,
)
