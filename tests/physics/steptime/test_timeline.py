"""The drawing of one step: visible bars tile it, hidden ones lie behind computation."""

from __future__ import annotations

import pytest
from selene import MACHINE, WIRING, gpt_job

from planner.domain.compute_constants import shipped_constants
from planner.domain.strategy import Strategy
from planner.physics import steptime

STRATEGIES = [
    Strategy(tp=8, dp=16, micro_batch=2, sharding="zero1", recompute="full"),
    Strategy(tp=8, pp=4, dp=4, micro_batch=1, schedule="1f1b", sequence_parallel=True),
    Strategy(dp=128, micro_batch=2, sharding="zero3", recompute="full"),
    Strategy(tp=4, cp=2, dp=16, micro_batch=1, sequence_parallel=True, sharding="zero1"),
]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.label())
def test_visible_segments_tile_the_step(strategy):
    """Visible bars follow each other without gap or overlap and end with the step."""
    detail = steptime.explain(
        gpt_job("megatron-22b", 256), MACHINE, WIRING, 16, strategy, constants=shipped_constants()
    )
    now = 0.0
    for segment in detail.timeline:
        if segment.visible:
            assert segment.start_s == pytest.approx(now, abs=1e-12)
            assert segment.end_s > segment.start_s
            now = segment.end_s
    assert now == pytest.approx(detail.step_time_s, rel=1e-9)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.label())
def test_every_micro_batch_is_drawn(strategy):
    """Bars of forward passes stand for all micro-batches."""
    detail = steptime.explain(
        gpt_job("megatron-22b", 256), MACHINE, WIRING, 16, strategy, constants=shipped_constants()
    )
    drawn = sum(s.repeats for s in detail.timeline if s.name == "forward")
    assert drawn == detail.micro_batches


def test_hidden_segments_stay_within_the_step():
    """Hidden communication ends before the step does."""
    job = gpt_job("megatron-22b", 256)
    detail = steptime.explain(
        job, MACHINE, WIRING, 16, STRATEGIES[0], constants=shipped_constants()
    )
    hidden = [s for s in detail.timeline if not s.visible]
    assert hidden
    assert all(0.0 <= s.start_s < s.end_s <= detail.step_time_s for s in hidden)
