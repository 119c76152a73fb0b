"""Hours of workloads that take turns, each with its margin, and which time rows a column breaks.

A margin is there because steps may prove slower than the model says. A slower step also takes more
of the hours that are shared, so hours kept for a workload are those of steps slower by its margin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from planner.domain.workload import Workload
from planner.program.margins import Margin
from planner.program.scan import StepTimes

SLACK = 1e-9
"""Rounding: a single run at its limit keeps exactly all hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedHours:
    """What the workloads of a pool ask of its hours; those at the same time as others ask none."""

    demands: tuple[Workload, ...]
    margins: tuple[Margin, ...]
    slower: float = 1.0
    """Factor by which every step takes longer than it is timed."""

    @property
    def contended(self) -> bool:
        """Whether more than one workload takes turns."""
        return sum(job.runs == "time_shared" for job in self.demands) > 1

    def kept(self, walls_s: Sequence[float]) -> float:
        """Return the share of all hours kept for the workloads, each with its margin.

        Parameters
        ----------
        walls_s
            Wall time of a step, seconds, of the workloads in their order; of the first ones only,
            the share is that of these.
        """
        return math.fsum(self.share(k, wall * self.slower) for k, wall in enumerate(walls_s))

    def share(self, index: int, wall_s: float) -> float:
        """Return the share kept for one workload at a wall time of its step."""
        job = self.demands[index]
        if job.runs != "time_shared":
            return 0.0
        return job.kept_fraction(wall_s, self.margins[index].value)

    def room(self, walls_s: Sequence[float]) -> float:
        """Return the factor by which all steps may grow until the hours are used up."""
        fixed = math.fsum(self.share(k, 0.0) for k in range(len(walls_s)))
        moving = self.kept(walls_s) - fixed
        return (1.0 - fixed) / moving if moving > 0 else math.inf

    def exceeded(self, walls_s: Sequence[float]) -> bool:
        """Whether the workloads need more hours than there are."""
        return self.kept(walls_s) > 1.0 + SLACK

    def settled(self, walls_s: Sequence[float]) -> bool:
        """Whether a column that is too slow for one of these workloads is known to lack hours too.

        The others need not be timed then: hours are the same limit to all of them.
        """
        return not self.contended or self.exceeded(walls_s)


def judged(
    steps: Sequence[Any],
    walls_s: Sequence[float],
    limits_s: Sequence[float],
    hours: SharedHours,
    slack: float = 1.0,
) -> StepTimes:
    """Return the steps with the rows that they break: step times and hours.

    Parameters
    ----------
    steps
        What is answered, one a workload or none.
    walls_s
        Wall time of each workload's step, seconds; infinite where it is only known to be above the
        limit. May end early: hours are then those of the workloads timed.
    limits_s
        Target / (1 + margin), seconds, one a workload.
    hours
        What the workloads ask of the hours.
    slack
        Factor on the limits.
    """
    pairs = list(zip(walls_s, limits_s, strict=False))
    broken = [f"step_time_w{k}" for k, (wall, most) in enumerate(pairs) if wall > most * slack]
    least = [most if math.isinf(wall) else wall for wall, most in pairs]
    if hours.contended and hours.exceeded([wall / slack for wall in least]):
        broken.append("hours")
    return StepTimes(tuple(steps), broken[0] if broken else "", frozenset(broken))
