"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: str = "") -> list[str]:
    """Return a table with an empty line before it; `right` has one letter a column, r for numbers.

    Cells must be safe already (`planner.report.plain.markdown`).
    """
    marks = ["---:" if mark == "r" else "---" for mark in right.ljust(len(heads), "l")]
    lines = ["", f"| {' | '.join(heads)} |", f"| {' | '.join(marks)} |"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]
