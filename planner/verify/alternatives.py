"""Other designs against the answer: their differences, their words, their jobs' limits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner.domain.solution import Alternative, Solution
from planner.domain.units import cents
from planner.verify.record import Record, same
from planner.verify.violation import Violation, violation
from planner.verify.workloads import LIMIT_SLACK_S

ANSWERED = ("optimal", "feasible", "chosen")
COUNT = re.compile(r"^(\d+) x ")
"""Servers that a question names, as in "8 x HGX H100"."""
RATIO = re.compile(r" at ([0-9.]+):1$")
"""Oversubscription that a question names, as in "two tiers at 2:1"."""


def check_alternatives(record: Record) -> Iterator[Violation]:
    """Yield alternatives that contradict the answer, their own words or the jobs' limits."""
    solution = record.solution
    names = {w.name for w in solution.workloads}
    for i, alternative in enumerate(solution.alternatives):
        where = f"$.alternatives[{i}]"
        if solution.objective_usd is not None:
            yield from _against(solution, alternative, where)
        yield from _status(alternative, where)
        yield from _words(alternative, where)
        yield from _times(solution, alternative, where)
        unknown = sorted(set(alternative.step_times_s) - names)
        if unknown and names:
            yield violation(
                "alternative-workloads", where, ", ".join(sorted(names)), ", ".join(unknown),
                f"{alternative.name} times a workload that the answer does not have",
            )  # fmt: skip


def _status(alternative: Alternative, where: str) -> Iterator[Violation]:
    if alternative.objective_usd is None and alternative.status in ANSWERED:
        yield violation(
            "alternative-status", where, "an objective", "none",
            f"{alternative.name}: {alternative.status} without an objective",
        )  # fmt: skip
    if alternative.status == "infeasible" and (
        alternative.objective_usd is not None or not alternative.reason
    ):
        yield violation(
            "alternative-status", where, "a reason and no objective",
            alternative.objective_usd, f"{alternative.name}: infeasible, yet priced or unexplained",
        )  # fmt: skip


def _words(alternative: Alternative, where: str) -> Iterator[Violation]:
    """Yield a violation if the words of a question name another number than it forces."""
    for pattern, key in ((COUNT, "nodes"), (RATIO, "oversubscription")):
        said, forced = pattern.search(alternative.name), alternative.forced.get(key)
        if said is not None and forced is not None and float(said[1]) != forced:
            yield violation(
                "alternative-forced", f"{where}.forced.{key}", said[1], forced,
                f"{alternative.name} is the question that was asked",
            )  # fmt: skip


def _times(solution: Solution, alternative: Alternative, where: str) -> Iterator[Violation]:
    """Yield step times that break a limit, or are not the answer's where it is the choice made."""
    results = {w.name: w for w in solution.workloads}
    for name, step_s in alternative.step_times_s.items():
        result = results.get(name)
        if result is None:
            continue
        if alternative.status == "chosen" and not same(step_s, result.step_time_s):
            yield violation(
                "alternative-chosen", where, result.step_time_s, step_s,
                f"{alternative.name} is the choice made, so {name} steps as fast",
            )  # fmt: skip
        slowest = result.limit_s + LIMIT_SLACK_S
        if result.goodput is None and alternative.status in ANSWERED and not 0 < step_s <= slowest:
            yield violation(
                "alternative-limit", where, f"at most {result.limit_s:.10g}", step_s,
                f"{alternative.name} must keep the step time of {name}",
            )  # fmt: skip


def _against(solution: Solution, alternative: Alternative, where: str) -> Iterator[Violation]:
    base = solution.objective_usd
    assert base is not None
    if alternative.objective_usd is None:
        if alternative.delta_usd is not None:
            yield violation(
                "alternative-delta", where, "none", alternative.delta_usd,
                f"{alternative.name}: a difference without an objective",
            )  # fmt: skip
        return
    difference = cents(alternative.objective_usd) - cents(base)
    if alternative.delta_usd is None or cents(alternative.delta_usd) != difference:
        yield violation(
            "alternative-delta", where, difference / 100, alternative.delta_usd,
            f"{alternative.name}: the difference is its objective less the answer's",
        )  # fmt: skip
    if alternative.status == "chosen" and difference:
        yield violation(
            "alternative-chosen", where, base, alternative.objective_usd,
            f"{alternative.name} is the choice made, so it costs what the answer costs",
        )  # fmt: skip
    if not _allowed(solution, alternative):
        return
    if solution.status == "optimal" and difference < 0:
        yield violation(
            "alternative-cheaper", where, f"at least {base:.2f}", alternative.objective_usd,
            f"{alternative.name} is cheaper than an answer called optimal",
        )  # fmt: skip
    bound = solution.bound_usd
    if (
        solution.status != "optimal"
        and bound is not None
        and cents(alternative.objective_usd) < cents(bound)
    ):
        yield violation(
            "alternative-bound", where, f"at least {bound:.2f}", alternative.objective_usd,
            f"{alternative.name} is allowed and cheaper than the lower bound",
        )  # fmt: skip


def _allowed(solution: Solution, alternative: Alternative) -> bool:
    """Tell whether the instance itself admits a forced choice, so that it must not be cheaper."""
    fixed, forbidden = solution.instance.fix.values(), solution.instance.forbid.values()
    for key, value in alternative.forced.items():
        wanted = set(value) if isinstance(value, list) else {value}
        if wanted - set(fixed.get(key, wanted)) or wanted & set(forbidden.get(key, ())):
            return False
    return True
