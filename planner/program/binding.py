"""Each limit of the instance, how much of it the design uses, and whether it binds."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.solution import Binding, WorkloadResult
from planner.domain.units import CENTS_PER_USD
from planner.program.market import Market
from planner.program.scan import Found, ScanResult
from planner.program.service_part import all_racks
from planner.program.workload_code import without_workload

WATTS_PER_KW = 1000.0
LIMIT_OF_OUTCOME = {
    "placement_power": "rack_power",
    "placement_units": "rack_units",
    "placement_racks": "racks",
}
"""Outcomes of the scan under another name than the limit's."""


def binding_limits(result: ScanResult) -> frozenset[str]:
    """Return ids of the limits that refused a column whose cost bound is below the best.

    All columns were opened in the order of their bounds, so each refusal was of a column that
    might have been cheaper: without that limit a cheaper design may exist. Of step times and hours
    that designs break together only those count that no other design breaks fewer of: where one
    fails for hours alone, longer step times would not have saved those that are slower still.
    """
    found = set()
    for outcome in result.outcomes:
        name = outcome.removeprefix("free_network_").removeprefix("ideal_network_")
        found.add(LIMIT_OF_OUTCOME.get(name, name))
    together = {name for broken in result.conflicts for name in broken}
    least = [b for b in result.conflicts if not any(other < b for other in result.conflicts)]
    found = (found - together) | {name for broken in least for name in broken}
    return frozenset(found - {"feasible", "cost_bound", "fabric"})


def bindings(
    market: Market, best: Found, results: list[WorkloadResult], active: frozenset[str]
) -> list[Binding]:
    """Return the limits in a fixed order; `active` are the ids that refused a cheaper column."""
    rows = [
        *_steps(results, active),
        *_hours(market, best, active),
        *_money(market, best, active),
    ]
    return [*rows, *_site(market, best, active)]


def _row(
    limit: str, constraint: str, used: float, available: float, unit: str, active: frozenset[str]
) -> Binding:
    return Binding(
        limit=limit,
        constraint=without_workload(constraint)[0],
        used=used,
        available=available,
        unit=unit,
        binding=constraint in active,
        note="cheaper designs break it" if constraint in active else "",
    )


def _steps(results: list[WorkloadResult], active: frozenset[str]) -> Iterator[Binding]:
    for index, result in enumerate(results):
        name = f"step time of {result.name}"
        key = f"step_time_w{index}"
        yield _row(name, key, result.step_time_s, result.limit_s, "s", active)
        memory = f"memory of {result.name}"
        used = result.memory_gib["total"]
        limit = result.memory_gib["limit"]
        yield _row(memory, f"memory_w{index}", used, limit, "GiB", active)


def _hours(market: Market, best: Found, active: frozenset[str]) -> Iterator[Binding]:
    kept = market.oracle.kept_hours(best.steps)
    if kept > 0:
        yield _row("hours of the pool with margin", "hours", kept, 1.0, "share", active)


def _money(market: Market, best: Found, active: frozenset[str]) -> Iterator[Binding]:
    budget = market.instance.budget
    if market.limits.capex_cents is not None:
        used = best.placed.capex_cents / CENTS_PER_USD
        available = market.limits.capex_cents / CENTS_PER_USD
        yield _row("purchase budget", "capex", used, available, "USD", active)
    if budget.gpus is not None:
        yield _row("GPUs", "gpus", best.column.gpus, budget.gpus, "GPUs", active)


def _site(market: Market, best: Found, active: frozenset[str]) -> Iterator[Binding]:
    site, racks = market.instance.site, all_racks(best)
    used_kw = best.column.max_power_w / WATTS_PER_KW + market.storage_kw
    yield _row("site power", "power", used_kw, market.limits.power_w / WATTS_PER_KW, "kW", active)
    yield _row("racks", "racks", len(racks), site.usable_racks, "racks", active)
    full = max(racks, key=lambda r: ((r.max_w + r.taken_w) / r.limit_w, r.limit_w))
    fullest = (full.max_w + full.taken_w) / WATTS_PER_KW
    limit = full.limit_w / WATTS_PER_KW
    yield _row("power of the fullest rack", "rack_power", fullest, limit, "kW", active)
    tall = max(racks, key=lambda r: ((r.used_units + r.taken_units) / r.units, r.units))
    units = tall.used_units + tall.taken_units
    yield _row("units of the fullest rack", "rack_units", units, tall.units, "U", active)
