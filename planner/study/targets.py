"""An instance with other targets: the deadline or step time of its workloads moved."""

from __future__ import annotations

from collections.abc import Mapping

from planner.domain.instance import Instance
from planner.domain.units import SECONDS_PER_DAY
from planner.domain.workload import Workload
from planner.program.market import Market

SLOWEST_DAYS = 1e15
"""A deadline that is none."""


def retargeted(workload: Workload, target_s: float, availability: float) -> Workload:
    """Return a workload that must step within another time.

    A run that comes back never comes back before it ends.

    Parameters
    ----------
    workload
        The job as the instance has it.
    target_s
        New target, seconds; the margin is not taken off.
    availability
        Share of wall time spent on useful steps, with which a deadline becomes a step time.
    """
    if workload.steps is None:
        return workload.model_copy(update={"step_time_s": target_s})
    days = min(target_s * workload.steps / (SECONDS_PER_DAY * availability), SLOWEST_DAYS)
    changed: dict[str, float] = {"deadline_days": days}
    if workload.repeat_days is not None and workload.repeat_days < days:
        changed["repeat_days"] = days
    return workload.model_copy(update=changed)


def with_limits(market: Market, limits_s: Mapping[int, float]) -> Instance:
    """Return a market's instance with step-time limits, margins taken off, of some workloads."""
    oracle = market.oracle
    jobs = list(market.instance.workloads)
    for index, limit_s in limits_s.items():
        target = limit_s * (1 + oracle.margins[index].value)
        jobs[index] = retargeted(jobs[index], target, oracle.demands[index].availability)
    return market.instance.model_copy(update={"workloads": jobs})


def moved(market: Market, limits_s: Mapping[int, float], ceilings: tuple[float, ...]) -> Market:
    """Return the market under other step-time limits; all that was computed serves both.

    Parameters
    ----------
    market
        The instance as it stands.
    limits_s
        By number of the workload: step time that it must hold, seconds.
    ceilings
        Step times up to which bounds on step times are kept: at least the limits.
    """
    changed = market.variant(with_limits(market, limits_s))
    limits = tuple(limits_s.get(index, limit) for index, limit in enumerate(market.oracle.limits))
    changed.oracle = changed.oracle.limited(limits, slower=market.oracle.slower, ceilings=ceilings)
    return changed
