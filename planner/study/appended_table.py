"""A table of measurements with the model's columns appended."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from planner.domain.whole_file import write_whole


def write_appended(
    path: Path,
    table: Sequence[Mapping[str, str]],
    extra: Sequence[str],
    found: Mapping[int, Mapping[str, str]],
    reasons: Mapping[int, str],
) -> None:
    """Write a table again with more columns.

    Parameters
    ----------
    path
        The CSV file to write.
    table
        Rows as read; columns of the same names are replaced.
    extra
        Names of the columns to append, `unmapped` among them.
    found
        By row: what stands in them.
    reasons
        By row that was not mapped: why.
    """
    names = [name for name in table[0] if name not in extra] + list(extra)
    text = io.StringIO()
    writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
    writer.writeheader()
    for index, line in enumerate(table):
        kept = {key: value for key, value in line.items() if key not in extra}
        writer.writerow(kept | dict(found.get(index, {"unmapped": reasons.get(index, "")})))
    write_whole(path, text.getvalue().encode())
