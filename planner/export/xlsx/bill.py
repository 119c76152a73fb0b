"""The order list: quantities, prices with their sources, and columns for the vendors' answers."""

from __future__ import annotations

import datetime

from planner.domain.solution import Solution
from planner.export.xlsx.book import Sheet, Value
from planner.export.xlsx.field import Field
from planner.export.xlsx.phrases import Phrases

BILL = (
    Field(key="line", kind="integer", width=7),
    Field(key="part", width=24),
    Field(key="description", kind="long", width=34),
    Field(key="kind", width=12),
    Field(key="component", width=14),
    Field(key="quantity", kind="integer"),
    Field(key="unit_price", kind="money", width=15),
    Field(key="line_total", kind="money", formula="ROUND({quantity}*{unit_price},2)", total=True),
    Field(key="low", kind="money", width=15),
    Field(key="high", kind="money", width=15),
    Field(key="price_kind", width=18),
    Field(key="price_date", kind="day"),
    Field(key="price_source", kind="long", width=36),
    Field(key="vendor", fill_in=True),
    Field(key="quoted_price", kind="money", fill_in=True, rule="amount"),
    Field(key="currency", width=10, fill_in=True, rule="currency"),
    Field(key="quote_date", kind="day", fill_in=True, rule="day"),
    Field(key="valid_until", kind="day", fill_in=True, rule="day"),
    Field(key="lead_time", kind="decimal", fill_in=True, rule="amount"),
    Field(key="quoted_line", kind="money",
          formula='IF({quoted_price}="","",ROUND({quantity}*{quoted_price},2))'),
    Field(key="notes", kind="long", width=24, fill_in=True),
)  # fmt: skip


def write_bill(sheet: Sheet, solution: Solution, w: Phrases) -> None:
    """Fill the sheet, one row a line of the bill of materials."""
    sheet.heading(w("sheet.bill"))
    sheet.line(w("fill_in"))
    rows: list[tuple[Value, ...]] = [
        (
            number, line.part, w.said(line.description), w.said(line.kind),
            w.said(line.component), line.quantity,
            line.unit_price_usd, line.total_usd, line.low_usd, line.high_usd,
            w.said(line.price_kind),
            _day(line.price_date), w.source(line.price_source), None, None, "USD", None, None, None, None,
            None,
        )
        for number, line in enumerate(solution.bill_of_materials, 1)
    ]  # fmt: skip
    sheet.table("Bill", BILL, rows, freeze=True)


def _day(text: str) -> Value:
    """Return a full date as a date; a year or a month stays text."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return text
