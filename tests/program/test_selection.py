"""The selection program: golden text, agreement with enumeration, and its documented ids."""

from __future__ import annotations

import itertools
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from planner.program.engines import EngineOptions, solve
from planner.program.owned_rows import OwnedPart
from planner.program.selection import Candidate, Limits, StrategyOption, build_selection

GOLDEN = Path(__file__).parents[1] / "data" / "selection.lp"
FORMULATION = Path(__file__).parents[2] / "models" / "formulation" / "selection.md"


def candidate(rng: random.Random, key: int, workloads: int) -> Candidate:
    """Return a random column with one or two strategies a workload."""
    strategies = []
    for _ in range(workloads):
        options = []
        for s in range(rng.randint(1, 2)):
            compute, comm = rng.randint(1, 9) / 10, rng.randint(0, 9) / 10
            options.append(
                StrategyOption(
                    key=s,
                    step_time_s=compute + comm,
                    compute_s=compute,
                    exposed_s={"grad": comm},
                    kept_fraction=rng.randint(1, 8) / 10,
                )
            )
        strategies.append(tuple(options))
    return Candidate(
        key=key,
        cost_cents=rng.randint(100, 10**9),
        capex_cents=rng.randint(50, 900),
        power_w=rng.randint(1, 9) * 100.0,
        racks=rng.randint(1, 5),
        gpus=rng.randint(1, 64),
        strategies=tuple(strategies),
    )


def enumerate_best(candidates: list[Candidate], limits: Limits) -> int | None:
    """Return the least cost by trying every column and strategy."""
    best = None
    for c in candidates:
        if limits.capex_cents is not None and c.capex_cents > limits.capex_cents:
            continue
        if limits.power_w is not None and c.power_w > limits.power_w:
            continue
        if limits.racks is not None and c.racks > limits.racks:
            continue
        if limits.gpus is not None and c.gpus > limits.gpus:
            continue
        for combo in itertools.product(*c.strategies):
            slow = any(
                o.step_time_s > t + 1e-9 for o, t in zip(combo, limits.step_time_s, strict=True)
            )
            if slow or sum(o.kept_fraction for o in combo) > 1 + 1e-9:
                continue
            best = c.cost_cents if best is None else min(best, c.cost_cents)
    return best


@pytest.mark.parametrize("engine", ["highs", "cbc", "scip"])
def test_every_engine_agrees_with_enumeration(engine: str) -> None:
    """Random programs, a third infeasible: the optimum to the cent, or infeasible."""
    rng = random.Random(7)
    infeasible = 0
    for _ in range(30):
        workloads = rng.randint(1, 3)
        columns = [candidate(rng, k, workloads) for k in range(rng.randint(1, 7))]
        limits = Limits(
            step_time_s=tuple(rng.randint(6, 16) / 10 for _ in range(workloads)),
            capex_cents=rng.choice([None, 500]),
            power_w=rng.choice([None, 600.0]),
            racks=rng.choice([None, 3]),
            gpus=rng.choice([None, 40]),
        )
        expected = enumerate_best(columns, limits)
        model = build_selection(columns, limits)
        found = solve(model.problem, EngineOptions(engine=engine))
        if expected is None:
            infeasible += 1
            assert found.status == "infeasible"
            continue
        used = [c for c in columns if found.values[f"use_c{c.key}"] > 0.5]
        assert [c.cost_cents for c in used] == [expected]
    assert 5 <= infeasible <= 25


def golden_model():
    """Return a program in which every constraint family occurs."""
    rng = random.Random(3)
    columns = [candidate(rng, k, 2) for k in range(2)]
    columns = [replace(c, needs={"servers a": c.gpus, "switches b": 2}) for c in columns]
    limits = Limits(
        step_time_s=(1.2, 1.1), capex_cents=700, power_w=800.0, racks=4, gpus=50,
        inventory={
            "servers a": OwnedPart(count=9, saved_cents=4, saved_capex_cents=3),
            "switches b": OwnedPart(count=3, saved_cents=5, saved_capex_cents=5),
        },
    )  # fmt: skip
    return build_selection(columns, limits)


def test_program_text_is_the_golden_one(tmp_path: Path) -> None:
    """A change of the formulation shows as a change of this file, reviewed by a person."""
    path = tmp_path / "selection.lp"
    golden_model().problem.writeLP(str(path))
    assert path.read_text() == GOLDEN.read_text()


def documented_ids() -> set[str]:
    """Return the constraint ids of the formulation's page."""
    page = FORMULATION.read_text(encoding="utf-8").split("## Constraints")[1].split("Objective")[0]
    return set(re.findall(r"^\| `([a-z_]+)` \|", page, flags=re.MULTILINE))


def test_each_constraint_id_is_documented_and_built() -> None:
    """The families of the built rows and the ids on the page are the same set."""
    built = {
        re.sub(r"(_w\d+)?(_c\d+)?(_p\d+)?$", "", re.sub(r"^(comm)_w\d+_.*$", r"\1", name))
        for name in (row.name for row in golden_model().problem.constraints())
    }
    assert built == documented_ids()
