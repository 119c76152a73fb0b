"""Present value of rent: whole terms, hours in use, and the laws of both."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.physics.rent import (
    RentedHours,
    egress_cents,
    on_demand_cents,
    paid_years,
    reserved_cents,
)

RATES = st.floats(0.01, 500)
YEARS = st.floats(0.25, 10)
DISCOUNTS = st.floats(0, 0.3)


def test_a_year_by_the_hour_is_rate_times_hours_discounted_once() -> None:
    """1,000 hours at 50 dollars, paid at the year's end."""
    hours = RentedHours(per_year=1000.0, once=0.0)
    assert on_demand_cents(50.0, hours, 1.0, 0.08) == round(50_000 / 1.08 * 100)


def test_a_single_run_is_paid_at_once() -> None:
    """Whatever the life and the discount."""
    hours = RentedHours(per_year=0.0, once=240.0)
    assert on_demand_cents(10.0, hours, 7.0, 0.2) == 240_000


@given(YEARS, st.sampled_from([1, 3]))
def test_whole_terms_cover_the_need(need: float, term: int) -> None:
    """Never less than the need, never a whole term too much."""
    paid = paid_years(need, term)
    assert paid % term == 0
    assert paid >= need - 1e-6
    assert paid - term < need


@given(RATES, YEARS, st.sampled_from([1, 3]), DISCOUNTS)
def test_a_reservation_costs_all_hours_of_its_terms(
    rate: float, need: float, term: int, discount: float
) -> None:
    """The same as renting by the hour for every hour of the paid years."""
    always = RentedHours(per_year=8766.0, once=0.0)
    paid = float(paid_years(need, term))
    assert reserved_cents(rate, need, term, discount) == on_demand_cents(
        rate, always, paid, discount
    )


@given(RATES, YEARS, DISCOUNTS, st.floats(0, 8766), st.floats(1, 2))
def test_more_hours_and_dearer_rates_never_cost_less(
    rate: float, years: float, discount: float, hours: float, factor: float
) -> None:
    """Monotone in both."""
    one = on_demand_cents(rate, RentedHours(per_year=hours, once=0.0), years, discount)
    more = RentedHours(per_year=hours * factor, once=0.0)
    assert on_demand_cents(rate, more, years, discount) >= one
    same = RentedHours(per_year=hours, once=0.0)
    assert on_demand_cents(rate * factor, same, years, discount) >= one


def test_egress_is_paid_by_run() -> None:
    """100 GB each week for a year, and once for a single run."""
    assert egress_cents(0.09, 100.0, 52.0, 1.0, 0.0) == pytest.approx(0.09 * 100 * 52 * 100, abs=1)
    assert egress_cents(0.09, 100.0, 0.0, 9.0, 0.1) == 900
    assert math.isclose(egress_cents(0.0, 1e6, 365.0, 5.0, 0.1), 0)
