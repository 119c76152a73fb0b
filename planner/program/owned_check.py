"""Names and prices that `owned` cannot do without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from planner.domain.catalog import Catalog
from planner.domain.errors import Fault, InputError
from planner.domain.hardware import HardwareRow
from planner.domain.instance import Instance
from planner.domain.owned import COMPONENT_OF_TABLE, Owned

LAID = ("transceivers", "cables", "fibres", "racks", "pdus")
"""Tables of parts whose number depends on where things stand: more may be needed than is owned."""


def check_owned(instance: Instance, catalog: Catalog, file: Path) -> None:
    """Refuse owned parts that the catalogue does not know or cannot price.

    Raises
    ------
    InputError
        Naming every one with the nearest known id.
    """
    if instance.owned is None:
        return
    faults = [
        *_servers(instance.owned, catalog),
        *_switches(instance.owned, catalog),
        *_parts(instance.owned, catalog),
    ]
    if isinstance(instance.owned.fabric, str) or instance.owned.bill is not None:
        faults.append(Fault("$.owned", "names a file that was not read", "load the instance again"))
    if faults:
        raise InputError(str(file), faults)


def _nearest(error: InputError, where: str) -> Fault:
    fault = error.faults[0]
    return Fault(where, f"{fault.where!r}: {fault.what}", fault.right)


def _servers(owned: Owned, catalog: Catalog) -> Iterator[Fault]:
    for k, row in enumerate(owned.servers):
        try:
            options = catalog.nic_options(row.server)
        except InputError as error:
            yield _nearest(error, f"$.owned.servers[{k}].server")
            continue
        if row.nic is not None and not any(row.nic in (o.nic, o.id) for o in options):
            right = f"one of {', '.join(sorted({o.nic for o in options}))}"
            what = f"{row.server} has no cards {row.nic!r}"
            yield Fault(f"$.owned.servers[{k}].nic", what, right)


def _switches(owned: Owned, catalog: Catalog) -> Iterator[Fault]:
    for k, row in enumerate(owned.switches):
        try:
            catalog.switch(row.switch)
        except InputError as error:
            yield _nearest(error, f"$.owned.switches[{k}].switch")


def _parts(owned: Owned, catalog: Catalog) -> Iterator[Fault]:
    for part in owned.parts:
        where = f"$.owned.parts.{part}"
        try:
            table, row = catalog.where(part)
        except InputError as error:
            yield _nearest(error, where)
            continue
        if table not in COMPONENT_OF_TABLE:
            yield Fault(where, f"a row of {table} is nothing to own", "name a product")
        elif table in LAID and isinstance(row, HardwareRow) and row.not_buyable:
            yield Fault(where, f"{part} {row.not_buyable}", "quote what one more would cost")
