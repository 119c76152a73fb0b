"""Published failure rates: the table adds up to what its sources say."""

from __future__ import annotations

import pytest

from planner.domain.failure_rates import published_failures


def test_components_add_up_to_the_observed_run() -> None:
    """419 interruptions on 2,048 servers of eight GPUs in 54 days."""
    table = published_failures()
    assert sum(row.interruptions for row in table.components) == 419
    for level, expected in (("low", 2.34), ("base", 3.789), ("high", 6.50)):
        rate = table.per_thousand_days(8, 1, level=level, repairs=False)
        assert rate == pytest.approx(expected, rel=1e-3)
        assert rate == pytest.approx(table.levels[level].failures_per_1000_node_days, rel=1e-3)


def test_repairs_are_a_part_and_larger_servers_fail_more() -> None:
    """What takes a server out also stops the job; a rack-scale server has more to break."""
    table = published_failures()
    for repairs in (False, True):
        small = table.per_thousand_days(8, 1, level="base", repairs=repairs)
        rack = table.per_thousand_days(72, 18, level="base", repairs=repairs)
        assert 9 * small < rack < 18 * small
    assert table.per_thousand_days(8, 1, level="base", repairs=True) < table.per_thousand_days(
        8, 1, level="base", repairs=False
    )


def test_defaults_lie_in_their_ranges() -> None:
    """An estimate shows its range around itself."""
    for _, row in published_failures().defaults:
        assert row.low <= row.value <= row.high
