"""The columns that the scan evaluated, as candidates of the selection program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from planner.program.bill import quantities
from planner.program.columns import Column
from planner.program.market import Market
from planner.program.owned_rows import OwnedPart
from planner.program.placement import Placement
from planner.program.placement_bound import least_racks
from planner.program.scan import ScanResult, StepTimes
from planner.program.selection import Candidate, Limits, StrategyOption, barely_over
from planner.program.service_part import all_racks
from planner.program.steps import UsedStep

COMMUNICATIONS = ("tp", "cp", "ep", "pp", "grad", "gather", "param", "embedding")
"""Parts of a step that are exposed communication; the rest is compute, bubble and waiting."""
MOST_TRIED = 400
"""Evaluated but failed columns that join the program, cheapest bound first."""


def candidates_of(market: Market, result: ScanResult) -> list[Candidate]:
    """Return every column that was placed and timed, and those that failed, as candidates.

    The former include what the alternatives opened. A failed column enters with its cost bound:
    if the program could choose it, the scan would have been wrong to discard it.
    """
    known = {item.column.key: item for item in result.feasible} | market.evaluated
    placed = sorted(known.values(), key=lambda item: item.order)
    found = [
        _candidate(
            market,
            key,
            item.column,
            item.steps,
            (item.placed.cost_cents, item.placed.capex_cents, len(all_racks(item))),
            needs_of(market, item.column, item.placed.placement),
        )
        for key, item in enumerate(placed)
    ]
    tried = sorted(result.tried, key=lambda row: (row[2], row[0].key))[:MOST_TRIED]
    for column, steps, bound in tried:
        complete = len(steps.steps) == len(market.oracle.limits) and None not in steps.steps
        if complete and steps.failed != "concurrent" and not _fails_barely(market, steps):
            racks = least_racks(market.placer.problem(column))
            racks += len(column.services.racks) if column.services else 0
            figures = (bound, column.fixed.capex + market.storage.capex, racks)
            found.append(_candidate(market, len(found), column, steps, figures))
    return found


def _fails_barely(market: Market, steps: StepTimes) -> bool:
    """Return whether a column breaks its limit by less than an engine can tell."""
    kind, _, index = steps.failed.rpartition("_w")
    if kind == "step_time":
        w = int(index)
        return barely_over(steps.steps[w].wall_s, market.oracle.limits[w])
    return steps.failed == "hours" and barely_over(market.oracle.kept_hours(steps), 1.0)


def _candidate(
    market: Market,
    key: int,
    column: Column,
    steps: StepTimes,
    figures: tuple[int, int, int],
    needs: Mapping[str, int] | None = None,
) -> Candidate:
    cost, capex, racks = figures
    return Candidate(
        key=key,
        cost_cents=cost,
        capex_cents=capex,
        power_w=column.max_power_w + market.storage_kw * 1000.0,
        racks=racks,
        gpus=column.gpus,
        strategies=tuple(
            (strategy_option(market, index, step),) for index, step in enumerate(steps.steps)
        ),
        needs=needs or {},
    )


def inventory_of(market: Market) -> dict[str, OwnedPart]:
    """Return what is owned, by part and component."""
    found = {}
    for (part, component), count in sorted(market.book.stock.items()):
        saved = market.book.saved(part, component)
        found[f"{component} {part}"] = OwnedPart(
            count=count, saved_cents=saved.total, saved_capex_cents=saved.capex
        )
    return found


def needs_of(market: Market, column: Column, placement: Placement) -> dict[str, int]:
    """Return the units of owned parts that a placed column takes, owned or bought."""
    stock = market.book.stock
    if not stock:
        return {}
    racks = market.placer.bought(placement.racks)
    parts = quantities(column, placement.parts, racks, market.book)
    found: Counter[str] = Counter()
    for part, component, count in parts:
        if count and (part, component) in stock:
            found[f"{component} {part}"] += count
    return dict(found)


def strategy_option(market: Market, index: int, step: UsedStep, key: int = 0) -> StrategyOption:
    """Return a workload's step as an option of the program."""
    parts = {name: value / step.availability for name, value in step.best.parts_s.items()}
    exposed = {name: parts[name] for name in COMMUNICATIONS if parts.get(name, 0.0) > 0}
    return StrategyOption(
        key=key,
        step_time_s=step.wall_s,
        compute_s=sum(value for name, value in parts.items() if name not in COMMUNICATIONS),
        exposed_s=exposed,
        kept_fraction=market.oracle.hours.share(index, step.wall_s),
    )


def limits_of(market: Market) -> Limits:
    """Return the right-hand sides of the selection program."""
    return Limits(
        step_time_s=market.oracle.limits,
        capex_cents=market.limits.capex_cents,
        power_w=market.limits.power_w,
        racks=market.instance.site.usable_racks,
        gpus=market.instance.budget.gpus,
        inventory=inventory_of(market),
    )
