"""What the answer rests on beside the instance."""

from __future__ import annotations

from planner.domain.solution import Solution
from planner.export.xlsx.book import Sheet
from planner.export.xlsx.field import Field
from planner.export.xlsx.phrases import Phrases

ASSUMPTIONS = (
    Field(key="what", kind="long", width=60),
    Field(key="value", kind="long", width=30),
    Field(key="assumption_kind", width=18),
    Field(key="source", kind="long", width=70),
)


def write_assumptions(sheet: Sheet, solution: Solution, w: Phrases) -> None:
    """Fill the sheet, one row a figure."""
    sheet.heading(w("sheet.assumptions"))
    rows = [
        (w.said(item.what), w.said(item.value), w(item.kind), w.source(item.source))
        for item in solution.assumptions
    ]
    sheet.table("Assumptions", ASSUMPTIONS, rows, freeze=True)
