"""Designs and offers side by side: key figures, cost categories and every line of the bill."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class OfferLine(_Part):
    """One line of a vendor's offer, in US dollars."""

    part: str
    """Catalogue id; empty where the line matches no product."""
    text: str
    """The line as it is written."""
    quantity: int
    total_cents: int


class Offer(_Part):
    """A vendor's offer: what would be bought, without any step time."""

    lines: list[OfferLine]
    notes: list[str] = []
    """What was doubtful when it was read."""


class StepFigures(_Part):
    """One workload of a side."""

    workload: str
    step_time_s: float
    limit_s: float
    """Target / (1 + margin)."""
    run_days: float | None = None

    @property
    def over_share(self) -> float:
        """How far the step is above its limit, as a share; negative where it is below."""
        return self.step_time_s / self.limit_s - 1


class Side(_Part):
    """One of the things compared."""

    name: str
    kind: Literal["solution", "evaluated", "offer"]
    status: str
    """Of a solution; empty of an offer."""
    summary: str
    """The design; empty of an offer, and where there is none."""
    capex_cents: int | None
    energy_cents: int | None = None
    support_cents: int | None = None
    other_cents: int | None = None
    total_cents: int | None = None
    """Present value; None of an offer, which is a purchase price alone."""
    years: float | None = None
    gpus: int | None = None
    nodes: int | None = None
    racks: int | None = None
    max_power_kw: float | None = None
    steps: list[StepFigures] = []
    misses: list[str] = []
    """Limits that it breaks or why there is no design, in sentences; notes of an offer."""


class CategoryRow(_Part):
    """One cost component: present value of each side, whole cents."""

    component: str
    cents: list[int | None]


class Cell(_Part):
    """What one side has of a part."""

    quantity: int = 0
    total_cents: int = 0


class PartRow(_Part):
    """One part of the bills, and the difference of every side from the first.

    Total of a side less that of the first = by quantity + by price, to the cent: more or fewer
    units at the first side's unit price, and the same units at another price. A part that the
    first does not have counts by quantity.
    """

    part: str
    text: str
    component: str
    cells: list[Cell]
    by_quantity_cents: list[int]
    by_price_cents: list[int]


class Comparison(_Part):
    """The answer of `planner compare`; every difference is from the first side."""

    sides: list[Side]
    categories: list[CategoryRow]
    """Of the sides that have a present value; they add up to `total_cents`."""
    parts: list[PartRow]
    """They add up to `capex_cents` of every side."""
    notes: list[str] = []
    """What makes the sides hard to compare: other workloads, years or prices."""
