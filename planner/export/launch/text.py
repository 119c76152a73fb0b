"""Every launch format by name."""

from __future__ import annotations

from pathlib import Path

from planner.domain.network import load_network
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


def launch_text(solution: Solution, folder: Path, kind: str, workload: str | None) -> str:
    """Return an answer as the flags or files of one framework.

    Parameters
    ----------
    solution
        The answer.
    folder
        Where paths of networks in its instance begin.
    kind
        One of LAUNCH_KINDS.
    workload
        Name of the workload; needed for a framework where the answer has several.

    Raises
    ------
    UsageError
        If the framework cannot express the strategy, or the workload is not clear.
    InputError
        If a network cannot be read.
    """
    if kind in JOB_WRITERS:
        names = {w.network for w in solution.instance.workloads}
        networks = {name: load_network(name, near=folder) for name in sorted(names)}
        return JOB_WRITERS[kind](launch_job(solution, networks, workload))
    if kind == "nccl-env":
        return nccl_env_text(solution)
    return slurm_text(solution, yaml=kind == "slurm-yaml")
