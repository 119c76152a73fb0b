"""Present value of servers for rent, per server, in whole cents."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.domain.units import HOURS_PER_YEAR, cents
from planner.physics.costs import annuity_factor


@dataclass(frozen=True, slots=True, kw_only=True)
class RentedHours:
    """When a workload needs its servers."""

    per_year: float
    """Hours a year through the whole life, 0 for a single run."""
    once: float
    """Hours of a single run in the first year, paid at once; 0 for one that comes back."""


def on_demand_cents(
    usd_per_hour: float, hours: RentedHours, years: float, discount_rate: float
) -> int:
    """Return the value of one server paid by the hour: only hours in use are paid.

    ``rate x (hours a year x annuity + hours of a single run)``, rounded once.
    """
    counted = hours.per_year * annuity_factor(years, discount_rate) + hours.once
    return cents(usd_per_hour * counted)


def paid_years(need_years: float, term_years: int) -> int:
    """Return the years paid for: whole terms that cover the need, used or not."""
    return term_years * max(1, math.ceil(need_years / term_years - 1e-9))


def reserved_cents(
    usd_per_hour: float, need_years: float, term_years: int, discount_rate: float
) -> int:
    """Return the value of one reserved server: every hour of whole terms is paid.

    ``rate x 8766 h x annuity(paid years)``, rounded once.
    """
    years = paid_years(need_years, term_years)
    return cents(usd_per_hour * HOURS_PER_YEAR * annuity_factor(years, discount_rate))


def egress_cents(
    usd_per_gb: float, gb_per_run: float, runs_per_year: float, years: float, discount_rate: float
) -> int:
    """Return the value of what the runs send home; a single run has 0 runs a year and pays once."""
    if runs_per_year <= 0:
        return cents(usd_per_gb * gb_per_run)
    return cents(usd_per_gb * gb_per_run * runs_per_year * annuity_factor(years, discount_rate))
