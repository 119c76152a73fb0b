"""The names that an instance may pin or exclude, and what it cannot do without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from planner.domain.catalog import Catalog
from planner.domain.catalog_load import nearest
from planner.domain.errors import Fault, InputError
from planner.domain.instance import FAMILIES, TOPOLOGIES, HardwareChoice, Instance
from planner.domain.site import Site
from planner.physics.strategies import NAMES
from planner.program.columns import OOB_CABLE, OOB_SWITCH
from planner.program.service_faults import service_faults

PRODUCT_TABLES = (
    "servers", "accelerators", "nics", "server_nics", "switches", "cables", "transceivers",
    "fibres", "racks", "pdus", "appliances",
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
        *_strategies(instance),
    ]
    faults += _racks(instance.site, catalog)
    faults += service_faults(instance, catalog)
    if faults:
        raise InputError(str(file), faults)


def _racks(site: Site, catalog: Catalog) -> Iterator[Fault]:
    """Yield unknown rack models, and places with more units in use than their rack has."""
    models = {"$.site.rack": site.rack}
    models |= {
        f"$.site.floor.kinds.{name}.rack": kind.rack
        for name, kind in site.floor.kinds.items()
        if kind.rack is not None
    }
    for where, model in models.items():
        if model not in catalog.racks:
            yield Fault(where, f"unknown rack {model!r}", nearest(model, catalog.racks, ""))
    for k, place in enumerate(site.floor.places):
        kind = site.kind_of(place)
        rack = catalog.racks.get(kind.rack or "")
        if rack and place.used_units > rack.rack_units:
            yield Fault(
                f"$.site.floor.places[{k}].used_units",
                f"{place.used_units} units are used in a rack of {rack.rack_units}",
                "correct it, or give the place another kind of rack",
            )
        if place.used_kg > (kind.rack_weight_kg or 0.0):
            yield Fault(
                f"$.site.floor.places[{k}].used_kg",
                f"{place.used_kg:g} kg stand in a rack that carries {kind.rack_weight_kg:g} kg",
                "correct it, or give rack_weight_kg",
            )


def _unknown(where: str, choice: HardwareChoice, known: Mapping[str, list[str]]) -> Iterator[Fault]:
    for key, values in choice.values().items():
        for value in values:
            if key in known and value not in known[key]:
                right = nearest(str(value), known[key], f"one of {', '.join(known[key][:8])}")
                yield Fault(f"$.{where}.{key}", f"unknown {key} {str(value)[:60]!r}", right)


def _strategies(instance: Instance) -> Iterator[Fault]:
    """Yield the names that no strategy knows, in what workloads pin or exclude."""
    for index, job in enumerate(instance.workloads):
        for kind in ("fix", "forbid"):
            for key, values in getattr(job, kind).values().items():
                for value in (v for v in values if key in NAMES and v not in NAMES[key]):
                    yield Fault(
                        f"$.workloads[{index}].{kind}.{key}",
                        f"unknown {key} {str(value)[:60]!r}",
                        f"one of {', '.join(NAMES[key])}",
                    )


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
