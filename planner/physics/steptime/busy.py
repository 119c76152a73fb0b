"""How long the GPU computes in a step: what a profile of one rank can be held against."""

from __future__ import annotations

import numpy as np

from planner.domain.compute_constants import ComputeConstants
from planner.physics.job import Job
from planner.physics.machine import Machine
from planner.physics.steptime.optimizer_step import optimizer_s
from planner.physics.steptime.stage_compute import stage_compute
from planner.physics.strategies import StrategyTable
from planner.physics.wiring import FloatArray


def busy_s(
    job: Job, machine: Machine, table: StrategyTable, constants: ComputeConstants
) -> FloatArray:
    """Return the seconds of a step in which kernels compute on the slowest stage.

    Neither waits for the network, the processor or other stages, nor optimizer states that the
    processor updates, are in it; shape (strategies,).
    """
    micro = table.micro_batches(job.global_batch)
    one = stage_compute(job, machine, table, constants).slowest
    update = np.where(table.offload > 0, 0.0, optimizer_s(job, machine, table, constants))
    busy: FloatArray = micro * (one.total_s - one.idle_s) + update
    return busy
