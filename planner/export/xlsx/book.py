"""A deterministic workbook: formats, sheets with print setup, tables whose text is only text."""

from __future__ import annotations

import datetime
import importlib
import io
import math
from collections.abc import Sequence
from typing import Any

from planner.domain.errors import UsageError
from planner.export.csv_file import FORMULA_STARTS, one_line
from planner.export.xlsx.field import NUMBER_FORMATS, RULES, Field, Kind
from planner.export.xlsx.phrases import Phrases

MISSING = "XLSX needs XlsxWriter: pip install XlsxWriter"
A4 = 9
MAX_TEXT = 32_767
"""Characters of a cell."""
EPOCH = datetime.datetime(2000, 1, 1)
"""Creation of a workbook whose run states no start; a workbook's times carry no zone."""
FIRST_YEAR = 1901
"""Earlier days are no dates in a spreadsheet."""
YELLOW = "#FFF8D6"
LINE_POINTS = 15
"""Height of a line."""
MAX_LINES = 27
"""A row is 409 points high at most."""

Value = str | int | float | datetime.date | None


class Book:
    """A workbook in memory."""

    def __init__(self, title: str, phrases: Phrases, created: datetime.datetime | None) -> None:
        """Open a workbook whose only date is `created`.

        Raises
        ------
        UsageError
            If XlsxWriter is not installed.
        """
        try:
            xlsxwriter: Any = importlib.import_module("xlsxwriter")
        except ImportError:
            raise UsageError(MISSING) from None
        self.phrases = phrases
        self._bytes = io.BytesIO()
        self._book = xlsxwriter.Workbook(
            self._bytes,
            {
                "in_memory": True,
                "strings_to_formulas": False,
                "strings_to_urls": False,
                "strings_to_numbers": False,
            },
        )
        self._book.set_properties({"title": one_line(title)[:200], "created": created or EPOCH})
        self._formats: dict[tuple[tuple[str, Any], ...], Any] = {}

    def close(self) -> bytes:
        """Finish the workbook and return the file."""
        self._book.close()
        return self._bytes.getvalue()

    def format(self, **properties: Any) -> Any:
        """Return a cell format, the same object for the same properties."""
        key = tuple(sorted(properties.items()))
        if key not in self._formats:
            self._formats[key] = self._book.add_format(properties)
        return self._formats[key]

    def sheet(self, title: str, footer: str, *, pages_wide: int = 1) -> Sheet:
        """Add a sheet: A4 landscape, so many pages wide, numbered pages."""
        sheet = self._book.add_worksheet(title[:31])
        sheet.set_landscape()
        sheet.set_paper(A4)
        sheet.fit_to_pages(pages_wide, 0)
        sheet.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
        w = self.phrases
        clean = one_line(footer).replace("&", "&&")[:80]
        sheet.ignore_errors({"number_stored_as_text": "A1:XFD1048576"})
        sheet.set_footer(f"&L{clean}&C&A&R{w('page')} &P {w('of')} &N")
        return Sheet(self, sheet)


class Sheet:
    """One sheet, filled from the top."""

    def __init__(self, book: Book, sheet: Any) -> None:
        """Wrap a worksheet."""
        self._book = book
        self._sheet = sheet
        self.row = 0
        """Next free row, from 0."""
        self._widths: dict[int, int] = {}

    def heading(self, text: str, *, size: int = 14) -> None:
        """Write a line in bold."""
        self._text(self.row, 0, text, self._book.format(bold=True, font_size=size))
        self.row += 1

    def line(self, text: str) -> None:
        """Write a line in grey."""
        self._text(self.row, 0, text, self._book.format(font_color="#555555"))
        self.row += 1

    def pair(self, label: str, value: Value, kind: Kind = "text", formula: str = "") -> None:
        """Write a label and, beside it, a value or a formula with that last value."""
        self._text(self.row, 0, label, self._book.format(bold=True))
        cell_format = self._book.format(num_format=NUMBER_FORMATS[kind], align="left")
        if formula:
            self._sheet.write_formula(self.row, 1, formula, cell_format, value)
        else:
            self._cell(self.row, 1, value, cell_format)
        self.row += 1

    def widths(self, *characters: int) -> None:
        """Make the first columns at least so wide."""
        for column, wide in enumerate(characters):
            self._widen(column, wide)

    def table(
        self, name: str, fields: Sequence[Field], rows: Sequence[Sequence[Value]],
        *, freeze: bool = False,
    ) -> None:  # fmt: skip
        """Write a table with filters, and a total row where a field asks for one.

        Parameters
        ----------
        name
            Name of the table in formulas.
        fields
            The columns.
        rows
            A value for each column, of formulas the last value; at least one empty row is shown.
        freeze
            Whether the sheet scrolls below the heading and prints it on every page.
        """
        top, count = self.row, max(len(rows), 1)
        totals = any(field.total for field in fields)
        last = top + count + (1 if totals else 0)
        self._sheet.add_table(top, 0, last, len(fields) - 1, {
            "name": name,
            "columns": [self._column(name, fields, place) for place in range(len(fields))],
            "total_row": totals,
            "style": "Table Style Light 9",
        })  # fmt: skip
        self._heights(top, fields, rows)
        for place, field in enumerate(fields):
            self._widen(place, field.wide)
            formula = _formula(name, fields, field, self._book.phrases)
            for ahead in range(count):
                value = rows[ahead][place] if rows else None
                self._write(top + 1 + ahead, place, field, formula, value)
            if field.total:
                self._total(name, last, place, field, rows)
            if field.rule:
                self._sheet.data_validation(top + 1, place, top + count, place, RULES[field.rule])
        if freeze:
            self._sheet.freeze_panes(top + 1, min(2, len(fields)))
            self._sheet.repeat_rows(top)
            self._sheet.repeat_columns(0, min(1, len(fields) - 1))
        self.row = last + 2

    def _heights(self, top: int, fields: Sequence[Field], rows: Sequence[Sequence[Value]]) -> None:
        """Make heading and rows as high as their longest text needs when it wraps."""
        heads = [_lines(self._book.phrases(field.key), field.wide) for field in fields]
        self._sheet.set_row(top, LINE_POINTS * max(heads))
        long = [(place, field.wide) for place, field in enumerate(fields) if field.kind == "long"]
        for ahead, row in enumerate(rows):
            lines = max((_lines(str(row[place] or ""), wide) for place, wide in long), default=1)
            if lines > 1:
                self._sheet.set_row(top + 1 + ahead, LINE_POINTS * min(lines, MAX_LINES))

    def _column(self, name: str, fields: Sequence[Field], place: int) -> dict[str, Any]:
        field, w = fields[place], self._book.phrases
        column: dict[str, Any] = {
            "header": w(field.key),
            "format": self._cell_format(field),
            "header_format": self._book.format(
                bold=True, text_wrap=True, valign="top", **_aligned(field)
            ),
        }
        if field.formula:
            column["formula"] = _formula(name, fields, field, w)
        if field.total:
            column["total_function"] = "sum"
        elif place == _first_text(fields) and any(f.total for f in fields):
            column["total_string"] = w("total")
        return column

    def _total(
        self, name: str, row: int, place: int, field: Field, rows: Sequence[Sequence[Value]]
    ) -> None:
        """Write a total with the table's name in it, as Excel does; others need it to recompute."""
        whole = math.fsum(x for x in (row[place] for row in rows) if isinstance(x, int | float))
        formula = f"=SUBTOTAL(109,{name}[{self._book.phrases(field.key)}])"
        bold = self._book.format(num_format=NUMBER_FORMATS[field.kind], bold=True)
        self._sheet.write_formula(row, place, formula, bold, round(whole, 6))

    def _write(self, row: int, column: int, field: Field, formula: str, value: Value) -> None:
        if formula:
            shown = "" if value is None else value
            self._sheet.write_formula(row, column, formula, self._cell_format(field), shown)
        else:
            self._cell(row, column, value, self._cell_format(field))

    def _cell_format(self, field: Field) -> Any:
        properties = {"num_format": NUMBER_FORMATS[field.kind], "valign": "top"} | _aligned(field)
        if field.kind == "long":
            properties["text_wrap"] = True
        if field.fill_in:
            properties["bg_color"] = YELLOW
        return self._book.format(**properties)

    def _cell(self, row: int, column: int, value: Value, cell_format: Any) -> None:
        if value is None:
            self._sheet.write_blank(row, column, None, cell_format)
        elif isinstance(value, str):
            self._text(row, column, value, cell_format)
        elif isinstance(value, datetime.date):
            if value.year < FIRST_YEAR:
                self._text(row, column, value.isoformat(), cell_format)
            else:
                self._sheet.write_datetime(row, column, value, cell_format)
        elif math.isfinite(value):
            self._sheet.write_number(row, column, value, cell_format)
        else:
            self._sheet.write_blank(row, column, None, cell_format)

    def _text(self, row: int, column: int, text: str, cell_format: Any) -> None:
        """Write text as text; what would be a formula once somebody edits it is marked as text."""
        clean = one_line(text)[:MAX_TEXT]
        if clean.startswith(FORMULA_STARTS):
            cell_format = self._book.format(num_format="@", quote_prefix=True, valign="top")
        self._sheet.write_string(row, column, clean, cell_format)

    def _widen(self, column: int, characters: int) -> None:
        wide = max(self._widths.get(column, 0), characters)
        self._widths[column] = wide
        self._sheet.set_column(column, column, wide)


def _aligned(field: Field) -> dict[str, Any]:
    """Return how a column is set: text left, off the number before it, figures right."""
    words = field.kind in ("text", "long")
    return {"align": "left", "indent": 1} if words else {"align": "right"}


def _lines(text: str, characters: int) -> int:
    """Return the lines that a text takes in a column of that width, on the safe side."""
    return max(1, math.ceil(len(text) / max(characters - 3, 1)))


def _first_text(fields: Sequence[Field]) -> int:
    """Return the place of the first column of text, where the total row says what it is."""
    return next(place for place, field in enumerate(fields) if field.kind == "text")


def _formula(name: str, fields: Sequence[Field], field: Field, w: Phrases) -> str:
    """Return a field's formula with structured references to its own row."""
    if not field.formula:
        return ""
    cells = {other.key: f"{name}[[#This Row],[{w(other.key)}]]" for other in fields}
    return field.formula.format(**cells)
