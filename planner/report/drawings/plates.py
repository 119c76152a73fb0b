"""The drawings and charts of a report as files."""

from __future__ import annotations

from planner.report.charts.bars import bars_chart
from planner.report.charts.chart import Chart
from planner.report.charts.cost import cost_chart
from planner.report.charts.traffic import traffic_chart
from planner.report.drawings.floor import floor_drawing
from planner.report.drawings.racks import rack_drawings
from planner.report.drawings.step_lanes import lanes_drawing
from planner.report.drawings.topology import topology_drawing
from planner.report.part_bars import step_bars
from planner.report.run_bars import hours_bars, run_bars
from planner.report.svg import Drawing
from planner.report.view import View


def plates(view: View) -> dict[str, Drawing | Chart]:
    """Return the drawings and charts that exist, by file name without suffix."""
    solution, w, n = view.solution, view.w, view.n
    if solution.design is None:
        return {}
    named: dict[str, Drawing | Chart | None] = {
        "topology": topology_drawing(solution, w, n),
        "floor": floor_drawing(solution, w, n),
        "cost": cost_chart(view),
        "traffic": traffic_chart(view),
    }
    bars = {
        "step_time": step_bars(solution, w, n),
        "runs": run_bars(solution, w, n),
        "hours": hours_bars(solution, w, n),
    }
    for name, rows in bars.items():
        named[name] = bars_chart(rows, w(f"drawing.{name}"), name, view, own_scale=True)
    found = {name: drawing for name, drawing in named.items() if drawing is not None}
    lanes = [lanes_drawing(job, k, w, n) for k, job in enumerate(solution.workloads)]
    racks, _ = rack_drawings(solution, w, n)
    return found | {drawing.name: drawing for drawing in (*lanes, *racks) if drawing is not None}
