"""Activations in host memory, and the processor's slices by rank of module-wise ZeRO-3."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from selene import MACHINE, WIRING, gpt_job

from planner.domain.compute_constants import shipped_constants
from planner.domain.strategy import Strategy
from planner.physics.memory import kept_bytes, memory_of
from planner.physics.pipeline import Stages
from planner.physics.steptime import explain
from planner.physics.strategies import StrategyTable

CONSTANTS = shipped_constants()
SHARDED = Strategy(dp=64, sharding="zero3", recompute="full")


def _step(job, strategy, machine=MACHINE):
    return explain(job, machine, WIRING, 8, strategy, constants=CONSTANTS)


def test_offload_frees_what_it_moves():
    """Half of the layers' activations elsewhere leave half of what the layers keep."""
    job = gpt_job("gpt3-175b", 64)
    table = StrategyTable.of([SHARDED])
    micro = np.array([1.0])
    whole = memory_of(job, table, micro, CONSTANTS.compute)
    half = memory_of(replace(job, offloaded_activations=0.5), table, micro, CONSTANTS.compute)
    kept = kept_bytes(job, table, Stages.of(job.network.num_hidden_layers, table).first)
    assert whole.activations[0] - half.activations[0] == pytest.approx(0.5 * kept[0])


def test_slow_host_links_are_seen():
    """Over a link too slow to hide behind computation the step grows by the way out and back."""
    job = replace(gpt_job("gpt3-175b", 64), offloaded_activations=0.5)
    fast = _step(job, SHARDED, replace(MACHINE, host_bytes_per_s=1e15))
    slow = _step(job, SHARDED, replace(MACHINE, host_bytes_per_s=1e7))
    none = _step(replace(job, offloaded_activations=0.0), SHARDED)
    assert fast.step_time_s == pytest.approx(none.step_time_s)
    assert slow.step_time_s > 2.0 * fast.step_time_s


def test_slices_grow_with_the_ranks():
    """Gathering module by module costs each layer 28 slices for every rank."""
    apart = replace(gpt_job("gpt3-175b", 64), overlap_gather=False)
    host = CONSTANTS.compute.host
    free = host.model_copy(update={"slice_s": host.slice_s.model_copy(update={"value": 0.0})})
    constants = CONSTANTS.model_copy(
        update={"compute": CONSTANTS.compute.model_copy(update={"host": free})}
    )
    with_slices = _step(apart, SHARDED).step_time_s
    without = explain(apart, MACHINE, WIRING, 8, SHARDED, constants=constants).step_time_s
    layers = apart.network.num_hidden_layers
    expected = layers * 28.0 * 64 * host.slice_s.value * apart.global_batch / 64
    assert with_slices - without == pytest.approx(expected, rel=1e-6)
