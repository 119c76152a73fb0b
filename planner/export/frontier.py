"""Cost against step time: the points of a frontier study, beside the run that it varies."""

from __future__ import annotations

from collections.abc import Iterable

from planner.domain.solution import Solution
from planner.export.dimensions import RUN_OF
from planner.export.keys import run_key, within_run
from planner.export.table import Column, Row, Table


def frontier_rows(solution: Solution) -> Iterable[Row]:
    """Yield one row a point, numbered in the order of the frontier."""
    points = solution.frontier.points if solution.frontier else []
    for number, point in enumerate(points, 1):
        yield (
            run_key(solution), number, within_run(solution, point.workload), point.limit_s,
            point.status, point.step_time_s, point.objective_usd, point.bound_usd, point.gap,
            point.capex_usd, point.server or None, point.nodes, point.gpus, point.family or None,
            point.topology or None, point.oversubscription,
        )  # fmt: skip


FACT_FRONTIER = Table(
    "fact_frontier",
    "one point of cost against step time; no rows if no frontier was run",
    (
        RUN_OF,
        Column("number", "integer", "Number of the point"),
        Column("workload_key", "key", "Workload whose target was varied", refers_to="dim_workload"),
        Column("limit_s", "decimal", "Step time that the point had to hold", "s"),
        Column("status", "text", "optimal, feasible, infeasible or stopped"),
        Column("step_time_s", "decimal", "Step time of the point", "s"),
        Column("objective_usd", "money", "Present value of the point", "USD"),
        Column("bound_usd", "money", "Proved lower bound of the present value", "USD"),
        Column("gap", "decimal", "Objective less bound, over objective", "1"),
        Column("capex_usd", "money", "Purchase", "USD"),
        Column("server", "text", "Catalogue id of the server"),
        Column("nodes", "integer", "Servers bought", "servers"),
        Column("gpus", "integer", "GPUs bought", "GPUs"),
        Column("family", "text", "Family of the scale-out fabric"),
        Column("topology", "text", "Topology of the scale-out fabric"),
        Column("oversubscription", "decimal", "Down over up bandwidth of a leaf", "1"),
    ),
    frontier_rows,
    ("run_key", "number"),
)
