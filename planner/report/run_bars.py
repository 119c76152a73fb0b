"""Time in days and hours: each run against its deadline, and who holds the cluster when."""

from __future__ import annotations

from planner.domain.solution import Solution
from planner.report.bar import Bar, Segment
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.svg import RULE, colour
from planner.report.targets import busy_share, days_text, targets
from planner.report.words import Words


def run_bars(solution: Solution, w: Words, n: Notation) -> list[Bar]:
    """Return one bar a workload that has a deadline: the days of one run."""
    bars = []
    for target in targets(solution):
        days = target.result.run_days
        if days is None or target.deadline_days is None:
            continue
        figures = w("step.days", days=days_text(days, n))
        deadline = w("timeline.deadline", days=n.short(target.deadline_days, 2))
        segment = Segment(label=w("timeline.run"), value=days, figures=figures, fill=colour(0))
        bars.append(Bar(label=plain(target.result.name), figures=figures, segments=[segment],
                        marks=[(deadline, target.deadline_days)]))  # fmt: skip
    return bars


def hours_bars(solution: Solution, w: Words, n: Notation) -> list[Bar]:
    """Return one bar: the share of all hours that each workload holds the cluster."""
    busy = busy_share(solution)
    if not busy:
        return []
    segments = [
        Segment(label=plain(result.name), value=result.busy_fraction,
                figures=n.percent(result.busy_fraction), fill=colour(k))
        for k, result in enumerate(solution.workloads)
        if result.busy_fraction
    ]  # fmt: skip
    if busy < 1:
        idle = Segment(label=w("timeline.idle"), value=1 - busy, figures=n.percent(1 - busy),
                       fill=RULE)  # fmt: skip
        segments.append(idle)
    return [Bar(label=w("timeline.hours"), figures=n.percent(busy), segments=segments, marks=[])]
