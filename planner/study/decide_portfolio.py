"""Decide pools and rented servers together, and what deciding otherwise would cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from planner.domain.portfolio_part import DecisionPart
from planner.domain.solution import Run, Solution
from planner.program.answer import Status
from planner.program.engines import EngineOptions
from planner.program.market import Market
from planner.program.portfolio import Portfolio, SharedLimits, solve_portfolio
from planner.program.portfolio_answer import moves_of, portfolio_solution, without_portfolio
from planner.program.portfolio_search import ALL, Search, SearchResult
from planner.study.other_decision import other_decision
from planner.study.shortfall import POINTER

Say = Callable[[str], None]


def decide_portfolio(
    market: Market,
    engine: EngineOptions,
    run_of: Callable[[str, str], Run],
    *,
    deadline_s: float | None,
    others: bool,
    say: Say,
) -> Solution:
    """Return the answer of an instance with several pools or a cloud.

    `run_of` makes the answer's identity from the engine's name and version.
    """
    search = Search(market=market, engine=engine, deadline_s=deadline_s, say=say)
    result = search.run()
    if result.best is None:
        status: Status = "stopped" if result.stopped else "infeasible"
        return without_portfolio(
            market, result, status=status, run=run_of(engine.engine, ""),
            reasons=reasons_of(market, result),
        )  # fmt: skip
    moves = moves_of(result.pools)
    if moves is None:
        return without_portfolio(
            market, result, status="stopped", run=run_of(engine.engine, ""),
            reasons=["The racks of the pools do not fit the room side by side as they are placed."],
        )  # fmt: skip
    proved = result.bound_cents == result.best.cost_cents
    return portfolio_solution(
        market,
        result,
        status="optimal" if proved else "feasible",
        run=run_of(result.best.engine, result.best.version),
        others=other_decisions(search, result) if others else [],
        moves=moves,
    )


def reasons_of(market: Market, result: SearchResult) -> list[str]:
    """Return why no portfolio was found: workloads that nothing can run, else what is shared."""
    if result.stopped:
        return ["The time limit ended the search before any design was found."]
    reasons = []
    for job, workload in enumerate(market.instance.workloads):
        owned = any(job in s.jobs and s.bound_cents is not None for s in result.subsets)
        if not owned and not any(o.job == job for o in result.rents):
            reasons.append(f"No pool and no rented server meets the limits of {workload.name}.")
    shared = "Budget, power, racks or GPUs do not suffice for the pools that the workloads need."
    return [*(reasons or [shared]), POINTER]


def other_decisions(search: Search, result: SearchResult) -> list[DecisionPart]:
    """Return what it would cost job by job and, beside a cloud, all bought and all rented."""
    market, engine = search.market, search.engine
    found = [other_decision("job_by_job", job_by_job(search, result))]
    if market.instance.cloud is None:
        return found
    bought = market.instance.model_copy(update={"cloud": None})
    own = replace(search, market=replace(market, instance=bought), subsets=[], keys={}, _least={})
    best = own.run().best
    jobs = range(len(market.instance.workloads))
    rent = solve_portfolio(jobs, [], result.rents, result.reservations, result.limits, engine)
    return [
        *found,
        other_decision("own_only", best.cost_cents if best else None),
        other_decision("rent_only", rent.cost_cents if rent else None),
    ]


def job_by_job(search: Search, result: SearchResult) -> int | None:
    """Return what the best decision for each job alone, one after the other, costs in cents.

    Each job takes its own cheapest pool or rent; what the earlier ones used of budget, power, racks
    and GPUs is gone, while the number of pools is not limited. None if a later job finds nothing.
    """
    limits, total = replace(result.limits, pools=len(search.market.instance.workloads)), 0
    for job in range(len(search.market.instance.workloads)):
        blocks = [b for b in search.blocks() if b.jobs == {job}]
        rents = [o for o in result.rents if o.job == job and o.kind != "shared"]
        found = solve_portfolio([job], blocks, rents, [], limits, search.engine)
        if found is None:  # the cheapest do not fit into what is left: perhaps a dearer one does
            for subset in (s for s in search.subsets if s.jobs == {job}):
                search.open(subset, ALL)
            blocks = [b for b in search.blocks() if b.jobs == {job}]
            found = solve_portfolio([job], blocks, rents, [], limits, search.engine)
        if found is None:
            return None
        total += found.cost_cents
        limits = left_over(limits, found)
    return total


def less(limit: Any, used: float, here: bool) -> Any:
    """Return a limit less what is used here."""
    return limit if limit is None or not here else limit - used


def left_over(limits: SharedLimits, taken: Portfolio) -> SharedLimits:
    """Return the shared limits less what a portfolio uses."""
    for block in taken.blocks:
        room = block.place == "room"
        limits = replace(
            limits,
            pools=limits.pools - 1,
            capex_cents=None if limits.capex_cents is None
            else limits.capex_cents - block.capex_cents,
            power_w=less(limits.power_w, block.power_w, room),
            racks=less(limits.racks, block.racks, room),
            hall_power_w=less(limits.hall_power_w, block.power_w, not room),
            hall_racks=less(limits.hall_racks, block.racks, not room),
            budget_power_w=less(limits.budget_power_w, block.power_w, True),
            gpus=None if limits.gpus is None else limits.gpus - block.gpus,
            storage_cents=0,
        )  # fmt: skip
    return limits
