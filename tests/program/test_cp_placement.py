"""CP-SAT, from the problem's data alone, agrees with the search for places."""

from __future__ import annotations

import pytest

from planner.domain.resources import data_root
from planner.physics.refusal import Refusal
from planner.program.placement import place
from tests.program.cp_asked import asked, stood
from tests.program.cp_placement import applies, by_cp_sat, count
from tests.program.cp_relaxed import relaxed
from tests.program.random_rooms import random_case, random_uneven_case

WORK = 5.0
"""Deterministic work of CP-SAT a pair of media."""
QUICK = (
    "tiny", "budget", "flip-64-links", "flip-72-links", "room-rows",
    "pools-mixed", "growth-platform", "two-sites",
)  # fmt: skip
SLOW = (
    "pools-concurrent", "cloud-peaks", "goodput-70b", "three-regions",
    "growth-resale", "growth-spine", "growth-switch", "growth-70b", "goodput-spares",
)  # fmt: skip
CLOSED = {"goodput-spares": 20.0}
"""Where CP-SAT proves what the search leaves open, with the work of a pair."""
LARGE = ("superpod-127", "scale-128")
"""Where neither the search nor CP-SAT ends on every pair of media."""
RENTED = ("cloud-reserve",)
"""Decided without a server of one's own: nothing is placed."""
OTHERS = ("scale-2048", "scale-12500")
"""Above 128 nodes."""


@pytest.mark.parametrize("digits", [False, True])
@pytest.mark.parametrize("draw", [random_case, random_uneven_case])
def test_random_rooms_cost_the_same(draw, digits: bool) -> None:
    """Small rooms, alike or not, have the same least cost; where nothing fits neither finds a place."""
    problems = [p for p in (draw(seed).problem for seed in range(25)) if applies(p)]
    assert len(problems) > 12
    for problem in problems:
        placed, other = place(problem), by_cp_sat(problem, WORK, digits=digits)
        if isinstance(placed, Refusal):
            assert other.cents is None
        else:
            assert (placed.cost_cents, True) == (other.cents, other.proved)
            assert relaxed(problem) <= placed.cost_cents
            assert count(problem, stood(problem, placed)) == placed.cost_cents


@pytest.mark.parametrize("name", QUICK)
def test_shipped_designs_are_placed_at_the_same_cost(name: str) -> None:
    """Both prove the same optimum of every design that is placed while the instance is decided."""
    problems = asked(name)
    assert problems
    for problem in problems:
        assert applies(problem)
        placed, other = place(problem), by_cp_sat(problem, WORK)
        assert not isinstance(placed, Refusal)
        assert placed.proved
        assert other.proved
        assert placed.cost_cents == other.cents


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_nothing_cheaper_than_what_many_searches_find(name: str) -> None:
    """CP-SAT counts each placement at the same cost and proves that none is cheaper."""
    for problem in asked(name):
        placed = place(problem)
        assert not isinstance(placed, Refusal)
        assert count(problem, stood(problem, placed)) == placed.cost_cents
        other = by_cp_sat(problem, CLOSED.get(name, WORK), placed.cost_cents)
        assert placed.lower_bound_cents <= other.cents
        assert other.bound <= placed.cost_cents
        if placed.proved or name in CLOSED:
            assert (other.cents, other.proved) == (placed.cost_cents, True)


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_intervals_overlap_where_a_proof_takes_long(name: str) -> None:
    """CP-SAT counts the placement at the same cost, and its program's relaxation leaves it."""
    (problem,) = asked(name)
    placed = place(problem)
    assert not isinstance(placed, Refusal)
    assert count(problem, stood(problem, placed)) == placed.cost_cents
    bound = relaxed(problem)
    print(f"\n{name}: [{placed.lower_bound_cents}, {placed.cost_cents}], relaxation {bound}")
    assert 0 < bound <= placed.cost_cents


@pytest.mark.slow
def test_nothing_stands_where_everything_is_rented() -> None:
    """The instance left out above asks for no place at all."""
    assert [asked(name) for name in RENTED] == [[]]


def test_every_shipped_instance_is_in_one_of_the_lists() -> None:
    """So that a new one is not forgotten."""
    names = {path.stem for path in (data_root() / "instances").glob("*.json")} - {"schema"}
    assert names == {*QUICK, *SLOW, *LARGE, *RENTED, *OTHERS}
