"""What a row of measured steps leaves unstated, read so that the run that ran fits in memory.

The reading depends on the row's cells and the memory model alone, never on a measured or a
predicted time, and touches only cells that were filled from general knowledge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from planner.domain.compute_constants import shipped_constants
from planner.domain.strategy import Strategy
from planner.physics.job import Job
from planner.physics.machine import Machine
from planner.physics.memory import memory_of
from planner.physics.strategies import StrategyTable

COHERENT_BYTES_PER_S = 200e9
"""From this host link on, activations are offloaded rather than recomputed (NVLink-C2C)."""

OFFLOADED_SHARES = tuple(np.round(np.arange(0.05, 1.0, 0.05), 2))


def fits(job: Job, strategy: Strategy, machine: Machine) -> bool:
    """Return whether a job's strategy fits in the memory of a machine."""
    table = StrategyTable.of([strategy])
    micro = table.micro_batches(job.global_batch)
    total = memory_of(job, table, micro, shipped_constants().compute).total
    return bool(total[0] <= machine.memory_bytes)


def fitting(
    job: Job, strategy: Strategy, machine: Machine, guessed: set[str]
) -> tuple[Job, Strategy]:
    """Return the first reading of a row that fits in memory; as it stands if none does.

    Parameters
    ----------
    guessed
        Columns that were filled from general knowledge.
    """
    for reading in _readings(job, strategy, machine, guessed):
        if fits(*reading, machine):
            return reading
    return job, strategy


def _readings(
    job: Job, strategy: Strategy, machine: Machine, guessed: set[str]
) -> Iterator[tuple[Job, Strategy]]:
    """Yield readings from the plainest to the most frugal.

    16-bit gradients where their width is a guess; states at the width of the weights where a
    whole 16-bit network is sharded; weights sharded where a replica's states cannot fit; then
    what saves activations: selective recomputation, offload over a coherent link, full
    recomputation.
    """
    yield job, strategy
    if "gradient_dtype" in guessed:
        job = replace(job, gradient_bytes=min(job.gradient_bytes, 2.0), gradient_copy_bytes=0.0)
        yield job, strategy
        if strategy.sharding == "zero3" and strategy.precision == "bf16" and not job.fused:
            job = replace(job, narrow_states=True)
            yield job, strategy
    if strategy.sharding == "zero1" and strategy.tp == strategy.pp == 1:
        strategy = _unless_states_fit(job, strategy, machine)
    if "recompute" not in guessed or strategy.recompute == "full":
        return
    yield job, strategy.model_copy(update={"recompute": "selective"})
    if machine.host_bytes_per_s >= COHERENT_BYTES_PER_S:
        for share in OFFLOADED_SHARES:
            yield replace(job, offloaded_activations=float(share)), strategy
    yield job, strategy.model_copy(update={"recompute": "full"})


def _unless_states_fit(job: Job, strategy: Strategy, machine: Machine) -> Strategy:
    """Return the strategy with sharded weights where full recomputation would not fit either."""
    frugal = strategy.model_copy(update={"recompute": "full"})
    if fits(job, frugal, machine):
        return strategy
    return strategy.model_copy(update={"sharding": "zero3"})
