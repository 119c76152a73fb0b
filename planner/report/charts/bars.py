"""Stacked bars, one below the other: step times by part, runs against deadlines, hours in use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.report.bar import Bar
from planner.report.charts.chart import Chart, chart
from planner.report.svg import BAD, INK, PAPER, fitted, legible_on
from planner.report.view import View

if TYPE_CHECKING:
    import altair as alt

TOP, BAR, BELOW = 16, 26, 16
"""Pixels above a bar for one mark's label, of the bar, and below for the other's."""


def bars_chart(
    bars: list[Bar], title: str, name: str, view: View, *, own_scale: bool
) -> Chart | None:
    """Return the bars with their figures and one legend, None without bars.

    Parameters
    ----------
    bars
        What to draw.
    title, name
        Title and name of the chart.
    view
        Whose language the figures have.
    own_scale
        Whether each bar has a scale of its own, as step times of different jobs need.
    """
    if not bars:
        return None
    text = "; ".join(
        f"{bar.label} {bar.figures}: " + ", ".join(f"{s.label} {s.figures}" for s in bar.segments)
        for bar in bars
    )
    widest = max(bar.span for bar in bars)

    def make(width: int) -> alt.TopLevelMixin:
        import altair as alt

        colours = _colours(bars, columns=max(1, width // 180))
        rows = [
            _row(bar, (bar.span if own_scale else widest) or 1.0, width, colours) for bar in bars
        ]
        return alt.vconcat(*rows).resolve_scale(color="shared")

    return chart(make, name, title, text, view)


def _colours(bars: list[Bar], columns: int) -> alt.Color:
    import altair as alt

    fills = {segment.label: segment.fill for bar in bars for segment in bar.segments}
    scale = alt.Scale(domain=list(fills), range=list(fills.values()))
    legend = alt.Legend(columns=columns)
    return alt.Color("part:N", scale=scale, legend=legend if len(fills) > 1 else None)


def _row(bar: Bar, longest: float, width: int, colours: alt.Color) -> alt.LayerChart:
    import altair as alt

    inside = width - 8
    pieces, at = [], 0.0
    for segment in bar.segments:
        room = segment.value / longest * inside - 8
        shown = segment.figures if fitted(segment.figures, room, 11.5) == segment.figures else ""
        pieces.append({"part": segment.label, "from": at, "to": at + segment.value,
                       "middle": at + segment.value / 2, "figures": shown,
                       "tip": f"{segment.label}: {segment.figures}",
                       "ink": legible_on(segment.fill)})  # fmt: skip
        at += segment.value
    x = alt.X("from:Q", axis=None, scale=alt.Scale(domain=[0, longest], nice=False))
    low, high = (TOP, TOP + BAR) if bar.marks else (0, BAR)
    layers: list[Any] = [
        alt.Chart(alt.Data(values=pieces)).mark_rect()
        .encode(x=x, x2="to:Q", y=alt.YValue(low), y2=alt.Y2Value(high), color=colours,
                description="tip:N")
    ]  # fmt: skip
    for ink in (PAPER, INK):
        named = [piece for piece in pieces if piece["ink"] == ink and piece["figures"]]
        if named:
            layers.append(
                alt.Chart(alt.Data(values=named)).mark_text(color=ink, baseline="middle")
                .encode(x="middle:Q", y=alt.YValue((low + high) / 2 + 1), text="figures:N")
            )  # fmt: skip
    layers += _marks(bar, longest, high)
    heading = alt.TitleParams(fitted(f"{bar.label} · {bar.figures}", inside, 13))
    height = high + (BELOW if bar.marks else 0)
    return alt.layer(*layers).properties(width=inside, height=height, title=heading)


def _marks(bar: Bar, longest: float, low: int) -> list[Any]:
    """Return the lines across a bar; their labels stand above and below in turn."""
    import altair as alt

    layers: list[Any] = []
    for k, (label, value) in enumerate(bar.marks):
        data = alt.Data(values=[{"at": value, "label": label}])
        rule = alt.Chart(data).mark_rule(color=INK if k else BAD, strokeWidth=2, aria=False)
        layers.append(rule.encode(x="at:Q", y=alt.YValue(TOP - 4), y2=alt.Y2Value(low + 4)))
        right = value > longest / 2
        words = alt.Chart(data).mark_text(align="right" if right else "left", baseline="middle")
        layers.append(words.encode(x="at:Q", y=alt.YValue(5 if k else low + 12), text="label:N"))
    return layers
