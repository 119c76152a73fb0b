"""The star schema for Power BI and Excel: one CSV file a table, dictionary and descriptor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from planner.domain.errors import UsageError
from planner.domain.solution import Solution
from planner.export.csv_file import csv_rows, csv_text, csv_writer
from planner.export.datapackage import DESCRIPTOR, datapackage_text
from planner.export.keys import run_key
from planner.export.table import Column, Row, Table
from planner.export.tables import TABLES, RowsOnce, table_rows

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

Whole = Sequence[tuple[Table, Sequence[Row]]]
"""Tables that no single solution holds, with their rows."""


def star_files(
    solutions: Solution | Sequence[Solution], beside: Whole = ()
) -> Iterator[tuple[str, str]]:
    """Yield each file's name and text: tables, data dictionary, Frictionless descriptor.

    Several solutions are appended into one model; `beside` are tables that are written whole.
    """
    runs = [solutions] if isinstance(solutions, Solution) else list(solutions)
    for table in TABLES:
        rows = table_rows(table, runs)
        yield f"{table.name}.csv", csv_text(table.columns, rows)
    for table, whole in beside:
        yield f"{table.name}.csv", csv_text(table.columns, whole)
    tables = [*TABLES, *(table for table, _ in beside)]
    yield f"{DICTIONARY}.csv", csv_text(_DICTIONARY_COLUMNS, _dictionary(tables))
    yield DESCRIPTOR, datapackage_text(tables, [run_key(run) for run in runs])


def write_star(solutions: Solution | Iterable[Solution], folder: Path) -> list[Path]:
    """Write the star schema into a folder, made if absent, and return its files.

    Solutions are taken one at a time, so an iterator of thousands needs the memory of one.

    Raises
    ------
    UsageError
        If a file cannot be written.
    """
    runs = [solutions] if isinstance(solutions, Solution) else solutions
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder, prefix=".part-") as part:
            names = _write_tables(runs, Path(part))
            for name in names:
                (Path(part) / name).replace(folder / name)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror})") from None
    return [folder / name for name in names]


def _write_tables(runs: Iterable[Solution], folder: Path) -> list[str]:
    """Write every file in one pass over the runs."""
    seen = {table.name: RowsOnce(table) for table in TABLES}
    keys: list[str] = []
    with ExitStack() as stack:
        writers = {}
        for table in TABLES:
            file = stack.enter_context(
                (folder / f"{table.name}.csv").open("w", encoding="utf-8", newline="")
            )
            file.write(csv_text(table.columns, ()))
            writers[table.name] = csv_writer(file)
        for solution in runs:
            keys.append(run_key(solution))
            for table in TABLES:
                rows = seen[table.name].of(solution)
                writers[table.name].writerows(csv_rows(table.columns, rows))
    (folder / f"{DICTIONARY}.csv").write_bytes(
        csv_text(_DICTIONARY_COLUMNS, _dictionary(TABLES)).encode()
    )
    (folder / DESCRIPTOR).write_bytes(datapackage_text(TABLES, keys).encode())
    return [*(f"{table.name}.csv" for table in TABLES), f"{DICTIONARY}.csv", DESCRIPTOR]


def _dictionary(tables: Iterable[Table]) -> Iterable[Row]:
    for table in tables:
        for column in table.columns:
            kind = _TYPES.get(column.type, column.type)
            yield (
                table.name, column.name, kind, column.unit, column.description,
                column.refers_to, table.grain,
            )  # fmt: skip
