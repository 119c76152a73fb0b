"""Offers are read line by line: quantities, unit prices or totals, currencies, unknown products."""

from __future__ import annotations

import pytest

from planner.domain.errors import InputError
from planner.importers.imported import Given
from planner.importers.offer import read_offer


def read(tmp_path, text: str, **given: str):
    """Return the offer that a CSV text holds."""
    path = tmp_path / "offer.csv"
    path.write_text(text, encoding="utf-8")
    return read_offer(path, Given(given))


def test_quantities_times_unit_prices(tmp_path) -> None:
    """Known products by id or model; others keep their words; sums and blanks are left out."""
    found = read(
        tmp_path,
        "Part,Description,Qty,Unit price USD\nqm9700,,2,36000.50\n"
        "=cmd(),<script>alert(1)</script>,3,10\nhgx-h100-8,,1,\nTotal,,,72001\n",
    )
    assert [(row.part, row.quantity, row.total_cents) for row in found.lines] == [
        ("qm9700", 2, 7_200_100), ("", 3, 3_000),
    ]  # fmt: skip
    assert found.lines[1].text == "<script>alert(1)</script>"
    assert any("without a quantity or price" in note for note in found.notes)


def test_spanish_totals_in_euro(tmp_path) -> None:
    """Decimal commas; a total where there is no unit price; the rate is asked for."""
    text = 'Código;Cantidad;Importe EUR\nqm9700;2;"1.234,50"\n'
    found = read(tmp_path, text, usd_per_eur="1.10")
    assert found.lines[0].total_cents == 135_795
    with pytest.raises(InputError, match="usd_per_eur"):
        read(tmp_path, text)


def test_discounts_count_the_total(tmp_path) -> None:
    """A list price beside a discount is not what is paid."""
    text = "Part,Qty,Unit price,Discount,Total\nqm9700,2,100.00,10%,180.00\n"
    assert read(tmp_path, text).lines[0].total_cents == 18_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Part,Unit price\nqm9700,10\n", "quantities"),
        ("Part,Qty,Unit price\nqm9700,1.5,10\n", "no number of units"),
        ("Part,Qty,Unit price\nqm9700,,10\n", "no line has a quantity"),
    ],
)
def test_what_is_no_offer_is_refused(tmp_path, text: str, message: str) -> None:
    """With what would be right."""
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)
