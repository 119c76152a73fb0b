"""How far the decision holds: flip values, regret at low and high prices, quotes to ask for."""

from __future__ import annotations

from typing import Any

from planner.domain.sensitivity import PriceLevel
from planner.report.charts.sensitivity import sensitivity_chart
from planner.report.flips import factor_text, factor_value, flip_text, quote_text
from planner.report.markdown_table import table
from planner.report.plain import markdown, plain
from planner.report.sections.section import Section
from planner.report.view import View

PRICES = ("best_usd", "decision_usd", "decision_regret_usd", "runner_up_regret_usd")


def _context(view: View) -> dict[str, Any]:
    found = view.solution.sensitivity
    assert found is not None
    return {
        "found": found,
        "factors": [
            {
                "name": view.w(f"factor.{factor.name}"),
                "base": factor_value(factor.base, factor, view),
                "holds": factor_text(factor, view),
                "below": flip_text(factor.below, factor, view),
                "above": flip_text(factor.above, factor, view),
            }
            for factor in found.factors
        ],
        "quotes": _quotes(view),
        "unknown": _unknown(view),
        "price_keys": PRICES,
        "chart": sensitivity_chart(view),
    }


def _quotes(view: View) -> list[str]:
    found = view.solution.sensitivity
    return [quote_text(quote, view) for quote in found.quotes_needed] if found else []


def _unknown(view: View) -> str:
    """Return the parts whose price has no published range."""
    found = view.solution.sensitivity
    return ", ".join(plain(part) for part in found.ranges_unknown) if found else ""


def _markdown(view: View) -> list[str]:
    w, found = view.w, view.solution.sensitivity
    assert found is not None
    rows = [
        [
            w(f"factor.{factor.name}"),
            factor_value(factor.base, factor, view),
            factor_text(factor, view),
            markdown(flip_text(factor.below, factor, view)),
            markdown(flip_text(factor.above, factor, view)),
        ]
        for factor in found.factors
    ]
    keys = ("factor", "base", "range", "below", "above")
    lines = table([w(f"sensitivity.{key}") for key in keys], rows, "lr")
    heads = [w("sensitivity.level"), *(w(f"sensitivity.{key}") for key in PRICES)]
    lines += table(heads, [_level(level, view) for level in found.prices], "lrrrr")
    lines += ["", *(f"- {markdown(text)}" for text in _quotes(view) or [w("sensitivity.no_quote")])]
    if found.ranges_unknown:
        lines += ["", f"{w('sensitivity.unknown')}: {markdown(_unknown(view))}."]
    return lines if found.complete else [*lines, "", w("sensitivity.cut")]


def _level(level: PriceLevel, view: View) -> list[str]:
    amounts = (getattr(level, key) for key in PRICES)
    shown = ["" if usd is None else view.n.amount(usd) for usd in amounts]
    return [view.w(f"sensitivity.level.{level.level}"), *shown]


SECTION = Section(
    key="sensitivity",
    title="sensitivity.title",
    shown=lambda solution: solution.sensitivity is not None,
    context=_context,
    markdown=_markdown,
)
