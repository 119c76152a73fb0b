"""The fastest strategy that fits, over all strategies of a job on some nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np

from planner.domain.compute_constants import ModelConstants
from planner.domain.strategy import Strategy
from planner.physics.collectives import Choice
from planner.physics.enumeration import StrategyOptions, strategy_blocks
from planner.physics.job import Job
from planner.physics.machine import Machine
from planner.physics.steptime.table import StepTable, step_times
from planner.physics.strategies import StrategyTable
from planner.physics.wiring import Wiring


@dataclass(frozen=True, slots=True, kw_only=True)
class BestStep:
    """The fastest feasible strategy."""

    strategy: Strategy
    step_time_s: float
    memory_bytes: float
    parts_s: dict[str, float]
    evaluated: int
    """Strategies that were examined."""
    feasible: int
    """Of these, those that fit in memory."""


def best(
    job: Job,
    machine: Machine,
    wiring: Wiring,
    nodes: int,
    *,
    constants: ModelConstants,
    options: StrategyOptions | None = None,
    limit_s: float | None = None,
    choice: Choice = "tuner",
    free_network: bool = False,
    blocks: Iterable[StrategyTable] | None = None,
) -> BestStep | None:
    """Return the fastest strategy that fits in memory, None if none fits (within `limit_s`).

    Strategies whose computation alone is slower than the best so far are not timed further, which
    loses nothing. Equal times are ordered by the strategy's attributes, so that the answer does
    not depend on the order of the search. `blocks` are the strategies of these options where the
    caller has them; else they are enumerated.
    """
    found: BestStep | None = None
    key: tuple[float, ...] | None = None
    evaluated = feasible = 0
    limit = limit_s
    if blocks is None:
        blocks = strategy_blocks(job, nodes, wiring, options)
    for table in blocks:
        times = step_times(
            job, machine, wiring, nodes, table,
            constants=constants, limit_s=limit, choice=choice, free_network=free_network,
        )  # fmt: skip
        evaluated += len(table)
        feasible += int(times.feasible.sum())
        row, row_key = _first(table, times)
        if row is None or (limit_s is not None and row_key[0] > limit_s):
            continue
        if key is None or row_key < key:
            key = row_key
            limit = row_key[0]
            found = _step(table, times, row)
    if found is None:
        return None
    return BestStep(
        strategy=found.strategy, step_time_s=found.step_time_s, memory_bytes=found.memory_bytes,
        parts_s=found.parts_s, evaluated=evaluated, feasible=feasible,
    )  # fmt: skip


def _first(table: StrategyTable, times: StepTable) -> tuple[int | None, tuple[float, ...]]:
    """Return the fastest row, equal times ordered by attributes, and its order key."""
    if not len(table):
        return None, ()
    least = times.step_time_s.min()
    if not np.isfinite(least):
        return None, ()
    rows = np.flatnonzero(times.step_time_s == least)
    columns = [f.name for f in fields(StrategyTable)]
    keys = {int(r): tuple(float(getattr(table, c)[r]) for c in columns) for r in rows}
    row = min(keys, key=lambda r: keys[r])
    return row, (float(least), *keys[row])


def _step(table: StrategyTable, times: StepTable, row: int) -> BestStep:
    return BestStep(
        strategy=table.row(row),
        step_time_s=float(times.step_time_s[row]),
        memory_bytes=float(times.memory_bytes[row]),
        parts_s={name: float(values[row]) for name, values in times.parts_s.items()},
        evaluated=0,
        feasible=0,
    )
