"""A vendor's offer or a bill of materials (CSV or XLSX), line by line with quantities and totals."""

from __future__ import annotations

from pathlib import Path

from planner.domain.comparison import Offer, OfferLine
from planner.domain.errors import Fault, InputError
from planner.importers.imported import Given, Notes
from planner.importers.money_text import CURRENCIES
from planner.importers.quote_columns import Columns, find_columns, plain
from planner.importers.quote_items import Items
from planner.importers.quotes import SUMS, Cells, Rows, currency_of, decimal_of, tables_of

MOST_UNITS = 10_000_000
CENTS = 100.0


def read_offer(path: Path, given: Given) -> Offer:
    """Return the lines of an offer in US dollars.

    ``currency=`` names the currency of the amounts and ``usd_per_eur=`` (or another code) converts
    it; ``catalog=`` names a folder laid over the catalogue. A line's total is quantity times unit
    price; its own total counts where there is no unit price, or a column of discounts.

    Raises
    ------
    InputError
        If there is no table with products, quantities and prices, or a currency has no rate.
    """
    from planner.domain.catalog import load_catalog

    notes = Notes()
    overlay = given.text("catalog")
    given.accept(*(f"usd_per_{code.lower()}" for code in sorted(CURRENCIES)))
    items = Items(load_catalog(Path(overlay) if overlay else None))
    for title, rows in tables_of(path, notes):
        columns = find_columns(rows)
        if columns is not None and "quantity" in columns.places:
            lines = _lines(rows, columns, items, given, path, notes)
            if lines:
                return Offer(lines=lines, notes=[*notes.facts, *notes.warnings])
            fault = Fault(title or "$", "no line has a quantity and a price")
            raise InputError(str(path), [fault])
    right = "name columns such as 'part', 'quantity' and 'unit price'"
    fault = Fault("$", "has no table of products with quantities and prices", right)
    raise InputError(str(path), [fault])


def _lines(
    rows: Rows, columns: Columns, items: Items, given: Given, path: Path, notes: Notes
) -> list[OfferLine]:
    body = rows[columns.heading_row + 1 :]
    decimal = decimal_of(body, columns)
    stated = (given.text("currency") or columns.currency).upper()
    rates = _Rates(given)
    found: list[OfferLine] = []
    faults: list[Fault] = []
    unpriced: list[str] = []
    for number, cells in body:
        cell = Cells(cells, columns)
        text = cell.text("description") or cell.text("item")
        if not text or plain(cell.text("item") or text) in SUMS:
            continue
        quantity = cell.number("quantity", decimal)
        amount = _total(cell, columns, decimal)
        if quantity is None or amount is None:
            unpriced.append(text[:40])
            continue
        if quantity != round(quantity) or not 1 <= quantity <= MOST_UNITS:
            faults.append(Fault(f"line {number}", f"{quantity:g} is no number of units"))
            continue
        rate = rates.of(currency_of(cell.currency(), stated) or "USD")
        if rate is not None:
            found.append(
                OfferLine(
                    part=items.find(cell.text("item"), cell.text("description")) or "",
                    text=text[:300],
                    quantity=round(quantity),
                    total_cents=round(amount * rate * CENTS),
                )
            )
    faults += [Fault(f"usd_per_{c.lower()}", f"no rate for {c}", "give it with --set") for c in
               rates.lacking]  # fmt: skip
    if faults:
        raise InputError(str(path), faults)
    if unpriced:
        notes.fact(f"{len(unpriced)} lines without a quantity or price: {', '.join(unpriced[:5])}")
    return found


def _total(cell: Cells, columns: Columns, decimal: str | None) -> float | None:
    """Return what a line comes to, None where it says neither a unit price nor a total."""
    unit, total = cell.number("price", decimal), cell.number("total", decimal)
    quantity = cell.number("quantity", decimal)
    if total is not None and (unit is None or "discount" in columns.places):
        return total
    return None if unit is None or quantity is None else unit * quantity


class _Rates:
    """US dollars for a unit of each currency; what lacks is remembered."""

    def __init__(self, given: Given) -> None:
        self._given = given
        self.lacking: list[str] = []

    def of(self, code: str) -> float | None:
        """Return the rate of a currency, None where none is given."""
        if code == "USD":
            return 1.0
        rate = self._given.number(f"usd_per_{code.lower()}", 1e-9, 1e9)
        if rate is None and code not in self.lacking:
            self.lacking.append(code)
        return rate
