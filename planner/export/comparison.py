"""A comparison as CSV: one table of lines, one of categories; totals and differences to the cent."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.comparison import Comparison
from planner.domain.units import CENTS_PER_USD
from planner.export.csv_file import csv_text
from planner.export.table import Column, Row

PARTS = (
    Column("part", "key", "Catalogue id; empty for what the catalogue does not have"),
    Column("text", "text", "Product in words, or the line as it is written"),
    Column("component", "text", "Cost component"),
    Column("side", "text", "Which of the things compared"),
    Column("quantity", "integer", "Units"),
    Column("total_usd", "money", "Purchase price", "USD"),
    Column("difference_usd", "money", "Total less that of the first side", "USD"),
    Column("by_quantity_usd", "money", "Of the difference: by more or fewer units", "USD"),
    Column("by_price_usd", "money", "Of the difference: by another unit price", "USD"),
)
CATEGORIES = (
    Column("component", "text", "Cost component"),
    Column("side", "text", "Which of the things compared"),
    Column("total_usd", "money", "Present value", "USD"),
    Column("difference_usd", "money", "Present value less that of the first side", "USD"),
)


def _usd(cents: int | None) -> float | None:
    return None if cents is None else cents / CENTS_PER_USD


def _parts(found: Comparison) -> Iterator[Row]:
    for row in found.parts:
        first = row.cells[0].total_cents
        for index, (side, cell) in enumerate(zip(found.sides, row.cells, strict=True)):
            yield (
                row.part, row.text, row.component, side.name, cell.quantity,
                _usd(cell.total_cents), _usd(cell.total_cents - first),
                _usd(row.by_quantity_cents[index]), _usd(row.by_price_cents[index]),
            )  # fmt: skip


def _categories(found: Comparison) -> Iterator[Row]:
    for row in found.categories:
        first = row.cents[0]
        for side, cents in zip(found.sides, row.cents, strict=True):
            difference = None if cents is None or first is None else cents - first
            yield row.component, side.name, _usd(cents), _usd(difference)


def comparison_files(found: Comparison) -> dict[str, str]:
    """Return the tables by file name."""
    return {
        "parts.csv": csv_text(PARTS, _parts(found)),
        "categories.csv": csv_text(CATEGORIES, _categories(found)),
    }
