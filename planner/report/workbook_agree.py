"""Whether a workbook still holds what was written into it, beside what people filled in."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from planner.export.xlsx.bill import BILL

REL = 1e-9
"""A spreadsheet program writes a number again with 15 digits."""
SPARE = 20
"""How much larger a workbook may unpack that was saved again."""
FILLED = tuple(place for place, field in enumerate(BILL) if field.fill_in)
"""Columns of the order list that are for the vendors' answers, from 0."""
FOLLOW = tuple(place for place, field in enumerate(BILL) if "{quoted_price}" in field.formula)
"""Columns whose value follows from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellDifference:
    """The first cell that differs."""

    where: str
    wanted: str
    found: str


def workbook_difference(wanted: bytes, found: bytes) -> CellDifference | None:
    """Return the first cell of `wanted` that `found` holds otherwise, None where all agree.

    Formulas are compared as text and by their last value, where the program that saved the
    workbook left one. Cells to fill in, and what follows from them, are the buyer's.
    """
    for values in (False, True):
        ours = _opened(wanted, values=values)
        try:
            if _unpacked(found) > SPARE * _unpacked(wanted):
                return CellDifference(where="the workbook", wanted="XLSX", found="far more")
            theirs = _opened(found, values=values)
        except (zipfile.BadZipFile, KeyError, ValueError, OSError, EOFError, TypeError):
            return CellDifference(where="the workbook", wanted="XLSX", found="cannot be opened")
        for sheet in ours.worksheets:
            if sheet.title not in theirs.sheetnames:
                return CellDifference(
                    where=f"sheet {sheet.title}", wanted="present", found="absent"
                )
            difference = _sheet_difference(sheet, theirs[sheet.title], values=values)
            if difference is not None:
                return difference
    return None


def _unpacked(data: bytes) -> int:
    """Return the bytes that a workbook takes once unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return sum(item.file_size for item in archive.infolist())


def _opened(data: bytes, *, values: bool) -> Any:
    import openpyxl

    return openpyxl.load_workbook(io.BytesIO(data), data_only=values, keep_links=False)


def _sheet_difference(sheet: Any, other: Any, *, values: bool) -> CellDifference | None:
    own = set(_own(sheet, values=values))
    for row in sheet.iter_rows():
        for cell in row:
            if cell.value is None or (cell.row, cell.column) in own:
                continue
            found = other.cell(cell.row, cell.column).value
            if values and found is None:
                continue
            if not _same(cell.value, found):
                where = f"sheet {sheet.title}, cell {cell.coordinate}"
                return CellDifference(where=where, wanted=str(cell.value), found=str(found))
    return None


def _own(sheet: Any, *, values: bool) -> Iterator[tuple[int, int]]:
    """Yield the cells below the heading that are the buyer's."""
    if "Bill" not in sheet.tables:
        return
    _, *rows = sheet[sheet.tables["Bill"].ref]
    for row in rows:
        for place in (*FILLED, *(FOLLOW if values else ())):
            yield row[place].row, row[place].column


def _same(a: object, b: object) -> bool:
    """Return whether two cells say the same."""
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=REL)
    return a == b
