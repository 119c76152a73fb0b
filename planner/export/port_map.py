"""The port map: every port of every switch, what is plugged into it, what is kept free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from planner.domain.catalog import Catalog
from planner.domain.solution import Cable, Device, Solution
from planner.export.csv_file import csv_text
from planner.export.keys import links
from planner.export.table import Column, Row
from planner.export.tier_rates import tier_rate

PORT_COLUMNS = (
    Column("rack", "key", "Rack of the switch"),
    Column("unit", "integer", "Lowest rack unit of the switch"),
    Column("switch", "key", "Switch"),
    Column("part", "key", "Catalogue id of the switch"),
    Column("port", "key", "Port: cage, or cage/link"),
    Column("state", "text", "used, reserved (kept for growth or a fabric manager) or free"),
    Column("cable", "key", "Link in the port"),
    Column("module", "key", "Transceiver in the cage, empty for a fixed-end cable"),
    Column("peer", "key", "Device at the other end"),
    Column("peer_port", "key", "Its port"),
    Column("peer_rack", "key", "Its rack"),
)  # fmt: skip

KINDS = {
    "leaf": "leaf_spine", "spine": "leaf_spine", "core": "spine_core",
    "storage_switch": "storage_network", "in_band_switch": "in_band_network",
}  # fmt: skip
"""Kinds of switch that are listed, with a tier of links of their rate."""
Plug = tuple[Cable, str, str, str]
"""Link, module at this end, device and port at the other."""


def port_map_csv(solution: Solution, catalog: Catalog) -> str:
    """Return one line a port of every switch of the fabric and of services, as CSV text."""
    return csv_text(PORT_COLUMNS, port_rows(solution, catalog))


def port_rows(solution: Solution, catalog: Catalog) -> Iterator[Row]:
    """Yield the ports in the order of switches, then of cages."""
    plugs = _plugs(solution)
    racks = {device.id: device.rack for device in solution.devices}
    reserved = _reserved(solution)
    for device in solution.devices:
        if device.kind not in KINDS:
            continue
        used = plugs.get(device.id, {})
        names = _ports(solution, catalog, device, used)
        kept = reserved.get(device.group, 0) if device.kind == "leaf" else 0
        for name in names:
            where = (device.rack, device.unit, device.id, device.part, name)
            if name in used:
                cable, module, peer, peer_port = used[name]
                yield (*where, "used", cable.id, module, peer, peer_port, racks.get(peer))
                continue
            yield (*where, "reserved" if kept > 0 else "free", None, None, None, None, None)
            kept -= 1


def _plugs(solution: Solution) -> dict[str, dict[str, Plug]]:
    found: dict[str, dict[str, Plug]] = {}
    for cable in links(solution):
        found.setdefault(cable.a, {})[cable.a_port] = (cable, cable.a_module, cable.b, cable.b_port)
        found.setdefault(cable.b, {})[cable.b_port] = (cable, cable.b_module, cable.a, cable.a_port)
    return found


def _ports(
    solution: Solution, catalog: Catalog, device: Device, used: dict[str, Plug]
) -> list[str]:
    """Return all port names of a switch at its network's rate; those in use of an unknown model."""
    switch = catalog.switches.get(device.part)
    names = dict.fromkeys(sorted(used, key=_cage_order))
    if switch is not None and solution.design is not None:
        each = switch.links_per_cage(tier_rate(solution, KINDS[device.kind])[1])
        cages = range(1, switch.cages + 1)
        split = each > 1
        every = [f"{c}/{k}" if split else f"{c}" for c in cages for k in range(1, each + 1)]
        names = dict.fromkeys(sorted({*every, *used}, key=_cage_order))
    return list(names)


def _cage_order(port: str) -> tuple[int, int, str]:
    cage, _, link = port.partition("/")
    return (
        int(cage) if cage.isdigit() else 0,
        int(link) if link.isdigit() else 0,
        port,
    )


def _reserved(solution: Solution) -> dict[int, int]:
    """Return the ports that every leaf of a unit keeps for reserved server slots, by unit.

    The last units keep them, as many slots as each has free.
    """
    design, left = solution.design, solution.instance.fabric.reserved_slots
    if design is None or not left:
        return {}
    fabric = design.fabric
    servers, leafs = (
        Counter(d.group for d in solution.devices if d.kind == kind) for kind in ("node", "leaf")
    )
    found: dict[int, int] = {}
    for unit in sorted(leafs, reverse=True):
        slots = fabric.servers_per_unit + fabric.kept_slots_per_unit - servers[unit]
        taken = min(left, max(0, slots))
        left -= taken
        found[unit] = taken * (fabric.links_per_server // leafs[unit])
    return found
