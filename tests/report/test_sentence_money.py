"""Amounts inside sentences in the report's currency."""

from __future__ import annotations

import pytest

from planner.report.notation import Notation
from planner.report.sentence_money import in_currency

EN = Notation(lang="en", currency="EUR", usd_per_unit=1.25)
ES = Notation(lang="es", currency="EUR", usd_per_unit=1.25)


@pytest.mark.parametrize(
    ("n", "text", "expected"),
    [
        (EN, "x costs 1,250 USD to buy; the budget is 1,000.50 USD",
         "x costs 1,000 EUR to buy; the budget is 800.40 EUR"),
        (EN, "over the years in USD: servers +1,250, switches -125",
         "over the years in EUR: servers +1,000, switches -100"),
        (ES, "a lo largo de los años, en USD: servidores +1.250", "a lo largo de los años, en EUR: servidores +1.000"),
        (ES, "al menos 1.250,50 USD de compra", "al menos 1.000,40 EUR de compra"),
        (EN, "energy at 0.08 USD/kWh", "energy at 0.08 USD/kWh"),
        (EN, "12 USD", "12 USD"),
        (EN, "no amount in USD here", "no amount in USD here"),
    ],
)  # fmt: skip
def test_amounts_are_converted_prices_of_units_and_inputs_are_not(n, text, expected):
    """Both languages; what an input states stays as it was given."""
    assert in_currency(text, n) == expected
    dollars = Notation(lang=n.lang)
    assert in_currency(text, dollars) == text
