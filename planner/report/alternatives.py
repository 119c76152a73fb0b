"""The designs that were not chosen, in the order a reader wants, and the runner-up."""

from __future__ import annotations

from planner.domain.solution import Alternative, Solution
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.words import Words


def delta_usd(solution: Solution, alternative: Alternative) -> float | None:
    """Return by how much an alternative costs more than the answer, None without a cost."""
    if alternative.delta_usd is not None:
        return alternative.delta_usd
    if alternative.objective_usd is None or solution.objective_usd is None:
        return None
    return alternative.objective_usd - solution.objective_usd


def losers(solution: Solution) -> list[Alternative]:
    """Return the alternatives that are not the answer itself, cheapest first, impossible last."""
    lost = [a for a in solution.alternatives if a.status != "chosen"]

    def key(item: tuple[int, Alternative]) -> tuple[bool, float, int]:
        place, alternative = item
        cost = alternative.objective_usd
        return cost is None, cost if cost is not None else 0.0, place

    return [a for _, a in sorted(enumerate(lost), key=key)]


def leading(solution: Solution, count: int) -> list[Alternative]:
    """Return the alternatives to show first: the best of each question, then the others."""
    ordered = losers(solution)
    asked: set[str] = set()
    first: list[Alternative] = []
    for item in ordered:
        if item.question not in asked:
            asked.add(item.question)
            first.append(item)
    rest = [item for item in ordered if item not in first]
    return [*first, *rest][:count]


def runner_up(solution: Solution) -> Alternative | None:
    """Return the cheapest other design, None if none works.

    Of all designs where that was proved (sensitivity), else of the forced choices.
    """
    forced = next((a for a in losers(solution) if a.objective_usd is not None), None)
    proved = solution.sensitivity
    if proved is None or not proved.runner_up or proved.runner_up_delta_usd is None:
        return forced
    delta = None if forced is None else delta_usd(solution, forced)
    if delta is not None and delta <= proved.runner_up_delta_usd:
        return forced
    return Alternative(
        name=proved.runner_up,
        question="",
        forced={},
        status="optimal",
        delta_usd=proved.runner_up_delta_usd,
        reason=proved.runner_up_reason,
    )


def verdict(solution: Solution, item: Alternative, w: Words, n: Notation) -> str:
    """Return in one short phrase what became of an alternative."""
    if item.status == "chosen":
        return w("alternative.chosen")
    delta = delta_usd(solution, item)
    if delta is None:
        return w.label("alternative.status", item.status)
    if delta == 0:
        return w("alternative.same_cost")
    base = solution.objective_usd
    if not base:
        return n.signed_money(delta)
    share = delta / base
    shown = n.percent(share, 1 if abs(share) >= 0.001 else 2)
    return f"{n.signed_money(delta)} ({'+' if delta > 0 else ''}{shown})"


def why_lost(solution: Solution, item: Alternative, w: Words, n: Notation) -> str:
    """Return the verdict and the reason that the program gave."""
    reason = w.said(plain(item.reason))
    first = verdict(solution, item, w, n)
    return f"{first}: {reason}" if reason else first
