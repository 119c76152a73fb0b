"""Watts of devices against their models, and their sums against rack, site and design."""

from __future__ import annotations

import math
from collections.abc import Iterator

from planner.verify.money import Money
from planner.verify.record import Record, same
from planner.verify.violation import Violation, violation

WATTS_PER_KW = 1000.0


def check_power(record: Record) -> Iterator[Violation]:
    """Yield devices with other watts than their model, and sums that are wrong or too large."""
    solution = record.solution
    if solution.design is None:
        return
    money = Money(instance=solution.instance, catalog=record.catalog)
    for device in solution.devices:
        if device.kind == "storage":
            continue
        expected = money.maximum(device.part)
        if expected and not same(device.max_w, expected, 1e-6):
            yield violation(
                "device-watts", device.id, expected, device.max_w,
                f"is not the maximum of {device.part}",
            )  # fmt: skip
    total_kw = site_watts(record) / WATTS_PER_KW
    if not same(solution.design.max_power_kw, total_kw, 1e-6):
        yield violation(
            "design-power", "$.design.max_power_kw", total_kw, solution.design.max_power_kw,
            "is not the sum over devices and storage",
        )  # fmt: skip
    yield from _average(record, money)
    site = solution.instance.site
    limit_kw = floor_kw(record) if site.power_kw is None else site.power_kw
    if total_kw > limit_kw * (1 + 1e-9):
        yield violation(
            "site-power", "$.design.max_power_kw", f"at most {limit_kw:g}", total_kw,
            "the devices draw more than the site gives",
        )  # fmt: skip


def floor_kw(record: Record) -> float:
    """Return what the racks of the floor give, less what stands there already draws."""
    site = record.solution.instance.site
    special = [(p.row - 1, c - 1) for p in site.floor.places for c in p.columns]
    floor = record.floor()
    places = [floor.limits(*at) for at in special if at not in floor.blocked]
    own = math.fsum(place.kw - place.taken_kw for place in places)
    return (site.racks - len(special)) * site.rack_kw + own


def site_watts(record: Record) -> float:
    """Return the most watts of all devices and of the storage that the instance asks for."""
    return math.fsum(d.max_w for d in record.solution.devices) + storage_watts(record)


def storage_watts(record: Record) -> float:
    """Return the watts of storage that stands in no rack of the document."""
    storage = record.solution.instance.storage
    if storage is None or record.of_kind("storage"):
        return 0.0
    return storage.power_kw * WATTS_PER_KW


def _average(record: Record, money: Money) -> Iterator[Violation]:
    design = record.solution.design
    assert design is not None
    lines = record.solution.bill_of_materials
    watts = math.fsum(money.average(line.part) * line.quantity for line in lines)
    watts += storage_watts(record)
    if not same(design.average_power_kw, watts / WATTS_PER_KW, 1e-6):
        yield violation(
            "design-average-power", "$.design.average_power_kw", watts / WATTS_PER_KW,
            design.average_power_kw, "is not the average power of what is bought",
        )  # fmt: skip
    if design.average_power_kw > design.max_power_kw * (1 + 1e-9):
        yield violation(
            "design-average-power", "$.design.average_power_kw", f"at most {design.max_power_kw:g}",
            design.average_power_kw, "the average exceeds the maximum",
        )  # fmt: skip
