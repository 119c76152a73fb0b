"""Sensitivity and frontier of an answer against each other and against the decision."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.frontier import FrontierPoint
from planner.domain.sensitivity import Factor, PriceLevel, QuoteNeeded, Sensitivity
from planner.domain.solution import Solution
from planner.domain.units import cents
from planner.verify.record import Record, same
from planner.verify.violation import Violation, violation

GAP_TOLERANCE = 1e-9


def check_studies(record: Record) -> Iterator[Violation]:
    """Yield contradictions in what was asked beside the decision."""
    solution = record.solution
    if solution.sensitivity is not None:
        yield from _sensitivity(solution, solution.sensitivity)
    if solution.frontier is not None:
        yield from _frontier(solution)


def _sensitivity(solution: Solution, part: Sensitivity) -> Iterator[Violation]:
    if solution.objective_usd is None:
        yield violation(
            "sensitivity-decision", "$.sensitivity", "a decision", "none",
            "without a decision nothing can change it",
        )  # fmt: skip
        return
    for i, factor in enumerate(part.factors):
        yield from _factor(factor, f"$.sensitivity.factors[{i}]")
    for i, row in enumerate(part.prices):
        yield from _prices(solution, row, f"$.sensitivity.prices[{i}]")
    yield from _runner_up(solution, part)
    for i, quote in enumerate(part.quotes_needed):
        yield from _quote(solution, quote, f"$.sensitivity.quotes_needed[{i}]")
    priced = {line.part for line in solution.bill_of_materials}
    strange = sorted({*part.ranges_known, *part.ranges_unknown} - priced)
    if strange:
        yield violation(
            "sensitivity-parts", "$.sensitivity", "parts of the bill", ", ".join(strange),
            "a price was varied that the bill of materials does not hold",
        )  # fmt: skip


def _factor(factor: Factor, where: str) -> Iterator[Violation]:
    order = [factor.low, factor.holds_from, factor.base, factor.holds_to, factor.high]
    if order != sorted(order):
        yield violation(
            "sensitivity-order", where, "low, from, base, to, high ascending", order,
            "the decision holds around today's figure, inside the range",
        )  # fmt: skip
    for flip, ends, end in (
        (factor.below, factor.holds_from, factor.low),
        (factor.above, factor.holds_to, factor.high),
    ):
        expected = end if flip is None else flip.at
        if not same(ends, expected):
            yield violation(
                "sensitivity-holds", where, expected, ends,
                "the decision holds up to where it flips, or to the end of the range",
            )  # fmt: skip
        if flip is None:
            continue
        outward = flip.beyond < flip.at if flip is factor.below else flip.beyond > flip.at
        if not outward:
            yield violation(
                "sensitivity-flip", where, f"past {flip.at}", flip.beyond,
                "another design is better past the flip, not before it",
            )  # fmt: skip
        cheaper = (
            flip.objective_usd is None
            or flip.decision_usd is None
            or cents(flip.objective_usd) < cents(flip.decision_usd)
        )
        if not cheaper:
            yield violation(
                "sensitivity-flip", where, f"below {flip.decision_usd}", flip.objective_usd,
                "past the flip the other design costs less",
            )  # fmt: skip


def _prices(solution: Solution, row: PriceLevel, where: str) -> Iterator[Violation]:
    pairs = (
        (row.decision_usd, row.decision_regret_usd),
        (row.runner_up_usd, row.runner_up_regret_usd),
    )
    for cost, regret in pairs:
        if row.best_usd is None or cost is None:
            continue
        difference = cents(cost) - cents(row.best_usd)
        if regret is None or cents(regret) != difference or difference < 0:
            yield violation(
                "sensitivity-regret", where, difference / 100, regret,
                "regret is the cost less the best design's, never negative",
            )  # fmt: skip
    flips = row.decision_usd is None or bool(row.decision_regret_usd)
    if row.best_usd is not None and flips != row.flips:
        yield violation(
            "sensitivity-flips", where, flips, row.flips,
            "at these prices another design is better exactly where the decision has a regret",
        )  # fmt: skip
    today = row.decision_usd if row.level == "base" else None
    if today is not None and cents(today) != cents(solution.objective_usd or 0.0):
        yield violation(
            "sensitivity-base", where, solution.objective_usd, today,
            "at base prices the decision costs what the answer says",
        )  # fmt: skip
    if None not in (row.bound_usd, row.best_usd) and cents(row.bound_usd or 0) > cents(
        row.best_usd or 0
    ):
        yield violation(
            "sensitivity-bound", where, f"at most {row.best_usd}", row.bound_usd,
            "a lower bound exceeds the best design",
        )  # fmt: skip


def _runner_up(solution: Solution, part: Sensitivity) -> Iterator[Violation]:
    """Yield a violation unless the runner-up costs the stated difference more, and not less."""
    delta = part.runner_up_delta_usd
    costs = [row.runner_up_usd for row in part.prices if row.level == "base"]
    if delta is None or costs == [None]:
        return
    expected = [cents(usd or 0.0) - cents(solution.objective_usd or 0.0) for usd in costs]
    if delta < 0 or any(cents(delta) != difference for difference in expected):
        yield violation(
            "sensitivity-runner-up", "$.sensitivity.runner_up_delta_usd",
            [d / 100 for d in expected], delta, "its cost at base prices less the decision's",
        )  # fmt: skip


def _quote(solution: Solution, quote: QuoteNeeded, where: str) -> Iterator[Violation]:
    low = quote.price_usd if quote.low_usd is None else quote.low_usd
    high = quote.price_usd if quote.high_usd is None else quote.high_usd
    if not low <= quote.flips_at_usd <= high:
        yield violation(
            "sensitivity-quote", where, f"{low} to {high}", quote.flips_at_usd,
            "the price at which the decision flips lies in its published range",
        )  # fmt: skip
    if not any(line.part == quote.part for line in solution.bill_of_materials):
        yield violation(
            "sensitivity-quote", where, "a part of the bill", quote.part,
            "a quote is needed only for what is bought",
        )  # fmt: skip


def _frontier(solution: Solution) -> Iterator[Violation]:
    traced = solution.frontier
    assert traced is not None
    names = {workload.name for workload in solution.instance.workloads}
    last: dict[str, FrontierPoint] = {}
    for i, point in enumerate(traced.points):
        where = f"$.frontier.points[{i}]"
        if point.workload not in names:
            yield violation(
                "frontier-workload", where, ", ".join(sorted(names)), point.workload,
                "a point times a workload that the instance does not have",
            )  # fmt: skip
        yield from _point(solution, point, where)
        before = last.get(point.workload)
        if before is not None and point.objective_usd is not None:
            yield from _dominance(before, point, where, alone=bool(traced.workload))
        last[point.workload] = point


def _point(solution: Solution, point: FrontierPoint, where: str) -> Iterator[Violation]:
    if (point.objective_usd is None) == (point.status in ("optimal", "feasible")):
        yield violation(
            "frontier-status", where, "a cost exactly where there is a design", point.status,
            "status and cost of a point contradict each other",
        )  # fmt: skip
    if point.objective_usd is None or point.bound_usd is None:
        return
    cost, bound = point.objective_usd, point.bound_usd
    expected = (cost - bound) / cost if cost else 0.0
    if point.gap is None or abs(point.gap - expected) > GAP_TOLERANCE or cents(bound) > cents(cost):
        yield violation(
            "frontier-gap", where, expected, point.gap, "a gap is (cost - bound) / cost, from 0"
        )
    if point.status == "optimal" and cents(bound) != cents(cost):
        yield violation(
            "frontier-proved", where, cost, bound, "a point is optimal only where its bound says so"
        )
    times = {w.name: w.step_time_s for w in solution.workloads}
    if not point.chosen or point.workload not in times:
        return
    step = point.step_time_s or 0.0
    if cents(cost) != cents(solution.objective_usd or 0.0) or not same(step, times[point.workload]):
        yield violation(
            "frontier-chosen", where, solution.objective_usd, cost,
            "the point of the decision costs and steps as the decision does",
        )  # fmt: skip


def _dominance(
    before: FrontierPoint, point: FrontierPoint, where: str, *, alone: bool
) -> Iterator[Violation]:
    """Yield a violation where a faster point is not dearer than the one before it."""
    if (point.objective_usd or 0.0) <= (before.objective_usd or 0.0):
        yield violation(
            "frontier-order", where, f"above {before.objective_usd}", point.objective_usd,
            "of two neighbouring points the faster one costs more",
        )  # fmt: skip
    if alone and (point.step_time_s or 0.0) >= (before.step_time_s or 0.0):
        yield violation(
            "frontier-order", where, f"below {before.step_time_s}", point.step_time_s,
            "points go from slow to fast",
        )  # fmt: skip
