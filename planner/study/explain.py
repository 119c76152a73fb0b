"""`planner explain`: why an instance has no design and what would give it one; else what binds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from planner.domain.calibration import Calibration
from planner.domain.errors import UsageError
from planner.domain.explanation import Conflict, Explanation, LimitAnswer
from planner.domain.instance import Instance
from planner.study.conflict import conflicts_of, without
from planner.study.feasibility import Feasibility
from planner.study.in_the_way import in_the_way
from planner.study.limit import Limit
from planner.study.limits_of_instance import limits_of
from planner.study.relaxation import relaxed
from planner.study.together import together
from planner.study.why_not import why_not

Say = Callable[[str], None]
CENT = 0.005
BASIS = (".margin", ".availability")
"""Ends of the keys of limits that say what a step time is measured against."""


def explain(
    instance: Instance,
    file: Path,
    calibration: Calibration | None = None,
    *,
    deadline_s: float | None = None,
    say: Say = lambda _: None,
) -> Explanation:
    """Return why an instance is infeasible, or what its limits cost.

    Parameters
    ----------
    instance, file, calibration
        As for `planner solve`.
    deadline_s
        `time.monotonic()` at which the study ends with what it has.
    say
        Told what is looked at.

    Raises
    ------
    InputError
        If the instance names something unknown.
    UsageError
        If the instance is one of several regions, or has growth.
    """
    if instance.regions is not None:
        raise UsageError(f"{file}: an instance with regions is answered by planner regions")
    if instance.growth is not None:
        raise UsageError(
            f"{file}: explain looks at one phase; leave growth out and give the phase's workloads"
        )
    feasibility = Feasibility(instance, file, calibration, deadline_s)
    say(f"{instance.name}: any design")
    limits = limits_of(feasibility.market(instance))
    verdict = feasibility(instance)
    if verdict.design is not None:
        return _feasible(feasibility, limits, say)
    if not verdict.decided:
        return _answer(feasibility, limits, status="stopped")
    return _infeasible(feasibility, limits, say)


def _answer(
    feasibility: Feasibility,
    limits: list[Limit],
    *,
    status: str,
    conflicts: list[Conflict] | None = None,
    answers: list[LimitAnswer] | None = None,
    **more: object,
) -> Explanation:
    values = {
        "instance": feasibility.instance.name,
        "status": status,
        "conflicts": conflicts or [],
        "limits": answers or [],
        "looked_at": [limit.key for limit in limits],
        "solves": feasibility.solves,
        "complete": not feasibility.out_of_time(),
        **more,
    }
    return Explanation.model_validate(values)


def _infeasible(feasibility: Feasibility, limits: list[Limit], say: Say) -> Explanation:
    instance = feasibility.instance
    say(f"{instance.name}: which limits contradict each other")

    def reasons(gone: Sequence[Limit]) -> list[str]:
        """Return them on the basis of `solve`: margins and availabilities are as in the instance."""
        stated = [limit for limit in gone if not limit.key.endswith(BASIS)]
        verdict, variant = without(feasibility, instance, stated)
        if verdict.scan is None:
            return []
        return why_not(feasibility.market(variant), verdict.scan)

    found = list(conflicts_of(feasibility, instance, limits, reasons))
    if not found:
        everything, _ = without(feasibility, instance, limits)
        status = (
            "infeasible" if everything.infeasible or not feasibility.out_of_time() else "stopped"
        )
        return _answer(feasibility, limits, status=status, reasons=reasons(limits))
    members = [kept for kept, _ in found]
    answers = []
    for limit in [limit for kept in members for limit in kept]:
        say(f"{instance.name}: {limit.words(None)}")
        answer = relaxed(feasibility, instance, limit)
        answers.append(in_the_way(feasibility, instance, limits, limit, answer))
    say(f"{instance.name}: all of them together")
    return _answer(
        feasibility,
        limits,
        status="infeasible",
        conflicts=[conflict for _, conflict in found],
        answers=sorted(answers, key=_cheapest_first),
        together=together(feasibility, instance, members),
    )


def _cheapest_first(answer: LimitAnswer) -> tuple[int, float]:
    if answer.design is None:
        return 1, 0.0
    return 0, answer.design.total_usd


def _feasible(feasibility: Feasibility, limits: list[Limit], say: Say) -> Explanation:
    """Return the limits without which the cheapest design would be cheaper."""
    instance = feasibility.instance
    say(f"{instance.name}: the cheapest design")
    best = feasibility(instance, 0.0)
    design = best.design or feasibility(instance).design
    assert design is not None
    answers = []
    for limit in limits:
        if feasibility.out_of_time():
            break
        say(f"{instance.name}: without {limit.key}")
        answer = _cost_of(feasibility, limit, design.total_usd, proved=best.proved)
        if answer is not None:
            answers.append(answer)
    return _answer(
        feasibility,
        limits,
        status="feasible",
        answers=sorted(answers, key=lambda a: -(a.saving_usd or 0.0)),
        design=design,
    )


def _cost_of(
    feasibility: Feasibility, limit: Limit, total_usd: float, *, proved: bool
) -> LimitAnswer | None:
    """Return what a limit costs; None where the design is none the cheaper without it."""
    found = feasibility(limit.put(feasibility.instance, None), 0.0)
    if found.design is None or found.design.total_usd > total_usd - CENT:
        return None
    return LimitAnswer(
        limit=limit.key,
        words=limit.words(None),
        value=limit.value,
        unit=limit.unit,
        alone="enough",
        largest_tried=limit.end,
        proved=proved and found.proved,
        design=found.design,
        saving_usd=round(total_usd - found.design.total_usd, 2),
    )
