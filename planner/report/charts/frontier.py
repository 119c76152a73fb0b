"""Cost against step time, one point for each design that is not beaten on both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.report.charts.chart import Chart, chart, money_axis
from planner.report.plain import clip, plain
from planner.report.svg import ACCENT, BAD, MUTED
from planner.report.view import View

if TYPE_CHECKING:
    import altair as alt

HEIGHT = 240


def frontier_chart(view: View) -> Chart | None:
    """Return one block a workload, None without two points to compare."""
    solution, w, n = view.solution, view.w, view.n
    blocks: dict[str, list[dict[str, Any]]] = {}
    for point in solution.frontier.points if solution.frontier else ():
        if point.step_time_s is None or point.objective_usd is None:
            continue
        design = w.said(plain(point.summary))
        blocks.setdefault(plain(point.workload), []).append(
            {"step": point.step_time_s, "cost": n.converted(point.objective_usd),
             "chosen": point.chosen,
             "tip": f"{n.seconds(point.step_time_s)}, {n.money(point.objective_usd)}: {design}"}
        )  # fmt: skip
    blocks = {name: points for name, points in blocks.items() if len(points) > 1}
    if not blocks:
        return None
    limits = {plain(result.name): result.limit_s for result in solution.workloads}

    def make(width: int) -> alt.TopLevelMixin:
        import altair as alt

        made = [
            _block(name, points, limits.get(name), width, view) for name, points in blocks.items()
        ]
        return alt.vconcat(*made)

    text = "; ".join(
        f"{name}: " + "; ".join(point["tip"] for point in points) for name, points in blocks.items()
    )
    return chart(make, "frontier", w("drawing.frontier"), text, view)


def _block(
    name: str, points: list[dict[str, Any]], limit_s: float | None, width: int, view: View
) -> alt.LayerChart:
    import altair as alt

    wide = width > 500
    w, n = view.w, view.n
    x = alt.X("step:Q", title=w("frontier.axis"), scale=alt.Scale(zero=False, padding=24),
              axis=alt.Axis(tickCount=6 if wide else 3))  # fmt: skip
    y = alt.Y("cost:Q", title=n.currency, scale=alt.Scale(zero=False, padding=20),
              axis=alt.Axis(**money_axis(max(p["cost"] for p in points)), grid=True, tickCount=5))  # fmt: skip
    line = alt.Chart(alt.Data(values=points)).mark_line(
        interpolate="step-after", color=MUTED, aria=False
    )
    layers: list[Any] = [line.encode(x=x, y=y)]
    for chosen, fill, size in ((False, MUTED, 70), (True, ACCENT, 170)):
        some = [point for point in points if point["chosen"] == chosen]
        if some:
            dots = alt.Chart(alt.Data(values=some)).mark_point(
                filled=True, color=fill, size=size, opacity=1)  # fmt: skip
            layers.append(dots.encode(x=x, y=y, description="tip:N"))
    named = [point for point in points if point["chosen"]]
    if named:
        layers.append(
            alt.Chart(alt.Data(values=named)).mark_text(align="left", dx=9, dy=-9, fontWeight=600)
            .encode(x=x, y=y, text=alt.value(w("alternative.chosen")))
        )  # fmt: skip
    steps = [point["step"] for point in points]
    if limit_s is not None and min(steps) <= limit_s <= max(steps) * 1.2:
        rule = alt.Chart(alt.Data(values=[{"step": limit_s}])).mark_rule(
            color=BAD, strokeWidth=1.5, aria=False
        )
        layers.append(rule.encode(x=x))
        words = alt.Chart(alt.Data(values=[{"step": limit_s}])).mark_text(
            color=BAD, align="right", dx=-4, baseline="top")  # fmt: skip
        layers.append(words.encode(x=x, y=alt.value(2), text=alt.value(w("step.limit"))))
    title = alt.TitleParams(clip(name, 60 if wide else 40))
    inside = width - (70 if wide else 60)
    return alt.layer(*layers).properties(width=inside, height=HEIGHT, title=title)
