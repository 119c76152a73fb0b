"""Frictionless descriptor of the star schema: types, units, keys of every table.

The Data Package and Table Schema standards (https://specs.frictionlessdata.io), profile
tabular-data-package; `unit` is our own property of a field.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from planner import __version__
from planner.export.table import Column, ColumnType, Table

DESCRIPTOR = "datapackage.json"
PACKAGE_NAME = "gpu-cluster-plan"

FIELD_TYPES: dict[ColumnType, dict[str, Any]] = {
    "text": {"type": "string"},
    "key": {"type": "string"},
    "integer": {"type": "integer"},
    "decimal": {"type": "number", "decimalChar": "."},
    "money": {"type": "number", "decimalChar": "."},
    "boolean": {"type": "boolean", "trueValues": ["TRUE"], "falseValues": ["FALSE"]},
    "date": {"type": "date", "format": "%Y-%m-%d"},
    "datetime": {"type": "datetime", "format": "%Y-%m-%dT%H:%M:%SZ"},
}


def datapackage(tables: Sequence[Table], runs: Sequence[str]) -> dict[str, Any]:
    """Return the descriptor of the tables' CSV files for the keys of the runs that they hold."""
    return {
        "profile": "tabular-data-package",
        "name": PACKAGE_NAME,
        "title": "GPU cluster plan: star schema",
        "description": "Bill of materials, cost, step time, traffic, racks, cables and "
        "alternatives of GPU cluster plans; amounts in US dollars.",
        "version": __version__,
        "runs": list(dict.fromkeys(runs)),
        "resources": [_resource(table) for table in tables],
    }


def datapackage_text(tables: Sequence[Table], runs: Sequence[str]) -> str:
    """Return the descriptor as JSON text."""
    return json.dumps(datapackage(tables, runs), indent=2, ensure_ascii=False) + "\n"


def _resource(table: Table) -> dict[str, Any]:
    return {
        "profile": "tabular-data-resource",
        "name": table.name,
        "path": f"{table.name}.csv",
        "title": table.name.replace("_", " "),
        "description": f"One row is {table.grain}.",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8-sig",
        "dialect": {
            "delimiter": ",", "lineTerminator": "\r\n", "quoteChar": '"', "doubleQuote": True,
            "header": True, "csvddfVersion": "1.2",
        },
        "schema": _schema(table),
    }  # fmt: skip


def _schema(table: Table) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "fields": [_field(column, table) for column in table.columns],
        "missingValues": [""],
        "primaryKey": list(table.key),
    }
    references = [
        {"fields": [c.name], "reference": {"resource": c.refers_to, "fields": [c.target]}}
        for c in table.columns
        if c.refers_to
    ]
    return schema | ({"foreignKeys": references} if references else {})


def _field(column: Column, table: Table) -> dict[str, Any]:
    field: dict[str, Any] = {"name": column.name} | FIELD_TYPES[column.type]
    field["description"] = column.description
    if column.unit:
        field["unit"] = column.unit
    if column.name in table.key:
        field["constraints"] = {"required": True}
    return field
