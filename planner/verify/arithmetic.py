"""Objective, bound, gap and the alternatives against each other."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.solution import Alternative, Solution
from planner.domain.units import cents
from planner.verify.record import Record, same
from planner.verify.violation import Violation, violation

GAP_TOLERANCE = 1e-9


def check_arithmetic(record: Record) -> Iterator[Violation]:
    """Yield contradictions among objective, bound, gap, alternatives and the scan."""
    solution = record.solution
    yield from _bound(solution)
    yield from _alternatives(solution)
    scan = solution.scan
    counted = sum(scan.outcomes.values())
    if counted != scan.columns or min(scan.outcomes.values(), default=0) < 0:
        yield violation(
            "scan-outcomes", "$.scan", counted, scan.columns,
            "the outcomes of the scan do not add up to its columns",
        )  # fmt: skip


def _bound(solution: Solution) -> Iterator[Violation]:
    objective, bound, gap = solution.objective_usd, solution.bound_usd, solution.gap
    if objective is None:
        return
    if bound is None:
        if gap is not None or solution.status == "optimal":
            yield violation(
                "bound-stated", "$.bound_usd", "a bound", "none",
                "a gap and the word optimal need a bound",
            )  # fmt: skip
        return
    if cents(bound) > cents(objective):
        yield violation(
            "bound-below-objective", "$.bound_usd", f"at most {objective:.2f}", f"{bound:.2f}",
            "the lower bound exceeds the objective",
        )  # fmt: skip
    expected = max(0.0, (objective - bound) / objective) if objective else 0.0
    if gap is None or abs(gap - expected) > GAP_TOLERANCE:
        yield violation(
            "gap-value", "$.gap", expected, gap, "the gap is (objective - bound) / objective"
        )
    if solution.status == "optimal" and cents(objective) - cents(bound) > 1:
        yield violation(
            "optimal-proved", "$.status", "bound within a cent of the objective", bound,
            "an answer is optimal only when the bound proves it",
        )  # fmt: skip
    if solution.placement_gap is not None and not 0 <= solution.placement_gap <= 1:
        yield violation(
            "placement-gap", "$.placement_gap", "0 to 1", solution.placement_gap,
            "a gap is a share",
        )  # fmt: skip


def _alternatives(solution: Solution) -> Iterator[Violation]:
    names = {w.name for w in solution.workloads}
    for i, alternative in enumerate(solution.alternatives):
        where = f"$.alternatives[{i}]"
        if solution.objective_usd is not None:
            yield from _against(solution, alternative, where)
        if alternative.objective_usd is None and alternative.status in (
            "optimal", "feasible", "chosen",
        ):  # fmt: skip
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
        if alternative.status == "chosen":
            yield from _chosen_times(solution, alternative, where)
        unknown = sorted(set(alternative.step_times_s) - names)
        if unknown and names:
            yield violation(
                "alternative-workloads", where, ", ".join(sorted(names)), ", ".join(unknown),
                f"{alternative.name} times a workload that the answer does not have",
            )  # fmt: skip


def _chosen_times(solution: Solution, alternative: Alternative, where: str) -> Iterator[Violation]:
    times = {w.name: w.step_time_s for w in solution.workloads}
    for name, step_s in alternative.step_times_s.items():
        if name in times and not same(step_s, times[name]):
            yield violation(
                "alternative-chosen", where, times[name], step_s,
                f"{alternative.name} is the choice made, so {name} steps as fast",
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
    if solution.status == "optimal" and difference < 0 and _allowed(solution, alternative):
        yield violation(
            "alternative-cheaper", where, f"at least {base:.2f}", alternative.objective_usd,
            f"{alternative.name} is cheaper than an answer called optimal",
        )  # fmt: skip


def _allowed(solution: Solution, alternative: Alternative) -> bool:
    """Tell whether the instance itself admits a forced choice, so that it must not be cheaper."""
    fixed, forbidden = solution.instance.fix.values(), solution.instance.forbid.values()
    for key, value in alternative.forced.items():
        wanted = set(value) if isinstance(value, list) else {value}
        if wanted - set(fixed.get(key, wanted)) or wanted & set(forbidden.get(key, ())):
            return False
    return True


def check_money_total(record: Record) -> Iterator[Violation]:
    """Yield a violation if the objective is not the present value that the cost part states."""
    solution = record.solution
    if solution.objective_usd is None or solution.cost is None:
        return
    if cents(solution.objective_usd) != cents(solution.cost.total_usd) or not same(
        solution.objective_usd, solution.cost.total_usd, 1e-6
    ):
        yield violation(
            "objective-total", "$.objective_usd", solution.cost.total_usd, solution.objective_usd,
            "the objective is the present value of all costs",
        )  # fmt: skip
