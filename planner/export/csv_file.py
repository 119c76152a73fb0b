"""CSV that Power BI and Excel read right: UTF-8 with BOM, CRLF, point decimals, no formulas."""

from __future__ import annotations

import csv
import io
import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, TextIO

from planner.export.table import Column, Row, Value

FORMULA_STARTS = ("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}",
                  "\N{FULLWIDTH HYPHEN-MINUS}", "\N{FULLWIDTH COMMERCIAL AT}")  # fmt: skip
"""First characters for which a spreadsheet takes a text cell for a formula."""


def one_line(text: str) -> str:
    """Return text on one line, without control characters and marks of writing direction."""
    if text.isascii() and text.isprintable():
        return text.strip()
    spaced = "".join(" " if char.isspace() else char for char in text)
    return "".join(c for c in spaced if not _dropped(c)).strip()


def _dropped(char: str) -> bool:
    """Return whether a character only controls others, or may not stand in XML."""
    return unicodedata.category(char) in ("Cc", "Cf", "Cs") or char in "\ufffe\uffff"


def safe_text(text: str) -> str:
    """Return text on one line that no spreadsheet runs as a formula.

    Names and ids begin with a letter or digit, so keys pass unchanged; free text that begins like
    a formula gets an apostrophe in front.
    """
    shown = one_line(text)
    return f"'{shown}" if shown.startswith(FORMULA_STARTS) else shown


def cell(value: Value, column: Column) -> str:
    """Return a value as its column's type is written; None and non-finite numbers are empty."""
    if value is None:
        return ""
    if column.type == "boolean":
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return safe_text(value)
    if column.type == "integer":
        return str(int(value))
    if not math.isfinite(value):
        return ""
    if column.type == "money":
        return f"{value:.2f}"
    return format(Decimal(repr(float(value))), "f").removesuffix(".0")


def csv_writer(file: TextIO) -> Any:
    """Return a writer of rows in the shape of every CSV file here."""
    return csv.writer(file, lineterminator="\r\n")


def csv_rows(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[list[str]]:
    """Yield each row as its columns are written.

    Raises
    ------
    ValueError
        If a row has not one value for each column.
    """
    for row in rows:
        yield [cell(v, c) for v, c in zip(row, columns, strict=True)]


def csv_text(columns: Sequence[Column], rows: Iterable[Row]) -> str:
    """Return the file's text, header first, BOM included.

    Raises
    ------
    ValueError
        If a row has not one value for each column.
    """
    out = io.StringIO()
    writer = csv_writer(out)
    writer.writerow([column.name for column in columns])
    writer.writerows(csv_rows(columns, rows))
    return "\N{ZERO WIDTH NO-BREAK SPACE}" + out.getvalue()
