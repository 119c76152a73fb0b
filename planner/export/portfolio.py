"""Facts of the star schema: pools that are bought and servers that are rented."""

from __future__ import annotations

from collections.abc import Iterable

from planner.domain.solution import Solution
from planner.export.dimensions import RUN_OF
from planner.export.facts import WORKLOAD_OF
from planner.export.keys import run_key, within_run
from planner.export.table import Column, Row, Table


def _pools(solution: Solution) -> Iterable[Row]:
    part = solution.portfolio
    for row, document in zip(part.pools if part else (), solution.pools, strict=False):
        design = document.design
        if design is not None:
            yield (
                run_key(solution), row.name, row.place, ", ".join(row.workloads),
                design.platform.server, design.nodes, design.gpus, row.racks, row.first_row,
                row.first_column, design.max_power_kw, row.capex_usd, row.total_usd,
            )  # fmt: skip


FACT_POOL = Table(
    "fact_pool",
    "one pool that is bought",
    (
        RUN_OF,
        Column("pool", "text", "Name of the pool; its own report has all its figures"),
        Column("place", "text", "Where it stands"),
        Column("workloads", "text", "Workloads that run there"),
        Column("server", "text", "Catalogue id of its servers"),
        Column("nodes", "integer", "Servers", "servers"),
        Column("gpus", "integer", "GPUs", "GPUs"),
        Column("racks", "integer", "Racks in use", "racks"),
        Column("first_row", "integer", "Row of the room where it begins, from 0"),
        Column("first_column", "integer", "Place in that row, from 0"),
        Column("max_power_kw", "decimal", "Power at most", "kW"),
        Column("capex_usd", "money", "Purchase price", "USD"),
        Column("total_usd", "money", "Present value", "USD"),
    ),
    _pools,
    ("run_key", "pool"),
)


def _rents(solution: Solution) -> Iterable[Row]:
    part = solution.portfolio
    for rent in part.rents if part else ():
        yield (
            run_key(solution), within_run(solution, rent.workload), rent.offer, rent.provider,
            rent.instance, rent.term, rent.instances, rent.reserved, rent.step_time_s,
            rent.limit_s, rent.busy_fraction, rent.hours_per_year, rent.unit_usd, rent.total_usd,
            rent.egress_usd, rent.break_even_busy, rent.break_even_months,
        )  # fmt: skip


FACT_RENT = Table(
    "fact_rent",
    "what one workload rents",
    (
        RUN_OF,
        WORKLOAD_OF,
        Column("offer", "text", "Row of the table of offers"),
        Column("provider", "text", "Provider"),
        Column("instance", "text", "Instance type"),
        Column("term", "text", "on_demand, spot, 1y, 3y or shared"),
        Column("instances", "integer", "Servers in use", "servers"),
        Column("reserved", "integer", "Of these, from the shared reservation", "servers"),
        Column("step_time_s", "decimal", "Time of one optimizer step", "s"),
        Column("limit_s", "decimal", "Step time that the program enforces", "s"),
        Column("busy_fraction", "decimal", "Share of all hours that it uses them", "1"),
        Column("hours_per_year", "decimal", "Hours a year; of a single run, its hours", "h"),
        Column("unit_usd", "money", "Present value of one server", "USD"),
        Column("total_usd", "money", "Present value of the servers it pays alone", "USD"),
        Column("egress_usd", "money", "Present value of what leaves the cloud", "USD"),
        Column("break_even_busy", "decimal", "Use from which owning is no dearer", "1"),
        Column("break_even_months", "decimal", "Life from which owning is no dearer", "months"),
    ),
    _rents,
    ("run_key", "workload_key"),
)
