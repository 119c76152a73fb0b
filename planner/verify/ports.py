"""Ends of links: they exist, one link a port, no more ports and cages than the model has."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.hardware import NicOption
from planner.verify.links import Cage, cage_for, cage_of, carried, link_gbps, nic_option
from planner.verify.plugs import cages_at
from planner.verify.record import SERVICES, End, Record
from planner.verify.violation import Violation, violation

ENDS = {
    "node_leaf": ({"node"}, {"leaf"}),
    "leaf_leaf": ({"leaf"}, {"leaf"}),
    "leaf_spine": ({"leaf"}, {"spine"}),
    "spine_core": ({"spine"}, {"core"}),
    "oob": ({"node", "leaf", "spine", "core", "storage"}, {"oob"}),
    "storage_network": ({"node", "appliance", "storage_switch"}, {"storage_switch"}),
    "in_band_network": ({"node", "appliance", "in_band_switch"}, {"in_band_switch"}),
    "fabric_manager": ({"fabric_manager"}, {"leaf"}),
}
"""Kinds of device that a tier joins."""


def check_ports(record: Record) -> Iterator[Violation]:
    """Yield links without ends, ports with two links and devices with too many links."""
    yield from _ends(record)
    yield from _single(record)
    yield from _capacity(record)
    yield from _groups(record)
    yield from _out_of_band(record)


def _ends(record: Record) -> Iterator[Violation]:
    for i, cable in enumerate(record.links):
        kinds = []
        for end in (cable.a, cable.b):
            kinds.append(record.kind(end))
            if not kinds[-1]:
                yield violation(
                    "port-ends", f"$.cables[{i}]", "a device of the document", end,
                    f"{cable.id} ends at nothing",
                )  # fmt: skip
        low, high = ENDS[cable.tier]
        if all(kinds) and not (
            (kinds[0] in low and kinds[1] in high) or (kinds[1] in low and kinds[0] in high)
        ):
            yield violation(
                "port-tier", f"$.cables[{i}]", cable.tier, " to ".join(kinds),
                f"{cable.id} does not join the tiers that it names",
            )  # fmt: skip


def _single(record: Record) -> Iterator[Violation]:
    for device, ends in record.ends.items():
        seen: dict[str, str] = {}
        for end in ends:
            if end.port in seen:
                yield violation(
                    "port-single-link", f"{device} {end.port}", "one link",
                    f"{seen[end.port]} and {end.cable.id}", "a port carries one link",
                )  # fmt: skip
            seen[end.port] = end.cable.id


def _capacity(record: Record) -> Iterator[Violation]:
    option = nic_option(record)
    for device in record.ends:
        every = cages_at(record, device)
        if record.kind(device) != "node":
            yield from _holds(record, device, every, cage_at(record, device, every, option))
            continue
        beside = {name: ends for name, ends in every.items() if ends[0].cable.tier in SERVICES}
        fabric = {name: ends for name, ends in every.items() if name not in beside}
        for cages in (fabric, beside):
            yield from _holds(record, device, cages, cage_at(record, device, cages, option))


def cage_at(
    record: Record, device: str, cages: dict[str, list[End]], option: NicOption | None
) -> Cage | None:
    """Return the kind of cage behind the fastest of some links of a device."""
    links = [end.cable for ends in cages.values() for end in ends]
    if not links:
        return None
    fastest = max(links, key=lambda cable: link_gbps(record, cable))
    return cage_for(record, device, fastest, option)


def _holds(
    record: Record, device: str, cages: dict[str, list[End]], cage: Cage | None
) -> Iterator[Violation]:
    """Yield a violation where links exceed ports or plugs exceed cages, and misused cages."""
    if cage is not None:
        rates = {link_gbps(record, end.cable) for ends in cages.values() for end in ends}
        links = sum(len(ends) for ends in cages.values())
        if links > cage.ports:
            yield violation(
                "port-count", device, f"at most {cage.ports} of {max(rates):g} Gb/s", links,
                "more links than the model has ports",
            )  # fmt: skip
        if len(cages) > cage.cages:
            yield violation(
                "cage-count", device, f"at most {cage.cages}", len(cages),
                "more plugs than the model has cages",
            )  # fmt: skip
        for name, ends in cages.items():
            yield from _cage(record, device, name, ends, cage)


def _groups(record: Record) -> Iterator[Violation]:
    """Yield groups of links that name another number of links a cage than their ends have."""
    design, option = record.solution.design, nic_option(record)
    if design is None:
        return
    for i, group in enumerate(record.solution.cable_groups):
        for field, device, stated in (
            ("a_cage_links", group.a_first, group.a_cage_links),
            ("b_cage_links", group.b_first, group.b_cage_links),
        ):
            cage = cage_of(record, device, design.fabric.link_gbps, option)
            if cage is not None and cage.links != stated:
                yield violation(
                    "group-cages", f"$.cable_groups[{i}].{field}", cage.links, stated,
                    f"{group.id}: links of one cage of {device}",
                )  # fmt: skip


def _cage(
    record: Record, device: str, name: str, ends: list[End], cage: Cage
) -> Iterator[Violation]:
    """Check that the links of one cage come through one plug that carries them all."""
    module = record.catalog.transceivers.get(ends[0].module)
    most = cage.links
    if module is not None:
        most = min(most, carried(module, link_gbps(record, ends[0].cable)))
    if len(ends) > most:
        yield violation(
            "cage-links", f"{device} {name}", f"at most {most}", len(ends),
            "more links than its cage or module carries",
        )  # fmt: skip
    plugs = {end.module or end.cable.assembly for end in ends}
    if len(plugs) > 1:
        yield violation(
            "cage-plug", f"{device} {name}", "one plug", ", ".join(sorted(plugs)),
            "links of one cage come through several plugs",
        )  # fmt: skip


def _out_of_band(record: Record) -> Iterator[Violation]:
    """Yield devices without the management links of their model.

    A document that lists no such link counts its management ports by rule in the bill.
    """
    if not any(cable.tier == "oob" for cable in record.links):
        return
    for device in record.solution.devices:
        if device.kind == "node":
            server = record.catalog.servers.get(device.part)
            expected = server.out_of_band_ports if server else 0
        elif device.kind in ("leaf", "spine", "core"):
            expected = 1
        else:
            continue
        found = sum(1 for end in record.ends.get(device.id, []) if end.cable.tier == "oob")
        if found != expected:
            yield violation(
                "oob-links", device.id, expected, found, "management links of this device"
            )
