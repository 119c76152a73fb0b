"""Tables of a workbook (XLSX), read cell by cell with caps on what it may unpack to."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from planner.domain.errors import Fault, InputError

if TYPE_CHECKING:
    from openpyxl import Workbook

Cell = str | float | datetime.date | None

MAX_BYTES = 20 * 1024 * 1024
MAX_UNPACKED = 60 * 1024 * 1024
MAX_ENTRIES = 2_000
MAX_ROWS = 100_000
MAX_COLUMNS = 200
MAX_SHEETS = 50
OLE = b"\xd0\xcf\x11\xe0"
"""First bytes of the older XLS format."""


def _refuse(name: str, what: str, right: str = "save the table as XLSX or CSV") -> InputError:
    return InputError(name, [Fault("$", what, right)])


def check_archive(data: bytes, name: str) -> None:
    """Refuse archives that are no workbook or unpack to more than `MAX_UNPACKED`.

    Raises
    ------
    InputError
        With what the archive is.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        raise _refuse(name, "is a broken archive") from None
    names = {entry.filename for entry in entries}
    if "mimetype" in names:
        raise _refuse(name, "is an OpenDocument file")
    if "[Content_Types].xml" not in names or "xl/workbook.xml" not in names:
        raise _refuse(name, "is an archive, not a workbook")
    unpacked = sum(entry.file_size for entry in entries)
    if len(entries) > MAX_ENTRIES or unpacked > MAX_UNPACKED:
        limit = f"at most {MAX_UNPACKED // 1024 // 1024} MiB and {MAX_ENTRIES} parts are unpacked"
        raise _refuse(name, f"unpacks to {unpacked // 1024 // 1024} MiB", limit)
    if any(entry.flag_bits & 1 for entry in entries):
        raise _refuse(name, "is protected by a password", "save it without one")


def read_sheets(data: bytes, name: str) -> Iterator[tuple[str, list[tuple[int, list[Cell]]]]]:
    """Yield title and rows (number, cells) of every visible sheet; formulas give their last value.

    Raises
    ------
    InputError
        If the archive is no workbook, or a sheet is too large or broken.
    """
    check_archive(data, name)
    book = _open(data, name)
    for sheet in book.worksheets[:MAX_SHEETS]:
        if sheet.sheet_state == "visible":
            yield str(sheet.title)[:80], _rows(sheet, name)


def _open(data: bytes, name: str) -> Workbook:
    import openpyxl

    try:
        return openpyxl.load_workbook(
            io.BytesIO(data), read_only=True, data_only=True, keep_links=False
        )
    except Exception:
        # a broken workbook fails in any of the reader's parts, with any exception
        raise _refuse(name, "is no workbook that can be read") from None


def _rows(sheet: Any, name: str) -> list[tuple[int, list[Cell]]]:
    rows: list[tuple[int, list[Cell]]] = []
    try:
        if hasattr(sheet, "reset_dimensions"):
            sheet.reset_dimensions()
        cells = sheet.iter_rows(values_only=True)
        for number, row in enumerate(cells, 1):
            if number > MAX_ROWS:
                raise _refuse(name, f"has a sheet of more than {MAX_ROWS:,} rows")
            values = [_cell(value) for value in row[:MAX_COLUMNS]]
            if any(value not in (None, "") for value in values):
                rows.append((number, values))
    except InputError:
        raise
    except Exception:
        raise _refuse(name, f"has a broken sheet {str(sheet.title)[:40]!r}") from None
    return rows


def _cell(value: object) -> Cell:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1e300 else None
    if isinstance(value, datetime.datetime):
        return value.date()
    if isinstance(value, datetime.date):
        return value
    return str(value)[:4000].strip()
