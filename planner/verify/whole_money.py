"""Total and bound of an answer that is made of parts: of pools, or of phases."""

from __future__ import annotations

import math
from collections.abc import Iterator

from planner.domain.solution import Solution
from planner.domain.units import cents
from planner.verify.money import Money
from planner.verify.violation import Violation, violation


def storage_cents(money: Money, stated_usd: float) -> int:
    """Return the present value of the storage: as stated, within what rounding allows."""
    value = money.storage
    spans = (value.capex, value.energy, value.support, value.other)
    low, high = sum(s.low for s in spans), sum(s.high for s in spans)
    return min(max(cents(stated_usd), low), high)


def check_total(
    solution: Solution, total_cents: int, check: str, sentence: str
) -> Iterator[Violation]:
    """Yield each place that states another total than the parts have."""
    cost = solution.cost
    stated = {
        "$.cost.total_usd": cost.total_usd if cost else None,
        "$.objective_usd": solution.objective_usd,
        "$.cost.components": math.fsum(line.total_usd for line in cost.components) if cost else None,
        "$.cost": math.fsum(
            (cost.capex_usd, cost.energy_usd, cost.support_usd, cost.other_usd)
        ) if cost else None,
    }  # fmt: skip
    for where, usd in stated.items():
        if usd is None or cents(usd) != total_cents:
            yield violation(check, where, total_cents / 100, usd, sentence)


def check_bound(solution: Solution, check: str) -> Iterator[Violation]:
    """Yield a violation unless the bound proves the status."""
    bound, objective = solution.bound_usd, solution.objective_usd
    if bound is None or objective is None or bound > objective or (
        solution.status == "optimal" and cents(objective) - cents(bound) > 1
    ):  # fmt: skip
        yield violation(
            check, "$.bound_usd", objective, bound, "the bound does not prove the status"
        )
