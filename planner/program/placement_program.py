"""One column placed by one integer program: exact within a purchase budget, for small designs."""

from __future__ import annotations

from math import floor

from planner.domain.errors import SolverError
from planner.domain.units import CENTS_PER_USD
from planner.program.columns import Column
from planner.program.engines import EngineOptions, solve
from planner.program.laid import lay
from planner.program.monolith_cabling import Cabling, add_cabling, media_of
from planner.program.monolith_placement import add_positions, add_rack_rows, arrangement
from planner.program.placement import Placement
from planner.program.placement_problem import PlacementProblem
from planner.program.placer import Placer
from planner.program.tier_menu import TierMenu, tier_menu, without_worse

MOST_VARIABLES = 3_000
MOST_NODES = 5_000
"""Nodes of the search after which the program answers with a bound."""


def menus_of(placer: Placer, column: Column) -> tuple[TierMenu | None, TierMenu | None]:
    """Return what both tiers of a column can be built of; None without a tier."""
    down, up = placer.menus(column)
    lengths, plan = placer.room.lengths_m, column.plan
    if down is None:
        return None, None
    below = tier_menu(down, placer.book, lengths)
    if up is None:
        return without_worse(below, ""), None
    per = below.links_b
    odd = plan.links_beyond_leaf % per != 0 and any(
        unit.servers * plan.links_per_server_leaf % per for unit in plan.units
    )
    above = tier_menu(up, placer.book, lengths)
    return (
        without_worse(below, "b" if odd else ""),
        without_worse(above, "a" if odd else ""),
    )


def variables_of(problem: PlacementProblem) -> int:
    """Return about how many variables the positions and flows of a column take."""
    plan, racks = problem.plan, problem.room.racks
    each = sum(unit.servers + 1 for unit in plan.units) + plan.spines + 1
    return racks * (racks + 1) * each


def has_program(problem: PlacementProblem) -> bool:
    """Return whether the rows describe a column: every leaf meets every spine, evenly."""
    plan = problem.plan
    whole = not plan.leafs_beside or all(unit.servers for unit in plan.units)
    return problem.even and not plan.parted and whole


def place_by_program(
    placer: Placer, column: Column, capex_cents: int, reach_m: float | None = None
) -> Placement | None:
    """Return the cheapest placement found that costs no more to buy, None if there is none.

    Parameters
    ----------
    placer
        Prices, room and menus; minimises present value.
    column
        The design.
    capex_cents
        Most that racks, cables and modules may cost to buy.
    reach_m
        Longest route that a cable may take; no limit if absent.

    Raises
    ------
    SolverError
        If HiGHS' rounded solution breaks the budget.
    """
    import pulp

    problem = placer.problem(column)
    lp = pulp.LpProblem("placement", pulp.LpMinimize)
    at = add_positions(lp, "c0", problem, 1)
    used = add_rack_rows(lp, [at])
    cabling = add_cabling(lp, at, *menus_of(placer, column))
    forbid_far_links(lp, cabling, reach_m)
    racks = list(zip(placer.rack_units, used, strict=True))
    value = pulp.lpSum(rack.total * variable for rack, variable in racks)
    price = pulp.lpSum(rack.capex * variable for rack, variable in racks)
    value += pulp.lpSum(term.money.present * term.variable for term in cabling.terms)
    price += pulp.lpSum(term.money.capex * term.variable for term in cabling.terms)
    lp.setObjective(value / CENTS_PER_USD)
    lp += (price / CENTS_PER_USD <= capex_cents / CENTS_PER_USD, "monolith_capex")
    result = solve(lp, EngineOptions(max_nodes=MOST_NODES))
    if result.status not in ("optimal", "feasible"):
        return None
    bound = None if result.status == "optimal" else floor((result.bound or 0.0) * CENTS_PER_USD)
    where, how = arrangement(at, result.values), media_of(cabling, result.values)
    placed = lay(problem, where, how, bound)
    if capex_of(placer, placed) > capex_cents:
        raise SolverError(f"{result.engine} broke the purchase budget in rounding")
    return placed


def forbid_far_links(lp: object, cabling: Cabling, reach_m: float | None) -> None:
    """Add `monolith_reach` for one fixed longest route."""
    if reach_m is None:
        return
    lengths = cabling.at.problem.room.lengths_m
    for step, sums in sorted(cabling.linked.items()):
        if lengths[step] > reach_m:
            for n, (links, _) in enumerate(sums):
                lp += (links <= 0, f"monolith_reach_l{step}_{n}")  # type: ignore[operator]


def capex_of(placer: Placer, placement: Placement) -> int:
    """Return the purchase price of racks, cables and modules, cents."""
    parts = sum(placer.book.unit(p).capex * n for p, n in placement.parts.items())
    return parts + placer.cost_of(placement.racks).capex


def value_of(placer: Placer, placement: Placement) -> int:
    """Return the present value of racks, cables and modules, cents."""
    parts = sum(placer.book.unit(p).total * n for p, n in placement.parts.items())
    return parts + placer.cost_of(placement.racks).total
