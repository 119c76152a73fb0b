"""Cost against step time: the cheapest design for each step time, none missed.

The epsilon-constraint method: the cheapest design within a limit is found with its proof, then the
limit is set just below the step that it reaches, until nothing is left. A design between two
neighbouring points would be slower than the faster one and, as it met the limit under which the
cheaper one was found, no cheaper: so the points found are all of them, to within a tick of time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from planner.domain.frontier import Frontier, FrontierPoint
from planner.domain.units import CENTS_PER_USD
from planner.program.market import Market
from planner.program.scan import Found, ScanResult, describe, scan
from planner.study.targets import moved

TICK = 1e-3
"""Relative, by default: of step times nearer to each other than this, one is shown."""
SLOWEST_TIMES = 2.0
"""Slowest limit by default, in multiples of the instance's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierOptions:
    """Which part of the frontier to trace."""

    workload: int | None = None
    """Number of the workload whose target moves; None scales all targets together."""
    slowest: float = SLOWEST_TIMES
    """Where to begin, in multiples of the limits."""
    fastest: float = 0.0
    """Where to end, in multiples of the limits; 0 goes to the fastest that there is."""
    points: int | None = None
    """Most designs; None finds them all."""
    tick: float = TICK
    gap: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Solved:
    share: float
    """Multiple of the limits that it had to hold."""
    limits: tuple[float, ...]
    result: ScanResult


def frontier(
    market: Market,
    options: FrontierOptions,
    *,
    chosen: Found | None = None,
    deadline_s: float | None = None,
    say: Callable[[str], None],
) -> Frontier:
    """Return the designs of which none is both cheaper and faster, cheapest first.

    Parameters
    ----------
    market
        The instance; its other limits hold for every point.
    options
        The workload and the range.
    chosen
        The decision of the instance itself, which is marked where it is a point.
    deadline_s
        `time.monotonic()` at which to stop with the points that are known.
    say
        Progress.
    """
    solved: list[_Solved] = []
    note = ""
    try:
        for point in _trace(market, options, deadline_s):
            solved.append(point)
            best = point.result.best
            if best is not None:
                cost = best.placed.cost_cents / CENTS_PER_USD
                say(f"{market.instance.name}: {len(solved):,} designs, {cost:,.0f} USD")
    except KeyboardInterrupt:
        note = "interrupted"
    last = solved[-1].result if solved else None
    if last is not None and last.stopped:
        note = "the time limit ended it"
    elif not note and options.points is not None and last is not None and last.best is not None:
        note = f"ended after {options.points} designs"
    rows = list(_points(market, options, solved, chosen))
    jobs = market.instance.workloads
    slowest = None
    if options.workload is not None and math.isfinite(options.slowest):
        slowest = options.slowest * market.oracle.limits[options.workload]
    return Frontier(
        workload="" if options.workload is None else jobs[options.workload].name,
        points=rows,
        complete=not note,
        tick=options.tick,
        slowest_s=slowest,
        note=note,
    )


def _trace(market: Market, options: FrontierOptions, deadline_s: float | None) -> Iterator[_Solved]:
    """Yield the cheapest design under ever tighter limits, the last one without any."""
    base = market.oracle.limits
    which = range(len(base)) if options.workload is None else (options.workload,)
    share, number = options.slowest, 0
    ceilings = tuple(
        limit * max(options.slowest, 1.0) if k in which else limit for k, limit in enumerate(base)
    )
    while share > options.fastest:
        if options.points is not None and number >= options.points:
            return
        limits = tuple(limit * share if k in which else limit for k, limit in enumerate(base))
        changed = moved(market, {k: limits[k] for k in which}, ceilings)
        result = scan(changed, deadline_s=deadline_s, gap=options.gap, skip_slow=True)
        yield _Solved(share=share, limits=limits, result=result)
        number += 1
        late = deadline_s is not None and time.monotonic() > deadline_s
        if result.best is None or result.stopped or late:
            return
        reached = max(result.best.steps.steps[k].wall_s / base[k] for k in which)
        share = min(share, reached) * (1 - options.tick)


def _points(
    market: Market, options: FrontierOptions, solved: list[_Solved], chosen: Found | None
) -> Iterator[FrontierPoint]:
    """Yield a row a workload of every design; of equal costs only the fastest stays."""
    jobs = market.instance.workloads
    which = range(len(jobs)) if options.workload is None else (options.workload,)
    for number, point in enumerate(solved):
        after = solved[number + 1].result.best if number + 1 < len(solved) else None
        best = point.result.best
        if best and after and after.placed.cost_cents <= best.placed.cost_cents:
            continue
        for index in which:
            yield _row(jobs[index].name, index, point, chosen)


def _row(name: str, index: int, point: _Solved, chosen: Found | None) -> FrontierPoint:
    result = point.result
    best = result.best
    if best is None:
        status = "stopped" if result.stopped else "infeasible"
        return FrontierPoint.model_validate(
            {"workload": name, "limit_s": point.limits[index], "status": status}
        )
    cost = best.placed.cost_cents
    bound = cost if result.bound_cents is None else result.bound_cents
    choice = best.column.plan.choice
    return FrontierPoint(
        workload=name,
        limit_s=point.limits[index],
        status="optimal" if result.proved else "feasible",
        step_time_s=best.steps.steps[index].step_time_s,
        objective_usd=cost / CENTS_PER_USD,
        bound_usd=bound / CENTS_PER_USD,
        gap=(cost - bound) / cost if cost else 0.0,
        capex_usd=best.placed.capex_cents / CENTS_PER_USD,
        server=best.column.option.server.id,
        nodes=best.column.nodes,
        gpus=best.column.gpus,
        family=choice.family,
        topology=choice.topology,
        oversubscription=1 / best.column.plan.uplink_ratio,
        summary=describe(best.column),
        chosen=chosen is not None
        and (best.column.key, cost) == (chosen.column.key, chosen.placed.cost_cents),
    )
