"""A few points of a frontier: both ends and the own target always, and all of them where asked for."""

from __future__ import annotations

import random
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.study.frontier_spread import Solved, spread

TICK = 1e-3


def solver(designs: list[tuple[float, int]]) -> Any:
    """Return a search over (step as a multiple of the limits, cents): the cheapest within a limit."""

    def solve(share: float) -> Solved:
        inside = [(cents, number, step) for number, (step, cents) in enumerate(designs)]
        best = min((d for d in inside if d[2] <= share), default=None)
        placed = None if best is None else SimpleNamespace(cost_cents=best[0])
        found = None if placed is None else SimpleNamespace(placed=placed)
        result: Any = SimpleNamespace(best=found, stopped=False)
        return Solved(share=share, limits=(share,), result=result,
                      reached=None if best is None else best[2])  # fmt: skip

    return solve


def undominated(designs: list[tuple[float, int]], slowest: float) -> list[tuple[float, int]]:
    """Return designs of which none is both faster and no dearer, slowest first."""
    found: list[tuple[float, int]] = []
    for step, cents in sorted((s, c) for s, c in designs if s <= slowest):
        if not found or cents < found[-1][1]:
            found.append((step, cents))
    return found[::-1]


grid = st.lists(st.tuples(st.integers(1, 300), st.integers(1, 40)), min_size=1, max_size=25).map(
    lambda rows: [(0.05 * 1.02**step, 1000 * cents) for step, cents in rows]
)
"""Designs whose steps are a tick or more apart; some cost the same."""


@given(grid, st.integers(3, 8))
def test_ends_and_own_target_are_always_there(designs: list[tuple[float, int]], points: int):
    """The cheapest, the fastest and what the instance's own target asks; the others are points too."""
    whole = undominated(designs, 2.0)
    kept, too_fast, complete = spread(
        solver(designs), lambda _: False, points=points, slowest=2.0, fastest=0.0, tick=TICK
    )
    if not whole:
        assert not kept
        return
    costs = [point.cents for point in kept]
    assert costs == sorted(set(costs))
    assert len(costs) <= points
    assert set(costs) <= {cents for _, cents in whole}
    assert {whole[0][1], whole[-1][1]} <= set(costs)
    own = undominated(designs, 1.0)
    assert not own or own[0][1] in costs
    assert len(costs) == min(points, len(whole))
    assert too_fast is not None
    assert too_fast.share < whole[-1][0] <= too_fast.share / (1 - TICK) * (1 + 1e-9)
    assert complete <= (len(costs) == len(whole))


@given(grid)
def test_enough_points_are_all_of_them(designs: list[tuple[float, int]]):
    """With room for all the points are the undominated designs, and it is said that none is missing."""
    kept, _, complete = spread(
        solver(designs), lambda _: False, points=100, slowest=2.0, fastest=0.0, tick=TICK
    )
    assert [(p.reached, p.cents) for p in kept] == undominated(designs, 2.0)
    assert complete
    for slower, faster in pairwise(kept):
        assert faster.share < (slower.reached or 0.0) <= slower.share


@pytest.mark.parametrize("seed", range(20))
def test_points_lie_apart(seed: int):
    """On a smooth frontier no gap between neighbours is far wider than an even one."""
    rng = random.Random(seed)
    steps = sorted(rng.uniform(0.1, 2.0) for _ in range(400))
    designs = [(step, round(1e7 / step)) for step in steps]
    kept, _, complete = spread(
        solver(designs), lambda _: False, points=9, slowest=2.0, fastest=0.0, tick=TICK
    )
    assert len(kept) == 9
    assert not complete
    ratios = [(one.reached or 0.0) / (other.reached or 1.0) for one, other in pairwise(kept)]
    whole = steps[-1] / steps[0]
    assert max(ratios) <= whole ** (2.2 / 8)


def test_a_range_ends_at_the_design_that_holds_it():
    """With an end of the range, the fastest point is the cheapest that holds the end."""
    designs = [(1.5, 100), (0.9, 200), (0.5, 300), (0.2, 400)]
    kept, _, complete = spread(
        solver(designs), lambda _: False, points=9, slowest=2.0, fastest=0.6, tick=TICK
    )
    assert [p.cents for p in kept] == [100, 200, 300]
    assert complete


def test_time_ends_it_without_a_claim():
    """The search that is late is the last one, and nothing is called whole."""
    asked: list[Solved] = []

    def late(point: Solved) -> bool:
        asked.append(point)
        return len(asked) == 2

    designs = [(1.5, 100), (0.9, 200), (0.5, 300)]
    kept, _, complete = spread(solver(designs), late, points=9, slowest=2.0, fastest=0.0, tick=TICK)
    assert [p.cents for p in kept] == [100, 200]
    assert len(asked) == 2
    assert not complete
