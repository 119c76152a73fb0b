"""The limits that decide, in words."""

from __future__ import annotations

from typing import Any

from planner.domain.solution import Binding, Solution
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.words import Words

MOST_PINS = 4
"""Values of a pinned choice, and workloads with pinned strategies, that are named."""


def shown_bindings(solution: Solution) -> list[Binding]:
    """Return the limits to name: those that bind, or those that cannot be met, worst first."""
    if solution.design is not None and solution.status != "infeasible":
        return [item for item in solution.binding if item.binding]
    found = [item for item in solution.binding if item.binding or item.used > item.available]
    return sorted(found, key=lambda item: -excess_share(item))


def excess_share(item: Binding) -> float:
    """Return by what share of the limit the need exceeds it; infinite for a limit of zero."""
    excess = item.used - item.available
    if excess <= 0:
        return 0.0
    return excess / item.available if item.available else float("inf")


def use_share(item: Binding) -> float | None:
    """Return the share of the limit that is used, None for a limit of zero."""
    return item.used / item.available if item.available else None


def quantity(value: float, unit: str, n: Notation) -> str:
    """Return a limit's figure: money to the unit, others with up to three decimals."""
    if unit.casefold() == "usd":
        return n.amount(value, 0)
    return n.short(value, 0 if abs(value) >= 10_000 else 1 if abs(value) >= 1000 else 3)


def unit_text(unit: str, w: Words, n: Notation) -> str:
    """Return the unit; money is shown in the report's currency."""
    return n.currency if unit.casefold() == "usd" else w.said(unit)


def binding_text(item: Binding, w: Words, n: Notation) -> str:
    """Return how much of a limit is used, or by how much it is exceeded."""
    used = quantity(item.used, item.unit, n)
    available = quantity(item.available, item.unit, n)
    unit = unit_text(item.unit, w, n)
    if item.used <= item.available * (1 + 1e-9):
        return w("binding.of", used=used, available=available, unit=unit)
    share = excess_share(item)
    return w(
        "binding.exceeds",
        used=used,
        available=available,
        unit=unit,
        excess=quantity(item.used - item.available, item.unit, n),
        share=n.percent(share) if share != float("inf") else "-",
    )


def unbound_text(solution: Solution, w: Words) -> str:
    """Return what decides where no limit is used up: the price, within what is pinned."""
    instance = solution.instance
    pins = [f"fix.{key} = {_listed(values)}" for key, values in instance.fix.values().items()]
    names = [job.name for job in instance.workloads if job.fix.values()]
    pins += [w("binding.strategy", name=name) for name in names[:MOST_PINS]]
    if len(names) > MOST_PINS:
        pins.append(f"+{len(names) - MOST_PINS}")
    return w("binding.pinned", pins=plain("; ".join(pins))) if pins else w("binding.none")


def _listed(values: tuple[Any, ...]) -> str:
    shown = [f"{v:g}" if isinstance(v, float) else str(v) for v in values[:MOST_PINS]]
    more = len(values) - MOST_PINS
    return ", ".join([*shown, f"+{more}"] if more > 0 else shown)
