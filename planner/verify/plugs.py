"""How many plugs fill the cages of a device: modules, and the ends of cables with fixed ends."""

from __future__ import annotations

from collections import Counter, defaultdict

from planner.domain.fabric_parts import CableAssembly
from planner.domain.solution import Cable
from planner.verify.links import carried, link_gbps
from planner.verify.record import Record

Modules = Counter[tuple[str, str]]
"""Transceivers by (device, catalogue id)."""


def module_counts(record: Record) -> Modules:
    """Return the transceivers that stand in each device: links over links of a module, whole."""
    links: Counter[tuple[str, str, int]] = Counter()
    for device, ends in record.ends.items():
        for end in ends:
            module = record.catalog.transceivers.get(end.module)
            if module is not None:
                each = max(1, carried(module, link_gbps(record, end.cable)))
                links[device, end.module, each] += 1
    found: Modules = Counter()
    for (device, name, each), count in links.items():
        found[device, name] += -(-count // each)
    return found


def assemblies(record: Record) -> dict[str, list[Cable]]:
    """Return the links of every physical cable."""
    found: dict[str, list[Cable]] = defaultdict(list)
    for cable in record.solution.cables:
        found[cable.assembly].append(cable)
    return found


def fixed_plugs(record: Record, links: list[Cable]) -> Counter[str]:
    """Return the plugs that one cable with fixed ends puts into each device.

    The end with one plug carries every link; the other has `ends_b` plugs that share them. The
    end with one plug is the one whose links all meet at one device.
    """
    part = record.catalog.cables[links[0].part]
    share = max(1, max((mode.links for mode in part.modes), default=1) // part.ends_b)
    rate = carried(part, link_gbps(record, links[0]))
    if rate:
        share = max(1, rate // part.ends_b)
    sides = [Counter(c.a for c in links), Counter(c.b for c in links)]
    trunk = _trunk_side(record, part, sides)
    found: Counter[str] = Counter()
    for side, ends in enumerate(sides):
        for device, count in ends.items():
            found[device] += 1 if side == trunk else -(-count // share)
    return found


def _trunk_side(record: Record, part: CableAssembly, sides: list[Counter[str]]) -> int:
    """Return the side (0 for end a of the links) at which the plug with every link stands."""
    if part.ends_b == 1:
        return 0
    single = [side for side, ends in enumerate(sides) if len(ends) == 1]
    if len(single) != 1:
        return 1 if not single or record.kind(next(iter(sides[0]))) == "node" else 0
    return single[0]


def plugs_at(record: Record) -> Counter[str]:
    """Return the cages that every device fills, out-of-band links at their switch only."""
    found: Counter[str] = Counter()
    for (device, _), count in module_counts(record).items():
        found[device] += count
    for links in assemblies(record).values():
        if links[0].part in record.catalog.cables:
            for device, count in fixed_plugs(record, links).items():
                if links[0].tier != "oob" or record.kind(device) == "oob":
                    found[device] += count
    return found
