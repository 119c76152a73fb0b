"""Each workload against its target: spare time, run days, finish date."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass

from planner.domain.solution import Solution, WorkloadResult
from planner.report.notation import Notation
from planner.report.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One workload's result beside what its instance demands."""

    result: WorkloadResult
    deadline_days: float | None
    repeat_days: float | None
    finish: datetime.date | None
    """Last day of the run, where the job has the cluster for itself and the start is given."""

    @property
    def spare_share(self) -> float:
        """Share of the enforced limit that the step leaves unused; negative when it is missed."""
        return 1 - self.result.step_time_s / self.result.limit_s

    @property
    def faster_share(self) -> float:
        """Share of the instance's target that the step leaves unused."""
        return 1 - self.result.step_time_s / self.result.target_s

    @property
    def met(self) -> bool:
        """Whether the step is within the enforced limit, up to rounding of the division."""
        return self.result.step_time_s <= self.result.limit_s * (1 + 1e-9)

    @property
    def parts(self) -> list[tuple[str, float]]:
        """Parts of the step time that take any time, in the solution's order."""
        return [(name, s) for name, s in self.result.breakdown.items() if s]


def targets(solution: Solution) -> list[Target]:
    """Return one target for each workload result, in the solution's order."""
    demands = {w.name: w for w in solution.instance.workloads}
    start = solution.instance.finance.in_service
    alone = len(solution.workloads) == 1
    found = []
    for result in solution.workloads:
        demand = demands.get(result.name)
        finish = None
        if alone and start is not None and result.run_days is not None:
            finish = start + datetime.timedelta(days=math.ceil(result.run_days))
        found.append(
            Target(
                result=result,
                deadline_days=demand.deadline_days if demand else None,
                repeat_days=demand.repeat_days if demand else None,
                finish=finish,
            )
        )
    return found


def busy_share(solution: Solution) -> float:
    """Return the share of all hours that the workloads hold the cluster together."""
    return sum(w.busy_fraction for w in solution.workloads)


def days_text(days: float, n: Notation) -> str:
    """Return a number of days, one decimal from ten days upwards."""
    return n.short(days, 1 if days >= 10 else 2)


def run_text(target: Target, w: Words, n: Notation) -> str:
    """Return how long one run takes of the days it may take."""
    days = target.result.run_days
    if days is None:
        return ""
    shown = days_text(days, n)
    if target.deadline_days is None:
        return w("step.days", days=shown)
    return w("step.of_days", days=shown, deadline=n.short(target.deadline_days, 2))


def margin_text(solution: Solution, w: Words, n: Notation) -> str:
    """Return how the enforced limit follows from the target."""
    margins = sorted({result.margin for result in solution.workloads})
    if len(margins) == 1:
        return w("step.margin", margin=n.percent(margins[0]))
    return w("step.margin_each", margins=", ".join(n.percent(margin) for margin in margins))
