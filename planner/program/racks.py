"""What one rack in use consists of: the cabinet and its power distribution units."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from planner.domain.catalog import Catalog
from planner.domain.instance import Instance
from planner.domain.solution import RackPdu, RackUse
from planner.physics.costs import UnitCost
from planner.program.prices import PriceBook


@dataclass(frozen=True, slots=True, kw_only=True)
class RackSet:
    """One rack with its PDUs."""

    rack: str
    pdu: str
    pdus: int
    unit: UnitCost


def pdus_needed(rack_kw: float, pdu_kw: float, redundancy: str = "n+1") -> int:
    """Return the PDUs of one rack: enough for its power with one PDU, or one feed, lost.

    ``n+1`` is what the published 4-node DGX H100 rack of 40.8 kW has: three of 34.5 kVA (NVIDIA
    DGX SuperPOD H100 bill of materials: 96 for 32 compute racks). ``2n`` has as many on feed A as
    on feed B, either of which carries the rack.
    """
    enough = math.ceil(rack_kw / pdu_kw)
    return 2 * enough if redundancy == "2n" else enough + 1


def rack_set(
    instance: Instance, catalog: Catalog, book: PriceBook, rack_id: str, rack_kw: float
) -> RackSet:
    """Return the cheapest set for racks of one model and power; ties by id."""
    rack = catalog.rack(rack_id)
    forbidden = set(instance.forbid.values().get("product", ()))
    sets = []
    for pdu in catalog.pdus.values():
        if pdu.buyable and pdu.id not in forbidden:
            count = pdus_needed(rack_kw, pdu.power_kw, instance.site.pdu_redundancy)
            unit = book.unit(rack.id) + book.unit(pdu.id).times(count)
            value = book.listed(rack.id).total + book.listed(pdu.id).total * count
            sets.append((value, pdu.id, count, unit))
    _, pdu_id, count, unit = min(sets)[:4]
    return RackSet(rack=rack.id, pdu=pdu_id, pdus=count, unit=unit)


def with_pdus(rack: RackUse, parts: RackSet) -> RackUse:
    """Return a rack with its PDUs named: feeds A and B in turn, at the two sides of its back."""
    pdus = [
        RackPdu(
            id=f"{rack.id}-pdu-{k + 1}",
            part=parts.pdu,
            feed="AB"[k % 2],
            side=("left", "right")[k % 2],
        )
        for k in range(parts.pdus)
    ]
    return rack.model_copy(update={"pdus": pdus})


def racks_bought(racks: Sequence[RackUse]) -> dict[str, int]:
    """Return cabinets and PDUs by catalogue id; some racks bring their own (`RackUse.bought`)."""
    found: Counter[str] = Counter()
    for rack in racks:
        if rack.bought:
            found[rack.model] += 1
            found.update(pdu.part for pdu in rack.pdus)
    return dict(found)
