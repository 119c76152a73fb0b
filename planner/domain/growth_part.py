"""Growth as the answer states it: what runs in each phase, what is bought and sold when."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from planner.domain.portfolio_part import DecisionPart


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PhasePart(_Part):
    """One phase: its own document stands in the answer's `phases`, in this order."""

    name: str
    month: int
    nodes: int
    gpus: int
    racks: int
    max_power_kw: float
    reserved_leafs: int
    """Leafs to come for which its spines keep ports free."""
    moved_links: int
    """Links that stand elsewhere than in the phase before."""
    moving_usd: float
    """Present value of moving them."""
    capex_usd: float
    """Purchases of the phase at its prices, not discounted, storage included."""
    budget_usd: float | None
    running_usd: float
    """Present value of energy, software and space while it lasts."""


class HoldingPart(_Part):
    """Units of one part that are bought in one phase and given up at the same time."""

    phase: str
    part: str
    component: str
    description: str
    quantity: int
    until: str
    """Phase at whose start they are sold; empty if they are kept to the end."""
    unit_price_usd: float
    """At that phase, not discounted."""
    unit_value_usd: float
    """Present value of owning one: price, what is paid once, support, less what it brings."""
    total_usd: float
    """Present value of owning them all."""


class GrowthPart(_Part):
    """The plan over all phases."""

    phases: list[PhasePart]
    holdings: list[HoldingPart]
    storage_usd: float
    decline_servers_per_year: float
    decline_network_per_year: float
    decline_other_per_year: float
    others: list[DecisionPart]
    """year_by_year: each phase as if it were the last; all_now: everything bought at the start."""
