"""Cost against step time: the cheapest design for each step time, none missed.

The epsilon-constraint method: the cheapest design within a limit is found with its proof, then the
limit is set just below the step that it reaches, until nothing is left. A design between two
neighbouring points would be slower than the faster one and, as it met the limit under which the
cheaper one was found, no cheaper: so the points found are all of them, to within a tick of time. Where a number of points is asked for they are
spread over it instead: both ends, the instance's own target, and what lies widest between.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from planner.domain.frontier import Frontier, FrontierPoint
from planner.domain.units import CENTS_PER_USD
from planner.program.market import Market
from planner.program.scan import Found, describe, scan
from planner.study.frontier_spread import Ends, Solve, Solved, spread
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
    """Most designs, spread over the range; None finds them all."""
    tick: float = TICK
    gap: float = 0.0


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
    solved: list[Solved] = []
    note, ended = "", False

    def solve(share: float) -> Solved:
        point = _solved(market, options, share, deadline_s)
        solved.append(point)
        if point.result.best is not None:
            cost = point.cents / CENTS_PER_USD
            say(f"{market.instance.name}: {len(solved):,} designs, {cost:,.0f} USD")
        return point

    def late(point: Solved) -> bool:
        nonlocal ended
        timed = deadline_s is not None and time.monotonic() > deadline_s
        ended = ended or point.result.stopped or (timed and point.reached is not None)
        return ended

    try:
        if options.points is None:
            _trace(solve, late, options)
        else:
            solved, note = _spread(solve, late, options)
    except KeyboardInterrupt:
        note = "interrupted"
        solved = _in_order(solved)
    if ended and note != "interrupted":
        note = "the time limit ended it"
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


def _which(market: Market, options: FrontierOptions) -> Sequence[int]:
    """Return the numbers of the workloads whose targets move."""
    jobs = range(len(market.oracle.limits))
    return jobs if options.workload is None else (options.workload,)


def _solved(
    market: Market, options: FrontierOptions, share: float, deadline_s: float | None
) -> Solved:
    """Return the cheapest design under limits that are a multiple of the instance's own."""
    base, which = market.oracle.limits, _which(market, options)
    most = max(options.slowest, 1.0)
    ceilings = tuple(limit * most if k in which else limit for k, limit in enumerate(base))
    limits = tuple(limit * share if k in which else limit for k, limit in enumerate(base))
    changed = moved(market, {k: limits[k] for k in which}, ceilings)
    result = scan(changed, deadline_s=deadline_s, gap=options.gap, skip_slow=True)
    reached = None
    if result.best is not None:
        reached = max(result.best.steps.steps[k].wall_s / base[k] for k in which)
    return Solved(share=share, limits=limits, result=result, reached=reached)


def _trace(solve: Solve, late: Ends, options: FrontierOptions) -> None:
    """Find the cheapest design under ever tighter limits, until there is none."""
    share = options.slowest
    while share > options.fastest:
        point = solve(share)
        if late(point) or point.reached is None:
            return
        share = min(share, point.reached) * (1 - options.tick)


def _spread(solve: Solve, late: Ends, options: FrontierOptions) -> tuple[list[Solved], str]:
    """Return so many points as are asked for, the limit that none holds, and what is not shown."""
    assert options.points is not None
    kept, end, whole = spread(
        solve, late, points=options.points, slowest=options.slowest, fastest=options.fastest,
        tick=options.tick,
    )  # fmt: skip
    rows = kept if end is None else [*kept, end]
    if whole or not kept:
        return rows, ""
    return rows, f"{len(kept)} designs, spread between both ends and the instance's own target"


def _in_order(solved: list[Solved]) -> list[Solved]:
    """Return searches in the order of their limits, up to the first that no design holds."""
    ordered = sorted(solved, key=lambda point: -point.share)
    held = [point for point in ordered if point.reached is not None]
    return [*held, *[point for point in ordered if point.reached is None][:1]]


def _points(
    market: Market, options: FrontierOptions, solved: list[Solved], chosen: Found | None
) -> Iterator[FrontierPoint]:
    """Yield a row a workload of every design; of equal costs only the fastest stays."""
    jobs, which = market.instance.workloads, _which(market, options)
    for number, point in enumerate(solved):
        after = solved[number + 1].result.best if number + 1 < len(solved) else None
        best = point.result.best
        if best and after and after.placed.cost_cents <= best.placed.cost_cents:
            continue
        for index in which:
            yield _row(jobs[index].name, index, point, chosen)


def _row(name: str, index: int, point: Solved, chosen: Found | None) -> FrontierPoint:
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
