"""The present value by component and kind of cost."""

from __future__ import annotations

from typing import Any

from planner.report.adding_up import cost_cents
from planner.report.charts.cost import cost_chart
from planner.report.markdown_table import table
from planner.report.notation import conversion_text
from planner.report.plain import markdown, plain
from planner.report.sections.section import Section
from planner.report.view import View

COST_KEYS = ("capex", "energy", "support", "other", "total")


def _context(view: View) -> dict[str, Any]:
    cost = view.solution.cost
    missing = cost.not_priced if cost else []
    return {
        "cost_keys": COST_KEYS,
        "shown": cost_cents(cost, view.n) if cost else None,
        "conversion": conversion_text(view.solution.instance, view.w, view.n),
        "not_priced": ", ".join(view.w.said(plain(item)) for item in missing),
        "chart": cost_chart(view),
    }


def _markdown(view: View) -> list[str]:
    w, n, cost = view.w, view.n, view.solution.cost
    assert cost is not None
    shown = cost_cents(cost, n)
    heads = [w("cost.component"), *(w(f"cost.{key}") for key in COST_KEYS)]
    rows = [
        [w.label("component", line.component)] + [n.shown(row[key]) for key in COST_KEYS]
        for line, row in zip(cost.components, shown.rows, strict=True)
    ]
    total = [f"**{n.shown(shown.sums[key])}**" for key in COST_KEYS]
    rows.append([f"**{w('cost.total')}**", *total])
    lines = ["", w("cost.caption_years", years=n.short(cost.years, 1), currency=n.currency)]
    lines += [*table(heads, rows, "lrrrrr"), "", w("cost.other_note")]
    if cost.not_priced:
        missing = ", ".join(markdown(w.said(item)) for item in cost.not_priced)
        lines += ["", f"{w('cost.not_priced')}: {missing}."]
    conversion = conversion_text(view.solution.instance, w, n)
    return [*lines, "", conversion] if conversion else lines


SECTION = Section(
    key="cost",
    title="cost.short_title",
    shown=lambda solution: solution.cost is not None,
    context=_context,
    markdown=_markdown,
)
