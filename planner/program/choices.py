"""The names that an instance may pin or exclude, and what it cannot do without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from planner.domain.catalog import Catalog
from planner.domain.catalog_load import nearest
from planner.domain.errors import Fault, InputError
from planner.domain.instance import FAMILIES, TOPOLOGIES, HardwareChoice, Instance
from planner.program.columns import OOB_CABLE, OOB_SWITCH

PRODUCT_TABLES = (
    "servers", "accelerators", "nics", "server_nics", "switches", "cables", "transceivers",
    "fibres", "racks", "pdus",
)  # fmt: skip


def known_choices(catalog: Catalog) -> Mapping[str, list[str]]:
    """Return the names that each hardware choice may take."""
    return {
        "server": list(catalog.servers),
        "accelerator": list(catalog.accelerators),
        "scale_up": sorted({s.scale_up for s in catalog.servers.values()}),
        "nic": list(catalog.nics),
        "family": list(FAMILIES),
        "switch": list(catalog.switches),
        "topology": list(TOPOLOGIES),
        "product": [part for table in PRODUCT_TABLES for part in getattr(catalog, table)],
    }


def check_choices(instance: Instance, catalog: Catalog, file: Path) -> None:
    """Refuse names that `fix` and `forbid` cannot take.

    Raises
    ------
    InputError
        Naming every unknown name with the nearest known one, and what every design needs.
    """
    known = known_choices(catalog)
    faults = [
        *_unknown("fix", instance.fix, known),
        *_unknown("forbid", instance.forbid, known),
        *_needed(instance, catalog),
    ]
    if instance.site.rack not in catalog.racks:
        right = nearest(instance.site.rack, catalog.racks, "")
        faults.append(Fault("$.site.rack", f"unknown rack {instance.site.rack!r}", right))
    if faults:
        raise InputError(str(file), faults)


def _unknown(where: str, choice: HardwareChoice, known: Mapping[str, list[str]]) -> Iterator[Fault]:
    for key, values in choice.values().items():
        for value in values:
            if key in known and value not in known[key]:
                right = nearest(str(value), known[key], f"one of {', '.join(known[key][:8])}")
                yield Fault(f"$.{where}.{key}", f"unknown {key} {str(value)[:60]!r}", right)


def _needed(instance: Instance, catalog: Catalog) -> Iterator[Fault]:
    """Yield what would be passed over in silence or leave no design at all."""
    forbidden = set(instance.forbid.values().get("product", ()))
    for part, why in (
        (instance.site.rack, "every design stands in it; choose another with site.rack"),
        (OOB_SWITCH, "it carries the management network of every design"),
        (OOB_CABLE, "it carries the management network of every design"),
    ):
        if part in forbidden:
            yield Fault("$.forbid.product", f"{part!r} cannot be excluded", why)
    pdus = [part for part, row in catalog.pdus.items() if row.buyable]
    if forbidden.issuperset(pdus):
        right = f"leave one of {', '.join(pdus)}"
        yield Fault("$.forbid.product", "no rack PDU is left that can be bought", right)
