"""What to order, line by line, and how firm its prices are."""

from __future__ import annotations

from typing import Any

from planner.domain.units import CENTS_PER_USD, cents
from planner.report.adding_up import bill_cents, cost_cents
from planner.report.confidence import confidence
from planner.report.markdown_table import table
from planner.report.plain import markdown, plain
from planner.report.sections.section import Section
from planner.report.view import View


def _context(view: View) -> dict[str, Any]:
    found = confidence(view.solution)
    shown = bill_cents(view.solution, view.n)
    by_kind = dict.fromkeys((kind.kind for kind in found.kinds), 0)
    for line, amount in zip(view.solution.bill_of_materials, shown.lines, strict=True):
        if not line.owned:
            by_kind[line.price_kind] += amount
    return {
        "bill": shown,
        "bill_total": sum(cents(x.total_usd) for x in view.solution.bill_of_materials)
        / CENTS_PER_USD,
        "by_kind": by_kind,
        "beyond_bill": _beyond(view, shown.total),
        "confidence": found,
    }


def _beyond(view: View, bill: int) -> str:
    """Return what the purchase holds beyond the bill's lines, such as quoted storage."""
    cost = view.solution.cost
    rest = cost_cents(cost, view.n).sums["capex"] - bill if cost else 0
    key = "bill.later" if view.solution.growth is not None else "bill.beyond"
    return view.w(key, amount=view.n.shown_money(rest)) if rest else ""


def _markdown(view: View) -> list[str]:
    w, n = view.w, view.n
    shown = bill_cents(view.solution, n)
    keys = ("part", "description", "quantity", "unit_price", "total", "price_kind", "date")
    rows = [
        [
            markdown(line.part),
            markdown(w.said(plain(line.description))),
            n.number(line.quantity),
            unit,
            n.shown(amount),
            markdown(w.label("price_kind", line.price_kind)),
            markdown(w.day(line.price_date)),
        ]
        for line, unit, amount in zip(
            view.solution.bill_of_materials, shown.units, shown.lines, strict=True
        )
    ]
    total = f"**{n.shown(shown.total)}**"
    rows.append([f"**{w('cost.total')}**", "", "", "", total, "", ""])
    found = ["", w("bill.caption", currency=n.currency)]
    found += table([w(f"bill.{key}") for key in keys], rows, "llrrr")
    beyond = _beyond(view, shown.total)
    return [*found, "", beyond] if beyond else found


SECTION = Section(
    key="bill",
    title="bill.title",
    shown=lambda solution: bool(solution.bill_of_materials),
    context=_context,
    markdown=_markdown,
)
