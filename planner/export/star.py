"""The star schema for Power BI and Excel: one CSV file a table, dictionary and descriptor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from planner.domain.errors import UsageError
from planner.domain.solution import Solution
from planner.export.csv_file import csv_text
from planner.export.datapackage import DESCRIPTOR, datapackage_text
from planner.export.table import Column, Row, Table
from planner.export.tables import TABLES, Frontiers, table_rows
from planner.export.text_file import write_text

DICTIONARY = "data_dictionary"
_TYPES = {"key": "text", "money": "decimal"}
_DICTIONARY_COLUMNS = (
    Column("table", "text", "Table, which is the file's name"),
    Column("column", "text", "Column"),
    Column("type", "text", "text, integer, decimal, boolean, date or datetime"),
    Column("unit", "text", "Unit; 1 is a share"),
    Column("description", "text", "What the column holds"),
    Column("refers_to", "text", "Dimension that a key refers to"),
    Column("grain", "text", "What one row of the table is"),
)


def star_files(
    solutions: Solution | Sequence[Solution], frontiers: Frontiers | None = None
) -> Iterator[tuple[str, str]]:
    """Yield each file's name and text: tables, data dictionary, Frictionless descriptor.

    Several solutions are appended into one model.
    """
    runs = [solutions] if isinstance(solutions, Solution) else list(solutions)
    for table in TABLES:
        rows = table_rows(table, runs, frontiers)
        yield f"{table.name}.csv", csv_text(table.columns, rows)
    yield f"{DICTIONARY}.csv", csv_text(_DICTIONARY_COLUMNS, _dictionary(TABLES))
    yield DESCRIPTOR, datapackage_text(TABLES, runs)


def write_star(
    solutions: Solution | Sequence[Solution], folder: Path, frontiers: Frontiers | None = None
) -> list[Path]:
    """Write the star schema into a folder, made if absent, and return its files.

    Raises
    ------
    UsageError
        If a file cannot be written.
    """
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made ({error.strerror})") from None
    for name, text in star_files(solutions, frontiers):
        path = folder / name
        write_text(path, text)
        written.append(path)
    return written


def _dictionary(tables: Iterable[Table]) -> Iterable[Row]:
    for table in tables:
        for column in table.columns:
            kind = _TYPES.get(column.type, column.type)
            yield (
                table.name, column.name, kind, column.unit, column.description,
                column.refers_to, table.grain,
            )  # fmt: skip
