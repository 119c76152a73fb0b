"""Top of rack: every unit in a rack of its own, sized as the rack allows; rails of trays apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from planner.domain.hardware import Server
from planner.domain.solution import Device
from planner.verify.links import nic_option
from planner.verify.record import Record
from planner.verify.violation import Violation, violation

TOPOLOGIES = ("top_of_rack", "rack_rails")
TINY = 1e-6
"""Watts and kilograms that rounding may lose."""


def check_rack_units(record: Record) -> Iterator[Violation]:
    """Yield units that do not stand in one rack, or that are not what a rack makes."""
    design = record.solution.design
    if design is None or design.fabric.topology not in TOPOLOGIES:
        return
    server = record.catalog.servers.get(design.platform.server)
    option = nic_option(record)
    if server is None or option is None:
        return
    units: dict[int, list[Device]] = defaultdict(list)
    for device in record.solution.devices:
        if device.kind in ("node", "leaf"):
            units[device.group].append(device)
    if server.takes_whole_rack:
        yield from _tray_rails(record, units, option.links // server.hosts)
        return
    yield from _one_rack(units)
    yield from _full(record, server, units)


def _one_rack(units: dict[int, list[Device]]) -> Iterator[Violation]:
    taken: dict[str, int] = {}
    for unit, devices in sorted(units.items()):
        racks = sorted({device.rack for device in devices})
        if len(racks) > 1 or taken.setdefault(racks[0], unit) != unit:
            yield violation(
                "unit-rack", f"unit {unit}", "a rack of its own", ", ".join(racks),
                "servers and leafs of a unit do not fill one rack alone",
            )  # fmt: skip


def _full(record: Record, server: Server, units: dict[int, list[Device]]) -> Iterator[Violation]:
    """Yield a violation where a rack of the site's usual kind holds one more server of a full unit."""
    site, fabric = record.solution.instance.site, record.solution.design
    assert fabric is not None
    size = fabric.fabric.servers_per_unit
    leafs = [d for d in units[min(units)] if d.kind == "leaf"]
    rack = record.catalog.racks.get(site.rack)
    if rack is None or len(units) < 2:
        return
    loads = (
        (rack.rack_units, sum(d.height_units for d in leafs), server.rack_units),
        (site.rack_kw * 1000.0, sum(d.max_w for d in leafs), server.max_power_w),
        (site.rack_weight_kg, sum(d.weight_kg for d in leafs), server.weight_kg),
    )
    held = min(int((have - taken + TINY) // each) for have, taken, each in loads)
    if size != held:
        yield violation(
            "unit-size", "$.design.fabric.servers_per_unit", held, size,
            "servers that a rack holds beside the leafs of its unit",
        )  # fmt: skip


def _tray_rails(record: Record, units: dict[int, list[Device]], rails: int) -> Iterator[Violation]:
    """Yield racks of trays without a leaf for each rail, and links of a tray on a wrong one."""
    for unit, devices in sorted(units.items()):
        leafs = [d for d in devices if d.kind == "leaf"]
        nodes = [d for d in devices if d.kind == "node"]
        if len(leafs) != rails or len(nodes) > 1:
            yield violation(
                "tray-leafs", f"unit {unit}", f"one server and {rails} leafs",
                f"{len(nodes)} and {len(leafs)}", "a rack of trays has one leaf for each rail",
            )  # fmt: skip
        for leaf in leafs:
            met = set()
            for end in record.ends.get(leaf.id, []):
                if end.cable.tier == "node_leaf":
                    port = end.cable.a_port if end.cable.a != leaf.id else end.cable.b_port
                    met.add(_number(port) % rails)
            if len(met) > 1:
                yield violation(
                    "tray-rails", leaf.id, "one rail of the trays", len(met),
                    "serves NICs of several rails of the trays",
                )  # fmt: skip


def _number(port: str) -> int:
    return int("".join(filter(str.isdigit, port.partition("/")[0])) or 0)
