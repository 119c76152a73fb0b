"""Vendor prices (CSV or XLSX), a filled-in bill of materials too, as the quotes of an instance."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planner.domain.errors import Fault, InputError
from planner.domain.instance import Quote
from planner.domain.json_file import validate
from planner.importers.csv_source import read_rows
from planner.importers.imported import Given, Imported, Notes
from planner.importers.money_text import (
    BARE_DOLLAR,
    CURRENCIES,
    Amount,
    date_is_ambiguous,
    decimal_sign,
    find_currency,
    parse_amount,
    parse_date,
)
from planner.importers.quote_columns import Columns, find_columns, plain
from planner.importers.quote_items import Items
from planner.importers.source import read_bytes, read_source
from planner.importers.xlsx_source import MAX_BYTES, OLE, Cell, read_sheets

KIND = "quotes"
NO_PRODUCT = "no product of the catalogue"
MAX_UNKNOWN = 5_000
SUMS = frozenset(
    ("total", "subtotal", "sub total", "grand total", "gran total", "total general", "iva", "vat",
     "tax", "impuestos", "sum", "suma", "total usd", "total eur", "importe total")
)  # fmt: skip
_DAYS = re.compile(r"(\d{1,4})\s*(days?|d[ií]as?)", re.IGNORECASE)
_QUOTED = frozenset(("quote", "oferta", "cotizacion", "quoted"))
FAR_OFF = 5.0
"""Factor from the catalogue's price beyond which a quote is doubted."""

Rows = Sequence[tuple[int, Sequence[Cell]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """One line of a price list as it stands."""

    where: str
    item: str
    description: str
    amount: Amount
    currency: str
    date: str
    valid: str
    source: str
    kind: str


@dataclass(slots=True)
class _Result:
    """What the lines come to."""

    quotes: dict[str, dict[str, Any]] = field(default_factory=dict)
    unknown: list[dict[str, Any]] = field(default_factory=list)
    rates: dict[str, float | None] = field(default_factory=dict)
    unchanged: int = 0
    expired: list[str] = field(default_factory=list)


def read_quotes(path: Path, given: Given) -> Imported:
    """Return the prices of a list by catalogue id; lines that match no product are listed.

    ``--set date=`` dates a list that carries none, ``currency=`` names its currency and
    ``usd_per_eur=`` (or another code) converts it, ``vendor=`` says who offers,
    ``catalog=`` names a folder laid over the catalogue, ``today=`` the day for validity.

    Raises
    ------
    InputError
        If no table with products and prices is found, or no line is dated.
    """
    from planner.domain.catalog import load_catalog

    notes = Notes()
    tables = tables_of(path, notes)
    overlay = given.text("catalog")
    given.accept(*(f"usd_per_{code.lower()}" for code in sorted(CURRENCIES)), "today")
    items = Items(load_catalog(Path(overlay) if overlay else None))
    found = [(title, rows, find_columns(rows)) for title, rows in tables]
    usable = [(title, rows, columns) for title, rows, columns in found if columns is not None]
    if not usable:
        right = "name columns such as 'part' and 'unit price' (or 'código' and 'precio')"
        raise InputError(str(path), [Fault("$", "has no table of products and prices", right)])
    title, rows, columns = usable[0]
    for other, _, _ in usable[1:]:
        notes.warn(f"sheet {other!r} also holds prices and is left out; the first is read")
    lines = _lines(title, rows, columns, given, path, notes)
    result = _Result()
    for line in lines:
        _take(line, items, result, given, notes)
    return _imported(result, path, notes)


def tables_of(path: Path, notes: Notes) -> list[tuple[str, Rows]]:
    """Return the tables of a price list with their titles; raises InputError on what is none."""
    data = read_bytes(path, MAX_BYTES)
    if data.startswith(OLE):
        fault = Fault("$", "is an old XLS workbook", "save it as XLSX or CSV")
        raise InputError(str(path), [fault])
    if data.startswith(b"PK"):
        return list(read_sheets(data, str(path)))
    source = read_source(path, MAX_BYTES)
    notes.warnings += source.notes
    return [("", [(line, list(cells)) for line, cells in read_rows(source)])]


def _lines(
    title: str, rows: Rows, columns: Columns, given: Given, path: Path, notes: Notes
) -> list[_Line]:
    """Return the lines that carry a price; those without are counted."""
    body = rows[columns.heading_row + 1 :]
    decimal = decimal_of(body, columns)
    stated = (given.text("currency") or columns.currency).upper()
    when, vendor = _given_date(given), given.text("vendor")
    lines, empty, undated = [], [], []
    doubtful_dates = False
    for number, cells in body:
        cell = Cells(cells, columns)
        item, description = cell.text("item"), cell.text("description")
        if not item and not description:
            continue
        if plain(item or description) in SUMS:
            continue
        amount = cell.amount(decimal)
        if amount is None:
            empty.append((item or description)[:40])
            continue
        doubtful_dates = doubtful_dates or date_is_ambiguous(cell.text("date"))
        date = parse_date(cell.text("date"), day_first=columns.spanish) or when
        if date is None:
            undated.append(number)
            continue
        sheet = f"{title}, " if title else ""
        lines.append(_Line(
            where=f"{sheet}line {number}",
            item=item, description=description, amount=amount,
            currency=currency_of(cell.currency(), stated),
            date=date, valid=cell.valid(date, day_first=columns.spanish),
            source=cell.text("source") or vendor or "quote",
            kind=plain(cell.text("kind")),
        ))  # fmt: skip
    if undated:
        what = f"{len(undated)} prices have no date (first in line {undated[0]})"
        raise InputError(str(path), [Fault("date", what, "add a column, or --set date=2026-01-31")])
    _doubts(lines, empty, columns, doubtful_dates, notes)
    return lines


def currency_of(named: str, stated: str) -> str:
    """Return the currency of a line; a bare dollar sign is what the list states, else unnamed."""
    if named in ("", BARE_DOLLAR):
        return "" if stated == BARE_DOLLAR else stated
    return named


def _given_date(given: Given) -> str | None:
    text = given.text("date")
    if text is None:
        return None
    date = parse_date(text, day_first=True)
    if date is None:
        raise InputError("--set", [Fault("date", f"{text[:40]!r} is no date", "write 2026-01-31")])
    return date


def _doubts(
    lines: list[_Line], empty: list[str], columns: Columns, doubtful_dates: bool, notes: Notes
) -> None:
    if empty:
        shown = ", ".join(empty[:10]) + (", ..." if len(empty) > 10 else "")
        notes.fact(f"{len(empty)} line(s) without a price: {shown}")
    doubtful = [line for line in lines if line.amount.ambiguous]
    if doubtful:
        notes.warn(
            f"{len(doubtful)} amounts have one separator before three digits, read as thousands: "
            f"{doubtful[0].item[:40]} at {doubtful[0].amount.value:,.0f} ({doubtful[0].where})"
        )
    if doubtful_dates:
        order = "day/month" if columns.spanish else "month/day"
        notes.warn(f"dates such as 03/04 are read as {order}")
    if "discount" in columns.places:
        notes.warn("a column of discounts is there; the prices are taken as they stand")
    if lines and not all(line.currency for line in lines):
        notes.warn("no currency is stated; taken as US dollars (--set currency=...)")


class Cells:
    """The cells of one row by meaning."""

    __slots__ = ("_cells", "_columns")

    def __init__(self, cells: Sequence[Cell], columns: Columns) -> None:
        self._cells = cells
        self._columns = columns

    def raw(self, meaning: str) -> Cell:
        """Return the cell itself."""
        place = self._columns.places.get(meaning)
        return self._cells[place] if place is not None and place < len(self._cells) else None

    def text(self, meaning: str) -> str:
        """Return the cell as text, empty where there is none."""
        value = self.raw(meaning)
        if isinstance(value, float):
            return f"{value:g}"
        return value.isoformat() if isinstance(value, datetime.date) else (value or "")

    def _number(self, meaning: str, decimal: str | None) -> Amount | None:
        value = self.raw(meaning)
        if isinstance(value, float):
            return Amount(value=value) if 0 <= value <= 1e10 else None
        found = parse_amount(value, decimal) if isinstance(value, str) and value else None
        return found if found is not None and found.value <= 1e10 else None

    def number(self, meaning: str, decimal: str | None) -> float | None:
        """Return the figure of a cell, None where there is none."""
        found = self._number(meaning, decimal)
        return None if found is None else found.value

    def amount(self, decimal: str | None) -> Amount | None:
        """Return the unit price; the total over the quantity where there is none."""
        unit = self._number("price", decimal)
        if unit is not None:
            return unit
        total, quantity = self._number("total", decimal), self._number("quantity", decimal)
        if total is None or quantity is None or quantity.value <= 0:
            return None
        return Amount(value=total.value / quantity.value, ambiguous=total.ambiguous)

    def currency(self) -> str:
        """Return the currency that the row names, empty if none."""
        return find_currency(self.text("currency")) or find_currency(
            self.text("price") or self.text("total")
        )

    def valid(self, date: str, *, day_first: bool) -> str:
        """Return the last day of validity, empty if not stated; a period counts from the date."""
        text = self.text("valid")
        period = _DAYS.search(text[:60])
        if period and len(date) == 10:
            start = datetime.date.fromisoformat(date)
            return (start + datetime.timedelta(days=int(period[1]))).isoformat()
        return parse_date(text, day_first=day_first) or ""


def decimal_of(body: Rows, columns: Columns) -> str | None:
    """Return the decimal sign that the column's amounts show, None if they show none or both."""
    signs = set()
    for _, cells in body:
        for meaning in ("price", "total"):
            value = Cells(cells, columns).raw(meaning)
            if isinstance(value, str):
                signs.add(decimal_sign(value))
    signs.discard(None)
    return signs.pop() if len(signs) == 1 else None


def _take(line: _Line, items: Items, result: _Result, given: Given, notes: Notes) -> None:
    """Convert one line and put it where it belongs."""
    usd = _in_usd(line, result, given, notes)
    row_id = items.find(line.item, line.description)
    if row_id is None or usd is None:
        _unknown(line, row_id, items, result)
        return
    known = items.price(row_id)
    if line.kind and line.kind not in _QUOTED and known is not None and abs(usd - known) < 0.005:
        result.unchanged += 1
        return
    if known and not known / FAR_OFF <= usd <= known * FAR_OFF:
        notes.warn(
            f"{row_id} at {usd:,.2f} USD ({line.where}) is far from the catalogue's {known:,.2f}: "
            "check separators, currency and unit"
        )
    if line.valid and line.valid < _today(given):
        result.expired.append(f"{row_id} ({line.valid})")
    source = f"{line.source[:200]}, {line.where}"
    if line.currency not in ("", "USD"):
        source += f", {line.amount.value:,.2f} {line.currency}"
    if line.valid:
        source += f", valid until {line.valid}"
    entry = {"usd": round(usd, 2), "date": line.date, "source": source}
    other = result.quotes.get(row_id)
    if other is not None and other["usd"] != entry["usd"]:
        low = min(other, entry, key=lambda quote: quote["usd"])
        notes.warn(f"{row_id} is offered at {other['usd']:,.2f} and {entry['usd']:,.2f} USD; "
                   f"{low['usd']:,.2f} is taken")  # fmt: skip
        entry = low
    result.quotes[row_id] = entry


def _today(given: Given) -> str:
    return given.text("today") or datetime.datetime.now(tz=datetime.UTC).date().isoformat()


def _in_usd(line: _Line, result: _Result, given: Given, notes: Notes) -> float | None:
    code = line.currency or "USD"
    if code == "USD":
        return line.amount.value
    if code not in result.rates:
        key = f"usd_per_{code.lower()}"
        result.rates[code] = given.number(key, 1e-9, 1e9)
        if result.rates[code] is None:
            notes.lack(f"US dollars for one {code}", key)
    rate = result.rates[code]
    return None if rate is None else line.amount.value * rate


def _unknown(line: _Line, row_id: str | None, items: Items, result: _Result) -> None:
    entry: dict[str, Any] = {
        "where": line.where,
        "item": (line.item or line.description)[:300],
        "price": line.amount.value,
        "currency": line.currency or "USD",
    }
    if row_id is not None:
        entry["why"] = f"{row_id}, but no exchange rate for {line.currency}"
    else:
        near = items.nearest(line.item or line.description) if len(result.unknown) < 200 else []
        entry["why"] = NO_PRODUCT + (f"; perhaps {', '.join(near)}" if near else "")
    result.unknown.append(entry)


def _imported(result: _Result, path: Path, notes: Notes) -> Imported:
    for entry in result.unknown:
        notes.warn(f"{entry['where']}: {entry['item'][:60]!r}: {entry['why']}")
    if len(result.unknown) > MAX_UNKNOWN:
        fault = Fault("$", f"{len(result.unknown):,} lines match no product of the catalogue")
        raise InputError(str(path), [fault])
    if result.expired:
        notes.warn(f"no longer valid: {', '.join(result.expired[:10])}; ask again")
    if result.unchanged:
        notes.fact(f"{result.unchanged} lines repeat the catalogue's own price: no quotes")
    bare = sum(entry["why"].startswith(NO_PRODUCT) for entry in result.unknown)
    notes.fact(f"{len(result.quotes)} quotes, {bare} lines without a product")
    if bare < len(result.unknown):
        notes.fact(f"{len(result.unknown) - bare} lines without an exchange rate")
    for row_id, entry in result.quotes.items():
        validate(Quote, entry, f"{path}: {row_id}")
    documents: dict[str, dict[str, Any]] = {"quotes.json": {"quotes": result.quotes}}
    if result.unknown:
        documents["unknown_items.json"] = {"unknown": result.unknown}
    return notes.imported(KIND, documents)
