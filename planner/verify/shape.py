"""What a fabric without spines or cores must say: no pods, no uplinks, units as the ports give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from planner.domain.solution import Fabric
from planner.verify.record import Record
from planner.verify.violation import Violation, violation

DIRECT = {
    "units": 0, "servers_per_unit": 1, "links_per_server": 0, "links_per_leaf_spine": 0,
    "spine_oversubscription": 1.0, "even_spread_spines": 0, "even_spread_usd": 0.0,
}  # fmt: skip
"""Figures of a fabric that is not there: one server alone."""


def check_shape(record: Record) -> Iterator[Violation]:
    """Yield figures of tiers that the fabric does not have, and units that no port limits."""
    design = record.solution.design
    if design is None:
        return
    fabric = design.fabric
    absent: dict[str, float] = {} if record.of_kind("core") else {"uplinks_per_spine": 0}
    if not any(d.plane >= 0 for d in record.solution.devices):
        absent["planes"] = 1
    if not any(d.pod >= 0 for d in record.solution.devices):
        absent["pods"] = 0
    if fabric.topology == "direct":
        absent |= DIRECT
        yield from _alone(record)
    elif not record.of_kind("spine"):
        yield from _unit(record, fabric)
    for name, expected in absent.items():
        if getattr(fabric, name) != expected:
            yield violation(
                "shape-absent", f"$.design.fabric.{name}", expected, getattr(fabric, name),
                "the fabric has nothing of the kind",
            )  # fmt: skip


def _alone(record: Record) -> Iterator[Violation]:
    """Yield what a server without a fabric may not say of units, pods and planes."""
    for device in record.solution.devices:
        unit = 0 if device.kind == "node" else -1
        if (device.group, device.pod, device.plane) != (unit, -1, -1):
            yield violation(
                "shape-absent", device.id, f"unit {unit}, pod -1, plane -1",
                f"unit {device.group}, pod {device.pod}, plane {device.plane}",
                "there is no fabric",
            )  # fmt: skip


def _unit(record: Record, fabric: Fabric) -> Iterator[Violation]:
    """Yield a violation unless a unit holds as many servers as the ports of its leaf take."""
    leafs = record.of_kind("leaf")
    switch = record.catalog.switches.get(leafs[0].part) if leafs else None
    ends = record.ends.get(leafs[0].id, []) if leafs else []
    each = Counter(end.other for end in ends if end.cable.tier == "node_leaf")
    if switch is None or not each or record.solution.instance.owned is not None:
        return
    across = 2 if fabric.topology == "joined_pair" else 1
    expected = switch.ports_at(fabric.link_gbps) // (across * max(each.values()))
    if fabric.servers_per_unit != expected:
        yield violation(
            "shape-unit", "$.design.fabric.servers_per_unit", expected, fabric.servers_per_unit,
            f"servers whose links fill one {switch.id}",
        )  # fmt: skip
