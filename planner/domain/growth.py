"""Growth: later phases of one purchase, what prices do until then, what old servers sell for."""

from __future__ import annotations

import itertools
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from planner.domain.site import Money
from planner.domain.text import Name
from planner.domain.workload import Workload

Share = Annotated[float, Field(ge=0, lt=1)]
Month = Annotated[int, Field(ge=1, le=360)]
MOST_PHASES = 5


class GrowthPhase(BaseModel):
    """What is asked from a month on, until the next phase or the end of the life."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: Name
    month: Month
    """Months after the first purchase."""
    workloads: Annotated[list[Workload], Field(max_length=50)] = []
    """What runs from then on; the workloads of the phase before if empty."""
    demand: Annotated[float, Field(gt=0, le=1000)] = 1.0
    """Work asked of each of them in the same time: tokens and samples times this, a step time
    divided by it. It multiplies what the list, or the phase before, asks."""
    capex_usd: Money | None = None
    """Most that is bought at this phase, at its prices; no limit if absent."""
    racks: Annotated[int, Field(ge=1, le=20_000)] | None = None
    """Places for racks from then on; those of the phase before if absent."""
    power_kw: Annotated[float, Field(gt=0, le=1e6)] | None = None
    """IT power of the site from then on; that of the phase before if absent."""


class PriceDecline(BaseModel):
    """Share by which prices fall in a year; the catalogue's estimates where absent."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    servers: Share | None = None
    """Servers; `decline-servers` of models/hardware/rates.csv if absent."""
    network: Share | None = None
    """Cards, switches, transceivers, cables; `decline-network` if absent."""
    other: Share = 0.0
    """Racks, PDUs and the management network."""


class Resale(BaseModel):
    """Servers that no phase needs any more may be sold, and all are at the end."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    share_by_month: Annotated[dict[Month, Annotated[float, Field(ge=0, le=1)]], Field(min_length=1)]
    """Share of their own purchase price by age in months; linear between, 1 when new, the last
    from there on."""
    early: bool = True
    """Whether servers may be sold at the start of a phase, or at the end alone."""

    @model_validator(mode="after")
    def _falls(self) -> Self:
        shares = [1.0, *(share for _, share in sorted(self.share_by_month.items()))]
        if any(b > a for a, b in itertools.pairwise(shares)):
            raise ValueError("an older server cannot be worth more; let share_by_month fall")
        return self

    def share(self, months: float) -> float:
        """Return the share of the price that servers of an age bring."""
        before, value = 0.0, 1.0
        for month, share in sorted(self.share_by_month.items()):
            if months <= month:
                return value + (share - value) * (months - before) / (month - before)
            before, value = float(month), share
        return value


class Growth(BaseModel):
    """Phases after the first, which is the instance itself; all are decided together."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    phases: Annotated[list[GrowthPhase], Field(max_length=MOST_PHASES)] = []
    price_decline_per_year: PriceDecline = PriceDecline()
    resale: Resale | None = None
    """Off if absent: what is bought stays, and finance.resale_share counts at the end."""
    reserve_leafs: Annotated[list[Annotated[int, Field(ge=0, le=1000)]],
                             Field(min_length=1, max_length=6)] = [0]  # fmt: skip
    """Leafs for which spines may keep ports free before the last phase; the program chooses one of
    them for each phase."""
    rewire_usd_per_link: Annotated[float, Field(ge=0, le=1e6)] = 100.0
    """Work to move one link that stands elsewhere in the next phase; 100 is an estimate."""
    most_columns: Annotated[int, Field(ge=1, le=5000)] = 400
    """Most designs laid out for each phase and reserve; what this leaves open shows in the gap."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        months = [phase.month for phase in self.phases]
        if any(b <= a for a, b in itertools.pairwise(months)):
            raise ValueError("the months of phases must rise; put them in order")
        names = [phase.name for phase in self.phases]
        if len(set(names)) != len(names) or "now" in names:
            raise ValueError("phases need names of their own, other than now")
        if len(set(self.reserve_leafs)) != len(self.reserve_leafs):
            raise ValueError("reserve_leafs names a number twice; leave one out")
        return self


def grown(workload: Workload, demand: float) -> Workload:
    """Return a workload that does so many times the work in the same time."""
    if demand == 1:
        return workload
    changes = {
        "tokens": None if workload.tokens is None else workload.tokens * demand,
        "samples": None if workload.samples is None else workload.samples * demand,
        "step_time_s": None if workload.step_time_s is None else workload.step_time_s / demand,
    }
    return workload.model_copy(update=changes)
