"""Workloads and servers of an instance as physics sees them."""

from __future__ import annotations

from planner.domain.hardware import Accelerator, Server
from planner.domain.network import Network
from planner.domain.units import GIB, GIGA
from planner.domain.workload import Workload
from planner.physics.enumeration import StrategyOptions
from planner.physics.job import Job
from planner.physics.machine import Machine

TERA = 1e12
PEAKS = {
    "half": ("bf16_tflops", "fp16_tflops"),
    "fp8": ("fp8_tflops",),
    "fp4": ("fp4_tflops",),
    "tf32": ("tf32_tflops",),
    "fp32": ("fp32_tflops",),
}
"""Data-sheet columns of each kernel family, the first that is known counts."""


def job_of(workload: Workload, network: Network) -> Job:
    """Return a workload as physics sees it."""
    return Job(
        network=network,
        sequence_length=workload.sequence_length,
        global_batch=workload.global_batch,
        precision=workload.precision,
        optimizer=workload.optimizer,
        flash_attention=workload.flash_attention,
    )


def options_of(workload: Workload) -> StrategyOptions:
    """Return the strategies that a workload pins or forbids.

    Zero-bubble schedules are searched only where pinned: few frameworks run them in production.
    """
    fix, forbid = workload.fix.values(), dict(workload.forbid.values())
    if "schedule" not in fix:
        forbid["schedule"] = (*forbid.get("schedule", ()), "zero_bubble")
    return StrategyOptions(fix=fix, forbid=forbid)


def machine_of(server: Server, accelerator: Accelerator, precision: str = "bf16") -> Machine:
    """Return an accelerator in its server as physics sees it; its 16-bit rate is the format's."""
    peaks: dict[str, float] = {}
    for family, columns in PEAKS.items():
        order = reversed(columns) if precision == "fp16" else columns
        known = [getattr(accelerator, c) for c in order if getattr(accelerator, c) is not None]
        if known:
            peaks[family] = known[0] * TERA
    return Machine(
        accelerator=accelerator.id,
        architecture=accelerator.architecture,
        memory_bytes=accelerator.memory_gib * GIB,
        memory_bytes_per_s=accelerator.memory_gbytes_per_s * GIGA,
        peak_flops=peaks,
        host_memory_bytes=server.dram_gib * GIB / server.gpus,
        host_bytes_per_s=(accelerator.host_gbytes_per_s or 0.0) * GIGA,
    )
