"""Each workload against its target: spare time, run days, finish date."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass

from planner.domain.solution import Solution, WorkloadResult
from planner.domain.workload import Workload
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
    hours_spare: float = 1.0
    """Share of a step as long as the hours shared with other jobs allow that this one leaves unused."""

    @property
    def spare_share(self) -> float:
        """Share of the longest step allowed that is left unused; negative when it is missed.

        The enforced limit allows it, and the hours that the other jobs leave.
        """
        return min(1 - self.result.step_time_s / self.result.limit_s, self.hours_spare)

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
    kept = kept_shares(solution)
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
                hours_spare=_hours_spare(kept, result, demand),
            )
        )
    return found


def kept_shares(solution: Solution) -> dict[str, float]:
    """Return the share of all hours kept for each job that takes turns with others: with its margin.

    Empty where fewer than two take turns.
    """
    demands = {w.name: w for w in solution.instance.workloads if w.runs == "time_shared"}
    kept = {
        result.name: result.busy_fraction
        * (1.0 if demands[result.name].steps is None else 1.0 + result.margin)
        for result in solution.workloads
        if result.name in demands
    }
    return kept if len(kept) > 1 else {}


def _hours_spare(kept: dict[str, float], result: WorkloadResult, demand: Workload | None) -> float:
    """Return by what share of the longest step that the hours allow a step is shorter."""
    own, left = kept.get(result.name, 0.0), 1.0 - sum(kept.values())
    if not own or demand is None or demand.steps is None:
        return 1.0
    return left / (left + own) if left > 0 else left


def hours_text(solution: Solution, w: Words, n: Notation) -> str:
    """Return how much of the hours the jobs that take turns hold; empty where none do."""
    kept = kept_shares(solution)
    if not any(kept.values()):
        return ""
    busy = sum(r.busy_fraction for r in solution.workloads if r.name in kept)
    left = 1.0 - sum(kept.values())
    return w(
        "step.all_busy" if left > -1e-9 else "step.all_too_busy",
        share=n.percent(busy),
        kept=n.percent(sum(kept.values())),
        spare=n.percent(abs(left)),
    )


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
