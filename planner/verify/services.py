"""Services counted again: devices, racks, fabric managers, and what they stand for in the bill."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from planner.domain.services import Services
from planner.domain.services_part import ServicesPart
from planner.verify.record import Record, same
from planner.verify.service_links import check_service_links
from planner.verify.service_networks import check_service_networks
from planner.verify.violation import Violation, violation

SWITCH_KIND = {"storage_network": "storage_switch", "in_band_network": "in_band_switch"}
COMPONENT = {
    "storage_switch": "storage_network", "in_band_switch": "in_band_network",
    "fabric_manager": "fabric_manager", "appliance": "appliances",
}  # fmt: skip
"""Component of the cost of each kind of device."""
WATTS_PER_KW = 1000.0


def check_services(record: Record) -> Iterator[Violation]:
    """Yield contradictions of services with the instance, the devices and the racks."""
    solution = record.solution
    if solution.design is None:
        return
    wanted, part = solution.instance.services, solution.services
    if (wanted is None) != (part is None):
        yield violation(
            "services-asked", "$.services", "present" if wanted else "absent",
            "present" if part else "absent", "is not what the instance asks for",
        )  # fmt: skip
    if wanted is None or part is None:
        for device in solution.devices:
            if device.kind in COMPONENT:
                yield violation(
                    "services-asked", device.id, "no such device", device.kind,
                    "the instance asks for no services",
                )  # fmt: skip
        return
    yield from check_service_networks(record, wanted, part)
    yield from _devices(record, wanted, part)
    yield from _racks(record, wanted, part)
    yield from check_service_links(record, wanted, part)


def managers_needed(record: Record, wanted: Services) -> int:
    """Return the fabric managers that the design needs: those asked for, on InfiniBand."""
    design = record.solution.design
    infiniband = design is not None and design.fabric.family == "infiniband"
    return wanted.fabric_manager.count if wanted.fabric_manager and infiniband else 0


def _devices(record: Record, wanted: Services, part: ServicesPart) -> Iterator[Violation]:
    expected: Counter[tuple[str, str]] = Counter()
    for stated in part.networks:
        asked = wanted.networks.get(stated.network)
        if asked is not None:
            switches = stated.leaf_count + stated.spines
            expected[SWITCH_KIND[stated.network], asked.switch] += switches
            for group in asked.appliances:
                expected["appliance", group.appliance] += group.count
    managers = managers_needed(record, wanted)
    if wanted.fabric_manager is not None and managers:
        expected["fabric_manager", wanted.fabric_manager.appliance] += managers
    found: Counter[tuple[str, str]] = Counter()
    for device in record.solution.devices:
        if device.kind in COMPONENT:
            found[device.kind, device.part] += 1
    for key in sorted({*expected, *found}):
        if expected[key] != found[key]:
            yield violation(
                "services-devices", f"$.devices ({key[0]} {key[1]})", expected[key], found[key],
                "devices of the services",
            )  # fmt: skip
    if part.managers != managers:
        yield violation(
            "services-managers", "$.services.managers", managers, part.managers,
            "fabric managers that the instance asks for on this fabric",
        )  # fmt: skip
    watts = math.fsum(d.max_w for d in record.solution.devices if d.kind in COMPONENT)
    if not same(part.max_power_kw, watts / WATTS_PER_KW, 1e-6):
        yield violation(
            "services-power", "$.services.max_power_kw", watts / WATTS_PER_KW, part.max_power_kw,
            "is not the sum over the devices of the services",
        )  # fmt: skip


def _racks(record: Record, wanted: Services, part: ServicesPart) -> Iterator[Violation]:
    """Yield devices of services outside their racks, and others inside them."""
    kept = kept_places(record, wanted.racks)
    for device in record.solution.devices:
        rack = record.racks.get(device.rack)
        if rack is not None and ((rack.row, rack.column) in kept) != (device.kind in COMPONENT):
            yield violation(
                "services-racks", device.id, f"the last {wanted.racks} places for services alone",
                device.rack, "stands in a rack of another use",
            )  # fmt: skip
    used = [r.id for r in record.solution.racks if (r.row, r.column) in kept]
    if part.racks != used:
        yield violation(
            "services-racks", "$.services.racks", ", ".join(used), ", ".join(part.racks),
            "are not the racks in use on the places of services",
        )  # fmt: skip


def kept_places(record: Record, racks: int) -> set[tuple[int, int]]:
    """Return rows and columns of the last places of the room that are not blocked."""
    return set(_places(record)[-racks:])


def _places(record: Record) -> list[tuple[int, int]]:
    site, blocked = record.solution.instance.site, record.floor().blocked
    places = (divmod(k, site.racks_per_row) for k in range(site.racks))
    return [place for place in places if place not in blocked]
