"""Racks are filled the same whether contents are compared in one call or one by one."""

from __future__ import annotations

import pytest

from planner.physics.refusal import Refusal
from planner.program import rack_fill
from planner.program.placement import place
from tests.program.random_rooms import random_case, random_uneven_case


@pytest.mark.parametrize("draw", [random_case, random_uneven_case])
def test_both_ways_of_comparing_place_the_same(monkeypatch, draw):
    """Cost and every position are equal in random rooms."""
    placed = 0
    for seed in range(20):
        problem = draw(seed, 600).problem
        answers = []
        for at_once in (0, 10**9):
            monkeypatch.setattr(rack_fill, "AT_ONCE", at_once)
            answers.append(place(problem))
        one, other = answers
        assert one == other, seed
        placed += not isinstance(one, Refusal)
    assert placed > 10
