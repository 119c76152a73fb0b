"""Decide all phases together, and what deciding otherwise would cost."""

from __future__ import annotations

from dataclasses import replace

from planner.domain.portfolio_part import DecisionPart
from planner.domain.solution import Solution
from planner.program.answer import Status
from planner.program.growth_answer import RunOf, growth_solution, names_of, without_plan
from planner.program.growth_search import GrowthSearch, SearchedGrowth
from planner.program.phase_prices import Timeline
from planner.program.phases import Holding, solve_growth
from planner.study.other_decision import other_decision


def decide_growth(search: GrowthSearch, run_of: RunOf, *, others: bool) -> Solution:
    """Return the answer of an instance with growth.

    `run_of` makes the answer's identity from the engine's name and version.
    """
    found = search.run()
    if found.plan is None:
        status: Status = "stopped" if found.stopped else "infeasible"
        run = run_of(search.engine.engine, "")
        reasons = reasons_of(search, found)
        return without_plan(search.market, found, status=status, run=run, reasons=reasons)
    proved = found.bound_cents == found.plan.cost_cents
    return growth_solution(
        search,
        found,
        status="optimal" if proved else "feasible",
        run=run_of(found.plan.engine, found.plan.version),
        others=other_decisions(search, found) if others else [],
    )


def reasons_of(search: GrowthSearch, found: SearchedGrowth) -> list[str]:
    """Return why there is no plan: phases that nothing can meet, else their budgets."""
    if found.stopped:
        return ["The time limit ended the search before any design was found."]
    names = names_of(search.market.instance)
    met = {column.phase for column in found.columns.values()}
    reasons = [
        f"No design meets targets and limits of phase {name}."
        for k, name in enumerate(names)
        if k not in met
    ]
    return reasons or ["The budgets of the phases do not suffice for any plan."]


def other_decisions(search: GrowthSearch, found: SearchedGrowth) -> list[DecisionPart]:
    """Return what it would cost to decide year by year, and to buy everything at the start."""
    return [
        other_decision("year_by_year", year_by_year(search, found.timeline)),
        other_decision("all_now", all_now(search, found.timeline)),
    ]


def year_by_year(search: GrowthSearch, timeline: Timeline) -> int | None:
    """Return what it costs to decide each phase as if it were the last, cents; None if stuck.

    Each phase takes what is cheapest to the end of the life with what was bought before; those
    purchases stay (or are sold, where that is allowed).
    """
    chosen: dict[int, int] = {}
    past: dict[Holding, int] = {}
    total = 0
    for k in range(timeline.phases):
        short = Timeline.of(timeline.instance, timeline.book, k + 1)
        problem = replace(search.problem(short), chosen=chosen, past=past)
        plan = solve_growth(problem, search.engine)
        if plan is None:
            return None
        chosen, past = dict(enumerate(plan.chosen)), dict(plan.held)
        total = plan.cost_cents
    return total + search.market.storage.total


def all_now(search: GrowthSearch, timeline: Timeline) -> int | None:
    """Return what it costs to buy everything at the start, cents; None if that is impossible."""
    problem = search.problem(timeline)
    held = {hold: cents for hold, cents in problem.held_cents.items() if hold[0] == 0}
    plan = solve_growth(replace(problem, held_cents=held), search.engine)
    return None if plan is None else plan.cost_cents + search.market.storage.total
