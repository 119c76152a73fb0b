"""What deciding in another way would cost, as an answer states it."""

from __future__ import annotations

from planner.domain.portfolio_part import DecisionPart
from planner.domain.units import CENTS_PER_USD


def other_decision(name: str, cents: int | None) -> DecisionPart:
    """Return another way to decide with its cost, cents; None where it is impossible."""
    return DecisionPart(
        name=name,
        total_usd=None if cents is None else cents / CENTS_PER_USD,
        reason="" if cents is not None else "impossible within the limits",
    )
