"""Objective, bound, gap and scan against each other."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.solution import Solution
from planner.domain.units import cents
from planner.verify.record import Record, same
from planner.verify.violation import Violation, violation

GAP_TOLERANCE = 1e-9
PLACED = ("racks", "cables", "transceivers")
"""Components that the placement decides."""
CENT = 0.0101
"""A cent and its rounding, US dollars."""


def check_arithmetic(record: Record) -> Iterator[Violation]:
    """Yield contradictions among objective, bound, gap and the scan."""
    yield from check_bound(record.solution)
    yield from check_scan(record.solution)


def check_scan(solution: Solution) -> Iterator[Violation]:
    """Yield a violation unless every column of the grid has its outcome."""
    scan = solution.scan
    counted = sum(scan.outcomes.values())
    if counted != scan.columns or min(scan.outcomes.values(), default=0) < 0:
        yield violation(
            "scan-outcomes", "$.scan", counted, scan.columns,
            "the outcomes of the scan do not add up to its columns",
        )  # fmt: skip


def check_bound(solution: Solution) -> Iterator[Violation]:
    """Yield contradictions among objective, bound, gap and status."""
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
    yield from _placement_gap(solution, objective, bound)


def _placement_gap(solution: Solution, objective: float, bound: float) -> Iterator[Violation]:
    """Yield a gap of the placement that is no share, or wider than the gap of the whole.

    The bound of the whole is at most the chosen column's, so what placement leaves open is open
    in the whole too. The placement decides racks, their PDUs, cables and transceivers.
    """
    gap = solution.placement_gap
    if gap is None:
        return
    if not 0 <= gap <= 1:
        yield violation("placement-gap", "$.placement_gap", "0 to 1", gap, "a gap is a share")
    components = solution.cost.components if solution.cost else []
    placed = sum(
        line.total_usd * (_placed_racks(solution) if line.component == "racks" else 1.0)
        for line in components
        if line.component in PLACED
    )
    least = 1.0 if solution.inventory is not None else max(1.0, placed)
    if gap * least > objective - bound + CENT:
        yield violation(
            "placement-gap", "$.placement_gap", f"at most {(objective - bound) / least:.10g}", gap,
            "placement leaves more open than the whole answer",
        )  # fmt: skip


def _placed_racks(solution: Solution) -> float:
    """Return the share of the cost of racks that placement decides at least; not those of services."""
    services = solution.services
    if services is None or not solution.racks:
        return 1.0
    plain = solution.instance.site.plain
    return 1.0 - len(services.racks) / len(solution.racks) if plain else 0.0


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
