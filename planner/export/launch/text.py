"""Every launch format by name."""

from __future__ import annotations

from planner.domain.solution import Solution
from planner.export.launch.deepspeed import deepspeed_text
from planner.export.launch.job import launch_job
from planner.export.launch.megatron import megatron_text
from planner.export.launch.nccl_env import nccl_env_text
from planner.export.launch.slurm import slurm_text
from planner.export.launch.torchtitan import torchtitan_text

JOB_WRITERS = {
    "megatron": megatron_text,
    "deepspeed": deepspeed_text,
    "torchtitan": torchtitan_text,
}
LAUNCH_KINDS = (*JOB_WRITERS, "nccl-env", "slurm", "slurm-yaml")


def launch_text(solution: Solution, kind: str, workload: str | None) -> str:
    """Return an answer as the flags or files of one framework.

    Parameters
    ----------
    solution
        The answer.
    kind
        One of LAUNCH_KINDS.
    workload
        Name of the workload; needed for a framework where the answer has several.

    Raises
    ------
    UsageError
        If the framework cannot express the strategy, or the workload is not clear.
    """
    if kind in JOB_WRITERS:
        return JOB_WRITERS[kind](launch_job(solution, workload))
    if kind == "nccl-env":
        return nccl_env_text(solution)
    return slurm_text(solution, yaml=kind == "slurm-yaml")
