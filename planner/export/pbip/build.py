"""The semantic model of the star schema."""

from __future__ import annotations

from collections.abc import Sequence

from planner.domain.solution import Solution
from planner.export.pbip.m_query import held_query, linked_query
from planner.export.pbip.measures import MEASURES, MONEY, SECONDS, SHARE, WHOLE
from planner.export.pbip.model import DataColumn, DataType, Model, ModelTable, Relation
from planner.export.pbip.names import TABLE_NAMES, column_name
from planner.export.table import Column, ColumnType, Table
from planner.export.tables import TABLES, table_rows

DATA_TYPES: dict[ColumnType, DataType] = {
    "text": "string",
    "key": "string",
    "integer": "int64",
    "decimal": "double",
    "money": "decimal",
    "boolean": "boolean",
    "date": "dateTime",
    "datetime": "dateTime",
}
ADDS_UP = frozenset(
    ("quantity", "total_usd", "amount_usd", "seconds", "total_s", "exposed_s", "max_w",
     "weight_kg", "height_units")
)  # fmt: skip
"""Columns whose sum over rows means something."""

RATIOS = frozenset(("oversubscription", "pue", "network_price_factor"))
"""Columns of unit 1 that are no shares."""

PLAIN_INTEGERS = frozenset(("year", "month", "iso_week", "weekday", "seed", "line", "number"))
SHOWN_KEYS = frozenset(("dim_run", "dim_part", "dim_date"))
"""Dimensions whose key people read."""


def build_model(
    solutions: Sequence[Solution],
    data_folder: str | None = None,
) -> Model:
    """Return the model of one or several appended runs.

    Parameters
    ----------
    solutions
        The runs.
    data_folder
        Folder whose CSV files the queries read; the queries hold the data if None.

    Raises
    ------
    UsageError
        If a table is too large to be held in a query.
    """
    tables = []
    for table in TABLES:
        rows = table_rows(table, solutions)
        query = held_query(table, rows) if data_folder is None else linked_query(table)
        name = TABLE_NAMES[table.name]
        tables.append(ModelTable(
            name=name, source=table.name, description=f"One row is {table.grain}",
            columns=tuple(_column(table, column) for column in table.columns),
            measures=tuple(m for m in MEASURES if m.table == name),
            query=query, calendar=table.name == "dim_date"))  # fmt: skip
    return Model(tables=tuple(tables), relations=tuple(_relations()), data_folder=data_folder)


def _column(table: Table, column: Column) -> DataColumn:
    key = table.key == (column.name,)
    return DataColumn(
        name=column_name(table, column),
        source=column.name,
        type=DATA_TYPES[column.type],
        description=column.description,
        format=_format(column),
        hidden=column.type == "key" and not (key and table.name in SHOWN_KEYS),
        is_key=key,
        adds_up=column.name in ADDS_UP,
        day_only=column.type == "date",
    )


def _format(column: Column) -> str:
    """Return a format string; Power BI shows it with the reader's own signs."""
    if column.type == "integer":
        return "0" if column.name in PLAIN_INTEGERS else WHOLE
    if column.type == "decimal":
        if column.unit == "1" and column.name not in RATIOS:
            return SHARE
        return SECONDS if column.unit == "s" else "#,##0.###"
    formats: dict[ColumnType, str] = {
        "money": MONEY, "date": "Short Date", "datetime": "General Date",
    }  # fmt: skip
    return formats.get(column.type, "")


def _relations() -> list[Relation]:
    """Return every foreign key as a relation; one active path leads from a table to another.

    Racks and workloads belong to a run, but the facts name the run too: the relation from such a
    dimension to the run stays inactive, as does a second one between the same two tables.
    """
    by_name = {table.name: table for table in TABLES}
    found: list[Relation] = []
    for table in TABLES:
        for column in table.columns:
            if not column.refers_to:
                continue
            one = by_name[column.refers_to]
            target = next(c for c in one.columns if c.name == column.target)
            owned = table.name.startswith("dim_") and column.refers_to == "dim_run"
            role = column.refers_to == "dim_date" and column.name != "started_on"
            found.append(Relation(
                many_table=TABLE_NAMES[table.name], many_column=column_name(table, column),
                one_table=TABLE_NAMES[one.name], one_column=column_name(one, target),
                active=not (owned or role)))  # fmt: skip
    return found
