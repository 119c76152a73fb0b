"""A semantic model before it is written: tables, columns, measures, relations, one parameter."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Literal

DataType = Literal["string", "int64", "double", "decimal", "boolean", "dateTime"]
"""Types of a tabular model; decimal is fixed point with four places, exact for money."""

_NAMESPACE = uuid.UUID("6f1d9f0e-4f0c-5c39-9c0b-6a1f6e0b7d21")


def tag(*path: str) -> str:
    """Return a UUID that is the same whenever the same object is generated."""
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join(path)))


@dataclass(frozen=True, slots=True, kw_only=True)
class DataColumn:
    """A column that a query fills."""

    name: str
    source: str
    """Name in the query's table, which is the CSV's header."""
    type: DataType
    description: str
    format: str = ""
    hidden: bool = False
    is_key: bool = False
    adds_up: bool = False
    day_only: bool = False
    """Of a dateTime: it has no time of day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A named DAX expression."""

    table: str
    name: str
    expression: str
    format: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTable:
    """A table, its measures and the query that fills it."""

    name: str
    source: str
    """Name in the star schema."""
    description: str
    columns: tuple[DataColumn, ...]
    measures: tuple[Measure, ...]
    query: str
    """M, several lines."""
    calendar: bool = False

    def column(self, source: str) -> DataColumn:
        """Return the column of a header."""
        return next(column for column in self.columns if column.source == source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Many rows of one table belong to one row of another; filters run from one to many."""

    many_table: str
    many_column: str
    one_table: str
    one_column: str
    active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The whole semantic model."""

    tables: tuple[ModelTable, ...]
    relations: tuple[Relation, ...]
    data_folder: str | None = None
    """First value of the parameter DataFolder; None if the queries hold the data."""

    def table(self, source: str) -> ModelTable:
        """Return the table of a name in the star schema."""
        return next(table for table in self.tables if table.source == source)
