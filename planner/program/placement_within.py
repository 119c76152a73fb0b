"""The cheapest placement of a column within a purchase budget and a longest route.

Placement minimises present value. Where what it finds costs too much to buy, the least purchase
price is asked first: if that breaks the budget too, no placement meets it. Else value and price
are weighed against each other: with weights a and b the least of a x value + b x price over all
placements, less b x budget, is at most a x (value of any placement within the budget), which gives
a proven bound (Lagrange), and often the optimum itself. What is then still open is closed by
`place_by_program` where that is small enough, and else reported as a gap.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd

from planner.physics.refusal import Refusal
from planner.program.columns import Column
from planner.program.link_prices import Medium
from planner.program.placement import Placement, place
from planner.program.placement_problem import PlacementProblem
from planner.program.placement_program import (
    MOST_VARIABLES,
    capex_of,
    has_program,
    place_by_program,
    value_of,
    variables_of,
)
from planner.program.placer import Placer

ROUNDS = 12
"""Most weights that are tried."""
LARGEST_WEIGHT = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """A placement that meets budget and reach, with a bound valid for all that do."""

    placement: Placement
    cost_cents: int
    capex_cents: int
    bound_cents: int


def place_within(
    placer: Placer,
    column: Column,
    capex_cents: int | None,
    reach_m: float | None = None,
) -> Within | Refusal:
    """Return the cheapest placement of a column that meets both limits.

    Parameters
    ----------
    placer
        Prices, room and menus; minimises present value.
    column
        The design.
    capex_cents
        Most that racks, cables and modules may cost to buy; no limit if absent.
    reach_m
        Longest route that a cable may take; no limit if absent.
    """
    placed = place(reaching(placer.problem(column), reach_m))
    if isinstance(placed, Refusal):
        return placed
    first = _within(placer, placed, placed.lower_bound_cents)
    if capex_cents is None or first.capex_cents <= capex_cents:
        return first
    return _within_budget(placer, column, capex_cents, reach_m, first)


def reaching(problem: PlacementProblem, reach_m: float | None) -> PlacementProblem:
    """Return the problem without any link longer than a reach."""
    if reach_m is None:
        return problem
    near = [length <= reach_m for length in problem.room.lengths_m]
    return replace(
        problem,
        node_leaf=tuple(_cut(medium, near) for medium in problem.node_leaf),
        leaf_spine=tuple(_cut(medium, near) for medium in problem.leaf_spine),
        spine_core=tuple(_cut(medium, near) for medium in problem.spine_core),
    )


def _cut(medium: Medium, near: list[bool]) -> Medium:
    return replace(
        medium,
        fibre=tuple(c if ok else None for c, ok in zip(medium.fibre, near, strict=True)),
        fixed=tuple(c if ok else None for c, ok in zip(medium.fixed, near, strict=True)),
    )


def _within(placer: Placer, placed: Placement, bound: int) -> Within:
    value = value_of(placer, placed)
    return Within(
        placement=placed,
        cost_cents=value,
        capex_cents=capex_of(placer, placed),
        bound_cents=min(bound, value),
    )


def _weighed(
    placer: Placer, column: Column, reach_m: float | None, weights: tuple[int, int]
) -> tuple[Within, int] | Refusal:
    """Return the placement that is least in weighted value and price, and that least's bound."""
    placed = place(reaching(placer.weighted(*weights).problem(column), reach_m))
    if isinstance(placed, Refusal):
        return placed
    return _within(placer, placed, 0), placed.lower_bound_cents


def _within_budget(
    placer: Placer, column: Column, budget: int, reach_m: float | None, over: Within
) -> Within | Refusal:
    cheap = _weighed(placer, column, reach_m, (0, 1))
    if isinstance(cheap, Refusal):
        return cheap
    under, least = cheap
    if least > budget:
        return _too_dear(column, least, budget)
    if under.capex_cents > budget:
        reason = "whether the racks and cables of a design meet the budget was not decided"
        return Refusal(limit="work_limit", reason=reason)
    best, bound = under, over.bound_cents
    for _ in range(ROUNDS):
        if bound >= best.cost_cents:
            break
        weights = _weights(over, under)
        found = _weighed(placer, column, reach_m, weights)
        if isinstance(found, Refusal):
            break
        point, least = found
        bound = max(bound, -(-(least - weights[1] * budget) // weights[0]))
        met = point.capex_cents <= budget
        if _money(point) == _money(under if met else over):
            break
        if met:
            under = point
            best = min(best, point, key=_money)
        else:
            over = point
    if bound < best.cost_cents:
        return _closed(placer, column, budget, reach_m, best, bound)
    return replace(best, bound_cents=best.cost_cents)


def _closed(
    placer: Placer, column: Column, budget: int, reach_m: float | None, best: Within, bound: int
) -> Within:
    """Return the optimum where the program is small enough, else the best with its gap."""
    problem = placer.problem(column)
    if has_program(problem) and variables_of(problem) <= MOST_VARIABLES:
        exact = place_by_program(placer, column, budget, reach_m)
        if exact is not None:
            found = _within(placer, exact, exact.lower_bound_cents)
            best = min(best, found, key=_money)
            bound = max(bound, found.bound_cents)
    return replace(best, bound_cents=min(bound, best.cost_cents))


def _money(point: Within) -> tuple[int, int]:
    return point.cost_cents, point.capex_cents


def _weights(over: Within, under: Within) -> tuple[int, int]:
    """Return weights under which both points count nearly the same: the line through them."""
    value = max(0, under.cost_cents - over.cost_cents)
    price = max(1, over.capex_cents - under.capex_cents)
    shared = gcd(value, price)
    a, b = price // shared, value // shared
    largest = max(a, b)
    if largest > LARGEST_WEIGHT:
        a, b = (max(1, round(w * LARGEST_WEIGHT / largest)) for w in (a, b))
    return a, b


def _too_dear(column: Column, least: int, budget: int) -> Refusal:
    reason = (
        f"racks, cables and modules of {column.nodes} x {column.option.server.model} cost at "
        f"least {least / 100:,.0f} USD to buy; beside the rest the budget leaves "
        f"{budget / 100:,.0f} USD"
    )
    return Refusal(limit="capex", reason=reason)
