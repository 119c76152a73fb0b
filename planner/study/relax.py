"""Why nothing fits: which single limits, once lifted, let a design through, and at what cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from planner.domain.instance import Instance
from planner.domain.site import Budget
from planner.program.market import Market
from planner.program.scan import ScanResult, describe, scan

MUCH = 4
"""How many times the racks, or the power of a rack, are lifted to."""


class Relaxation(NamedTuple):
    """An instance with one limit lifted."""

    limit: str
    """In a buyer's words, with its figure."""
    instance: Instance
    shares_placement: bool
    """False where the room changed, so that placements must be solved again."""


def relaxations(instance: Instance) -> Iterator[Relaxation]:
    """Yield the instance with each of its limits lifted in turn."""
    budget, site = instance.budget, instance.site
    for name, value in budget.model_dump().items():
        if value is not None:
            lifted = Budget(**{**budget.model_dump(), name: None})
            shown = f"{value:,.0f}"
            yield Relaxation(
                f"budget.{name} = {shown}", instance.model_copy(update={"budget": lifted}), True
            )
    if site.power_kw is not None:
        lifted_site = site.model_copy(update={"power_kw": None})
        text = f"site.power_kw = {site.power_kw:g}"
        yield Relaxation(text, instance.model_copy(update={"site": lifted_site}), True)
    for name in ("rack_kw", "racks"):
        value = getattr(site, name)
        lifted_site = site.model_copy(update={name: value * MUCH})
        text = f"site.{name} = {value:g} ({MUCH} times that)"
        yield Relaxation(text, instance.model_copy(update={"site": lifted_site}), False)
    for key, values in instance.fix.values().items():
        fix = instance.fix.model_copy(update={key: None})
        text = f"fix.{key} = {', '.join(map(str, values))}"
        yield Relaxation(text, instance.model_copy(update={"fix": fix}), True)


def explain_infeasible(
    market: Market, result: ScanResult, *, deadline_s: float | None
) -> list[str]:
    """Return sentences: what stopped the designs, which came closest, which limit to lift."""
    lines = [f"No design meets every limit ({sum(result.outcomes.values()):,} looked at)."]
    for constraint, (seconds, design) in sorted(result.nearest.items()):
        index = int(constraint.rpartition("_w")[2])
        workload = market.instance.workloads[index]
        limit = market.oracle.limits[index]
        lines.append(
            f"{workload.name} must step within {limit:.4g} s; closest: {seconds:.4g} s "
            f"({(seconds / limit - 1) * 100:.0f} % too slow) with {design}."
        )
    for index, workload in enumerate(market.instance.workloads):
        key = f"step_time_w{index}"
        if f"free_network_{key}" in result.outcomes and key not in result.nearest:
            lines.append(
                f"{workload.name} must step within {market.oracle.limits[index]:.4g} s; no design "
                "that fits room and budget computes that fast, even with a free network."
            )
        if f"memory_w{index}" in "".join(result.outcomes):
            lines.append(f"{workload.name} does not fit the memory of some designs.")
    lines += [f"{limit}: {text}." for limit, text in sorted(result.refusals.items())]
    lines += list(_lifted(market, deadline_s))
    return lines


def _lifted(market: Market, deadline_s: float | None) -> Iterator[str]:
    from planner.program.market import open_market

    for relaxation in relaxations(market.instance):
        if relaxation.shares_placement:
            relaxed = market.variant(relaxation.instance)
        else:
            relaxed = open_market(relaxation.instance, market.file, market.calibration)
        found = scan(relaxed, deadline_s=deadline_s, gap=0.01)
        if found.best is None and found.stopped:
            yield f"Whether a design exists without {relaxation.limit} was not decided in time."
            continue
        if found.best is None:
            yield f"Without {relaxation.limit} there is still no design."
            continue
        cost = found.best.placed.cost_cents / 100
        capex = found.best.placed.capex_cents / 100
        yield (
            f"Without {relaxation.limit} there is one: {describe(found.best.column)}; "
            f"{capex:,.0f} USD to buy, {cost:,.0f} USD in all."
        )
