"""The growth program against trying every choice of columns, and laws over phases."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from planner.program.engines import EngineOptions, solve
from planner.program.phases import (
    GrowthProblem,
    Phase,
    PhaseColumn,
    build_growth,
    plan_cents,
    year_by_year,
)

PARTS = [("server", "servers"), ("small", "switches"), ("large", "switches"), ("cable", "cables")]


def random_growth(seed: int) -> GrowthProblem:
    """Return two or three phases of a few columns each; prices fall, or rise, from phase to phase."""
    rng = random.Random(seed)
    price = {part: rng.randint(100, 9000) for part in PARTS}
    phases = []
    for k in range(rng.choice([2, 2, 3])):
        factor = {part: rng.choice([1.0, 0.9, 0.7, 1.1]) ** k for part in PARTS}
        unit = {part: round(price[part] * factor[part]) for part in PARTS}
        columns = tuple(
            PhaseColumn(
                key=c,
                needs={p: rng.randint(0, 4) + 2 * k for p in PARTS},
                running_cents=rng.randint(0, 5000),
            )
            for c in range(rng.randint(1, 4))
        )
        phases.append(Phase(columns=columns, unit_cents=unit, capex_cents=unit))
    moves = {
        (k, a.key, b.key): rng.choice([0, 0, rng.randint(0, 9000)])
        for k in range(len(phases) - 1)
        for a in phases[k].columns
        for b in phases[k + 1].columns
    }
    stock = {part: rng.randint(0, 3) for part in PARTS if rng.random() < 0.3}
    return GrowthProblem(phases=tuple(phases), moves=moves, stock=stock)


def by_force(growth: GrowthProblem) -> int:
    """Return the least cost over every choice of one column a phase."""
    keys = [[c.key for c in phase.columns] for phase in growth.phases]
    return min(plan_cents(growth, chosen) for chosen in itertools.product(*keys))


def by_program(growth: GrowthProblem) -> int:
    """Return the optimum of the program, cents."""
    found = solve(build_growth(growth).problem, EngineOptions())
    assert found.status == "optimal"
    assert found.objective is not None
    return round(found.objective * 100)


@pytest.mark.parametrize("seed", range(60))
def test_program_and_enumeration_agree(seed: int) -> None:
    """Purchases, running costs and moved links add up to the same least cents."""
    growth = random_growth(seed)
    assert by_program(growth) == by_force(growth)


@pytest.mark.parametrize("seed", range(60))
def test_deciding_year_by_year_never_costs_less(seed: int) -> None:
    """The choices of a buyer who does not look ahead are one of those that the program has."""
    growth = random_growth(seed)
    assert plan_cents(growth, year_by_year(growth)) >= by_program(growth)


@pytest.mark.parametrize("seed", range(20))
def test_lower_prices_later_never_cost_more(seed: int) -> None:
    """Every plan costs at most as much when units bought later are cheaper; so does the best."""
    growth = random_growth(seed)
    last = growth.phases[-1]
    cheaper = replace(last, unit_cents={p: c * 4 // 5 for p, c in last.unit_cents.items()})
    assert by_program(replace(growth, phases=(*growth.phases[:-1], cheaper))) <= by_program(growth)
