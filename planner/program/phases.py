"""Growth as one program: which column runs in each phase, and when every unit is bought.

Hardware stays: what a phase needs and is not held is bought, at once or before, at the price of
the phase in which it is bought; where resale is allowed, servers may be sold at the start of a
later phase. Two columns that follow each other move the links that the second has elsewhere. The
mathematics stands in ``models/formulation/growth.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from planner.domain.units import CENTS_PER_USD
from planner.program.engines import EngineOptions, solve

Part = tuple[str, str]
"""Catalogue id and cost component."""
Holding = tuple[int, int, Part]
"""Phase of purchase, phase at whose start it is sold (their number if never), part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseColumn:
    """One placed column that meets a phase's targets and limits."""

    key: int
    needs: Mapping[Part, int]
    running_cents: int
    """Present value of energy, software and space while the phase lasts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """What may run in one phase and what may be spent on purchases in it."""

    columns: tuple[PhaseColumn, ...]
    capex_cents: Mapping[Part, int]
    """Price of one unit bought in this phase, not discounted."""
    budget_cents: int | None = None
    """Most that may be bought in the phase."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthProblem:
    """Phases in their order, what holding a unit costs, and what a change of column costs."""

    phases: tuple[Phase, ...]
    held_cents: Mapping[Holding, int]
    """Present value of one unit for every way to hold it: price, what is paid once, support, less
    what it brings when it is given up."""
    moves: Mapping[tuple[int, int, int], int]
    """Cents of moving links by (phase, column of it, column of the next); absent is none."""
    chosen: Mapping[int, int] = field(default_factory=dict)
    """Columns that are decided already, by phase."""
    past: Mapping[Holding, int] = field(default_factory=dict)
    """Units bought in phases decided already; those sold by then stay sold, others may be sold."""


@dataclass(slots=True)
class GrowthModel:
    """The PuLP model with its variables at hand."""

    problem: Any
    use: dict[tuple[int, int], Any] = field(default_factory=dict)
    hold: dict[Holding, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthPlan:
    """A column for each phase and what is bought and sold when."""

    chosen: tuple[int, ...]
    held: Mapping[Holding, int]
    """Units by way of holding; none that is zero."""
    cost_cents: int
    bound_cents: int
    engine: str
    version: str


def build_growth(growth: GrowthProblem) -> GrowthModel:
    """Return the program over all phases."""
    import pulp

    model = GrowthModel(problem=pulp.LpProblem("growth", pulp.LpMinimize))
    lp, cost = model.problem, []
    for k, phase in enumerate(growth.phases):
        for column in phase.columns:
            use = lp.add_variable(f"use_t{k}_c{column.key}", cat="Binary")
            model.use[k, column.key] = use
            cost.append(column.running_cents / CENTS_PER_USD * use)
    cost += _purchases(model, growth)
    cost += _changes(model, growth)
    lp.setObjective(pulp.lpSum(cost))
    for k, phase in enumerate(growth.phases):
        row = pulp.lpSum(model.use[k, column.key] for column in phase.columns)
        lp += (row == 1, f"phase_one_column_t{k}")
    for k, key in growth.chosen.items():
        model.use[k, key].lowBound = 1
    return model


def _purchases(model: GrowthModel, growth: GrowthProblem) -> list[Any]:
    """Build `phase_held`, `phase_past` and `phase_capex`; return the cost of what is held, USD."""
    import pulp

    lp, cost = model.problem, []
    parts = sorted({p for phase in growth.phases for c in phase.columns for p in c.needs})
    number = {part: n for n, part in enumerate(parts)}
    for (bought, sold, part), cents in sorted(growth.held_cents.items()):
        name = f"hold_t{bought}_t{sold}_p{number[part]}"
        hold = lp.add_variable(name, lowBound=0, cat="Integer")
        model.hold[bought, sold, part] = hold
        cost.append(cents / CENTS_PER_USD * hold)
    by_part: dict[Part, list[tuple[int, int, Any]]] = {part: [] for part in parts}
    for (bought, sold, part), hold in model.hold.items():
        by_part[part].append((bought, sold, hold))
    for part, n in number.items():
        for k, phase in enumerate(growth.phases):
            held = pulp.lpSum(hold for bought, sold, hold in by_part[part] if bought <= k < sold)
            needs = [
                c.needs[part] * model.use[k, c.key] for c in phase.columns if c.needs.get(part)
            ]
            if needs:
                lp += (held - pulp.lpSum(needs) >= 0, f"phase_held_t{k}_p{n}")
    if growth.chosen:
        _past(model, growth, by_part)
    for k, phase in enumerate(growth.phases):
        if phase.budget_cents is not None:
            price = [
                phase.capex_cents[part] / CENTS_PER_USD * hold
                for (bought, _, part), hold in model.hold.items()
                if bought == k
            ]
            limit = phase.budget_cents / CENTS_PER_USD
            lp += (pulp.lpSum(price) <= limit, f"phase_capex_t{k}")
    return cost


def _past(
    model: GrowthModel, growth: GrowthProblem, by_part: Mapping[Part, list[tuple[int, int, Any]]]
) -> None:
    """Build `phase_past`: purchases of phases decided already, and what they sold, stay."""
    import pulp

    now = len(growth.chosen)
    for n, (part, holds) in enumerate(sorted(by_part.items())):
        for k in range(now):
            kept = sum(
                units
                for (t, e, p), units in growth.past.items()
                if (t, p) == (k, part) and e >= now
            )
            row = pulp.lpSum(hold for bought, sold, hold in holds if bought == k and sold >= now)
            model.problem += (row == kept, f"phase_past_t{k}_p{n}")
            for bought, sold, hold in holds:
                if bought == k and sold < now:
                    gone = growth.past.get((k, sold, part), 0)
                    model.problem += (hold == gone, f"phase_past_t{k}_s{sold}_p{n}")


def _changes(model: GrowthModel, growth: GrowthProblem) -> list[Any]:
    """Build `phase_from` and `phase_into`: one change between the columns of two phases."""
    import pulp

    lp, cost = model.problem, []
    for k, (now, after) in enumerate(pairwise(growth.phases)):
        change = {
            (a.key, b.key): lp.add_variable(f"change_t{k}_c{a.key}_c{b.key}", lowBound=0)
            for a in now.columns
            for b in after.columns
        }
        for a in now.columns:
            row = pulp.lpSum(change[a.key, b.key] for b in after.columns) - model.use[k, a.key]
            lp += (row == 0, f"phase_from_t{k}_c{a.key}")
        for b in after.columns:
            row = pulp.lpSum(change[a.key, b.key] for a in now.columns) - model.use[k + 1, b.key]
            lp += (row == 0, f"phase_into_t{k}_c{b.key}")
        cost += [
            growth.moves[k, a, b] / CENTS_PER_USD * var
            for (a, b), var in change.items()
            if growth.moves.get((k, a, b))
        ]
    return cost


def solve_growth(growth: GrowthProblem, engine: EngineOptions) -> GrowthPlan | None:
    """Return the cheapest plan in whole cents; None if there is none.

    For given columns the rows of a part have their ones in consecutive phases, so the units bought
    are whole numbers without being asked to be; a budget takes that away, so they are asked to be.
    """
    if not all(phase.columns for phase in growth.phases):
        return None
    model = build_growth(growth)
    found = solve(model.problem, engine)
    if found.objective is None:
        return None
    chosen = tuple(
        next(c.key for c in phase.columns if found.values[model.use[k, c.key].name] > 0.5)
        for k, phase in enumerate(growth.phases)
    )
    units = {h: round(found.values[variable.name]) for h, variable in model.hold.items()}
    held = {h: count for h, count in units.items() if count}
    cost = plan_cents(growth, chosen, held)
    bound = cost
    if found.status != "optimal" and found.bound is not None:
        bound = min(cost, int(found.bound * CENTS_PER_USD))
    return GrowthPlan(
        chosen=chosen,
        held=held,
        cost_cents=cost,
        bound_cents=bound,
        engine=found.engine,
        version=found.version,
    )


def plan_cents(growth: GrowthProblem, chosen: tuple[int, ...], held: Mapping[Holding, int]) -> int:
    """Return the present value of a plan, cents."""
    total = sum(growth.held_cents[hold] * count for hold, count in held.items())
    for phase, key in zip(growth.phases, chosen, strict=True):
        total += next(c.running_cents for c in phase.columns if c.key == key)
    for k, (a, b) in enumerate(pairwise(chosen)):
        total += growth.moves.get((k, a, b), 0)
    return total
