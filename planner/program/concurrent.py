"""Jobs that run at the same time: each keeps servers of its own, behind leafs of its own.

A job on whole units shares no leaf and no uplink with another, so its bandwidth is reserved and it
steps as if it were alone. Behind one switch, which blocks nothing, any split of the servers does.
Jobs that take turns count as one job.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

from planner.program.scan import StepTimes
from planner.program.shared_hours import SLACK

if TYPE_CHECKING:
    from planner.domain.workload import Workload
    from planner.physics.wiring import Wiring
    from planner.program.columns import Column


def groups_of(demands: Sequence[Workload]) -> list[tuple[int, ...]]:
    """Return which jobs share servers: those that take turns together, every other alone."""
    turns = tuple(k for k, job in enumerate(demands) if job.runs == "time_shared")
    alone: list[tuple[int, ...]] = [
        (k,) for k, job in enumerate(demands) if job.runs == "concurrent"
    ]
    return [turns, *alone] if turns else alone


def parts_of(column: Column) -> list[int]:
    """Return the servers of the smallest parts that jobs can keep for themselves, large first."""
    plan = column.plan
    if not plan.leafs or not plan.spines:
        return [1] * column.nodes
    return sorted((unit.servers for unit in plan.units), reverse=True)


def concurrent_steps(oracle: Any, column: Column, wiring: Wiring) -> StepTimes:
    """Return the step times with each group of jobs on parts of its own.

    Every group gets the fewest parts on which it meets its limits; more would not help anybody.
    Parts are dealt out large first, in every order of the groups: `concurrent` fails if none fits.
    """
    groups, parts = groups_of(oracle.demands), parts_of(column)
    alone = [_least(oracle, column, wiring, group, parts) for group in groups]
    for times, _ in alone:
        if times.failed:
            return times
    for order in permutations(range(len(groups))):
        found = _deal(oracle, column, wiring, [(g, groups[g]) for g in order], parts)
        if found is not None:
            return _joined(oracle, groups, found)
    return StepTimes(
        _joined(oracle, groups, dict(enumerate(t for t, _ in alone))).steps, "concurrent"
    )


def _deal(
    oracle: Any,
    column: Column,
    wiring: Wiring,
    order: list[tuple[int, tuple[int, ...]]],
    parts: list[int],
) -> dict[int, StepTimes] | None:
    left, found = list(parts), {}
    for number, group in order:
        times, taken = _least(oracle, column, wiring, group, left)
        if times.failed:
            return None
        found[number] = times
        left = left[taken:]
    return found


def _least(
    oracle: Any, column: Column, wiring: Wiring, group: tuple[int, ...], parts: list[int]
) -> tuple[StepTimes, int]:
    """Return the steps on the fewest leading parts that meet the group's limits, and how many."""
    low, high = 1, len(parts)
    times = _steps(oracle, column, wiring, group, sum(parts))
    if times.failed or not parts:
        return (times if times.failed else StepTimes((), "concurrent")), high
    while low < high:
        middle = (low + high) // 2
        if _steps(oracle, column, wiring, group, sum(parts[:middle])).failed:
            low = middle + 1
        else:
            high = middle
    return _steps(oracle, column, wiring, group, sum(parts[:low])), low


def _steps(
    oracle: Any, column: Column, wiring: Wiring, group: tuple[int, ...], servers: int
) -> StepTimes:
    steps, kept = [], 0.0
    for index in group:
        step = oracle.on_servers(index, column.option, servers, wiring)
        steps.append(step)
        if step is None:
            return StepTimes(tuple(steps), f"memory_w{index}")
        if step.wall_s > oracle.limits[index]:
            return StepTimes(tuple(steps), f"step_time_w{index}")
        kept += oracle.hours.share(index, step.wall_s * oracle.slower)
    return StepTimes(tuple(steps), "hours" if kept > 1.0 + SLACK else "")


def _joined(oracle: Any, groups: list[tuple[int, ...]], found: dict[int, StepTimes]) -> StepTimes:
    """Return the steps of all groups in the order of the workloads."""
    steps: list[Any] = [None] * len(oracle.demands)
    for number, group in enumerate(groups):
        for index, step in zip(group, found[number].steps, strict=True):
            steps[index] = step
    return StepTimes(tuple(steps), "")
