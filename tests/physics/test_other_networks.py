"""Image networks and recommenders: work, traffic and scaling."""

from __future__ import annotations

import pytest
from selene import MACHINE, WIRING

from planner.domain.compute_constants import shipped_constants
from planner.domain.network import load_network
from planner.domain.strategy import Strategy
from planner.physics import steptime
from planner.physics.flops import step_flops
from planner.physics.job import Job

CONSTANTS = shipped_constants()


def explain(name, gpus, each, **job):
    """Return the step of a replicated network, `each` samples a GPU."""
    given = Job(
        network=load_network(name), sequence_length=1, global_batch=gpus * each,
        precision="fp16", captured=True, **job,
    )  # fmt: skip
    strategy = Strategy(dp=gpus, micro_batch=each, precision="fp16")
    return steptime.explain(
        given, MACHINE, WIRING, max(gpus // 8, 1), strategy, constants=CONSTANTS
    )


def test_resnet_operations():
    """ResNet-50 needs 4.1 billion multiply-adds an image forward (torchvision: 4.09 GFLOPS)."""
    job = Job(network=load_network("resnet-50"), sequence_length=1, global_batch=1)
    assert step_flops(job).total == pytest.approx(3 * 2 * 4.09e9, rel=0.01)


def test_more_images_take_longer():
    """A larger batch takes longer, but less than in proportion at small sizes."""
    small, large = explain("resnet-50", 8, 16), explain("resnet-50", 8, 64)
    assert small.step_time_s < large.step_time_s < 4.5 * small.step_time_s


def test_weak_scaling_costs_the_reduction():
    """More GPUs with the same batch each wait for the gradients, little more."""
    one, many = explain("resnet-50", 8, 128), explain("resnet-50", 64, 128)
    assert one.step_time_s <= many.step_time_s < 1.3 * one.step_time_s


def test_recommender_exchanges_looked_up_rows():
    """Looked-up vectors travel once each way to the GPUs whose samples need them."""
    detail = explain("dlrm-dcnv2", 16, 2048)
    rows = [c for c in detail.collectives if c.part == "ep"]
    assert [(c.collective, c.calls, c.ranks) for c in rows] == [("all_to_all", 2.0, 16)]
    assert rows[0].size_bytes == 2048 * 26 * 128 * 2


def test_tables_are_spread_over_all_gpus():
    """A recommender's tables halve on each GPU when the GPUs double."""
    few, many = explain("dlrm-dcnv2", 8, 1024), explain("dlrm-dcnv2", 16, 1024)
    assert many.memory_bytes["weights"] < 0.51 * few.memory_bytes["weights"]


@pytest.mark.parametrize("name", ["resnet-50", "dlrm-dcnv2", "bert-large", "mixtral-8x7b"])
def test_every_family_has_a_step_bound(name):
    """Networks without attention too: below any step, and more GPUs never raise it."""
    job = Job(network=load_network(name), sequence_length=1, global_batch=1024)
    few, many = (
        steptime.compute_bound_s(job, MACHINE, gpus, constants=CONSTANTS) for gpus in (8, 64)
    )
    assert 0 < many <= few
