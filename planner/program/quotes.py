"""The catalogue as one instance sees it: its own tables laid over ours, its quotes as prices."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from planner.domain.catalog import Catalog, load_catalog
from planner.domain.catalog_load import nearest
from planner.domain.errors import Fault, InputError
from planner.domain.instance import Instance
from planner.domain.price import Price

PRICED_TABLES = (
    "servers", "nics", "switches", "cables", "transceivers", "fibres", "racks", "pdus",
)  # fmt: skip


def catalog_for(instance: Instance, file: Path) -> Catalog:
    """Return the catalogue with the instance's overlay and quotes.

    Raises
    ------
    InputError
        If the overlay is faulty or a quote names no product.
    """
    overlay = None if instance.catalog is None else file.parent / instance.catalog
    if overlay is not None and not overlay.is_dir():
        fault = Fault("$.catalog", f"no folder {instance.catalog!r}", "name a folder of tables")
        raise InputError(str(file), [fault])
    return with_quotes(load_catalog(overlay), instance, file)


def with_quotes(catalog: Catalog, instance: Instance, file: Path) -> Catalog:
    """Return a catalogue whose prices are the instance's quotes where it has one.

    Raises
    ------
    InputError
        Naming every quote for an unknown id, with the nearest known one.
    """
    if not instance.quotes:
        return catalog
    known = [row_id for table in PRICED_TABLES for row_id in getattr(catalog, table)]
    faults = [
        Fault(f"$.quotes.{row_id}", "no such product", nearest(row_id, known, ""))
        for row_id in instance.quotes
        if row_id not in known
    ]
    if faults:
        raise InputError(str(file), faults)
    changed: dict[str, Any] = {}
    for table in PRICED_TABLES:
        rows = dict(getattr(catalog, table))
        hits = [row_id for row_id in instance.quotes if row_id in rows]
        for row_id in hits:
            quote = instance.quotes[row_id]
            price = Price(usd=quote.usd, kind="quote", date=quote.date, source=quote.source)
            rows[row_id] = rows[row_id].model_copy(update={"price": price})
        if hits:
            changed[table] = MappingProxyType(rows)
    return replace(catalog, **changed)
