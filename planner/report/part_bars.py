"""One bar a workload: the parts of its step, its limit and its target."""

from __future__ import annotations

from planner.domain.solution import Solution
from planner.report.bar import Bar, Segment
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.svg import colour
from planner.report.targets import targets
from planner.report.words import Words


def step_bars(solution: Solution, w: Words, n: Notation) -> list[Bar]:
    """Return the bars in the solution's order; a part has one colour in all of them."""
    fills: dict[str, str] = {}
    bars = []
    for target in targets(solution):
        result = target.result
        segments = []
        for part, seconds in target.parts:
            label = w.label("part", part)
            fill = fills.setdefault(label, colour(len(fills)))
            segments.append(
                Segment(label=label, value=seconds, figures=n.seconds(seconds), fill=fill)
            )
        limit = f"{w('step.limit')} {n.seconds(result.limit_s)}"
        demand = f"{w('step.target')} {n.seconds(result.target_s)}"
        bars.append(Bar(label=plain(result.name), figures=n.seconds(result.step_time_s),
                        segments=segments,
                        marks=[(limit, result.limit_s), (demand, result.target_s)]))  # fmt: skip
    return bars
