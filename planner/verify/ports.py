"""Ends of links: they exist, one link a port, no more ports and cages than the model has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from planner.verify.links import cage_of, link_gbps, nic_option
from planner.verify.plugs import plugs_at
from planner.verify.record import Record
from planner.verify.violation import Violation, violation

ENDS = {
    "node_leaf": ({"node"}, {"leaf"}),
    "leaf_spine": ({"leaf"}, {"spine"}),
    "spine_core": ({"spine"}, {"core"}),
    "oob": ({"node", "leaf", "spine", "core", "storage"}, {"oob"}),
}
"""Kinds of device that a tier joins."""


def check_ports(record: Record) -> Iterator[Violation]:
    """Yield links without ends, ports with two links and devices with too many links."""
    yield from _ends(record)
    yield from _single(record)
    yield from _capacity(record)
    yield from _out_of_band(record)


def _ends(record: Record) -> Iterator[Violation]:
    for i, cable in enumerate(record.solution.cables):
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
    plugs = plugs_at(record)
    for device, ends in record.ends.items():
        by_rate: dict[float, int] = defaultdict(int)
        for end in ends:
            if (end.cable.tier == "oob") == (record.kind(device) == "oob"):
                by_rate[link_gbps(record, end.cable)] += 1
        for gbps, links in by_rate.items():
            cage = cage_of(record, device, gbps, option)
            if cage is not None and links > cage.ports:
                yield violation(
                    "port-count", device, f"at most {cage.ports} of {gbps:g} Gb/s", links,
                    "more links than the model has ports",
                )  # fmt: skip
            if cage is not None and plugs.get(device, 0) > cage.cages:
                yield violation(
                    "cage-count", device, f"at most {cage.cages}", plugs[device],
                    "more plugs than the model has cages",
                )  # fmt: skip


def _out_of_band(record: Record) -> Iterator[Violation]:
    """Yield devices without the management links that their model has; none where none is built."""
    if not record.of_kind("oob"):
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
