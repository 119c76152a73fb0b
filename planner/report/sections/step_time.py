"""Each workload's step: its parts, memory and timeline, against limit and target."""

from __future__ import annotations

from typing import Any

from planner.report.charts.bars import bars_chart
from planner.report.drawings.step_lanes import lanes_drawing
from planner.report.markdown_table import table
from planner.report.part_bars import step_bars
from planner.report.plain import markdown, plain
from planner.report.run_bars import hours_bars, run_bars
from planner.report.sections.section import Section
from planner.report.targets import Target, margin_text, run_text, targets
from planner.report.view import View


def _context(view: View) -> dict[str, Any]:
    solution, w, n = view.solution, view.w, view.n
    jobs = [
        {"result": result, "lanes": lanes_drawing(result, k, w, n)}
        for k, result in enumerate(solution.workloads)
    ]
    charts = {
        key: bars_chart(bars, w(f"drawing.{key}"), key, view, own_scale=True)
        for key, bars in (
            ("step_time", step_bars(solution, w, n)),
            ("runs", run_bars(solution, w, n)),
            ("hours", hours_bars(solution, w, n)),
        )
    }
    return {"jobs": jobs, "charts": charts}


def _markdown(view: View) -> list[str]:
    w, n = view.w, view.n
    keys = ("workload", "time", "limit", "target", "spare", "run")
    rows = [
        [
            markdown(target.result.name),
            n.seconds(target.result.step_time_s),
            n.seconds(target.result.limit_s),
            n.seconds(target.result.target_s),
            n.percent(target.spare_share),
            run_text(target, w, n),
        ]
        for target in targets(view.solution)
    ]
    lines = table([w(f"step.{key}") for key in keys], rows, "lrrrrr")
    lines += ["", margin_text(view.solution, w, n)]
    for target in targets(view.solution):
        lines += _parts(target, view)
    return lines


def _parts(target: Target, view: View) -> list[str]:
    w, n, result = view.w, view.n, target.result
    how = w(
        "step.on",
        network=plain(result.network),
        gpus=n.number(result.gpus_used),
        strategy=w.said(plain(result.strategy_label)),
    )
    memory = w(
        "step.memory",
        total=n.short(result.memory_gib.get("total", 0.0), 2),
        limit=n.short(result.memory_gib.get("limit", 0.0), 2),
    )
    rates = w(
        "step.rates",
        mfu=n.percent(result.mfu),
        hfu=n.percent(result.hfu),
        tokens=n.number(result.tokens_per_s_per_gpu, 1),
    )
    rows = [
        [
            markdown(w.label("part", part)),
            n.number(seconds, 6),
            n.percent(seconds / result.step_time_s),
        ]
        for part, seconds in target.parts
    ]
    rows.append([f"**{w('cost.total')}**", f"**{n.number(result.step_time_s, 6)}**", ""])
    heads = [w("step.part"), w("step.seconds"), w("step.share")]
    title = f"### {markdown(result.name)}"
    return ["", title, "", f"{markdown(how)}. {rates}. {memory}.", *table(heads, rows, "lrr")]


SECTION = Section(
    key="step_time",
    title="step.title",
    shown=lambda solution: bool(solution.workloads),
    context=_context,
    markdown=_markdown,
)
