"""The growth program against trying every choice, its formulation, and laws over phases."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from planner.program.engines import EngineOptions
from planner.program.phases import (
    GrowthProblem,
    Phase,
    PhaseColumn,
    build_growth,
    solve_growth,
)

PARTS = [("server", "servers"), ("small", "switches"), ("cable", "cables")]
FORMULATION = Path(__file__).parents[2] / "models" / "formulation" / "growth.md"
NEVER = 10**15


def holds(phases: int, component: str) -> list[tuple[int, int]]:
    """Return the ways to hold a unit; servers may be sold."""
    return [
        (t, e)
        for t in range(phases)
        for e in (range(t + 1, phases + 1) if component == "servers" else (phases,))
    ]


def random_growth(seed: int) -> GrowthProblem:
    """Return two or three phases of a few columns each; prices fall, or rise, over them."""
    rng = random.Random(seed)
    count = rng.choice([2, 2, 3])
    phases = []
    for k in range(count):
        columns = tuple(
            PhaseColumn(
                key=10 * k + c,
                needs={p: rng.randint(0, 2) + rng.randint(0, k) for p in PARTS},
                running_cents=rng.randint(0, 5000),
            )
            for c in range(rng.randint(1, 3))
        )
        price = {part: rng.randint(100, 9000) for part in PARTS}
        budget = rng.choice([None, None, rng.randint(5_000, 40_000)])
        phases.append(Phase(columns=columns, capex_cents=price, budget_cents=budget))
    held = {
        (t, e, part): rng.randint(100, 9000) for part in PARTS for t, e in holds(count, part[1])
    }
    moves = {
        (k, a.key, b.key): rng.choice([0, 0, rng.randint(0, 9000)])
        for k in range(count - 1)
        for a in phases[k].columns
        for b in phases[k + 1].columns
    }
    return GrowthProblem(phases=tuple(phases), held_cents=held, moves=moves)


def purchases(
    growth: GrowthProblem, part: tuple[str, str], need: list[int]
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the value and what each phase spends, for every way to hold up to four units of each."""
    ways = sorted((t, e) for t, e, p in growth.held_cents if p == part)
    for counts in itertools.product(range(max(need) + 1), repeat=len(ways)):
        held = [
            sum(n for (t, e), n in zip(ways, counts, strict=True) if t <= k < e)
            for k in range(len(need))
        ]
        if all(a >= b for a, b in zip(held, need, strict=True)):
            value = sum(
                n * growth.held_cents[t, e, part] for (t, e), n in zip(ways, counts, strict=True)
            )
            spent = tuple(
                sum(n for (t, _), n in zip(ways, counts, strict=True) if t == k)
                * phase.capex_cents[part]
                for k, phase in enumerate(growth.phases)
            )
            yield value, spent


def by_force(growth: GrowthProblem) -> int:
    """Return the least cost over every column of each phase and every way to hold every part."""
    best = NEVER
    limits = [phase.budget_cents for phase in growth.phases]
    for chosen in itertools.product(*(phase.columns for phase in growth.phases)):
        base = sum(column.running_cents for column in chosen)
        keys = [column.key for column in chosen]
        base += sum(
            growth.moves.get((k, a, b), 0) for k, (a, b) in enumerate(itertools.pairwise(keys))
        )
        plans = {(0,) * len(chosen): base}
        for part in PARTS:
            options: dict[tuple[int, ...], int] = {}
            for value, spent in purchases(growth, part, [c.needs[part] for c in chosen]):
                options[spent] = min(options.get(spent, NEVER), value)
            found: dict[tuple[int, ...], int] = {}
            for (before, cost), (spent, value) in itertools.product(plans.items(), options.items()):
                total = tuple(a + b for a, b in zip(before, spent, strict=True))
                fits = all(m is None or x <= m for x, m in zip(total, limits, strict=True))
                if fits:
                    key = tuple(
                        x if m is not None else 0 for x, m in zip(total, limits, strict=True)
                    )
                    found[key] = min(found.get(key, NEVER), cost + value)
            plans = found
        best = min([best, *plans.values()])
    return best


def by_program(growth: GrowthProblem) -> int:
    """Return the optimum of the program, cents."""
    found = solve_growth(growth, EngineOptions())
    return NEVER if found is None else found.cost_cents


SMALL = [seed for seed in range(80) if len(random_growth(seed).phases) == 2][:40]


@pytest.mark.parametrize("seed", SMALL)
def test_program_and_enumeration_agree(seed: int) -> None:
    """Purchases, sales, budgets, running costs and moved links give the same least cents."""
    growth = random_growth(seed)
    assert by_program(growth) == by_force(growth)


def test_three_phases_agree_with_enumeration() -> None:
    """One case of three phases, where a server may be sold after one or after two."""
    growth = next(g for g in map(random_growth, range(80)) if len(g.phases) == 3)
    small = [
        replace(phase, columns=tuple(
            replace(c, needs={p: min(n, 1 + (p[1] == "servers")) for p, n in c.needs.items()})
            for c in phase.columns))
        for phase in growth.phases
    ]  # fmt: skip
    growth = replace(growth, phases=tuple(small))
    assert by_program(growth) == by_force(growth)


@pytest.mark.parametrize("seed", range(30))
def test_cheaper_units_never_cost_more(seed: int) -> None:
    """Every plan costs at most as much when some ways to hold a unit are cheaper."""
    growth = random_growth(seed)
    cheaper = {h: c * 4 // 5 if h[0] else c for h, c in growth.held_cents.items()}
    assert by_program(replace(growth, held_cents=cheaper)) <= by_program(growth)


@pytest.mark.parametrize("seed", range(30))
def test_what_was_decided_before_never_costs_less(seed: int) -> None:
    """A first phase decided by itself, with its purchases, is one of the plans."""
    growth = random_growth(seed)
    first = replace(growth, phases=growth.phases[:1], moves={}, held_cents={
        (0, 1, p): growth.held_cents[0, len(growth.phases), p] for p in PARTS})  # fmt: skip
    alone = solve_growth(first, EngineOptions())
    if alone is None:
        return
    tied = replace(growth, chosen={0: alone.chosen[0]}, past=alone.held)
    assert by_program(tied) >= by_program(growth)


def test_every_documented_id_is_built(tmp_path: Path) -> None:
    """The table of the page and the rows of the program name the same families."""
    page = FORMULATION.read_text(encoding="utf-8")
    documented = set(re.findall(r"`(phase_\w+)`", page[: page.index("Objective:")]))
    growth = random_growth(0)
    phases = tuple(replace(phase, budget_cents=10**9) for phase in growth.phases)
    chosen = {0: phases[0].columns[0].key}
    model = build_growth(replace(growth, phases=phases, chosen=chosen))
    model.problem.writeLP(str(tmp_path / "growth.lp"))
    text = (tmp_path / "growth.lp").read_text(encoding="utf-8")
    rows = re.findall(r"^((?!OBJ)\w+):", text, flags=re.MULTILINE)
    assert {re.sub(r"_t\d+.*$", "", name) for name in rows} == documented
