"""A table of the star schema: its columns with type and unit, and how its rows are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from planner.domain.solution import Solution

ColumnType = Literal["text", "key", "integer", "decimal", "money", "boolean", "date", "datetime"]
Value = str | int | float | bool | None
Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """One column; `unit` is empty where there is none, and ``1`` for a share."""

    name: str
    type: ColumnType
    description: str
    unit: str = ""
    refers_to: str = ""
    """For a foreign key: the dimension that it points into."""
    refers_as: str = ""
    """The dimension's key column, if it has another name."""

    @property
    def target(self) -> str:
        """Return the key column of the dimension that a foreign key points into."""
        return self.refers_as or self.name


@dataclass(frozen=True, slots=True)
class Table:
    """One file of the star schema; `grain` says what one row is."""

    name: str
    grain: str
    columns: tuple[Column, ...]
    rows: Callable[[Solution], Iterable[Row]]
    key: tuple[str, ...] = ()
    """Columns that identify a row."""

    @property
    def header(self) -> tuple[str, ...]:
        """Return the column names."""
        return tuple(column.name for column in self.columns)
