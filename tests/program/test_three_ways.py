"""Scan with program, one monolithic program, and brute force find the same optimum to the cent.

The plain suite solves some 40 instances; all 600 run with ``pytest -m slow`` (with ``-n`` for
several processes).
"""

from __future__ import annotations

import pytest

from tests.program.random_instances import random_instance
from tests.program.three_ways import three_ways

QUICK = 40
ALL = 600
BATCH = 20
QUICK_BATCH = 5


def check(seeds: range) -> None:
    """Solve instances three ways; nothing may differ."""
    differing = [ways.line() for seed in seeds if not (ways := three_ways(seed)).agree]
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("first", range(0, QUICK, QUICK_BATCH))
def test_three_ways_agree(first: int) -> None:
    """Status and optimum of the first instances are equal to the cent."""
    check(range(first, first + QUICK_BATCH))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(QUICK, ALL, BATCH))
def test_three_ways_agree_on_all(first: int) -> None:
    """Status and optimum of every instance are equal to the cent."""
    check(range(first, min(ALL, first + BATCH)))


def test_instances_are_small_and_varied() -> None:
    """At most 6 servers and 5 racks; a third and more have several workloads."""
    drawn = [random_instance(seed).instance for seed in range(60)]
    assert all(one.site.racks <= 5 for one in drawn)
    assert all((one.grid.max_nodes or 99) <= 6 for one in drawn)
    assert sum(len(one.workloads) > 1 for one in drawn) >= 20
    assert len({one.site.racks for one in drawn}) == 5
    assert sum(one.budget.capex_usd is not None for one in drawn) >= 15
    assert random_instance(7) == random_instance(7)
