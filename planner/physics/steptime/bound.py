"""True lower bounds on the step time, to discard designs before they are timed."""

from __future__ import annotations

from collections.abc import Iterable

from planner.domain.compute_constants import ModelConstants
from planner.physics.enumeration import StrategyOptions
from planner.physics.flops import step_flops
from planner.physics.job import Job
from planner.physics.kernels import Kernels
from planner.physics.machine import Machine
from planner.physics.steptime.best import BestStep, best
from planner.physics.strategies import StrategyTable
from planner.physics.wiring import Wiring

_ROUNDING = 1.0 - 1e-9


def compute_bound_s(job: Job, machine: Machine, gpus: int, *, constants: ModelConstants) -> float:
    """Return a lower bound on the step time of every strategy on a number of GPUs.

    All operations, shared evenly, at the best rate any kernel of the model reaches; no
    communication, no bubble, no memory traffic.
    """
    flops = step_flops(job)
    kernels = Kernels.of(machine, constants.compute, job.precision)
    wide = job.precision if job.precision in ("fp32", "tf32") else "bf16"
    plain = Kernels.of(machine, constants.compute, wide)
    seconds = flops.linear / kernels.peak + flops.head / plain.peak
    if job.flash_attention and flops.attention > 0.0:
        width = (job.network.query_key_dim + job.network.value_dim) / 2.0
        forward = flops.attention / 3.0 / plain.attention_rate(width, fused=job.vendor_attention)
        seconds += forward * (1.0 + 2.5 / plain.attention_backward_rate)
    else:
        seconds += flops.attention / plain.peak
    seconds *= constants.compute.measured_factor(machine.accelerator, job.network.family)
    return _ROUNDING * (seconds / gpus + constants.compute.host.step_s.value)


def free_network_best(
    job: Job,
    machine: Machine,
    wiring: Wiring,
    nodes: int,
    *,
    constants: ModelConstants,
    options: StrategyOptions | None = None,
    limit_s: float | None = None,
    blocks: Iterable[StrategyTable] | None = None,
) -> BestStep | None:
    """Return the fastest strategy with all communication free: a tighter lower bound."""
    return best(
        job, machine, wiring, nodes,
        constants=constants, options=options, limit_s=limit_s, free_network=True, blocks=blocks,
    )  # fmt: skip
