"""The question that a run answers: what the instance allows and what money costs in it."""

from __future__ import annotations

from collections.abc import Iterable

from planner.domain.solution import Solution
from planner.export.keys import scenario_key
from planner.export.table import Column, Row, Table


def _scenario(solution: Solution) -> Iterable[Row]:
    plan = solution.instance
    site, budget, finance = plan.site, plan.budget, plan.finance
    yield (
        scenario_key(solution), plan.name, plan.title, plan.note, len(plan.workloads),
        budget.capex_usd, budget.power_kw, budget.gpus, site.racks, site.rack_kw, site.power_kw,
        site.cooling, site.electricity_usd_per_kwh, site.pue, finance.years,
        finance.discount_rate, plan.network_price_factor, len(plan.quotes),
    )  # fmt: skip


DIM_SCENARIO = Table(
    "dim_scenario",
    "one question; several runs may answer it",
    (
        Column("scenario_key", "key", "Name of the instance and hash of what it states"),
        Column("scenario", "text", "Name of the instance"),
        Column("scenario_title", "text", "Title of the instance"),
        Column("scenario_note", "text", "Note of the instance"),
        Column("workloads", "integer", "Workloads that share the cluster", "workloads"),
        Column("budget_capex_usd", "money", "Limit of the purchase; empty is none", "USD"),
        Column("budget_power_kw", "decimal", "Limit of the IT power; empty is none", "kW"),
        Column("budget_gpus", "integer", "Limit of the GPUs; empty is none", "GPUs"),
        Column("site_racks", "integer", "Racks of the room", "racks"),
        Column("rack_kw", "decimal", "Usable power of one rack", "kW"),
        Column("site_power_kw", "decimal", "IT power of the room; empty is racks x rack", "kW"),
        Column("cooling", "text", "air or liquid"),
        Column("electricity_usd_per_kwh", "decimal", "Price; empty is the catalogue's", "USD/kWh"),
        Column("pue", "decimal", "Power usage effectiveness; empty is the catalogue's", "1"),
        Column("scenario_years", "decimal", "Horizon of the present value", "years"),
        Column("scenario_discount_rate", "decimal", "Discount a year", "1"),
        Column("network_price_factor", "decimal", "Multiplies every network price", "1"),
        Column("quotes", "integer", "Prices that the instance states itself", "prices"),
    ),
    _scenario,
    ("scenario_key",),
)
