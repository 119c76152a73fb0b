"""Tables of text: the separator is found out, sizes are bounded."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from planner.importers.source import Source

MAX_ROWS = 200_000
MAX_COLUMNS = 500
_SEPARATORS = ",;\t|"


def read_rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of every row that is not empty.

    The separator is the one of comma, semicolon, tab and bar that most header lines have.

    Raises
    ------
    InputError
        If there are too many rows or columns, or a cell never ends.
    """
    lines = [line for line in source.text[:20_000].split("\n") if line.strip()][:20]
    separator = max(_SEPARATORS, key=lambda sign: sum(line.count(sign) for line in lines))
    reader = csv.reader(source.text.splitlines(keepends=True), delimiter=separator)
    count = 0
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            count += 1
            if count > MAX_ROWS or len(cells) > MAX_COLUMNS:
                limit = f"at most {MAX_ROWS:,} rows of {MAX_COLUMNS} columns are read"
                raise source.refuse("is too large a table", limit)
            yield reader.line_num, [cell.strip().lstrip("\ufeff") for cell in cells]
    except csv.Error as error:
        raise source.refuse(f"is no table: {error}", where=f"line {reader.line_num}") from None
