"""Rack units, weight, cooling and places: what stands where, counted from the devices."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.solution import Device, RackUse
from planner.verify.floor import FloorPlan
from planner.verify.record import Record, same
from planner.verify.violation import Violation, violation

GRAMS = 1e-3
"""Kilograms within which two sums of weights are equal."""
MILLIMETRES = 1e-3


def check_racks(record: Record) -> Iterator[Violation]:
    """Yield contradictions between the devices and the racks that hold them."""
    for rack in record.solution.racks:
        inside = record.inside.get(rack.id, [])
        yield from _fit(rack, inside)
        yield from _sums(rack, inside)
        yield from _limits(record, rack)
    yield from _devices(record)
    yield from _floor(record)


def _fit(rack: RackUse, inside: list[Device]) -> Iterator[Violation]:
    top = 1.0 + rack.taken_units
    last = "what was there before" if rack.taken_units else "the floor"
    for device in sorted(inside, key=lambda d: (d.unit, d.id)):
        if device.unit < top:
            yield violation(
                "rack-overlap", device.id, f"unit {top:g} or above", device.unit,
                f"stands on the same units of {rack.id} as {last}",
            )  # fmt: skip
        top = max(top, device.unit + device.height_units)
        last = device.id
        if device.unit < 1 or device.unit + device.height_units - 1 > rack.units:
            yield violation(
                "rack-fit", device.id, f"units 1 to {rack.units}",
                f"{device.unit} to {device.unit + device.height_units - 1:g}",
                f"does not fit into {rack.id}",
            )  # fmt: skip


def _sums(rack: RackUse, inside: list[Device]) -> Iterator[Violation]:
    sums = (
        ("rack-units", "used_units", sum(d.height_units for d in inside), rack.used_units, 1e-9),
        ("rack-watts", "max_w", sum(d.max_w for d in inside), rack.max_w, GRAMS),
        ("rack-weight", "weight_kg", sum(d.weight_kg for d in inside), rack.weight_kg, GRAMS),
    )
    for check, field, counted, stated, tolerance in sums:
        if not same(counted, stated, tolerance):
            yield violation(
                check, f"{rack.id}.{field}", counted, stated,
                "is not the sum over the devices of the rack",
            )  # fmt: skip


def _limits(record: Record, rack: RackUse) -> Iterator[Violation]:
    place = record.floor().limits(rack.row, rack.column)
    stated = (
        ("units", rack.units if place.units is None else place.units, rack.units),
        ("limit_w", place.kw * 1000.0, rack.limit_w),
        ("limit_kg", place.kg, rack.limit_kg),
        ("taken_units", place.taken_units, rack.taken_units),
        ("taken_w", place.taken_kw * 1000.0, rack.taken_w),
        ("taken_kg", place.taken_kg, rack.taken_kg),
    )
    for field, expected, found in stated:
        if not same(expected, found, 1e-6):
            yield violation(
                "rack-limit", f"{rack.id}.{field}", expected, found,
                "is not what the site and its rack model give",
            )  # fmt: skip
    if rack.model and rack.model != place.model:
        yield violation(
            "rack-model", f"{rack.id}.model", place.model, rack.model,
            "is not the rack that the site has at this place",
        )  # fmt: skip
    used = (
        ("rack-over-units", "used_units", rack.used_units, rack.units - rack.taken_units),
        ("rack-over-watts", "max_w", rack.max_w, rack.limit_w - rack.taken_w),
        ("rack-over-weight", "weight_kg", rack.weight_kg, rack.limit_kg - rack.taken_kg),
    )
    for check, field, need, limit in used:
        if need > limit * (1 + 1e-9) + 1e-6:
            yield violation(
                check, f"{rack.id}.{field}", f"at most {limit:g}", need,
                "exceeds what the rack has left",
            )  # fmt: skip


def _devices(record: Record) -> Iterator[Violation]:
    catalog = record.catalog
    for device in record.solution.devices:
        server = catalog.servers.get(device.part) if device.kind == "node" else None
        switch = catalog.switches.get(device.part)
        part = server or switch or catalog.appliances.get(device.part)
        if part is None:
            continue
        units = part.rack_units
        if server and server.takes_whole_rack:
            units = record.racks[device.rack].units if device.rack in record.racks else None
        if units is not None and not same(device.height_units, units):
            yield violation(
                "device-height", device.id, units, device.height_units,
                f"is not the height of {part.id}",
            )  # fmt: skip
        if part.weight_kg is not None and not same(device.weight_kg, part.weight_kg, GRAMS):
            yield violation(
                "device-weight", device.id, part.weight_kg, device.weight_kg,
                f"is not the weight of {part.id}",
            )  # fmt: skip
        if part.cooling == "liquid" and _cooling(record, device) == "air":
            yield violation(
                "device-cooling", device.id, "air", part.cooling,
                "needs liquid cooling, which its rack does not have",
            )  # fmt: skip
        if server and server.takes_whole_rack:
            yield from _alone(record, device)


def _cooling(record: Record, device: Device) -> str:
    rack = record.racks.get(device.rack)
    if rack is None:
        return record.solution.instance.site.cooling
    return record.floor().limits(rack.row, rack.column).cooling


def _alone(record: Record, device: Device) -> Iterator[Violation]:
    others = [d.id for d in record.inside[device.rack] if d is not device]
    rack = record.racks.get(device.rack)
    if rack and rack.partly_used:
        others.append("what was there before")
    if others:
        yield violation(
            "rack-alone", device.id, "no other device in its rack", ", ".join(others[:3]),
            "takes a whole rack",
        )  # fmt: skip


def _floor(record: Record) -> Iterator[Violation]:
    solution = record.solution
    site = solution.instance.site
    occupied = [rack for rack in solution.racks if record.inside.get(rack.id)]
    places = site.racks - len(record.floor().blocked)
    if len(solution.racks) > places:
        yield violation(
            "site-racks", "$.racks", f"at most {places}", len(solution.racks),
            "the room has fewer racks",
        )  # fmt: skip
    if solution.design and solution.design.racks != len(occupied):
        yield violation(
            "design-racks", "$.design.racks", len(occupied), solution.design.racks,
            "is not the number of racks with devices",
        )  # fmt: skip
    yield from _places(record)


def _places(record: Record) -> Iterator[Violation]:
    floor = record.floor()
    taken: dict[tuple[int, int], str] = {}
    for rack in record.solution.racks:
        place = (rack.row, rack.column)
        if place in taken:
            yield violation(
                "rack-place", rack.id, "a place of its own", f"that of {taken[place]}",
                "two racks stand on one place",
            )  # fmt: skip
        taken[place] = rack.id
        if place in floor.blocked:
            yield violation(
                "rack-blocked", rack.id, "a place that is free",
                f"row {rack.row + 1}, column {rack.column + 1}", "stands on a blocked place",
            )  # fmt: skip
        yield from _on_floor(record, rack)
        yield from _coordinates(floor, rack)


def _on_floor(record: Record, rack: RackUse) -> Iterator[Violation]:
    site = record.solution.instance.site
    number = rack.row * site.racks_per_row + rack.column
    if not 0 <= rack.column < site.racks_per_row or not 0 <= number < site.racks:
        yield violation(
            "rack-on-floor", rack.id, f"one of {site.racks} places, {site.racks_per_row} a row",
            f"row {rack.row}, column {rack.column}", "stands outside the room",
        )  # fmt: skip


def _coordinates(floor: FloorPlan, rack: RackUse) -> Iterator[Violation]:
    width = floor.limits(rack.row, rack.column).width_m
    known = width is not None and 0 <= rack.column < floor.site.racks_per_row
    expected_x = floor.left_m(rack.row, rack.column) if known else rack.x_m
    expected_y = floor.middle_m(rack.row) if 0 <= rack.row < floor.site.rows else rack.y_m
    for field, expected, found in (
        ("x_m", expected_x, rack.x_m),
        ("y_m", expected_y, rack.y_m),
        ("width_m", width if width is not None and rack.width_m else rack.width_m, rack.width_m),
    ):
        if abs(found - expected) > MILLIMETRES:
            yield violation(
                "rack-coordinates", f"{rack.id}.{field}", expected, found,
                "does not follow from its place, the widths and depths of racks, and the aisles",
            )  # fmt: skip
