"""Shipped instances give the decisions that instances/README.md tells."""

from __future__ import annotations

import functools

import pytest

from planner.domain.instance import load_instance
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify


@functools.cache
def solved(name: str):
    """Return a shipped instance solved with its alternatives."""
    instance, path = load_instance(name)
    return decide(instance, path, DecideOptions(), lambda _: None)


def test_one_more_server_flips_infiniband_to_roce() -> None:
    """64 links fill one InfiniBand switch; 72 need three, but one Ethernet switch has 128 ports."""
    small, large = solved("flip-64-links").solution, solved("flip-72-links").solution
    assert (small.status, large.status) == ("optimal", "optimal")
    assert small.design.fabric.family == "infiniband"
    assert large.design.fabric.family == "roce"
    for solution in (small, large):
        assert [(t.tier, t.count) for t in solution.design.fabric.tiers] == [("leaf", 1)]
    other = next(a for a in large.alternatives if a.name == "InfiniBand")
    assert other.delta_usd > 0
    assert "switches" in other.reason


@pytest.mark.parametrize(
    "name", ["tiny", "budget", "flip-64-links", "flip-72-links", "goodput-70b", "pools-mixed"]
)
def test_every_shipped_instance_is_proved_and_recounted(name: str) -> None:
    """Gap 0 and no contradiction found by the independent checker."""
    decision = solved(name)
    assert decision.solution.status == "optimal"
    assert decision.solution.gap == 0
    assert verify(decision.solution, decision.catalog) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "pools", "rents"),
    [("pools-mixed", 2, 0), ("pools-concurrent", 1, 0), ("cloud-peaks", 1, 1),
     ("cloud-reserve", 0, 3)],
)  # fmt: skip
def test_deciding_together_beats_job_by_job(name: str, pools: int, rents: int) -> None:
    """What docs/markets.md tells: who is bought, who is rented, and what it saves."""
    decision = solved(name)
    solution = decision.solution
    assert solution.status == "optimal"
    assert verify(solution, decision.catalog) == []
    assert (len(solution.pools), len(solution.portfolio.rents)) == (pools, rents)
    alone = next(o for o in solution.portfolio.others if o.name == "job_by_job")
    assert alone.total_usd is None or alone.total_usd > 1.3 * solution.objective_usd
