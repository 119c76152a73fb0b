"""What a row leaves unstated is read so that the run fits, and nothing else is touched."""

from __future__ import annotations

from dataclasses import replace

from planner.domain.catalog import load_catalog
from planner.domain.network import load_network
from planner.domain.strategy import Strategy
from planner.physics.job import Job
from planner.study.row_machine import machine_of
from planner.study.row_reading import fits, fitting

CATALOG = load_catalog()
H100 = machine_of(CATALOG, "h100-sxm")
GB200 = machine_of(CATALOG, "gb200")
JOB = Job(
    network=load_network("llama3-70b"), sequence_length=8192, global_batch=128,
    precision="fp8", gradient_bytes=2.0,
)  # fmt: skip
SHARDED = Strategy(dp=64, micro_batch=2, sharding="zero3", precision="fp8")
GUESSED = {"recompute", "gradient_dtype"}


def test_stated_cells_are_never_changed():
    """A row that states its recomputation stays as it is, even where it does not fit."""
    assert not fits(JOB, SHARDED, H100)
    assert fitting(JOB, SHARDED, H100, set()) == (JOB, SHARDED)


def test_what_fits_is_not_changed():
    """A row that fits as it stands is read as it stands."""
    small = replace(JOB, network=load_network("llama3-8b"), sequence_length=2048)
    assert fits(small, SHARDED, GB200)
    assert fitting(small, SHARDED, GB200, GUESSED) == (small, SHARDED)


def test_coherent_links_offload_and_others_recompute():
    """Activations go to the host over NVLink-C2C only; over PCIe they are recomputed."""
    job, strategy = fitting(JOB, SHARDED, GB200, GUESSED)
    assert job.offloaded_activations > 0
    assert strategy.recompute == "none"
    job, strategy = fitting(JOB, SHARDED, H100, GUESSED)
    assert job.offloaded_activations == 0
    assert strategy.recompute == "full"
    assert fits(job, strategy, H100)


def test_weights_are_sharded_where_replicas_cannot_fit():
    """70 billion parameters whole on one GPU cannot have run: their weights were sharded."""
    whole = SHARDED.model_copy(update={"sharding": "zero1"})
    _, strategy = fitting(JOB, whole, GB200, GUESSED)
    assert strategy.sharding == "zero3"
