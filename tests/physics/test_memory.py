"""Memory: the published activation formula, sharding, schedules."""

from __future__ import annotations

import numpy as np
import pytest
from selene import gpt_job

from planner.domain.compute_constants import shipped_constants
from planner.domain.strategy import Strategy
from planner.physics.activations import layer_activations
from planner.physics.memory import memory_of
from planner.physics.strategies import StrategyTable

COMPUTE = shipped_constants().compute


@pytest.mark.parametrize("tp", [1, 2, 8])
@pytest.mark.parametrize("split", [False, True])
def test_activation_formula(tp, split):
    """A GPT layer keeps s b h (10 + 24/t + 5as/ht), and 34/t with sequence parallelism."""
    job = gpt_job()
    table = StrategyTable.of([Strategy(tp=tp, micro_batch=2, sequence_parallel=split)])
    kept = layer_activations(job, table)
    net = job.network
    s, b, h, a = 2048, 2, net.hidden_size, net.num_attention_heads
    plain = 34 / tp if split else 10 + 24 / tp
    expected = s * b * h * (plain + 5 * a * s / (h * tp))
    assert float((kept.boundary + kept.dense + kept.scores)[0]) == pytest.approx(
        expected, rel=1e-12
    )


def states(**choices):
    """Return the model-state memory of a strategy on 8 data-parallel ranks."""
    table = StrategyTable.of([Strategy(dp=8, **choices)])
    memory = memory_of(gpt_job("megatron-22b"), table, np.array([4.0]), COMPUTE)
    return {name: float(value[0]) for name, value in memory.parts().items()}


def test_sharding_divides_what_it_says():
    """ZeRO-1 divides the states, ZeRO-2 also the gradients, ZeRO-3 also the weights."""
    ddp, one, two, three = (states(sharding=s) for s in ("ddp", "zero1", "zero2", "zero3"))
    assert one["optimizer"] == pytest.approx(ddp["optimizer"] / 8)
    assert one["gradients"] == ddp["gradients"]
    assert two["gradients"] == pytest.approx(ddp["gradients"] / 8)
    assert two["weights"] == ddp["weights"]
    assert three["weights"] == pytest.approx(ddp["weights"] / 8)
    assert three["gathered"] > 0


def test_hybrid_sharding_lies_between():
    """HSDP over two ranks divides by two."""
    ddp, hybrid = states(sharding="ddp"), states(sharding="hsdp", shard_group=2)
    assert hybrid["weights"] == pytest.approx(ddp["weights"] / 2)


def test_recompute_never_needs_more():
    """Recomputing more keeps less."""
    kept = [states(recompute=r)["activations"] for r in ("none", "selective", "full")]
    assert kept[0] > kept[1] > kept[2]


def test_gpipe_holds_every_micro_batch():
    """GPipe holds all micro-batches, 1F1B as many as stages, interleaving somewhat more."""
    held = {}
    for schedule, vpp in (("gpipe", 1), ("1f1b", 1), ("interleaved", 2)):
        table = StrategyTable.of([Strategy(pp=4, schedule=schedule, vpp=vpp)])
        memory = memory_of(gpt_job("megatron-22b"), table, np.array([32.0]), COMPUTE)
        held[schedule] = float(memory.activations[0])
    assert held["1f1b"] < held["interleaved"] < held["gpipe"]
