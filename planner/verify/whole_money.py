"""Total and bound of an answer that is made of parts: of pools, or of phases."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from planner.domain.solution import BomLine, Solution
from planner.domain.units import cents
from planner.verify.money import Money, Span
from planner.verify.violation import Violation, violation

LINES = ("capex_usd", "energy_usd", "support_usd", "other_usd")
Lines = defaultdict[tuple[str, str], Span]
"""Present value by component and line."""


def no_lines() -> Lines:
    """Return lines that are all nothing."""
    return defaultdict(lambda: Span(0, 0))


def storage_lines(money: Money) -> dict[str, Span]:
    """Return the present value of the storage by line."""
    value = money.storage
    return {name: getattr(value, name.removesuffix("_usd")) for name in LINES}


def check_components(
    solution: Solution, wanted: Lines, check: str, sentence: str
) -> Iterator[Violation]:
    """Yield components and sums of the whole that its parts do not give."""
    cost = solution.cost
    if cost is None:
        return
    years = solution.instance.finance.years
    if cost.years != years:
        yield violation(check, "$.cost.years", years, cost.years, "the instance's finance years")
    stated = {(c.component, name): getattr(c, name) for c in cost.components for name in LINES}
    for component, name in sorted(set(wanted) | set(stated)):
        usd = stated.get((component, name), 0.0)
        if not wanted[component, name].holds(usd):
            yield violation(
                check, f"$.cost.components ({component}).{name}", wanted[component, name], usd,
                sentence,
            )  # fmt: skip
    sums = [(f"$.cost.{n}", sum(cents(getattr(c, n)) for c in cost.components), getattr(cost, n))
            for n in LINES]  # fmt: skip
    sums += [(f"$.cost.components ({c.component})", sum(cents(getattr(c, n)) for n in LINES),
              c.total_usd) for c in cost.components]  # fmt: skip
    for where, expected, usd in sums:
        if cents(usd) != expected:
            yield violation(check, where, expected / 100, usd, "the parts do not add up")


def check_storage(
    lines: dict[str, Span], stated_usd: float, check: str, where: str
) -> Iterator[Violation]:
    """Yield a violation if the storage has another present value."""
    total = Span(sum(s.low for s in lines.values()), sum(s.high for s in lines.values()))
    if not total.holds(stated_usd):
        yield violation(check, where, total, stated_usd, "present value of the storage")


def check_bill(
    solution: Solution, documents: list[Solution], check: str, sentence: str
) -> Iterator[Violation]:
    """Yield lines of the order list that no part's own bill has, or that do not add up."""
    own = [line for document in documents for line in document.bill_of_materials]
    known = [_without_count(line) for line in own]
    for i, line in enumerate(solution.bill_of_materials):
        if _without_count(line) not in known:
            yield violation(check, f"$.bill_of_materials[{i}]", sentence, line.part,
                            "price, range or source differ")  # fmt: skip
        if cents(line.total_usd) != line.quantity * cents(line.unit_price_usd):
            yield violation(
                check, f"$.bill_of_materials[{i}].total_usd",
                line.quantity * line.unit_price_usd, line.total_usd, "quantity x unit price",
            )  # fmt: skip


def _without_count(line: BomLine) -> BomLine:
    return line.model_copy(update={"quantity": 0, "total_usd": 0.0})


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
