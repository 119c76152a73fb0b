"""Reading the tables of the catalogue: strict, with every fault by file, line and column."""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from planner.domain.appliance import Appliance
from planner.domain.errors import Fault, InputError
from planner.domain.fabric_parts import CableAssembly, Connector, Fibre, Switch, Transceiver
from planner.domain.hardware import Accelerator, CatalogRow, HardwareRow, Nic, NicOption, Server
from planner.domain.json_file import read_text
from planner.domain.price import Price
from planner.domain.site_parts import Pdu, Rack, Rate

PRICE_COLUMNS = tuple(f"price_{name}" for name in Price.model_fields)

TABLES: dict[str, type[CatalogRow]] = {
    "accelerators": Accelerator,
    "servers": Server,
    "server_nics": NicOption,
    "nics": Nic,
    "switches": Switch,
    "connectors": Connector,
    "cables": CableAssembly,
    "transceivers": Transceiver,
    "fibres": Fibre,
    "racks": Rack,
    "pdus": Pdu,
    "appliances": Appliance,
    "rates": Rate,
}
"""Table name (the file's stem) and type of its rows."""

REFERENCES = (
    ("servers", "accelerator", "accelerators"),
    ("server_nics", "server", "servers"),
    ("server_nics", "nic", "nics"),
    ("server_nics", "connector", "connectors"),
    ("nics", "connector", "connectors"),
    ("switches", "connector", "connectors"),
    ("switches", "uplink_connector", "connectors"),
    ("cables", "connector_a", "connectors"),
    ("cables", "connector_b", "connectors"),
    ("transceivers", "connector", "connectors"),
    ("appliances", "connector", "connectors"),
)
"""Table, column, and the table whose ids the column names."""


class Record(NamedTuple):
    """One row as text, and where it stands."""

    cells: dict[str, str]
    where: str


@dataclass(slots=True, kw_only=True)
class Tables:
    """Rows by table and id, as text, while files are read; faults of all of them."""

    records: dict[str, dict[str, Record]]
    faults: list[Fault]


def columns(table: str) -> tuple[str, ...]:
    """Return the columns a table may have, the price spelled out."""
    row = TABLES[table]
    names = [name for name in row.model_fields if name != "price"]
    return (*names, *PRICE_COLUMNS) if issubclass(row, HardwareRow) else tuple(names)


def nearest(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return ``did you mean ...?`` with up to three names that begin alike or look alike."""
    names = list(known)
    longer = [other for other in names if len(name) > 1 and other.startswith(name)]
    alike = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    found = list(dict.fromkeys((*longer[:2], *alike)))[:3]
    return f"did you mean {' or '.join(map(repr, found))}?" if found else otherwise


def _lines(text: str, name: str, faults: list[Fault]) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        faults.append(Fault(f"{name}, line {reader.line_num}", f"no CSV: {error}"))


def _header_is_good(table: str, header: list[str], faults: list[Fault]) -> bool:
    name = f"{table}.csv"
    if len(header) == 1 and ";" in header[0]:
        faults.append(Fault(f"{name}, line 1", "columns are split by ';'", "split them by ','"))
        return False
    known = columns(table)
    before = len(faults)
    for place, column in enumerate(header):
        if column not in known:
            right = nearest(column, known, f"known columns: {', '.join(known)}")
            faults.append(Fault(f"{name}, line 1", f"unknown column {column[:60]!r}", right))
        elif column in header[:place]:
            faults.append(Fault(f"{name}, line 1", f"column {column!r} stands twice"))
    if "id" not in header:
        faults.append(Fault(f"{name}, line 1", "column 'id' is missing", "add it"))
    return len(faults) == before


def read_table(folder: Path, table: str, faults: list[Fault]) -> dict[str, Record]:
    """Return a file's rows by id, as text; faults are appended to `faults`."""
    name = f"{table}.csv"
    rows = _lines(read_text(folder / name), name, faults)
    _, raw = next(rows, (1, []))
    header = [cell.strip() for cell in raw]
    if not _header_is_good(table, header, faults):
        return {}
    records: dict[str, Record] = {}
    for line, cells in rows:
        where = f"{name}, line {line}"
        if len(cells) != len(header):
            what = f"{len(cells)} cells under {len(header)} columns"
            faults.append(Fault(where, what, "quote cells that hold a comma"))
            continue
        row = {column: cell.strip() for column, cell in zip(header, cells, strict=True)}
        if row["id"] in records:
            what = f"id {row['id'][:60]!r} stands twice"
            faults.append(Fault(where, what, f"see {records[row['id']].where}"))
            continue
        records[row["id"]] = Record(row, where)
    return records


def read_tables(shipped: Path, overlay: Path | None) -> Tables:
    """Return all rows of the shipped folder with a user's folder laid over them.

    A row of the overlay with a known id changes the cells it fills; if it sets any price, the
    whole price is its own. A row with a new id stands alone.

    Raises
    ------
    InputError
        If a shipped file is missing or the overlay is no folder.
    """
    faults: list[Fault] = []
    records = {table: read_table(shipped, table, faults) for table in TABLES}
    if overlay is not None:
        if not overlay.is_dir():
            fault = Fault("$", "is no folder", "name a folder that holds tables such as nics.csv")
            raise InputError(str(overlay), [fault])
        for path in sorted(overlay.glob("*.csv")):
            if path.stem not in TABLES:
                right = nearest(path.stem, TABLES, f"known tables: {', '.join(TABLES)}")
                faults.append(Fault(path.name, "is no table of the catalogue", right))
                continue
            for row_id, record in read_table(overlay, path.stem, faults).items():
                base = records[path.stem].get(row_id)
                if base is not None:
                    records[path.stem][row_id] = _laid_over(base, record)
                    continue
                lack = _too_little(path.stem, record, records[path.stem])
                if lack is None:
                    records[path.stem][row_id] = record
                else:
                    faults.append(lack)
    return Tables(records=records, faults=faults)


def _too_little(table: str, record: Record, known: Iterable[str]) -> Fault | None:
    """Return a fault for a new row of an overlay that does not describe its product."""
    fields = TABLES[table].model_fields
    missing = [
        name for name, field in fields.items() if field.is_required() and not record.cells.get(name)
    ]
    if not missing:
        return None
    row_id = record.cells["id"]
    what = f"id {row_id[:60]!r} is not in our table, and the row lacks {', '.join(missing)}"
    return Fault(record.where, what, nearest(row_id, known, "fill them to add a product"))


def _laid_over(base: Record, top: Record) -> Record:
    cells = dict(base.cells)
    filled = {column: cell for column, cell in top.cells.items() if cell}
    if any(column in PRICE_COLUMNS for column in filled):
        cells.update(dict.fromkeys(PRICE_COLUMNS, ""))
    return Record({**cells, **filled}, top.where)


def build(table: str, record: Record, faults: list[Fault]) -> CatalogRow | None:
    """Return a row as its type, or None after appending its faults."""
    price: dict[str, str] = {}
    data: dict[str, object] = {}
    for column, cell in record.cells.items():
        if cell:
            if column.startswith("price_"):
                price[column[6:]] = cell
            else:
                data[column] = cell
    if price:
        data["price"] = price
    try:
        return TABLES[table].model_validate(data)
    except ValidationError as error:
        for item in error.errors(include_url=False):
            column = "_".join(str(part) for part in item["loc"] if not isinstance(part, int))
            where = record.where + (f", column {column}" if column else "")
            if item["type"] == "missing":
                faults.append(Fault(where, "is empty", "fill it"))
                continue
            what, _, right = item["msg"].removeprefix("Value error, ").partition("; ")
            shown = "" if isinstance(item["input"], dict) else f" (got {str(item['input'])[:60]!r})"
            faults.append(Fault(where, what[0].lower() + what[1:] + shown, right))
        return None


def dangling(records: Mapping[str, Mapping[str, Record]]) -> list[Fault]:
    """Return a fault for each reference whose row does not exist."""
    faults = []
    for table, column, target in REFERENCES:
        known = records[target]
        for record in records[table].values():
            cell = record.cells.get(column, "")
            if cell and cell not in known:
                what = f"no {cell[:60]!r} in {target}.csv"
                where = f"{record.where}, column {column}"
                faults.append(Fault(where, what, nearest(cell, known, f"add it to {target}.csv")))
    return faults
