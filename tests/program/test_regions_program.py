"""The program of several sites against enumeration, and its formulation's page."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import pytest

from planner.program.engines import EngineOptions, solve
from planner.program.regions import Line, RegionLimits, SiteColumn, Split, build_regions

ROOT = Path(__file__).parents[2]


def random_case(seed: int):
    """Return splits, lines and limits of three sites, two links."""
    dice = random.Random(seed)
    links = [frozenset("ab"), frozenset("bc")]
    splits = []
    for names in (("a",), ("b",), ("c",), ("a", "b"), ("b", "c")):
        for _ in range(dice.randint(1, 3)):
            columns = [
                SiteColumn(
                    site=name, column=c, cost_cents=dice.randint(100, 900) * 100,
                    capex_cents=dice.randint(50, 500) * 100, power_w=dice.randint(1, 9) * 1000.0,
                    gpus=8 * dice.randint(1, 4), step_time_s=dice.randint(20, 90) / 10,
                )
                for name in names
                for c in range(dice.randint(1, 3))
            ]  # fmt: skip
            nodes = tuple((name, dice.randint(1, 4)) for name in names)
            splits.append(Split(nodes=nodes, columns=tuple(columns)))
    lines = [
        Line(link=link, offer=0, encryption=cipher, cost_cents=dice.randint(1, 300) * 100,
             capex_cents=dice.randint(0, 50) * 100, exchange_s=dice.randint(1, 40) / 10)
        for link in links
        for cipher in ("none", "macsec", "ipsec")
    ]  # fmt: skip
    limits = RegionLimits(
        step_time_s=dice.randint(30, 100) / 10,
        encrypted=dice.random() < 0.6,
        capex_cents=dice.choice([None, dice.randint(100, 700) * 100]),
        power_w=dice.choice([None, dice.randint(2, 14) * 1000.0]),
        gpus=dice.choice([None, 8 * dice.randint(1, 6)]),
    )
    return splits, lines, limits


def enumerated(splits, lines, limits) -> int | None:
    """Return the least cost by trying everything."""
    best = None
    for split in splits:
        by_site = [[c for c in split.columns if c.site == name] for name, _ in split.nodes]
        found = [None] if split.link is None else [k for k in lines if k.link == split.link]
        for ways, line in itertools.product(itertools.product(*by_site), found):
            if line is not None and limits.encrypted and line.encryption == "none":
                continue
            step = max(w.step_time_s for w in ways) + (line.exchange_s if line else 0)
            capex = sum(w.capex_cents for w in ways) + (line.capex_cents if line else 0)
            if step > limits.step_time_s + 1e-9:
                continue
            if limits.capex_cents is not None and capex > limits.capex_cents:
                continue
            if limits.power_w is not None and sum(w.power_w for w in ways) > limits.power_w:
                continue
            if limits.gpus is not None and sum(w.gpus for w in ways) > limits.gpus:
                continue
            cost = sum(w.cost_cents for w in ways) + (line.cost_cents if line else 0)
            best = cost if best is None else min(best, cost)
    return best


@pytest.mark.parametrize("batch", range(4))
def test_the_program_finds_what_enumeration_finds(batch: int) -> None:
    """Cost to the cent, infeasibility too; a plain line is never taken where it must not be."""
    feasible = 0
    for seed in range(batch * 10, batch * 10 + 10):
        splits, lines, limits = random_case(seed)
        model = build_regions(splits, lines, limits)
        result = solve(model.problem, EngineOptions())
        expected = enumerated(splits, lines, limits)
        if expected is None:
            assert result.status == "infeasible", seed
            continue
        feasible += 1
        assert round(result.objective * 100) == expected, seed
        taken = [k for k in model.line if result.values.get(model.line[k].name, 0) > 0.5]
        assert not (limits.encrypted and any(lines[k].encryption == "none" for k in taken))
    assert feasible


def test_page_and_code_name_the_same_rules() -> None:
    """Every id of regions.md is built in the program, and the other way round."""
    page = (ROOT / "models" / "formulation" / "regions.md").read_text()
    named = set(re.findall(r"^\| `(regions_\w+)` \|", page, re.M))
    splits, lines, _ = random_case(1)
    limits = RegionLimits(step_time_s=9, encrypted=True, capex_cents=1, power_w=1.0, gpus=1)
    problem = build_regions(splits, lines, limits).problem
    built = {re.sub(r"(_\d+)+$", "", name) for name in problem.constraints}
    assert built == named
