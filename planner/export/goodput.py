"""Fact of the star schema: what a workload loses to failures, checkpoints and repairs."""

from __future__ import annotations

from collections.abc import Iterable

from planner.domain.solution import Solution
from planner.export.dimensions import RUN_OF
from planner.export.facts import WORKLOAD_OF
from planner.export.keys import run_key, within_run
from planner.export.table import Column, Row, Table


def _goodput(solution: Solution) -> Iterable[Row]:
    for result in solution.workloads:
        part = result.goodput
        if part is not None:
            yield (
                run_key(solution), within_run(solution, result.name), part.availability,
                part.servers, part.spares, part.failures_per_1000_server_days,
                part.repairs_per_1000_server_days, part.mtbf_h, part.checkpoint_write_s,
                part.checkpoint_interval_s, part.restart_s, part.repair_s, part.checkpoint_share,
                part.waiting_share, part.expected_failures,
            )  # fmt: skip


FACT_GOODPUT = Table(
    "fact_goodput",
    "the modelled availability of one workload",
    (
        RUN_OF,
        WORKLOAD_OF,
        Column("availability", "decimal", "Share of wall time spent on useful steps", "1"),
        Column("servers", "integer", "Servers in use", "servers"),
        Column("spares", "integer", "Servers that stand by", "servers"),
        Column(
            "failures_per_1000_server_days", "decimal", "Failures that stop the job", "1/1000 d"
        ),
        Column(
            "repairs_per_1000_server_days", "decimal", "Those that take the server out", "1/1000 d"
        ),
        Column("mtbf_h", "decimal", "Mean time between failures of the job", "h"),
        Column("checkpoint_write_s", "decimal", "Time a checkpoint stops the training", "s"),
        Column("checkpoint_interval_s", "decimal", "Work between two checkpoints", "s"),
        Column("restart_s", "decimal", "From a failure to the next step", "s"),
        Column("repair_s", "decimal", "Until a broken server is back", "s"),
        Column(
            "checkpoint_share", "decimal", "Left after checkpoints, lost work and restarts", "1"
        ),
        Column("waiting_share", "decimal", "Share of time without enough servers", "1"),
        Column("expected_failures", "decimal", "Failures in one run", "failures"),
    ),
    _goodput,
    ("run_key", "workload_key"),
)
