"""Time of activations that wait in host memory: what of their way computation does not hide."""

from __future__ import annotations

import numpy as np

from planner.physics.job import Job
from planner.physics.machine import Machine
from planner.physics.memory import kept_bytes
from planner.physics.pipeline import Stages
from planner.physics.steptime.stage_compute import StageCompute
from planner.physics.strategies import StrategyTable
from planner.physics.wiring import FloatArray


def offload_s(
    job: Job, machine: Machine, table: StrategyTable, work: StageCompute
) -> FloatArray | float:
    """Return the visible seconds of one pass, shape (strategies,): out forward, back backward."""
    if not job.offloaded_activations:
        return 0.0
    stages = Stages.of(job.network.num_hidden_layers, table)
    moved = job.offloaded_activations * kept_bytes(job, table, stages.first)
    one_way = moved / max(machine.host_bytes_per_s, 1.0)
    one = work.slowest
    backward = one.backward_s + one.weight_s + one.again_s
    out = np.maximum(one_way - one.forward_s, 0.0)
    back: FloatArray = np.maximum(one_way - backward, 0.0)
    return out + back
