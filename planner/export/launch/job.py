"""What a framework needs to know of one workload of an answer."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.errors import UsageError
from planner.domain.network import Network
from planner.domain.solution import Solution, WorkloadResult
from planner.domain.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchJob:
    """One workload with its network and its place on the cluster."""

    demand: Workload
    result: WorkloadResult
    network: Network
    gpus_per_host: int
    hosts: int

    @property
    def accumulation(self) -> int:
        """Micro-batches of one step on one data-parallel rank."""
        strategy = self.result.strategy
        return self.demand.global_batch // (strategy.dp * strategy.micro_batch)


def launch_job(solution: Solution, name: str | None) -> LaunchJob:
    """Return a workload of an answer by name, the only one if no name is given.

    Raises
    ------
    UsageError
        If the answer has no design, or the name fits no workload or several.
    """
    if solution.design is None:
        raise UsageError("the answer has no design, so there is nothing to launch")
    names = [result.name for result in solution.workloads]
    if name is None and len(names) > 1:
        raise UsageError(f"the answer has {len(names)} workloads; name one of {', '.join(names)}")
    wanted = names[0] if name is None else name
    if wanted not in names:
        raise UsageError(f"no workload {wanted!r}; one of {', '.join(names)}")
    result = solution.workloads[names.index(wanted)]
    demand = next(w for w in solution.instance.workloads if w.name == wanted)
    per_host = min(solution.design.platform.gpus, _host_gpus(solution))
    return LaunchJob(
        demand=demand,
        result=result,
        network=solution.networks[demand.network],
        gpus_per_host=per_host,
        hosts=-(-result.gpus_used // per_host),
    )


def _host_gpus(solution: Solution) -> int:
    """Return the GPUs of one host: four of an NVL72 tray, else all of the server."""
    assert solution.design is not None
    platform = solution.design.platform
    return 4 if platform.scale_up == "nvl72" else platform.gpus
