"""What to order, line by line, and how firm its prices are."""

from __future__ import annotations

from typing import Any

from planner.domain.units import CENTS_PER_USD, cents
from planner.report.confidence import confidence
from planner.report.markdown_table import table
from planner.report.plain import markdown, plain
from planner.report.sections.section import Section
from planner.report.view import View


def _context(view: View) -> dict[str, Any]:
    lines = sum(cents(line.total_usd) for line in view.solution.bill_of_materials)
    return {
        "bill_total": lines / CENTS_PER_USD,
        "beyond_bill": _beyond(view, lines),
        "confidence": confidence(view.solution),
    }


def _beyond(view: View, bill_cents: int) -> str:
    """Return what the purchase holds beyond the bill's lines, such as quoted storage."""
    cost = view.solution.cost
    rest = cents(cost.capex_usd) - bill_cents if cost else 0
    key = "bill.later" if view.solution.growth is not None else "bill.beyond"
    return view.w(key, amount=view.n.money(rest / CENTS_PER_USD, 2)) if rest else ""


def _markdown(view: View) -> list[str]:
    w, n = view.w, view.n
    keys = ("part", "description", "quantity", "unit_price", "total", "price_kind", "date")
    rows = [
        [
            markdown(line.part),
            markdown(w.said(plain(line.description))),
            n.number(line.quantity),
            n.amount(line.unit_price_usd),
            n.amount(line.total_usd),
            markdown(w.label("price_kind", line.price_kind)),
            markdown(w.day(line.price_date)),
        ]
        for line in view.solution.bill_of_materials
    ]
    lines = sum(cents(line.total_usd) for line in view.solution.bill_of_materials)
    total = f"**{n.amount(lines / CENTS_PER_USD)}**"
    rows.append([f"**{w('cost.total')}**", "", "", "", total, "", ""])
    found = ["", w("bill.caption", currency=n.currency)]
    found += table([w(f"bill.{key}") for key in keys], rows, "llrrr")
    beyond = _beyond(view, lines)
    return [*found, "", beyond] if beyond else found


SECTION = Section(
    key="bill",
    title="bill.title",
    shown=lambda solution: bool(solution.bill_of_materials),
    context=_context,
    markdown=_markdown,
)
