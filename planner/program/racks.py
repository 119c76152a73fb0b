"""What one rack in use consists of: the cabinet and its power distribution units."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.domain.catalog import Catalog
from planner.domain.instance import Instance
from planner.physics.costs import UnitCost
from planner.program.prices import PriceBook


@dataclass(frozen=True, slots=True, kw_only=True)
class RackSet:
    """One rack with its PDUs; N+1: the rack keeps its power with one PDU lost."""

    rack: str
    pdu: str
    pdus: int
    unit: UnitCost


def pdus_needed(rack_kw: float, pdu_kw: float) -> int:
    """Return the PDUs of one rack: enough for its power, and one more.

    The published 4-node DGX H100 rack of 40.8 kW has three of 34.5 kVA (NVIDIA DGX SuperPOD H100
    bill of materials: 96 for 32 compute racks).
    """
    return math.ceil(rack_kw / pdu_kw) + 1


def rack_set(instance: Instance, catalog: Catalog, book: PriceBook) -> RackSet:
    """Return the cheapest set for the site's racks; ties by id."""
    site = instance.site
    rack = catalog.rack(site.rack)
    forbidden = set(instance.forbid.values().get("product", ()))
    sets = []
    for pdu in catalog.pdus.values():
        if pdu.buyable and pdu.id not in forbidden:
            count = pdus_needed(site.rack_kw, pdu.power_kw)
            unit = book.unit(rack.id) + book.unit(pdu.id).times(count)
            value = book.listed(rack.id).total + book.listed(pdu.id).total * count
            sets.append((value, pdu.id, count, unit))
    _, pdu_id, count, unit = min(sets)[:4]
    return RackSet(rack=rack.id, pdu=pdu_id, pdus=count, unit=unit)
