"""What a cell holds and how a spreadsheet shows it, in whatever locale it is opened."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["text", "long", "integer", "decimal", "money", "share", "day"]

NUMBER_FORMATS: dict[Kind, str | int] = {
    "text": "@",
    "long": "@",
    "integer": "#,##0",
    "decimal": "#,##0.0##",
    "money": "#,##0.00",
    "share": "0.0%",
    "day": 14,
}
"""Formats as the file stores them; a Spanish Excel shows 1.234,50. 14 is the locale's own date."""

WIDTHS: dict[Kind, int] = {
    "text": 14, "long": 44, "integer": 10, "decimal": 13, "money": 17, "share": 11, "day": 12,
}  # fmt: skip


Rule = Literal["", "amount", "day", "currency"]
RULES: dict[str, dict[str, Any]] = {
    "amount": {"validate": "decimal", "criteria": ">=", "value": 0},
    "day": {"validate": "date", "criteria": ">=", "value": datetime.date(2000, 1, 1)},
    "currency": {"validate": "list", "source": ["USD", "EUR", "GBP", "MXN"],
                 "error_type": "information"},
}  # fmt: skip
"""What a spreadsheet accepts in a cell that people fill in; other currencies after a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One column of a table."""

    key: str
    """Key of its heading among the phrases."""
    kind: Kind = "text"
    width: int = 0
    """Characters; the kind's own if 0."""
    formula: str = ""
    """Formula of every cell, with ``{key}`` for the cell of another column in the same row."""
    total: bool = False
    """Whether the total row adds it up."""
    fill_in: bool = False
    """Whether people write into it."""
    rule: Rule = ""
    """What they may write."""

    @property
    def wide(self) -> int:
        """Return the column's width in characters."""
        return self.width or WIDTHS[self.kind]
