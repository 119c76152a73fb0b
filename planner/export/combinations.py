"""Every scale-up kind with every family and topology, and its step times."""

from __future__ import annotations

from collections.abc import Iterable

from planner.domain.solution import Solution
from planner.export.dimensions import RUN_OF
from planner.export.keys import run_key, within_run
from planner.export.table import Column, Row, Table


def _combinations(solution: Solution) -> Iterable[Row]:
    for number, one in enumerate(solution.combinations, 1):
        yield (
            run_key(solution), number, one.scale_up, one.family, one.topology, one.status,
            one.objective_usd, one.bound_usd, one.delta_usd, one.summary or None,
            one.reason or None,
        )  # fmt: skip


FACT_COMBINATION = Table(
    "fact_combination",
    "one scale-up kind with one family and topology; no rows if they were not asked",
    (
        RUN_OF,
        Column("number", "integer", "Number of the combination"),
        Column("scale_up", "text", "Scale-up kind of the server"),
        Column("family", "text", "Family of the scale-out fabric; none without a switch"),
        Column("topology", "text", "Topology of the scale-out fabric"),
        Column("status", "text", "chosen, optimal, feasible, bounded or infeasible"),
        Column("objective_usd", "money", "Present value of its best design", "USD"),
        Column("bound_usd", "money", "Proved: no design of it costs less", "USD"),
        Column("delta_usd", "money", "Present value, or its bound, less that of the answer", "USD"),
        Column("summary", "text", "The design in words"),
        Column("reason", "text", "Why it is dearer or impossible, or what the bound rests on"),
    ),
    _combinations,
    ("run_key", "number"),
)


def _steps(solution: Solution) -> Iterable[Row]:
    known = {workload.name for workload in solution.instance.workloads}
    for number, one in enumerate(solution.combinations, 1):
        for name, seconds in one.step_times_s.items():
            if name in known:
                yield run_key(solution), number, within_run(solution, name), seconds


FACT_COMBINATION_STEP = Table(
    "fact_combination_step",
    "step time of one workload on the best design of one combination",
    (
        RUN_OF,
        Column("number", "integer", "Number of the combination"),
        Column("workload_key", "key", "Run and workload", refers_to="dim_workload"),
        Column("step_time_s", "decimal", "Time of one optimizer step", "s"),
    ),
    _steps,
    ("run_key", "number", "workload_key"),
)
