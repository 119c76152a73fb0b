"""The drawings of a report by file name."""

from __future__ import annotations

from dataclasses import dataclass, field

from planner.domain.solution import Solution
from planner.report.drawings.bars import bars_drawing, cost_bars, step_bars
from planner.report.drawings.floor import floor_drawing
from planner.report.drawings.racks import rack_drawings
from planner.report.drawings.step_lanes import lanes_drawing
from planner.report.drawings.timeline import hours_bars, run_bars
from planner.report.drawings.topology import topology_drawing
from planner.report.notation import Notation
from planner.report.svg import Drawing
from planner.report.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Plates:
    """All drawings of one solution; None where the data do not exist."""

    topology: Drawing | None = None
    floor: Drawing | None = None
    cost: Drawing | None = None
    step_time: Drawing | None = None
    runs: Drawing | None = None
    hours: Drawing | None = None
    lanes: list[Drawing | None] = field(default_factory=list)
    """By workload: its step in lanes."""
    racks: list[Drawing] = field(default_factory=list)
    racks_left_out: int = 0
    """Groups of identical racks beyond those that are drawn."""

    def files(self) -> dict[str, Drawing]:
        """Return the drawings that exist, by file name without suffix."""
        named = {
            "topology": self.topology,
            "floor": self.floor,
            "cost": self.cost,
            "step_time": self.step_time,
            "runs": self.runs,
            "hours": self.hours,
        }
        found = {name: drawing for name, drawing in named.items() if drawing is not None}
        found |= {drawing.name: drawing for drawing in self.lanes if drawing is not None}
        return found | {drawing.name: drawing for drawing in self.racks}


def plates(solution: Solution, w: Words, n: Notation) -> Plates:
    """Return the drawings of a solution."""
    if solution.design is None:
        return Plates()
    steps, runs = step_bars(solution, w, n), run_bars(solution, w, n)
    racks, left_out = rack_drawings(solution, w, n)
    return Plates(
        topology=topology_drawing(solution, w, n),
        floor=floor_drawing(solution, w, n),
        cost=bars_drawing(cost_bars(solution, w, n), w("drawing.cost"), "cost", own_scale=False),
        step_time=bars_drawing(steps, w("drawing.step_time"), "step", own_scale=True),
        runs=bars_drawing(runs, w("drawing.runs"), "runs", own_scale=True),
        hours=bars_drawing(hours_bars(solution, w, n), w("drawing.hours"), "hours", own_scale=True),
        lanes=[lanes_drawing(job, k, w, n) for k, job in enumerate(solution.workloads)],
        racks=racks,
        racks_left_out=left_out,
    )
