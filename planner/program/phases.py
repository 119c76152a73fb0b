"""Growth as one program: which column runs in each phase, and when every unit is bought.

Hardware stays: what a phase needs and earlier phases did not buy is bought, at once or before, at
the price of the phase in which it is bought. Two columns that follow each other move the links that
the second has elsewhere. The mathematics stands in ``models/formulation/growth.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from planner.domain.units import CENTS_PER_USD

Part = tuple[str, str]
"""Catalogue id and cost component."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseColumn:
    """One placed column that meets a phase's targets and limits."""

    key: int
    needs: Mapping[Part, int]
    running_cents: int
    """Present value of energy, software and space while the phase lasts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """What may run in one phase and what a unit costs that is bought in it."""

    columns: tuple[PhaseColumn, ...]
    unit_cents: Mapping[Part, int]
    """Present value of one unit bought now: price, what is paid once, support to the end."""
    capex_cents: Mapping[Part, int]
    """Price of one unit, not discounted."""
    budget_cents: int | None = None
    """Most that may be bought in the phase."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthProblem:
    """Phases in their order, what is owned before the first, and what a change of column costs."""

    phases: tuple[Phase, ...]
    moves: Mapping[tuple[int, int, int], int]
    """Cents of moving links by (phase, column of it, column of the next); absent is none."""
    stock: Mapping[Part, int] = field(default_factory=dict)


@dataclass(slots=True)
class GrowthModel:
    """The PuLP model with its variables at hand."""

    problem: Any
    use: dict[tuple[int, int], Any] = field(default_factory=dict)
    buy: dict[tuple[int, Part], Any] = field(default_factory=dict)


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
    return model


def _purchases(model: GrowthModel, growth: GrowthProblem) -> list[Any]:
    """Build `phase_held` and `phase_capex`; return the cost of what is bought, USD."""
    import pulp

    lp, cost = model.problem, []
    parts = sorted({p for phase in growth.phases for c in phase.columns for p in c.needs})
    for n, part in enumerate(parts):
        held = growth.stock.get(part, 0)
        for k, phase in enumerate(growth.phases):
            buy = lp.add_variable(f"buy_t{k}_p{n}", lowBound=0)
            model.buy[k, part] = buy
            cost.append(phase.unit_cents[part] / CENTS_PER_USD * buy)
            held = held + buy
            needs = [
                c.needs[part] * model.use[k, c.key] for c in phase.columns if c.needs.get(part)
            ]
            lp += (held - pulp.lpSum(needs) >= 0, f"phase_held_t{k}_p{n}")
    for k, phase in enumerate(growth.phases):
        if phase.budget_cents is not None:
            price = [phase.capex_cents[part] / CENTS_PER_USD * model.buy[k, part] for part in parts]
            limit = phase.budget_cents / CENTS_PER_USD
            lp += (pulp.lpSum(price) <= limit, f"phase_capex_t{k}")
    return cost


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


def plan_cents(growth: GrowthProblem, chosen: Sequence[int]) -> int:
    """Return the least present value of one column for each phase, without budgets, cents.

    Each unit is bought in the cheapest phase up to the one that needs it first; as every later
    need is met from what is held, the units beyond the largest earlier need are the new ones.
    """
    picked = [
        next(c for c in phase.columns if c.key == key)
        for phase, key in zip(growth.phases, chosen, strict=True)
    ]
    total = sum(column.running_cents for column in picked)
    for k, (a, b) in enumerate(pairwise(chosen)):
        total += growth.moves.get((k, a, b), 0)
    held = dict(growth.stock)
    for k, column in enumerate(picked):
        for part, need in column.needs.items():
            new = need - held.get(part, 0)
            if new > 0:
                held[part] = need
                total += new * min(phase.unit_cents[part] for phase in growth.phases[: k + 1])
    return total


def year_by_year(growth: GrowthProblem) -> tuple[int, ...]:
    """Return the columns of a buyer who decides each phase as if it were the last."""
    chosen: list[int] = []
    for k, phase in enumerate(growth.phases):
        short = GrowthProblem(phases=growth.phases[: k + 1], moves=growth.moves, stock=growth.stock)
        best = min(phase.columns, key=lambda c: (plan_cents(short, (*chosen, c.key)), c.key))
        chosen.append(best.key)
    return tuple(chosen)
