"""Computation as a profile shows it, and the factor that a profile puts on it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selene import MACHINE, WIRING, gpt_job

from planner.domain.compute_constants import MeasuredCompute, shipped_constants
from planner.domain.strategy import Strategy
from planner.physics.enumeration import enumerate_strategies
from planner.physics.steptime import compute_bound_s, free_network_best, step_times
from planner.physics.steptime.busy import busy_s
from planner.physics.strategies import StrategyTable

JOB = gpt_job("megatron-22b", 256)
TABLE = StrategyTable.of(
    [
        Strategy(tp=8, dp=16, micro_batch=2, sharding="zero1", recompute="full"),
        Strategy(tp=8, pp=4, dp=4, micro_batch=1, schedule="1f1b", sequence_parallel=True),
        Strategy(dp=128, micro_batch=2, sharding="zero3"),
    ]
)


def measured(factor, accelerator=MACHINE.accelerator, family="transformer"):
    """Return the shipped constants with one measured factor."""
    shipped = shipped_constants()
    entry = MeasuredCompute(accelerator=accelerator, family=family, factor=factor)
    compute = shipped.compute.model_copy(update={"measured": (entry,)})
    return shipped.model_copy(update={"compute": compute})


def test_it_is_the_parts_of_the_step_in_which_kernels_compute():
    """Where the processor keeps up, it is computation, repetition and optimizer."""
    constants = shipped_constants()
    times = step_times(
        JOB, MACHINE, WIRING, 16, TABLE, constants=constants, only_feasible=False
    ).parts_s
    whole = times["compute"] + times["recompute"] + times["optimizer"]
    assert busy_s(JOB, MACHINE, TABLE, constants.compute) == pytest.approx(whole, rel=1e-3)


@given(st.floats(0.2, 5.0))
def test_a_measured_factor_multiplies_every_kernel(factor):
    """All that computes scales, whatever the strategy."""
    plain = busy_s(JOB, MACHINE, TABLE, shipped_constants().compute)
    found = busy_s(JOB, MACHINE, TABLE, measured(factor).compute)
    # a launch-bound block keeps its length and its idle share changes instead
    assert found == pytest.approx(factor * plain, rel=1e-6)


@pytest.mark.parametrize(
    "constants",
    [measured(3.0, accelerator="h100-sxm"), measured(3.0, family="moe"), measured(1.0)],
    ids=["another accelerator", "another family", "one"],
)
def test_what_was_measured_elsewhere_changes_nothing(constants):
    """The factor holds for its accelerator and its family, and 1 is exactly nothing."""
    plain, found = (
        step_times(JOB, MACHINE, WIRING, 16, TABLE, constants=c, only_feasible=False).step_time_s
        for c in (shipped_constants(), constants)
    )
    assert np.array_equal(plain, found)


@settings(max_examples=8, deadline=None)
@given(st.floats(0.3, 3.0))
def test_bounds_stay_below_every_step(factor):
    """No strategy beats the bounds under any factor."""
    constants = measured(factor)
    table = enumerate_strategies(JOB, 16, WIRING)
    times = step_times(JOB, MACHINE, WIRING, 16, table, constants=constants).step_time_s
    least = float(times.min())
    assert compute_bound_s(JOB, MACHINE, 128, constants=constants) <= least
    free = free_network_best(JOB, MACHINE, WIRING, 16, constants=constants)
    assert free is not None
    assert free.step_time_s <= least


def test_launches_are_not_slowed():
    """Kernels that are faster than the processor launches them wait as before."""
    job = gpt_job("megatron-22b", 256)
    quick = step_times(
        job, MACHINE, WIRING, 16, TABLE, constants=measured(1e-3), only_feasible=False
    ).parts_s["compute"]
    quicker = step_times(
        job, MACHINE, WIRING, 16, TABLE, constants=measured(1e-4), only_feasible=False
    ).parts_s["compute"]
    assert quick == pytest.approx(quicker, rel=0.05)
    assert (quick > 0).all()
