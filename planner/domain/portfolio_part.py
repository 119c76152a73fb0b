"""Several pools and rented servers, as the answer states them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from planner.domain.strategy import Strategy


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PoolPart(_Part):
    """One pool that is bought: its own document stands in the answer's `pools`, in this order."""

    name: str
    place: str
    """room or colocation."""
    workloads: list[str]
    total_usd: float
    capex_usd: float
    racks: int
    first_row: int
    """Row and column of the room where the document's rack (0, 0) stands."""
    first_column: int


class RentPart(_Part):
    """What one workload rents."""

    workload: str
    offer: str
    provider: str
    instance: str
    term: str
    """on_demand, spot, 1y or 3y; shared for servers that several workloads reserve together."""
    instances: int
    step_time_s: float
    limit_s: float
    target_s: float
    strategy_label: str
    strategy: Strategy | None = None
    """None only in answers of older versions."""
    breakdown: dict[str, float] = {}
    """Seconds by part; they add up to step_time_s."""
    busy_fraction: float
    hours_per_year: float
    """Hours a year that each server is used; of a single run, its hours."""
    reserved: int
    """Of the instances, those of the shared reservation."""
    unit_usd: float
    """Present value of one server on this term."""
    total_usd: float
    """Of the servers that this workload pays alone."""
    egress_usd: float
    break_even_busy: float | None
    """Share of all hours from which owning this workload's cheapest pool is no dearer."""
    break_even_months: float | None
    """Months of life from which owning it is no dearer; None if never within 30 years."""


class ReservationPart(_Part):
    """Servers reserved for the life, used by several workloads in turn."""

    offer: str
    term: str
    row: str
    """Row of the table."""
    instances: int
    unit_usd: float
    total_usd: float


class DecisionPart(_Part):
    """What another way to decide would cost."""

    name: str
    """job_by_job, own_only, rent_only; of growth year_by_year, all_now."""
    total_usd: float | None
    reason: str = ""


class PortfolioPart(_Part):
    """Who runs where: pools that are bought, servers that are rented."""

    pools: list[PoolPart]
    rents: list[RentPart]
    reservations: list[ReservationPart]
    storage_usd: float
    others: list[DecisionPart]
