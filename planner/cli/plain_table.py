"""Plain text tables: aligned columns, nothing cut off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

GAP = "  "
MAX_RULE = 40
"""Characters of the line under a heading at most."""


def number(value: float) -> str:
    """Return a number as people write it: 36,000 or 0.0871."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.10g}"


def cell(value: object) -> str:
    """Return a value as the text of one cell: numbers grouped, lists joined, nothing as empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, tuple | list):
        return ", ".join(str(part) for part in value)
    return str(value)


def plain_table(
    header: Sequence[str], rows: Iterable[Sequence[object]], figures: Sequence[int] = ()
) -> str:
    """Return a table whose columns are as wide as their widest cell; numbers stand to the right.

    `figures` are places of columns whose texts are numbers.
    """
    table = [list(row) for row in rows]
    texts = [[cell(value) for value in row] for row in table]
    right = [
        place in figures
        or (
            bool(table)
            and all(
                value is None or (isinstance(value, int | float) and not isinstance(value, bool))
                for value in column
            )
        )
        for place, column in enumerate(zip(*table, strict=True))
    ] or [False] * len(header)
    widths = [max(len(text) for text in column) for column in zip(header, *texts, strict=True)]
    lines = []
    for row in ([*header], ["-" * min(width, MAX_RULE) for width in widths], *texts):
        cells = [
            text.rjust(width) if to_right else text.ljust(width)
            for text, width, to_right in zip(row, widths, right, strict=True)
        ]
        lines.append(GAP.join(cells).rstrip())
    return "\n".join(lines)
