"""The present value by component, each bar split by kind of cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.domain.solution import CostLine
from planner.report.charts.chart import Chart, chart, money_axis
from planner.report.svg import colour
from planner.report.view import View

if TYPE_CHECKING:
    import altair as alt

KINDS = ("capex", "energy", "support", "other")
ROW = 26
"""Pixels from bar to bar."""


def cost_chart(view: View) -> Chart | None:
    """Return the chart, None without a cost; resale counts below zero."""
    cost, w, n = view.solution.cost, view.w, view.n
    if cost is None or not cost.components:
        return None
    lines = sorted(cost.components, key=lambda line: (-line.total_usd, line.component))
    names = [w.label("component", line.component) for line in lines]
    pieces = [
        {"component": name, "kind": w(f"cost.{kind}"), "value": n.converted(usd), "order": k,
         "tip": f"{name}, {w(f'cost.{kind}')}: {n.money(usd, 2)}"}
        for name, line in zip(names, lines, strict=True)
        for k, kind in enumerate(KINDS)
        if (usd := getattr(line, f"{kind}_usd"))
    ]  # fmt: skip
    ends = [
        {"component": name, "at": n.converted(_positive(line)), "text": n.amount(line.total_usd, 0)}
        for name, line in zip(names, lines, strict=True)
    ]
    words = ", ".join(f"{name} {n.money(line.total_usd)}"
                      for name, line in zip(names, lines, strict=True))  # fmt: skip
    longest = max(n.converted(_positive(line)) for line in lines) or 1.0

    def make(width: int) -> alt.TopLevelMixin:
        import altair as alt

        kinds = [w(f"cost.{kind}") for kind in KINDS]
        fills = alt.Scale(domain=kinds, range=[colour(k) for k in range(len(KINDS))])
        inside = width - (170 if width > 500 else 120)
        y = alt.Y("component:N", sort=names, title=None,
                  axis=alt.Axis(labelLimit=160 if width > 500 else 105))  # fmt: skip
        scale = alt.Scale(domainMax=longest * (1.16 if width > 500 else 1.5), nice=False)
        x = alt.X("value:Q", stack="zero", scale=scale, title=n.currency,
                  axis=alt.Axis(**money_axis(longest), tickCount=5 if width > 500 else 3))  # fmt: skip
        legend = alt.Legend(columns=4 if width > 500 else 2)
        bars = alt.Chart(alt.Data(values=pieces)).mark_bar(size=16).encode(
            y=y, x=x, color=alt.Color("kind:N", scale=fills, sort=kinds, legend=legend),
            order="order:Q", description="tip:N")  # fmt: skip
        labels = alt.Chart(alt.Data(values=ends)).mark_text(align="left", dx=6).encode(
            y=y, x="at:Q", text="text:N")  # fmt: skip
        return alt.layer(bars, labels).properties(width=inside, height=ROW * len(names))

    return chart(make, "cost", w("drawing.cost"), words, view)


def _positive(line: CostLine) -> float:
    """Return where the bar of a component ends to the right."""
    parts = (line.capex_usd, line.energy_usd, line.support_usd, line.other_usd)
    return sum(max(0.0, usd) for usd in parts)
