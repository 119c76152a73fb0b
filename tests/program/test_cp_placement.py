"""CP-SAT, from the problem's data alone, agrees with the search for places."""

from __future__ import annotations

import pytest

from planner.domain.instance import load_instance
from planner.physics.refusal import Refusal
from planner.program.market import open_market
from planner.program.placement import place
from planner.program.scan import scan
from tests.program.cp_placement import applies, by_cp_sat
from tests.program.random_rooms import random_case, random_uneven_case

WORK = 5.0
"""Deterministic work of CP-SAT a pair of media."""
SHORT_WORK = 1.0
"""The same where a proof is not expected."""


def shipped(name: str):
    """Return the placement problem of the design that an instance buys."""
    market = open_market(*load_instance(name))
    best = scan(market).best
    assert best is not None
    problem = market.placer.problem(best.column)
    assert applies(problem)
    return problem


@pytest.mark.parametrize("draw", [random_case, random_uneven_case])
def test_random_rooms_cost_the_same(draw) -> None:
    """Small rooms, alike or not, have the same least cost; where nothing fits neither finds a place."""
    problems = [p for p in (draw(seed).problem for seed in range(25)) if applies(p)]
    assert len(problems) > 12
    for problem in problems:
        placed, other = place(problem), by_cp_sat(problem, WORK)
        assert (None if isinstance(placed, Refusal) else placed.cost_cents) == other.cents


@pytest.mark.parametrize("name", ["tiny", "flip-64-links", "flip-72-links", "room-rows", "budget"])
def test_shipped_designs_are_placed_at_the_same_cost(name) -> None:
    """Both prove the same optimum of what the instance buys."""
    problem = shipped(name)
    placed, other = place(problem), by_cp_sat(problem, WORK)
    assert other.proved
    assert placed.proved
    assert placed.cost_cents == other.cents


@pytest.mark.slow
@pytest.mark.parametrize("name", ["goodput-70b"])
def test_intervals_overlap_where_a_proof_takes_long(name) -> None:
    """Neither bound lies above what the other found."""
    problem = shipped(name)
    placed, other = place(problem), by_cp_sat(problem, SHORT_WORK)
    assert other.bound <= placed.cost_cents
    assert other.cents is None or placed.lower_bound_cents <= other.cents
