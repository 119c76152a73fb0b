"""Amounts in the report's currency that add up to the cent, as they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.domain.solution import Cost, Solution
from planner.domain.units import CENTS_PER_USD, cents
from planner.report.notation import Notation

KINDS = ("capex", "energy", "support", "other")
CENT_DIGITS = 2
MAX_DIGITS = 9


def adding_up(usd: Sequence[float], total_cents: int, n: Notation) -> list[int]:
    """Return each amount in cents of the report's currency; they add up to `total_cents`.

    Each is rounded by itself; what that leaves, at most half a cent an amount, the largest bears.
    """
    shown = [cents(n.converted(amount)) for amount in usd]
    if shown:
        largest = max(range(len(shown)), key=lambda k: abs(shown[k]))
        shown[largest] += total_cents - sum(shown)
    return shown


@dataclass(frozen=True, slots=True, kw_only=True)
class CostCents:
    """A cost in cents of the report's currency: rows and columns both add up."""

    rows: list[dict[str, int]]
    """One for each component, by kind of cost and ``total``."""
    sums: dict[str, int]


def cost_cents(cost: Cost, n: Notation) -> CostCents:
    """Return the cost table as it is shown."""
    whole = [getattr(cost, f"{kind}_usd") for kind in KINDS]
    sums = dict(zip(KINDS, adding_up(whole, cents(n.converted(cost.total_usd)), n), strict=True))
    columns = {
        kind: adding_up([getattr(c, f"{kind}_usd") for c in cost.components], sums[kind], n)
        for kind in KINDS
    }
    rows = [{kind: columns[kind][k] for kind in KINDS} for k in range(len(cost.components))]
    return CostCents(
        rows=[row | {"total": sum(row.values())} for row in rows],
        sums=sums | {"total": sum(sums.values())},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BillCents:
    """A bill of materials in cents of the report's currency."""

    lines: list[int]
    """Total of each line."""
    units: list[str]
    """Unit price of each, with as many decimals as give the line's total to the cent."""
    total: int


def bill_cents(solution: Solution, n: Notation) -> BillCents:
    """Return the bill as it is shown: unit price x quantity is the line, lines are the total."""
    bill = solution.bill_of_materials
    whole = sum(cents(line.total_usd) for line in bill) / CENTS_PER_USD
    total = cents(n.converted(whole))
    lines = adding_up([line.total_usd for line in bill], total, n)
    units = [
        _unit_text(shown, line.quantity, line.unit_price_usd, n) if cents(line.total_usd)
        else n.amount(line.unit_price_usd)
        for line, shown in zip(bill, lines, strict=True)
    ]  # fmt: skip
    return BillCents(lines=lines, units=units, total=total)


def _unit_text(line_cents: int, quantity: int, unit_usd: float, n: Notation) -> str:
    """Return the unit price with the fewest decimals that multiply to the line."""
    exact = line_cents / CENTS_PER_USD / quantity
    for digits in range(CENT_DIGITS, MAX_DIGITS):
        for unit in (n.converted(unit_usd), exact):
            if cents(quantity * round(unit, digits)) == line_cents:
                return n.number(unit, digits)
    return n.number(exact, MAX_DIGITS)
