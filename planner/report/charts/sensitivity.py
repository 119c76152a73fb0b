"""How far each figure may move before another design is better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.report.charts.chart import Chart, chart
from planner.report.flips import factor_text, factor_value
from planner.report.svg import ACCENT, BAD, INK, RULE
from planner.report.view import View

if TYPE_CHECKING:
    import altair as alt

ROW = 34


def sensitivity_chart(view: View) -> Chart | None:
    """Return one row a factor: the range asked about, where the decision holds, where it flips."""
    found, w = view.solution.sensitivity, view.w
    if found is None or not found.factors:
        return None
    rows: list[dict[str, Any]] = []
    flips: list[dict[str, Any]] = []
    for factor in found.factors:
        name, base = w(f"factor.{factor.name}"), factor.base or 1.0
        rows.append({
            "name": name, "low": factor.low / base, "high": factor.high / base,
            "from": factor.holds_from / base, "to": factor.holds_to / base,
            "tip": f"{name}: {factor_text(factor, view)}",
        })  # fmt: skip
        flips += [
            {"name": name, "at": flip.at / base, "label": factor_value(flip.at, factor, view),
             "side": side}
            for side, flip in (("right", factor.below), ("left", factor.above))
            if flip is not None
        ]  # fmt: skip

    def make(width: int) -> alt.TopLevelMixin:
        import altair as alt

        wide = width > 500
        inside = width - (200 if wide else 145)
        names = [row["name"] for row in rows]
        y = alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=190 if wide else 135))
        low, high = min(row["low"] for row in rows), max(row["high"] for row in rows)
        room = (high - low) * 0.08 or 0.1
        scale = alt.Scale(domain=[low - room, high + room], nice=False)
        axis = alt.Axis(format=".1~f", labelExpr="datum.label + ' x'", tickCount=6 if wide else 3)
        data = alt.Data(values=rows)
        layers: list[Any] = [
            alt.Chart(data).mark_bar(size=6, color=RULE, aria=False).encode(
                y=y, x=alt.X("low:Q", scale=scale, axis=axis, title=w("sensitivity.axis")),
                x2="high:Q"),
            alt.Chart(data).mark_bar(size=14, color=ACCENT).encode(
                y=y, x="from:Q", x2="to:Q", description="tip:N"),
            alt.Chart(alt.Data(values=[{"at": 1}])).mark_rule(color=INK, strokeDash=[3, 3], aria=False)
            .encode(x="at:Q"),
        ]  # fmt: skip
        for side in ("right", "left"):
            marks = alt.Chart(alt.Data(values=[f for f in flips if f["side"] == side]))
            layers.append(marks.mark_tick(color=BAD, thickness=3, size=20, aria=False)
                          .encode(y=y, x="at:Q"))  # fmt: skip
            layers.append(marks.mark_text(color=BAD, dy=-15, dx=3 if side == "left" else -3,
                                          align=side, fontWeight=600)
                          .encode(y=y, x="at:Q", text="label:N"))  # fmt: skip
        return alt.layer(*layers).properties(width=inside, height=ROW * len(rows) + 10)

    text = "; ".join(row["tip"] for row in rows)
    return chart(make, "sensitivity", w("drawing.sensitivity"), text, view)
