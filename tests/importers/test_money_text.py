from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.importers.money_text import (
    date_is_ambiguous,
    find_currency,
    parse_amount,
    parse_date,
)


@pytest.mark.parametrize(
    ("text", "value", "ambiguous"),
    [
        ("1,234.56", 1234.56, False),
        ("1.234,56", 1234.56, False),
        ("1 234,56 €", 1234.56, False),
        ("US$ 12,300", 12300.0, True),
        ("12.300", 12300.0, True),
        ("1.234.567", 1234567.0, False),
        ("CHF 1'234.50", 1234.5, False),
        ("0.125", 0.125, False),
        ("7,5", 7.5, False),
        ("42", 42.0, False),
        ("1.234.567,8", 1234567.8, False),
    ],
)
def test_amounts(text, value, ambiguous):
    """Both conventions read; what could be either is marked."""
    found = parse_amount(text, None)
    assert (found.value, found.ambiguous) == (value, ambiguous)


def test_the_column_decides_what_one_amount_leaves_open():
    """With a known decimal sign a single separator is no guess."""
    assert parse_amount("12,300", ",").value == 12.3
    assert parse_amount("12,300", ".").value == 12300
    assert not parse_amount("12,300", ".").ambiguous


@pytest.mark.parametrize(
    "text",
    ["", "n/a", "call us", "-5", "(5)", "5 %", "1,23,4", "1.2.3,4", "12 or 13", "9" * 40, "..."],
)
def test_what_is_no_amount(text):
    """Words, negative sums, percentages and broken grouping give none."""
    assert parse_amount(text, None) is None


@given(st.integers(0, 10**9), st.integers(0, 99))
def test_every_amount_reads_back_in_both_conventions(whole, cents):
    """What is printed with grouping and cents is read to the cent."""
    english = f"{whole:,}.{cents:02d}"
    spanish = english.translate(str.maketrans(",.", ".,"))
    for text in (english, spanish):
        assert parse_amount(text, None).value == pytest.approx(whole + cents / 100)


@given(st.text(max_size=60))
def test_any_text_is_an_amount_or_none(text):
    """No text raises."""
    found = parse_amount(text, None)
    assert found is None or found.value >= 0
    assert isinstance(find_currency(text), str)
    assert parse_date(text, day_first=True) is None or text


@pytest.mark.parametrize(
    ("text", "code"),
    [("1 USD", "USD"), ("€ 5", "EUR"), ("US$", "USD"), ("$", "$"), ("MX$ 3", "MXN"),
     ("precio en euros", "EUR"), ("5", ""), ("GBP", "GBP")],
)  # fmt: skip
def test_currencies(text, code):
    """Codes, signs and words; a bare dollar sign stays open."""
    assert find_currency(text) == code


@pytest.mark.parametrize(
    ("text", "day_first", "date"),
    [
        ("2026-09-22", True, "2026-09-22"),
        ("22/09/2026", False, "2026-09-22"),
        ("03/04/2026", True, "2026-04-03"),
        ("03/04/2026", False, "2026-03-04"),
        ("22 de septiembre de 2026", True, "2026-09-22"),
        ("3 Sep 2026", True, "2026-09-03"),
        ("September 3, 2026", False, "2026-09-03"),
        ("2026-09", True, "2026-09"),
        ("2026-13-01", True, None),
        ("31/02/2026", True, None),
        ("soon", True, None),
    ],
)
def test_dates(text, day_first, date):
    """Dates as both languages write them; impossible ones give none."""
    assert parse_date(text, day_first=day_first) == date


def test_ambiguous_dates():
    """Only dates whose day could be a month are doubted."""
    assert date_is_ambiguous("03/04/2026")
    assert not date_is_ambiguous("22/09/2026")
