"""Time of the optimizer: a pass over its states in memory, or over the host link when offloaded."""

from __future__ import annotations

import numpy as np

from planner.domain.compute_constants import ComputeConstants
from planner.physics.distinct import distinct
from planner.physics.job import Job
from planner.physics.machine import Machine
from planner.physics.pipeline import Stages
from planner.physics.sharded import shard_sizes, stage_parameters
from planner.physics.strategies import DDP, ZERO2, StrategyTable
from planner.physics.traffic import GRADIENT_COLUMNS
from planner.physics.wiring import FloatArray


def optimizer_s(
    job: Job, machine: Machine, table: StrategyTable, constants: ComputeConstants
) -> FloatArray:
    """Return the time of norm, clipping, update and zeroing, shape (strategies,).

    The norm reads the reduced gradients once, the update reads them again and reads and writes
    the states, zeroing writes the gradient buffers.
    """
    classes = distinct([*(getattr(table, name) for name in GRADIENT_COLUMNS), table.offload])
    part = table.take(classes.first)
    stages = Stages.of(job.network.num_hidden_layers, part)
    first, last = stage_parameters(job.network, part, stages)
    dense = np.maximum(first.dense, last.dense)
    expert = np.maximum(first.expert, last.expert)
    dense_ranks, expert_ranks = shard_sizes(part)
    sharded = part.sharding != DDP
    local = np.where(sharded, dense / dense_ranks + expert / expert_ranks, dense + expert)
    buffers = np.where(part.sharding >= ZERO2, local, dense + expert)
    kernels = constants.accelerator(machine.accelerator, machine.architecture)
    factor = constants.measured_factor(machine.accelerator, job.network.family)
    rate = machine.memory_bytes_per_s * kernels.memory_efficiency.value / factor
    width = 2.0 * job.gradient_bytes + 2.0 * job.state_bytes + job.weight_bytes
    time = (local * width + buffers * job.gradient_bytes) / rate
    if np.any(part.offload > 0):
        link = max(machine.host_bytes_per_s, 1.0)
        away = local * (job.gradient_bytes + job.weight_bytes) / link
        away = away + local * width / constants.host.update_bytes_per_s.value
        here = buffers * job.gradient_bytes / rate
        time = np.where(part.offload > 0, here + away, time)
    result: FloatArray = time[classes.inverse]
    return result
