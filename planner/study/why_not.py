"""What stops the designs of an infeasible instance, in a buyer's words."""

from __future__ import annotations

from collections.abc import Iterator

from planner.program.market import Market
from planner.program.platforms import excluded
from planner.program.scan import ScanResult

NO_TARGET_S = 1e9
"""A step time that asks nothing: what is still too slow for it does not run at all."""
FABRIC = "fabric"
"""Refusals of fabrics that cannot be built for some number of servers: told where nothing else is."""

HOURS = (
    "With their margins the workloads need more hours than there are on the designs that are fast "
    "enough."
)


def why_not(market: Market, result: ScanResult) -> list[str]:
    """Return sentences: what came closest to each target, and what refused the other designs."""
    return [
        *_too_slow(market, result),
        *_memory(market, result),
        *_refused(result),
        *_left_out(market),
    ]


def looked_at(result: ScanResult) -> str:
    """Return the sentence that opens an infeasible answer."""
    return f"No design meets every limit ({sum(result.outcomes.values()):,} looked at)."


def kept_elsewhere(result: ScanResult, index: int) -> bool:
    """Tell whether some design is fast enough for a workload and lacks hours instead."""
    key = f"step_time_w{index}"
    return any("hours" in broken and key not in broken for broken in result.conflicts)


def short_of_hours(result: ScanResult) -> bool:
    """Tell whether hours refused some design."""
    return any(key.endswith("hours") for key in result.outcomes)


def _too_slow(market: Market, result: ScanResult) -> Iterator[str]:
    for constraint, (seconds, design) in sorted(result.nearest.items()):
        index = int(constraint.rpartition("_w")[2])
        if kept_elsewhere(result, index):
            continue
        workload = market.instance.workloads[index]
        limit, target = market.oracle.limits[index], market.oracle.demands[index].target_s
        yield (
            f"{workload.name} must step within {limit:.4g} s (target {target:.4g} s less its margin); "
            f"closest: {seconds:.4g} s ({(seconds / limit - 1) * 100:.1f} % too slow) with {design}."
        )
    for index, workload in enumerate(market.instance.workloads):
        key = f"step_time_w{index}"
        slow = f"free_network_{key}" in result.outcomes and key not in result.nearest
        if slow and not kept_elsewhere(result, index):
            if workload.target_s >= NO_TARGET_S:
                yield f"No strategy of {workload.name} fits a design that fits room and budget."
                continue
            yield (
                f"{workload.name} must step within {market.oracle.limits[index]:.4g} s (target "
                f"{market.oracle.demands[index].target_s:.4g} s less its margin); no design that fits room and budget computes that fast, even with a free network."
            )
    if short_of_hours(result):
        yield HOURS


def _memory(market: Market, result: ScanResult) -> Iterator[str]:
    outcomes = " ".join(result.outcomes)
    for index, workload in enumerate(market.instance.workloads):
        if f"memory_w{index}" in outcomes:
            yield f"{workload.name} does not fit the memory of some designs."


def _left_out(market: Market) -> Iterator[str]:
    """Yield why servers that the choices name cannot be bought, where none is left."""
    if market.options:
        return
    rows = market.catalog.server_nics
    texts = {
        text
        for key, text in market.left_out.items()
        if not excluded(market.instance, rows[key], market.catalog.server(rows[key].server))
    }
    for text in sorted(texts):
        yield f"{text}."


def _refused(result: ScanResult) -> Iterator[str]:
    told = {limit: text for limit, text in result.refusals.items() if limit != FABRIC}
    for _, text in sorted((told or result.refusals).items()):
        yield f"{text}."
