"""The program of several sites against enumeration, and its formulation's page."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import pytest

from planner.program.engines import EngineOptions, solve
from planner.program.regions import (
    Crossing,
    Line,
    RegionLimits,
    SiteColumn,
    Split,
    build_regions,
)

ROOT = Path(__file__).parents[2]


PAIRS = tuple(frozenset(pair) for pair in ("ab", "bc", "ac"))
CROSSINGS = (
    *(Crossing(dimension="dp", pattern="mesh", sites=tuple(sorted(p)), links=(p,)) for p in PAIRS),
    Crossing(dimension="dp", pattern="mesh", sites=("a", "b", "c"), links=PAIRS),
    Crossing(dimension="dp", pattern="hub", sites=("b", "a", "c"), links=PAIRS[:2]),
    Crossing(dimension="pp", pattern="chain", sites=("a", "b"), links=PAIRS[:1], rounds=3),
    Crossing(dimension="pp", pattern="chain", sites=("a", "b"), links=PAIRS[:1], rounds=7),
    Crossing(dimension="pp", pattern="chain", sites=("a", "b", "c"), links=PAIRS[:2], rounds=3),
)  # fmt: skip


def random_case(seed: int):
    """Return splits, lines and limits of three sites, everything that may cross between them."""
    dice = random.Random(seed)
    splits = []
    crossings = dice.sample(CROSSINGS, dice.randint(1, len(CROSSINGS)))
    sited = [((name,), None) for name in "abc"] + [(c.sites, c) for c in crossings]
    for names, crossing in sited:
        for _ in range(dice.randint(1, 2)):
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
            splits.append(Split(nodes=nodes, columns=tuple(columns), crossing=crossing))
    lines = [
        Line(crossing=crossing, link=link, offer=offer, encryption=cipher,
             cost_cents=dice.randint(1, 300) * 100, capex_cents=dice.randint(0, 50) * 100,
             exchange_s=dice.randint(1, 30) / 10)
        for crossing in crossings
        for link in crossing.links
        for offer, cipher in dice.sample(
            [(0, "none"), (0, "macsec"), (1, "ipsec")], dice.randint(1, 3)
        )
    ]  # fmt: skip
    limits = RegionLimits(
        step_time_s=dice.randint(30, 120) / 10,
        encrypted=dice.random() < 0.6,
        capex_cents=dice.choice([None, dice.randint(100, 1200) * 100]),
        power_w=dice.choice([None, dice.randint(2, 20) * 1000.0]),
        gpus=dice.choice([None, 8 * dice.randint(1, 9)]),
    )
    return splits, lines, limits


def enumerated(splits, lines, limits) -> int | None:
    """Return the least cost by trying everything."""
    best = None
    for split in splits:
        by_site = [[c for c in split.columns if c.site == name] for name, _ in split.nodes]
        links = split.crossing.links if split.crossing else ()
        offers = [[k for k in lines if (k.crossing, k.link) == (split.crossing, one)]
                  for one in links]  # fmt: skip
        for ways, taken in itertools.product(
            itertools.product(*by_site), itertools.product(*offers)
        ):
            if limits.encrypted and any(line.encryption == "none" for line in taken):
                continue
            times = [line.exchange_s for line in taken]
            chain = split.crossing is not None and split.crossing.pattern == "chain"
            step = max(w.step_time_s for w in ways) + (
                sum(times) if chain else max(times, default=0)
            )
            if step > limits.step_time_s + 1e-9:
                continue
            capex = sum(x.capex_cents for x in (*ways, *taken))
            if limits.capex_cents is not None and capex > limits.capex_cents:
                continue
            if limits.power_w is not None and sum(w.power_w for w in ways) > limits.power_w:
                continue
            if limits.gpus is not None and sum(w.gpus for w in ways) > limits.gpus:
                continue
            cost = sum(x.cost_cents for x in (*ways, *taken))
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
    limits = RegionLimits(step_time_s=9, encrypted=True, capex_cents=1, power_w=1.0, gpus=1)
    built = set()
    for seed in range(8):
        splits, lines, _ = random_case(seed)
        problem = build_regions(splits, lines, limits).problem
        built |= {re.sub(r"(_\d+)+$", "", name) for name in problem.constraints}
    assert built == named
