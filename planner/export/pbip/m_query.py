"""Queries in M: rows held in the query, or read from the CSV files below a folder.

Numbers and dates are converted with the culture en-US, whatever the locale of the computer, since
the files have point decimals and ISO dates.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Sequence

from planner.domain.errors import UsageError
from planner.export.csv_file import cell
from planner.export.table import Column, ColumnType, Row, Table

CULTURE = "en-US"
PARAMETER = "DataFolder"
MAX_HELD_BYTES = 4 * 1024 * 1024
"""Largest text that a query may hold."""

M_TYPES: dict[ColumnType, str] = {
    "text": "type text",
    "key": "type text",
    "integer": "Int64.Type",
    "decimal": "type number",
    "money": "Currency.Type",
    "boolean": "type logical",
    "date": "type date",
    "datetime": "type datetimezone",
}


def m_text(text: str) -> str:
    """Return a text as an M literal; nothing in it can end the literal or start an escape."""
    escaped = text.replace("#(", "#(#)(").replace('"', '""')
    for char, name in (("\r", "cr"), ("\n", "lf"), ("\t", "tab")):
        escaped = escaped.replace(char, f"#({name})")
    return f'"{escaped}"'


def held(rows: Iterable[Row], columns: Sequence[Column]) -> str:
    """Return rows as Power BI's `Enter data` keeps them: JSON of texts, deflated, in base64."""
    cells = [[cell(v, c) or None for v, c in zip(row, columns, strict=True)] for row in rows]
    text = json.dumps(cells, ensure_ascii=False, separators=(",", ":")).encode()
    packer = zlib.compressobj(level=9, wbits=-zlib.MAX_WBITS)
    return base64.b64encode(packer.compress(text) + packer.flush()).decode("ascii")


def held_query(table: Table, rows: Iterable[Row]) -> str:
    """Return the query of a table that holds its rows.

    Raises
    ------
    UsageError
        If the rows are too many to be held in a query.
    """
    packed = held(rows, table.columns)
    if len(packed) > MAX_HELD_BYTES:
        raise UsageError(
            f"{table.name} is too large to be held in a Power BI project; "
            "give --link-folder FOLDER to read the reports' CSV files"
        )
    types = ", ".join(f"{_name(column.name)} = _t" for column in table.columns)
    source = (
        "Source = Table.FromRows(Json.Document(Binary.Decompress(Binary.FromText("
        f"{m_text(packed)}, BinaryEncoding.Base64), Compression.Deflate)), "
        "let _t = ((type nullable text) meta [Serialized.Text = true]) in "
        f"type table [{types}]),"
    )
    return _typed(table, [source], "Source")


def linked_query(table: Table) -> str:
    """Return the query of a table that reads every file of its name below `DataFolder`.

    The same row in two reports, such as a product or a run that was written twice, is kept once.
    """
    headers = "{" + ", ".join(m_text(column.name) for column in table.columns) + "}"
    key = "{" + ", ".join(m_text(name) for name in table.key) + "}"
    file = m_text(f"{table.name}.csv")
    options = '[Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]'
    rows = f"Table.PromoteHeaders(Csv.Document(_, {options}), [PromoteAllScalars = true])"
    steps = [
        f"Files = Table.SelectRows(Folder.Files({PARAMETER}), each [Name] = {file}),",
        f"Read = List.Transform(Files[Content], each {rows}),",
        f"Stacked = Table.Combine({{#table({headers}, {{}})}} & Read),",
        f"Chosen = Table.SelectColumns(Stacked, {headers}, MissingField.UseNull),",
        f'Empty = Table.ReplaceValue(Chosen, "", null, Replacer.ReplaceValue, {headers}),',
        f"Once = Table.Distinct(Empty, {key}),",
    ]
    return _typed(table, steps, "Once")


def _typed(table: Table, steps: list[str], last: str) -> str:
    """Return a query that ends with the types of the table's columns."""
    types = ", ".join(f"{{{m_text(c.name)}, {M_TYPES[c.type]}}}" for c in table.columns)
    moments = [column.name for column in table.columns if column.type == "datetime"]
    steps = [
        *steps,
        f"Typed = Table.TransformColumnTypes({last}, {{{types}}}, {m_text(CULTURE)})"
        + ("," if moments else ""),
    ]
    if moments:
        zones = ", ".join(
            f"{{{m_text(name)}, DateTimeZone.RemoveZone, type nullable datetime}}"
            for name in moments
        )
        steps.append(f"Moments = Table.TransformColumns(Typed, {{{zones}}})")
    body = "\n".join(f"    {step}" for step in steps)
    return f"let\n{body}\nin\n    {'Moments' if moments else 'Typed'}"


def _name(text: str) -> str:
    """Return a quoted M identifier."""
    return f"#{m_text(text)}"
