"""Present value of one unit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.domain.units import cents
from planner.physics.costs import MoneyRules, UnitCost, annuity_factor, unit_cost

RULES = MoneyRules(
    years=5,
    discount_rate=0.08,
    electricity_usd_per_kwh=0.1,
    pue=1.3,
    support_share_per_year={"servers": 0.05},
    spares_share={"cables": 0.03},
)


def test_annuity_equals_the_textbook_formula() -> None:
    """(1 - (1+r)^-n) / r for whole years; plain years without discounting."""
    assert annuity_factor(5, 0.08) == pytest.approx((1 - 1.08**-5) / 0.08)
    assert annuity_factor(3, 0.0) == 3
    assert annuity_factor(2.5, 0.0) == 2.5


def test_one_kilowatt_for_five_years_by_hand() -> None:
    """1 kW x 1.3 x 8766 h x 0.1 USD x annuity, and 5 % support a year."""
    cost = unit_cost(RULES, component="servers", price_usd=1000, average_w=1000)
    annuity = (1 - 1.08**-5) / 0.08
    assert cost.energy == cents(1.3 * 8766 * 0.1 * annuity)
    assert cost.support == cents(50 * annuity)
    assert (cost.capex, cost.other) == (100_000, 0)


@given(st.floats(0, 1e6), st.floats(0, 1e5), st.integers(0, 1000))
def test_totals_are_linear_in_quantity(price: float, watts: float, quantity: int) -> None:
    """Quantity times a unit line is exact: no rounding after the unit."""
    unit = unit_cost(RULES, component="cables", price_usd=price, average_w=watts)
    assert unit.times(quantity).total == unit.total * quantity
    assert (unit.times(quantity) + unit).total == unit.total * (quantity + 1)


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_dearer_part_never_costs_less(one: float, two: float) -> None:
    """Present value rises with price in every line."""
    low, high = sorted((one, two))
    a = unit_cost(RULES, component="servers", price_usd=low)
    b = unit_cost(RULES, component="servers", price_usd=high)
    assert a.total <= b.total


def test_zero_cost_is_neutral() -> None:
    """The empty cost adds nothing."""
    unit = unit_cost(RULES, component="racks", price_usd=12.34)
    assert unit + UnitCost() == unit
