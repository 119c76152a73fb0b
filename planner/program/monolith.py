"""Selection, placement and cabling of a small instance as one mixed-integer program.

`scan` opens columns one by one and places each by search; here every column of the grid stands in
one program with its boxes, cables and modules, and purchase price, power and the length of the
longest link are rows over all of them. It is far slower and there to prove the others right. The
mathematics stands in ``models/formulation/monolith.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from planner.domain.errors import SolverError, UsageError
from planner.domain.units import CENTS_PER_USD
from planner.program.columns import Column
from planner.program.engines import EngineOptions, EngineResult, solve
from planner.program.laid import lay
from planner.program.market import Market
from planner.program.monolith_cabling import Cabling, add_cabling, media_of
from planner.program.monolith_placement import add_positions, add_rack_rows, arrangement
from planner.program.placement import Placement
from planner.program.placement_program import has_program, menus_of, variables_of
from planner.program.reduced import limits_of, strategy_option
from planner.program.selection import (
    Candidate,
    SelectionModel,
    StrategyOption,
    barely_over,
    build_selection,
)
from planner.program.steps import UsedStep

MOST_VARIABLES = 150_000
"""Above this estimate the program is refused: it would not end in useful time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonolithResult:
    """What the program found; the design is recosted in whole cents."""

    status: Literal["optimal", "infeasible"]
    cost_cents: int | None = None
    capex_cents: int | None = None
    column: Column | None = None
    placement: Placement | None = None
    columns: int = 0
    """Columns of the grid that stand in the program."""


@dataclass(slots=True)
class Monolith:
    """The program with its parts at hand."""

    market: Market
    columns: list[Column]
    model: SelectionModel
    cablings: list[Cabling] = field(default_factory=list)


def grid_columns(market: Market) -> list[Column]:
    """Return every column of the declared grid whose fabric can be built, in the grid's order."""
    found = []
    for option in market.options:
        for nodes in market.node_range(option):
            for choice in market.choices(option):
                column = market.column(option, nodes, choice)
                if isinstance(column, Column):
                    found.append(column)
    return found


def size_of(market: Market, columns: list[Column]) -> int:
    """Return about how many variables the program takes."""
    return sum(variables_of(market.placer.problem(column)) for column in columns)


def solve_monolith(market: Market, options: EngineOptions | None = None) -> MonolithResult:
    """Solve the program of an instance.

    Parameters
    ----------
    market
        The instance.
    options
        Engine; HiGHS if absent.

    Raises
    ------
    UsageError
        If the instance is too large for one program.
    SolverError
        If the engine ends without proof, or its rounded design breaks the budget.
    """
    columns = grid_columns(market)
    size = size_of(market, columns)
    if size > MOST_VARIABLES:
        raise UsageError(
            f"one program of {len(columns):,} designs would have about {size:,} variables; "
            f"at most {MOST_VARIABLES:,} are solved: take fewer racks, servers or switches"
        )
    if not all(has_program(market.placer.problem(column)) for column in columns):
        raise UsageError(
            "one program holds fabrics of at most two tiers with links spread evenly over the "
            "spines; take fewer topologies"
        )
    fibres = sorted(set(market.owned_placer.parts) & set(market.catalog.fibres))
    if fibres:
        raise UsageError(f"one program holds one fibre a length; leave {fibres[0]} out of owned")
    candidates = monolith_candidates(market, columns)
    kept = [columns[c.key] for c in candidates]
    if not kept:
        return MonolithResult(status="infeasible", columns=len(columns))
    monolith = build_monolith(market, kept, candidates)
    result = solve(monolith.model.problem, options or EngineOptions())
    if result.status == "infeasible":
        return MonolithResult(status="infeasible", columns=len(kept))
    if result.status != "optimal":
        raise SolverError(f"{result.engine} left the monolithic program open")
    return _recosted(monolith, candidates, result)


def build_monolith(market: Market, columns: list[Column], candidates: list[Candidate]) -> Monolith:
    """Return the program of some columns and their candidates."""
    limits = limits_of(market)
    constants = limits.without_placement()
    monolith = Monolith(
        market=market, columns=columns, model=build_selection(candidates, constants)
    )
    lp = monolith.model.problem
    positions = []
    for column, candidate in zip(columns, candidates, strict=True):
        problem = market.placer.problem(column)
        use = monolith.model.use[candidate.key]
        at = add_positions(lp, f"c{candidate.key}", problem, use)
        positions.append(at)
        cabling = add_cabling(lp, at, *menus_of(market.placer, column))
        monolith.cablings.append(cabling)
        _reach_rows(monolith, candidate, cabling)
    used = add_rack_rows(lp, positions)
    _money(monolith, candidates, used, limits.capex_cents)
    return monolith


def monolith_candidates(market: Market, columns: list[Column]) -> list[Candidate]:
    """Return the columns on which every workload has a strategy, placement not counted.

    A strategy is there for each length of the longest link.
    """
    found = []
    for key, column in enumerate(columns):
        strategies = [
            _strategies(market, column, index) for index in range(len(market.oracle.limits))
        ]
        if all(strategies):
            found.append(
                Candidate(
                    key=key,
                    cost_cents=column.fixed.total + market.storage.total,
                    capex_cents=column.fixed.capex + market.storage.capex,
                    power_w=column.max_power_w + market.storage_kw * 1000.0,
                    racks=0,
                    gpus=column.gpus,
                    strategies=tuple(strategies),
                )
            )
    return found


def _strategies(market: Market, column: Column, index: int) -> tuple[StrategyOption, ...]:
    lengths = market.placer.room.lengths_m if column.plan.leafs else (0.0,)
    limit = market.oracle.limits[index]
    found = []
    for key, metres in enumerate(lengths):
        step: UsedStep | None = market.oracle.fastest(index, column, metres)
        if step is not None and not barely_over(step.wall_s, limit):
            found.append(strategy_option(market, index, step, key=key))
    return tuple(found)


def _reach_rows(monolith: Monolith, candidate: Candidate, cabling: Cabling) -> None:
    """Build `monolith_one_reach`, `monolith_reach` and `monolith_run_in_reach`.

    One length is the longest that the links of the column in use may have; the strategies are
    timed with links of that length.
    """
    import pulp

    model, name = monolith.model, f"c{candidate.key}"
    lp = model.problem
    keys = sorted({option.key for options in candidate.strategies for option in options})
    reach = {key: lp.add_variable(f"reach_{name}_l{key}", cat="Binary") for key in keys}
    use = model.use[candidate.key]
    lp += (pulp.lpSum(reach.values()) - use == 0, f"monolith_one_reach_{name}")
    for step, sums in sorted(cabling.linked.items()):
        far = pulp.lpSum(var for key, var in reach.items() if key >= step)
        for n, (links, most) in enumerate(sums):
            lp += (links - most * far <= 0, f"monolith_reach_{name}_l{step}_{n}")
    for w, options in enumerate(candidate.strategies):
        for option in options:
            run = model.run[w, candidate.key, option.key]
            row = f"monolith_run_in_reach_w{w}_{name}_l{option.key}"
            lp += (run - reach[option.key] <= 0, row)


def _money(
    monolith: Monolith, candidates: list[Candidate], used: list[Any], capex_cents: int | None
) -> None:
    """Add placement to the objective, and build `monolith_capex`: the exact purchase price."""
    import pulp

    model, racks = monolith.model, monolith.market.placer.rack_units
    terms = [term for cabling in monolith.cablings for term in cabling.terms]
    value = [term.money.present / CENTS_PER_USD * term.variable for term in terms]
    value += [rack.total / CENTS_PER_USD * var for rack, var in zip(racks, used, strict=True)]
    owned_value, owned_price = _owned(monolith, used)
    value += [-owned_value]
    model.problem.setObjective(model.problem.objective + pulp.lpSum(value))
    if capex_cents is None:
        return
    price = [term.money.capex / CENTS_PER_USD * term.variable for term in terms]
    price += [rack.capex / CENTS_PER_USD * var for rack, var in zip(racks, used, strict=True)]
    # One column is used: the budget stands beside its price, as engines' tolerances grow with a row's limit.
    beyond = [(c.capex_cents - capex_cents) / CENTS_PER_USD * model.use[c.key] for c in candidates]
    price += [*beyond, -owned_price]
    model.problem += (pulp.lpSum(price) <= 0, "monolith_capex")


def _owned(monolith: Monolith, used: list[Any]) -> tuple[Any, Any]:
    """Build `monolith_owned_stock` and `monolith_owned_used` for racks, cables and modules.

    Return what the owned units in use spare of present value and of purchase price, USD.
    """
    import pulp

    market, lp = monolith.market, monolith.model.problem
    needs: dict[str, list[Any]] = {part: [] for part in market.owned_placer.parts}
    for parts, var in zip(market.placer.rack_parts, used, strict=True):
        for part, each in parts.items():
            if part in needs:
                needs[part].append(each * var)
    for cabling in monolith.cablings:
        for term in cabling.terms:
            for part, count in term.money.stocked:
                needs[part].append(count * term.variable)
    value, price = [], []
    for k, (part, stock) in enumerate(sorted(market.owned_placer.parts.items())):
        taken = lp.add_variable(f"owned_placed_p{k}", lowBound=0)
        lp += (taken <= stock, f"monolith_owned_stock_p{k}")
        lp += (taken - pulp.lpSum(needs[part]) <= 0, f"monolith_owned_used_p{k}")
        saved = market.book.saved(part, market.book.component(part))
        value.append(saved.total / CENTS_PER_USD * taken)
        price.append(saved.capex / CENTS_PER_USD * taken)
    return pulp.lpSum(value), pulp.lpSum(price)


def _recosted(
    monolith: Monolith, candidates: list[Candidate], result: EngineResult
) -> MonolithResult:
    """Return the design of a solution, its cables laid and counted again in whole cents."""
    market, values = monolith.market, result.values
    use = monolith.model.use
    index = max(range(len(candidates)), key=lambda k: values[use[candidates[k].key].name])
    candidate, cabling = candidates[index], monolith.cablings[index]
    placed = lay(cabling.at.problem, arrangement(cabling.at, values), media_of(cabling, values))
    money = market.owned_placer.net(placed)
    capex = candidate.capex_cents + money.capex
    if market.limits.capex_cents is not None and capex > market.limits.capex_cents:
        raise SolverError(f"{result.engine} broke the purchase budget in rounding")
    return MonolithResult(
        status="optimal",
        cost_cents=candidate.cost_cents + money.total,
        capex_cents=capex,
        column=monolith.columns[index],
        placement=placed,
        columns=len(candidates),
    )
