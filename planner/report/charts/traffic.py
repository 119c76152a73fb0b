"""How busy each level of links is during a step, and how long the GPUs wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.report.charts.chart import Chart, chart
from planner.report.link_levels import level_uses
from planner.report.plain import plain
from planner.report.svg import BAD, PALETTE, fitted
from planner.report.view import View

if TYPE_CHECKING:
    import altair as alt

ROW = 30


def traffic_chart(view: View) -> Chart | None:
    """Return one block a workload, None where nothing is sent."""
    solution, w, n = view.solution, view.w, view.n
    fabric = solution.design.fabric if solution.design else None
    blocks: dict[str, list[dict[str, Any]]] = {}
    busy, waited = w("traffic.busy_share"), w("traffic.waited_share")
    for result in solution.workloads:
        rows = []
        for use in level_uses(result, fabric):
            level = w.label("level", use.level)
            label = f"{n.percent(use.busy_share)} / {n.percent(use.exposed_share)}"
            for kind, share in ((busy, use.busy_share), (waited, use.exposed_share)):
                rows.append({"level": level, "kind": kind, "share": share, "label": label,
                             "tip": f"{level}, {kind}: {n.percent(share)}"})  # fmt: skip
        if rows:
            blocks[plain(result.name)] = rows
    if not blocks:
        return None
    most = max(1.0, *(row["share"] for rows in blocks.values() for row in rows))

    def make(width: int) -> alt.TopLevelMixin:
        import altair as alt

        made = [_block(name, rows, (busy, waited), most, width) for name, rows in blocks.items()]
        return alt.vconcat(*made).resolve_scale(color="shared")

    text = "; ".join(
        f"{name}: " + ", ".join(dict.fromkeys(f"{r['level']} {r['label']}" for r in rows))
        for name, rows in blocks.items()
    )
    return chart(make, "traffic", w("drawing.traffic"), text, view)


def _block(
    name: str, rows: list[dict[str, Any]], kinds: tuple[str, str], most: float, width: int
) -> alt.LayerChart:
    import altair as alt

    wide = width > 500
    inside = width - (150 if wide else 110)
    levels = list(dict.fromkeys(row["level"] for row in rows))
    y = alt.Y("level:N", sort=levels, title=None, axis=alt.Axis(labelLimit=140 if wide else 100))
    x = alt.X("share:Q", title=None, scale=alt.Scale(domain=[0, most * 1.25], nice=False),
              axis=alt.Axis(format=".0%", values=[0, 0.5, 1] if not wide else [0, 0.25, 0.5, 0.75, 1]))  # fmt: skip
    fills = alt.Scale(domain=list(kinds), range=[PALETTE[3], BAD])
    colours = alt.Color("kind:N", scale=fills, sort=list(kinds),
                        legend=alt.Legend(columns=2 if wide else 1))  # fmt: skip
    layers: list[Any] = []
    for kind, size in zip(kinds, (18, 8), strict=True):
        data = alt.Data(values=[row for row in rows if row["kind"] == kind])
        layers.append(alt.Chart(data).mark_bar(size=size)
                      .encode(y=y, x=x, color=colours, description="tip:N"))  # fmt: skip
    ends = alt.Data(values=[row for row in rows if row["kind"] == kinds[0]])
    layers.append(alt.Chart(ends).mark_text(align="left", dx=6).encode(y=y, x=x, text="label:N"))
    heading = alt.TitleParams(fitted(name, width - 10, 13))
    return alt.layer(*layers).properties(width=inside, height=ROW * len(levels), title=heading)
