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
    "name", ["tiny", "budget", "flip-64-links", "flip-72-links", "goodput-70b"]
)
def test_every_shipped_instance_is_proved_and_recounted(name: str) -> None:
    """Gap 0 and no contradiction found by the independent checker."""
    decision = solved(name)
    assert decision.solution.status == "optimal"
    assert decision.solution.gap == 0
    assert verify(decision.solution, decision.catalog) == []
