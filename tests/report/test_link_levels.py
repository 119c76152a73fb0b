from __future__ import annotations

import pytest

from planner.report.link_levels import bottleneck_text, existing_level, level_uses
from planner.report.notation import notation
from planner.report.words import words


def test_every_communication_counts_at_one_level(plan):
    """Bytes, busy and waited seconds of the levels are those of the calls."""
    for result in plan.workloads:
        uses = level_uses(result, plan.design.fabric)
        sent = sum(use.size_bytes * use.count for use in result.collectives)
        assert sum(use.sent_bytes for use in uses) == pytest.approx(sent)
        busy = sum(use.total_s for use in result.collectives)
        assert sum(use.busy_s for use in uses) == pytest.approx(busy)
        waited = sum(use.exposed_s for use in result.collectives)
        assert sum(use.exposed_s for use in uses) == pytest.approx(waited)


def test_a_level_that_the_fabric_lacks_is_its_widest(plan):
    """A call over the whole of a single switch crosses that switch, not a core."""
    fabric = plan.design.fabric
    leaf = fabric.model_copy(update={"tiers": fabric.tiers[:1]})
    assert existing_level("core", leaf) == "leaf"
    assert existing_level("domain", leaf) == "domain"
    assert existing_level("core", leaf.model_copy(update={"tiers": []})) == "host"
    assert existing_level("core", None) == "core"
    assert existing_level("moon", leaf) == "moon"


def test_the_bottleneck_is_what_takes_most_of_the_step(plan):
    """Computation, unless the GPUs wait for links longer."""
    w, n = words("en"), notation("en", plan.instance)
    result = plan.workloads[0]
    assert "bottleneck is computation" in bottleneck_text(result, plan.design.fabric, w, n)
    slow = [use.model_copy(update={"exposed_s": 1e4}) for use in result.collectives]
    waiting = result.model_copy(update={"collectives": slow})
    assert "bottleneck is communication" in bottleneck_text(waiting, plan.design.fabric, w, n)
