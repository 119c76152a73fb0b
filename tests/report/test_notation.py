from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.report.notation import Notation, conversion_text
from planner.report.words import words


def _read(text, lang):
    if lang == "es":
        text = text.translate(str.maketrans(".,", ",."))
    return float(text.replace(",", ""))


@given(st.floats(-1e12, 1e12), st.integers(0, 6), st.sampled_from(["en", "es"]))
def test_a_number_reads_back_to_its_digits(value, digits, lang):
    """What is shown is the figure, rounded to the digits shown."""
    shown = Notation(lang=lang).number(value, digits)
    assert _read(shown, lang) == pytest.approx(value, abs=0.5 * 10**-digits + abs(value) * 1e-15)


def test_spanish_has_point_thousands_and_comma_decimals():
    """Spanish readers take 1.234 for a thousand."""
    assert Notation(lang="es").number(1234567.891, 2) == "1.234.567,89"


@pytest.mark.parametrize("digits", [0, 2])
def test_zero_never_has_a_sign(digits):
    """A rounded tiny loss must not read as -0."""
    assert Notation(lang="en").number(-1e-9, digits).lstrip("0.") == ""


def test_money_is_converted_once_and_carries_its_code():
    """115 dollars are 100 euro at 1.15."""
    n = Notation(lang="es", currency="EUR", usd_per_unit=1.15)
    assert n.money(115).replace("\xa0", " ") == "100 EUR"
    assert Notation(lang="en").money(-5, 2).replace("\xa0", " ") == "USD -5.00"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1234.5, "1,234 s"), (254.31, "254.3 s"), (14.128, "14.13 s"), (0.971, "0.971 s"),
     (0.0412, "0.0412 s"), (0.00023, "0.00023 s"), (0.0, "0.000 s")],
)  # fmt: skip
def test_seconds_keep_four_significant_digits(value, text):
    """Step times from micro-batches to minutes stay readable."""
    assert Notation(lang="en").seconds(value).replace("\xa0", " ") == text


def test_dates_are_written_as_each_language_reads_them():
    """In words in English, where 3/4 is March or April; day/month/year in Spanish."""
    day = datetime.date(2027, 3, 1)
    assert Notation(lang="en").date(day) == "1 March 2027"
    assert Notation(lang="es").date(day) == "01/03/2027"


def test_the_conversion_is_stated_with_its_date(euro_plan, plan):
    """A buyer must see at what rate dollars became euro."""
    n = Notation(lang="en", currency="EUR", usd_per_unit=1.15)
    text = conversion_text(euro_plan.instance, words("en"), n)
    assert "1.15 USD" in text
    assert "30 November 2026" in text
    assert conversion_text(plan.instance, words("en"), Notation(lang="en")) == ""


def test_moments_and_other_texts():
    """A run's start reads as date and time; what is no moment stays."""
    assert Notation(lang="es").moment("2026-12-02T08:11:09+00:00") == "02/12/2026 08:11 UTC"
    assert Notation(lang="en").moment("2026-12-02T08:11:09") == "2 December 2026 08:11"
    assert Notation(lang="en").moment("yesterday") == "yesterday"
