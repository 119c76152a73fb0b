"""Facts of the star schema: phases of growth, and what is bought and sold when."""

from __future__ import annotations

from collections.abc import Iterable

from planner.domain.solution import Solution
from planner.export.dimensions import RUN_OF
from planner.export.keys import run_key
from planner.export.table import Column, Row, Table


def _phases(solution: Solution) -> Iterable[Row]:
    part = solution.growth
    for row, document in zip(part.phases if part else (), solution.phases, strict=False):
        design = document.design
        if design is not None:
            yield (
                run_key(solution), row.name, row.month, design.platform.server, row.nodes, row.gpus,
                row.racks, row.max_power_kw, row.reserved_leafs, row.moved_links, row.moving_usd,
                row.capex_usd, row.budget_usd, row.running_usd,
            )  # fmt: skip


FACT_PHASE = Table(
    "fact_phase",
    "one phase of growth",
    (
        RUN_OF,
        Column("phase", "text", "Name of the phase; its own report has all its figures"),
        Column("month", "integer", "Months after the first purchase", "months"),
        Column("server", "text", "Catalogue id of the servers that run"),
        Column("nodes", "integer", "Servers that run", "servers"),
        Column("gpus", "integer", "GPUs that run", "GPUs"),
        Column("racks", "integer", "Racks in use", "racks"),
        Column("max_power_kw", "decimal", "Power at most", "kW"),
        Column(
            "reserved_leafs", "integer", "Leafs to come for which spines keep ports", "switches"
        ),
        Column("moved_links", "integer", "Links that move from the phase before", "links"),
        Column("moving_usd", "money", "Present value of moving them", "USD"),
        Column("capex_usd", "money", "Purchases at the phase's prices, not discounted", "USD"),
        Column("budget_usd", "money", "Limit of these purchases; empty is none", "USD"),
        Column("running_usd", "money", "Present value of energy, software and space", "USD"),
    ),
    _phases,
    ("run_key", "phase"),
)


def _holdings(solution: Solution) -> Iterable[Row]:
    part = solution.growth
    for number, row in enumerate(part.holdings if part else (), 1):
        yield (
            run_key(solution), number, row.phase, row.part, row.component, row.quantity,
            row.until or None, row.unit_price_usd, row.unit_value_usd, row.total_usd,
        )  # fmt: skip


FACT_HOLDING = Table(
    "fact_holding",
    "units of one part bought in one phase and given up at the same time",
    (
        RUN_OF,
        Column("holding", "integer", "Number within the run"),
        Column("phase", "text", "Phase in which they are bought"),
        Column("part", "text", "Catalogue id"),
        Column("component", "text", "Cost component"),
        Column("quantity", "integer", "Units", "units"),
        Column("until", "text", "Phase at whose start they are sold; empty if kept to the end"),
        Column("unit_price_usd", "money", "Price of one at that phase, not discounted", "USD"),
        Column("unit_value_usd", "money", "Present value of owning one, without running it", "USD"),
        Column("total_usd", "money", "Present value of owning them all", "USD"),
    ),
    _holdings,
    ("run_key", "holding"),
)
