"""The summary of a sweep: one row an instance, with what was varied and what came out."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from planner.domain.solution import Solution
from planner.export.csv_file import csv_text
from planner.export.keys import run_key
from planner.export.table import Column, Row, Value

_OUTCOME = (
    Column("outcome", "text", "optimal, feasible, infeasible, stopped, refused, error or poison"),
    Column("objective_usd", "money", "Present value of the answer", "USD"),
    Column("bound_usd", "money", "Proved lower bound of the present value", "USD"),
    Column("gap", "decimal", "Objective less bound, over objective", "1"),
    Column("capex_usd", "money", "Purchase", "USD"),
    Column("server", "text", "Catalogue id of the server, of each pool"),
    Column("nodes", "integer", "Servers bought, all pools", "servers"),
    Column("gpus", "integer", "GPUs bought", "GPUs"),
    Column("family", "text", "Family of the scale-out fabric"),
    Column("topology", "text", "Topology of the scale-out fabric"),
    Column("oversubscription", "decimal", "Down over up bandwidth of a leaf", "1"),
    Column("max_power_kw", "decimal", "IT power at the devices' maximum", "kW"),
    Column("step_times_s", "text", "Step time of each workload, s"),
    Column("strategies", "text", "Strategy of each workload"),
    Column("binding", "text", "Limits that are used up"),
    Column("reason", "text", "Why there is no design, or no answer"),
    Column("run_key", "key", "Run of the star schema"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow:
    """One instance of a sweep; small enough to keep thousands."""

    number: int
    values: tuple[Any, ...]
    outcome: str
    reason: str
    answer: Row = ()
    """The columns between `outcome` and `reason`, then the run; empty without a solution."""

    @property
    def objective_usd(self) -> float | None:
        """Present value of the answer, None without one."""
        value = self.answer[0] if self.answer else None
        return float(value) if value is not None else None

    def cells(self) -> Row:
        """Return the row's cells behind the varied values."""
        answer = self.answer or (None,) * (len(_OUTCOME) - 2)
        return (self.outcome, *answer[:-1], self.reason or None, answer[-1])


def answer_cells(solution: Solution) -> Row:
    """Return what the summary keeps of a solution; several pools stand in one cell, with ``;``."""
    own = [pool for pool in (solution.pools or [solution]) if pool.design is not None]
    designs = [pool.design for pool in own if pool.design is not None]
    fabrics = [design.fabric for design in designs]
    jobs = [job for pool in own for job in pool.workloads]
    return (
        solution.objective_usd, solution.bound_usd, solution.gap,
        solution.cost.capex_usd if solution.cost else None,
        _joined(design.platform.server for design in designs),
        sum(design.nodes for design in designs) if designs else None,
        sum(design.gpus for design in designs) if designs else None,
        _joined(fabric.family for fabric in fabrics),
        _joined(fabric.topology for fabric in fabrics),
        fabrics[0].oversubscription if len(fabrics) == 1 else None,
        math.fsum(design.max_power_kw for design in designs) if designs else None,
        _joined(f"{job.name} {job.step_time_s:.6g}" for job in jobs),
        _joined(f"{job.name} {job.strategy_label}" for job in jobs),
        _joined(line.limit for line in solution.binding if line.binding),
        run_key(solution),
    )  # fmt: skip


def _joined(parts: Iterable[str]) -> str | None:
    return "; ".join(parts) or None


def shown_value(value: Any) -> Value:
    """Return a varied value as one cell."""
    if value is None:
        return "null"
    if isinstance(value, str | int | float | bool):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def columns(keys: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of a sweep over these keys."""
    varied = (Column(key, "text", f"Varied: {key}") for key in keys)
    return (Column("number", "integer", "Number of the instance"), *varied, *_OUTCOME)


def sweep_text(keys: Sequence[str], rows: Iterable[SweepRow]) -> str:
    """Return the summary as CSV text."""
    table = (
        (row.number, *(_text(shown_value(v)) for v in row.values), *row.cells()) for row in rows
    )
    return csv_text(columns(keys), table)


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
