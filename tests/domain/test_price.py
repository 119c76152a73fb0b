"""Prices with kind, date, source and range."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from planner.domain.price import Price

FACTS = {"kind": "list price", "date": "2026-09", "source": "vendor list"}


@given(
    low=st.floats(0, 1e6), step=st.floats(0, 1e6), top=st.floats(0, 1e6), factor=st.floats(0, 100)
)
def test_ends_keep_their_order_when_scaled(
    low: float, step: float, top: float, factor: float
) -> None:
    """Low, base and high stay ordered whatever the factor."""
    price = Price(usd=low + step, low_usd=low, high_usd=low + step + top, **FACTS).scaled(factor)
    assert price.at("low") <= price.at("base") <= price.at("high")


def test_an_unknown_end_is_the_price() -> None:
    """Without a range both ends are the price itself."""
    price = Price(usd=10, **FACTS)
    assert (price.at("low"), price.at("base"), price.at("high")) == (10, 10, 10)


@pytest.mark.parametrize(
    "wrong",
    [
        {"usd": 10, "low_usd": 11},
        {"usd": 10, "high_usd": 9},
        {"usd": -1},
        {"usd": float("nan")},
        {"usd": 10, "date": "soon"},
        {"usd": 10, "date": "2026-13"},
        {"usd": 10, "kind": "guess"},
        {"usd": 10, "source": ""},
    ],
)
def test_a_price_without_order_date_or_source_is_refused(wrong: dict[str, object]) -> None:
    """Each fault alone makes the price invalid."""
    with pytest.raises(ValidationError):
        Price(**{**FACTS, **wrong})


def test_estimates_are_told_from_offers() -> None:
    """Only estimates and interpolations count as estimates."""
    kinds = ("list price", "street price", "quote", "analyst estimate", "own interpolation")
    found = [Price(usd=1, **{**FACTS, "kind": kind}).is_estimate for kind in kinds]
    assert found == [False, False, False, True, True]
