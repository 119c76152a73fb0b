"""The catalogue of hardware: every table by id, with lookups that name the nearest known id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, cast

from planner.domain.appliance import Appliance
from planner.domain.catalog_load import TABLES, build, dangling, nearest, read_tables
from planner.domain.errors import Fault, InputError
from planner.domain.fabric_parts import CableAssembly, Connector, Fibre, Switch, Transceiver
from planner.domain.hardware import Accelerator, CatalogRow, HardwareRow, Nic, NicOption, Server
from planner.domain.price import Price
from planner.domain.resources import data_root
from planner.domain.site_parts import Pdu, Rack, Rate

HARDWARE = "models/hardware"
POWER_SHARE = "util-power"
"""Id of the rate: average over maximum power of a training server."""

RowT = TypeVar("RowT", bound=CatalogRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """Every table by id, in the order of its file."""

    accelerators: Mapping[str, Accelerator]
    servers: Mapping[str, Server]
    server_nics: Mapping[str, NicOption]
    nics: Mapping[str, Nic]
    switches: Mapping[str, Switch]
    connectors: Mapping[str, Connector]
    cables: Mapping[str, CableAssembly]
    transceivers: Mapping[str, Transceiver]
    fibres: Mapping[str, Fibre]
    racks: Mapping[str, Rack]
    pdus: Mapping[str, Pdu]
    appliances: Mapping[str, Appliance]
    rates: Mapping[str, Rate]

    def accelerator(self, row_id: str) -> Accelerator:
        """Return an accelerator; raises InputError with the nearest id."""
        return _find("accelerators", self.accelerators, row_id)

    def server(self, row_id: str) -> Server:
        """Return a server; raises InputError with the nearest id."""
        return _find("servers", self.servers, row_id)

    def nic_option(self, row_id: str) -> NicOption:
        """Return a NIC option of a server; raises InputError with the nearest id."""
        return _find("server_nics", self.server_nics, row_id)

    def nic(self, row_id: str) -> Nic:
        """Return a NIC; raises InputError with the nearest id."""
        return _find("nics", self.nics, row_id)

    def adapters(self, option: NicOption) -> int:
        """Return the network adapters of a server: its cards, each with all its controllers."""
        return option.count * self.nic(option.nic).controllers

    def switch(self, row_id: str) -> Switch:
        """Return a switch; raises InputError with the nearest id."""
        return _find("switches", self.switches, row_id)

    def cable(self, row_id: str) -> CableAssembly:
        """Return a cable; raises InputError with the nearest id."""
        return _find("cables", self.cables, row_id)

    def transceiver(self, row_id: str) -> Transceiver:
        """Return a transceiver; raises InputError with the nearest id."""
        return _find("transceivers", self.transceivers, row_id)

    def fibre(self, row_id: str) -> Fibre:
        """Return a fibre jumper; raises InputError with the nearest id."""
        return _find("fibres", self.fibres, row_id)

    def rack(self, row_id: str) -> Rack:
        """Return a rack; raises InputError with the nearest id."""
        return _find("racks", self.racks, row_id)

    def pdu(self, row_id: str) -> Pdu:
        """Return a rack PDU; raises InputError with the nearest id."""
        return _find("pdus", self.pdus, row_id)

    def appliance(self, row_id: str) -> Appliance:
        """Return an appliance; raises InputError with the nearest id."""
        return _find("appliances", self.appliances, row_id)

    def rate(self, row_id: str) -> Rate:
        """Return a rate; raises InputError with the nearest id."""
        return _find("rates", self.rates, row_id)

    def rates_of(self, kind: str) -> tuple[Rate, ...]:
        """Return the rates of one kind."""
        return tuple(rate for rate in self.rates.values() if rate.kind == kind)

    def table(self, name: str) -> Mapping[str, CatalogRow]:
        """Return a table by name; raises InputError with the nearest name."""
        if name not in TABLES:
            right = nearest(name, TABLES, f"known tables: {', '.join(TABLES)}")
            raise InputError(HARDWARE, [Fault(name[:60], "is no table of the catalogue", right)])
        return cast("Mapping[str, CatalogRow]", getattr(self, name))

    def nic_options(self, server_id: str) -> tuple[NicOption, ...]:
        """Return the NIC options of a server, the usual one first."""
        self.server(server_id)
        options = [row for row in self.server_nics.values() if row.server == server_id]
        return tuple(sorted(options, key=lambda row: not row.default))

    def nic_link_gbps(self, option: NicOption) -> float:
        """Return the rate of one link after the limit of the server's PCIe slots, gigabit/s."""
        limit = self.nic(option.nic).host_limit_at_gbps(self.server(option.server).pcie_gen)
        if limit is None:
            return option.link_gbps
        return min(option.link_gbps, limit * option.count / option.links)

    def average_power_w(self, server_id: str) -> float:
        """Return a server's watts under training load, by the share `util-power` if not known."""
        return self.server(server_id).average_power_w(self.rate(POWER_SHARE).value)

    def where(self, row_id: str) -> tuple[str, CatalogRow]:
        """Return the table and the row of an id; raises InputError with the nearest id."""
        for name in TABLES:
            rows = self.table(name)
            if row_id in rows:
                return name, rows[row_id]
        known = [known_id for name in TABLES for known_id in self.table(name)]
        right = nearest(row_id, known, "run 'planner catalog list' for the tables")
        raise InputError(HARDWARE, [Fault(row_id[:80], "no such id", right)])

    def with_quotes(self, quotes: Mapping[str, Price]) -> Catalog:
        """Return the catalogue with these prices by id.

        Raises
        ------
        InputError
            If an id is unknown or names something that has no price, all faults at once.
        """
        faults: list[Fault] = []
        changed: dict[str, dict[str, CatalogRow]] = {}
        for row_id, price in quotes.items():
            try:
                name, row = self.where(row_id)
            except InputError as error:
                faults += error.faults
                continue
            if not isinstance(row, HardwareRow):
                faults.append(Fault(row_id, f"a row of {name} has no price", "name a product"))
                continue
            changed.setdefault(name, {})[row_id] = row.model_copy(update={"price": price})
        if faults:
            raise InputError("quotes", faults)
        tables: dict[str, Any] = {
            name: MappingProxyType({**self.table(name), **rows}) for name, rows in changed.items()
        }
        return replace(self, **tables)

    def with_price_factor(self, names: Iterable[str], factor: float) -> Catalog:
        """Return the catalogue with every price of these tables multiplied by a factor."""
        tables: dict[str, Any] = {}
        for name in names:
            rows = {
                row_id: row.model_copy(update={"price": row.price.scaled(factor)})
                if isinstance(row, HardwareRow) and row.price is not None
                else row
                for row_id, row in self.table(name).items()
            }
            tables[name] = MappingProxyType(rows)
        return replace(self, **tables)

    def platform_not_buyable(self, option: NicOption) -> str:
        """Why a server with these NICs cannot be chosen without a quote; empty where it can."""
        server = self.server(option.server)
        if server.not_buyable:
            return f"{server.id} {server.not_buyable}"
        nic = self.nic(option.nic)
        return "" if option.included or nic.buyable else f"{nic.id} {nic.not_buyable}"


def _find(table: str, rows: Mapping[str, RowT], row_id: str) -> RowT:
    if row_id not in rows:
        right = nearest(row_id, rows, f"run 'planner catalog list {table}' for the known ids")
        raise InputError(f"{HARDWARE}/{table}.csv", [Fault(row_id[:80], "no such id", right)])
    return rows[row_id]


def load_catalog(overlay: Path | None = None) -> Catalog:
    """Return the shipped catalogue, with a user's folder of tables laid over it.

    Parameters
    ----------
    overlay
        Folder with files named as ours; a row changes the row of the same id, or adds one.

    Raises
    ------
    InputError
        With every fault: unknown column, duplicate id, wrong type, dangling reference.
    """
    return _shipped() if overlay is None else _load(overlay)


@lru_cache(maxsize=1)
def _shipped() -> Catalog:
    return _load(None)


def _load(overlay: Path | None) -> Catalog:
    folder = data_root() / HARDWARE
    tables = read_tables(folder, overlay)
    faults = tables.faults
    rows: dict[str, Any] = {}
    for table, records in tables.records.items():
        built = {row_id: build(table, record, faults) for row_id, record in records.items()}
        rows[table] = MappingProxyType(built)
    faults += dangling(tables.records)
    if faults:
        raise InputError(str(overlay or folder), faults)
    return Catalog(**rows)
