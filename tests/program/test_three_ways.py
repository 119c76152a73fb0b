"""Scan with program, one monolithic program, and brute force find the same optimum to the cent.

The plain suite solves 20 instances and 40 smaller ones; all 2,000 run with ``pytest -m slow`` (with ``-n`` for
several processes): 600 of up to 20 columns, and 1,400 smaller ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from planner.domain.instance import FabricRules
from tests.program.random_instances import SMALLER, TOPOLOGIES, Most, random_instance
from tests.program.three_ways import three_ways

QUICK = 20
QUICK_SMALL = 40
ALL = 600
SMALL = 1_400
"""Smaller instances beside them, so that 2,000 in all are enumerated."""
BATCH = 20
ASKED = ("joined_pair", "top_of_rack")
QUICK_ASKED, ALL_ASKED = 12, 212
QUICK_BATCH = 5


def check(
    seeds: range,
    most: Most = Most(),
    topologies: Sequence[str] = TOPOLOGIES,
    rules: FabricRules = FabricRules(),
) -> None:
    """Solve instances three ways; nothing may differ."""
    found = [three_ways(seed, most, topologies, rules) for seed in seeds]
    differing = [ways.line() for ways in found if not ways.agree]
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("first", range(0, QUICK, QUICK_BATCH))
def test_three_ways_agree(first: int) -> None:
    """Status and optimum of the first instances are equal to the cent."""
    check(range(first, first + QUICK_BATCH))


@pytest.mark.parametrize("topology", ASKED)
def test_three_ways_agree_on_what_is_asked_for(topology: str) -> None:
    """Topologies that only `fix` brings in are solved three ways too."""
    check(range(QUICK_ASKED), SMALLER, [topology])


@pytest.mark.parametrize("slots", [1, 3])
def test_three_ways_agree_where_racks_keep_slots_free(slots: int) -> None:
    """Slots that racks have no place for are ports of their leafs, or racks: whichever is less."""
    check(range(QUICK_ASKED), SMALLER, ["top_of_rack"], FabricRules(reserved_slots=slots))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(QUICK_ASKED, ALL_ASKED, BATCH))
@pytest.mark.parametrize("topology", ASKED)
def test_three_ways_agree_on_all_that_is_asked_for(topology: str, first: int) -> None:
    """So are many more of them, beside a single switch."""
    check(range(first, first + BATCH), Most(), [topology, "single"])


@pytest.mark.parametrize("first", range(0, QUICK_SMALL, 2 * QUICK_BATCH))
def test_three_ways_agree_on_small_ones(first: int) -> None:
    """The same of smaller instances."""
    check(range(first, first + 2 * QUICK_BATCH), SMALLER)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(QUICK, ALL, BATCH))
def test_three_ways_agree_on_all(first: int) -> None:
    """Status and optimum of every instance are equal to the cent."""
    check(range(first, min(ALL, first + BATCH)))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(QUICK_SMALL, SMALL, BATCH))
def test_three_ways_agree_on_smaller_ones(first: int) -> None:
    """Status and optimum of every smaller instance are equal to the cent."""
    check(range(first, first + BATCH), SMALLER)


def test_instances_are_small_and_varied() -> None:
    """At most 6 servers and 5 racks; a third and more have several workloads."""
    drawn = [random_instance(seed).instance for seed in range(60)]
    assert all(one.site.racks <= 5 for one in drawn)
    assert all((one.grid.max_nodes or 99) <= 6 for one in drawn)
    assert sum(len(one.workloads) > 1 for one in drawn) >= 20
    assert len({one.site.racks for one in drawn}) == 5
    assert sum(one.budget.capex_usd is not None for one in drawn) >= 15
    assert random_instance(7) == random_instance(7)
