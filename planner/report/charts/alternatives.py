"""What the other designs cost beside the chosen one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.report.alternatives import losers, verdict
from planner.report.charts.chart import Chart, chart
from planner.report.decision import headline_short
from planner.report.plain import clip, plain
from planner.report.svg import ACCENT, PALETTE
from planner.report.view import View

if TYPE_CHECKING:
    import altair as alt

MOST = 10
ROW = 26


def alternatives_chart(view: View) -> Chart | None:
    """Return the chart of the cheapest designs that work, None without another one."""
    solution, w, n = view.solution, view.w, view.n
    works = [item for item in losers(solution) if item.objective_usd is not None][:MOST]
    if not works or solution.objective_usd is None:
        return None
    rows: list[dict[str, Any]] = [
        {"name": headline_short(solution, w, n), "cost": n.converted(solution.objective_usd),
         "label": n.amount(solution.objective_usd, 0),
         "short": n.amount(solution.objective_usd, 0), "fill": ACCENT}
    ]  # fmt: skip
    for k, item in enumerate(works):
        assert item.objective_usd is not None
        name = clip(w.said(plain(item.name)), 44)
        taken = any(row["name"] == name for row in rows)
        rows.append({"name": f"{name} ({k + 1})" if taken else name,
                     "cost": n.converted(item.objective_usd),
                     "label": verdict(solution, item, w, n),
                     "short": n.amount(item.objective_usd, 0), "fill": PALETTE[3]})  # fmt: skip
    for row in rows:
        row["tip"] = f"{row['name']}: {n.number(row['cost'])} {n.currency}"
    longest = max(row["cost"] for row in rows)

    def make(width: int) -> alt.TopLevelMixin:
        import altair as alt

        wide = width > 500
        names = [row["name"] for row in rows]
        y = alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=230 if wide else 120))
        scale = alt.Scale(domain=[0, longest * (1.5 if wide else 1.75)], nice=False)
        bars = alt.Chart(alt.Data(values=rows)).mark_bar(size=16).encode(
            y=y, x=alt.X("cost:Q", axis=None, scale=scale),
            color=alt.Color("fill:N", scale=None, legend=None), description="tip:N")  # fmt: skip
        labels = alt.Chart(alt.Data(values=rows)).mark_text(align="left", dx=6).encode(
            y=y, x="cost:Q", text="label:N" if wide else "short:N")  # fmt: skip
        inside = width - (240 if wide else 135)
        return alt.layer(bars, labels).properties(width=inside, height=ROW * len(rows))

    title = w("drawing.alternatives", currency=n.currency)
    text = "; ".join(f"{row['name']} {row['label']}" for row in rows)
    return chart(make, "alternatives", title, text, view)
