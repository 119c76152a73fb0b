"""Experts: weights divided by ep x etp, replicas reduced apart, exchanges counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from selene import MACHINE, WIRING

from planner.domain.compute_constants import shipped_constants
from planner.domain.network import load_network
from planner.domain.strategy import Strategy
from planner.physics import steptime
from planner.physics.job import Job
from planner.physics.memory import memory_of
from planner.physics.sharded import layer_parameters
from planner.physics.strategies import StrategyTable

CONSTANTS = shipped_constants()
MIXTRAL = Job(network=load_network("mixtral-8x7b"), sequence_length=4096, global_batch=64)
LARGE = replace(MACHINE, memory_bytes=1e13)


@pytest.mark.parametrize(
    ("choices", "share"), [({}, 1), ({"ep": 8}, 8), ({"tp": 4, "ep": 2, "etp": 4}, 8)]
)
def test_expert_weights_are_divided_by_both_degrees(choices, share):
    """Routed experts are divided by ep x etp and by nothing else."""
    table = StrategyTable.of([Strategy(dp=32 // choices.get("tp", 1), **choices)])
    network = MIXTRAL.network
    held = float(layer_parameters(network, table).experts[0])
    assert held == pytest.approx(network.num_experts * network.expert_parameters / share)


def test_tensor_parallelism_alone_leaves_experts_whole():
    """With etp 1 the routed experts do not shrink with tp."""
    states = []
    for tp in (1, 4):
        table = StrategyTable.of([Strategy(tp=tp, dp=32 // tp, ep=8)])
        states.append(float(layer_parameters(MIXTRAL.network, table).experts[0]))
    assert states[0] == states[1]


def detail(**choices):
    """Return one strategy's step on four nodes."""
    strategy = Strategy(**({"dp": 32} | choices))
    return steptime.explain(MIXTRAL, LARGE, WIRING, 4, strategy, constants=CONSTANTS)


def test_exchange_only_with_expert_parallelism():
    """Tokens travel only where experts are spread, four times a layer and micro-batch."""
    assert not [c for c in detail().collectives if c.part == "ep"]
    found = detail(ep=8)
    rows = [c for c in found.collectives if c.part == "ep"]
    assert [c.collective for c in rows] == ["all_to_all"]
    assert rows[0].calls == 4 * 32 * found.micro_batches
    assert rows[0].size_bytes == 4096 * 2 * 4096 * 2


def test_expert_gradients_are_reduced_over_their_replicas():
    """Dense gradients are reduced over dp, expert gradients over dp / ep."""
    ranks = {c.ranks for c in detail(ep=8, sharding="zero1").collectives if c.part == "grad"}
    assert ranks == {32, 4}


def test_memory_counts_replicated_experts():
    """Spreading experts over more ranks frees their share of weights."""
    totals = []
    for ep in (1, 2, 8):
        table = StrategyTable.of([Strategy(dp=32, ep=ep)])
        totals.append(
            float(memory_of(MIXTRAL, table, np.array([2.0]), CONSTANTS.compute).weights[0])
        )
    assert totals[0] > totals[1] > totals[2]


@pytest.mark.parametrize("name", ["deepseek-v3", "gpt-oss-120b", "qwen3-30b-a3b"])
def test_other_expert_networks_run(name):
    """Latent attention, windows and shared experts give finite positive steps."""
    job = Job(network=load_network(name), sequence_length=4096, global_batch=64)
    found = steptime.best(job, LARGE, WIRING, 4, constants=CONSTANTS)
    assert found is not None
    assert 0 < found.step_time_s < 1e4
