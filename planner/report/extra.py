"""A part of the report that is sentences and one table, shown alike on the page and in text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """Sentences, and a table whose cells are text already; all but its first column are figures."""

    caption: str
    lines: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
