"""What is owned already, what of it is used, and what becomes of the fabric that exists."""

from __future__ import annotations

from typing import Any

from planner.report.inventory import inventory_lines, part_text
from planner.report.markdown_table import table
from planner.report.plain import markdown
from planner.report.sections.section import Section
from planner.report.view import View


def _context(view: View) -> dict[str, Any]:
    return {"owned_lines": inventory_lines(view.solution, view.w, view.n)}


def _markdown(view: View) -> list[str]:
    w, n, inventory = view.w, view.n, view.solution.inventory
    heads = [w("bill.part"), w("bill.component")]
    heads += [w(f"owned.{key}") for key in ("owned", "in_use", "idle_units", "bought")]
    rows = [
        [
            markdown(w.said(part_text(use))),
            w.label("component", use.component),
            *(n.number(v) for v in (use.owned, use.used, use.owned - use.used, use.bought)),
        ]
        for use in (inventory.uses if inventory else ())
    ]
    lines = [f"- {markdown(line)}" for line in inventory_lines(view.solution, w, n)]
    return ["", *lines, *table(heads, rows, "llrrrr")]


SECTION = Section(
    key="owned",
    title="owned.title",
    shown=lambda solution: solution.inventory is not None,
    context=_context,
    markdown=_markdown,
)
