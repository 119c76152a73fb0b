"""The fabric counted from devices and links: tiers, units, rails, spread, oversubscription."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from planner.domain.solution import Device, Fabric
from planner.verify.links import nic_option
from planner.verify.record import SCALE_OUT, Record, same
from planner.verify.violation import Violation, violation

DUAL = 2
Pairs = Counter[tuple[str, str]]
"""Links by ordered pair of device ids."""


def check_topology(record: Record) -> Iterator[Violation]:
    """Yield contradictions between the stated fabric and the links and switches listed."""
    design = record.solution.design
    if design is None:
        return
    fabric = design.fabric
    yield from _tiers(record, fabric)
    yield from _counts(record, fabric)
    yield from _shape(record, fabric)
    pairs = _pairs(record, "node_leaf", "node")
    yield from _servers(record, fabric, pairs)
    yield from _units(record, fabric, pairs)
    yield from _labels(record, pairs)
    if fabric.topology == "rail_optimised" or any(d.rail >= 0 for d in record.of_kind("leaf")):
        yield from _rails(record)
    yield from _oversubscription(record, fabric, pairs)


def _pairs(record: Record, tier: str, first: str) -> Pairs:
    """Return the links of a tier by (device of kind `first`, other device)."""
    found: Pairs = Counter()
    for cable in record.links:
        if cable.tier == tier:
            pair = (cable.a, cable.b)
            found[pair if record.kind(cable.a) == first else pair[::-1]] += 1
    return found


def _tiers(record: Record, fabric: Fabric) -> Iterator[Violation]:
    counted: Counter[tuple[str, str]] = Counter(
        (d.kind, d.part) for d in record.solution.devices if d.kind in ("leaf", "spine", "core")
    )
    stated: Counter[tuple[str, str]] = Counter()
    for tier in fabric.tiers:
        stated[tier.tier, tier.switch] += tier.count
    for key in sorted(set(counted) | set(stated)):
        if counted[key] != stated[key]:
            yield violation(
                "tier-count", "$.design.fabric.tiers", counted[key], stated[key],
                f"{key[0]} switches of model {key[1]} in the racks",
            )  # fmt: skip


def _counts(record: Record, fabric: Fabric) -> Iterator[Violation]:
    counted: Counter[str] = Counter(cable.tier for cable in record.links)
    for tier in SCALE_OUT:
        stated = getattr(fabric.cables, tier)
        if counted[tier] != stated:
            yield violation(
                "cable-count", f"$.design.fabric.cables.{tier}", counted[tier], stated,
                "is not the number of links listed",
            )  # fmt: skip


def _shape(record: Record, fabric: Fabric) -> Iterator[Violation]:
    leafs, spines, cores = (len(record.of_kind(kind)) for kind in ("leaf", "spine", "core"))
    tiers = (leafs > 0) + (spines > 0) + (cores > 0)
    whole = not spines < cores and (spines > 0 or cores == 0)
    shapes = {
        "direct": tiers == 0 and len(record.of_kind("node")) == 1,
        "single": leafs == 1 and tiers == 1,
        "joined_pair": leafs == 2 and tiers == 1,
        "leaf_spine": leafs > 1 and tiers == 2,
        "rail_optimised": leafs > 1 and tiers == 2,
        "top_of_rack": leafs > 1 and tiers == 2,
        "rack_rails": leafs > 1 and tiers == 2 and fabric.planes > 1,
        "rail_only": leafs > 1 and whole and fabric.planes == fabric.links_per_server > 1,
        "dual_plane": leafs > 1 and whole and fabric.planes == DUAL,
        "three_tier": leafs > 1 and tiers == 3,
    }
    if not shapes.get(fabric.topology, False):
        yield violation(
            "topology-shape", "$.design.fabric.topology",
            f"{leafs} leafs, {spines} spines and {cores} cores",
            fabric.topology, "the switches listed do not make this topology",
        )  # fmt: skip


def _servers(record: Record, fabric: Fabric, pairs: Pairs) -> Iterator[Violation]:
    option = nic_option(record)
    if (
        option is not None
        and fabric.topology != "direct"
        and fabric.links_per_server != option.links
    ):
        yield violation(
            "server-links", "$.design.fabric.links_per_server", option.links,
            fabric.links_per_server, "is not the number of NIC ports of one server",
        )  # fmt: skip
    expected = 0 if fabric.topology == "direct" else fabric.links_per_server
    links: Counter[str] = Counter()
    for (server, _), count in pairs.items():
        links[server] += count
    for node in record.of_kind("node"):
        if links[node.id] != expected:
            yield violation(
                "server-links", node.id, expected, links[node.id],
                "links into the fabric of this server",
            )  # fmt: skip


def _units(record: Record, fabric: Fabric, pairs: Pairs) -> Iterator[Violation]:
    leafs: dict[int, list[Device]] = defaultdict(list)
    for leaf in record.of_kind("leaf"):
        leafs[leaf.group].append(leaf)
    if leafs and len(leafs) != fabric.units:
        yield violation(
            "unit-count", "$.design.fabric.units", len(leafs), fabric.units,
            "is not the number of groups of leafs",
        )  # fmt: skip
    if len({len(group) for group in leafs.values()}) > 1:
        yield violation(
            "unit-leafs", "$.devices", "as many leafs in every unit",
            ", ".join(str(len(group)) for group in leafs.values()), "units have unequal leafs",
        )  # fmt: skip
    members: Counter[int] = Counter()
    for node in record.of_kind("node"):
        members[node.group] += 1
        if leafs:
            yield from _reach(node, leafs.get(node.group, []), pairs)
    foreign = [
        (node, leaf) for node, leaf in pairs
        if node in record.devices and leaf in record.devices
        and record.devices[node].group != record.devices[leaf].group
    ]  # fmt: skip
    for node_id, leaf_id in foreign:
        yield violation(
            "unit-foreign", node_id, f"leafs of unit {record.devices[node_id].group}", leaf_id,
            "is wired to a leaf of another unit",
        )  # fmt: skip
    fullest = max(members.values(), default=0)
    if leafs and (
        fullest > fabric.servers_per_unit
        or (len(members) > 1 and fullest != fabric.servers_per_unit)
    ):
        yield violation(
            "unit-servers", "$.design.fabric.servers_per_unit", fullest, fabric.servers_per_unit,
            "servers of a full unit",
        )  # fmt: skip


def _reach(node: Device, leafs: list[Device], pairs: Pairs) -> Iterator[Violation]:
    counts = {leaf.id: pairs[node.id, leaf.id] for leaf in leafs}
    if not counts or min(counts.values()) == 0 or len(set(counts.values())) > 1:
        yield violation(
            "unit-reach", node.id, "as many links to every leaf of its unit",
            ", ".join(f"{leaf} {n}" for leaf, n in counts.items()) or "no leaf",
            "does not reach the leafs of its unit equally",
        )  # fmt: skip


def _labels(record: Record, pairs: Pairs) -> Iterator[Violation]:
    """Yield devices that name a rail or a unit although they serve none.

    A leaf serves a rail where every server has one link to each of several leafs.
    """
    rails = max(pairs.values(), default=0) == 1 and len(record.of_kind("leaf")) > 1
    for device in record.solution.devices:
        if device.rail != -1 and not (rails and device.kind == "leaf"):
            yield violation("rail-label", device.id, -1, device.rail, "serves no single rail")
        if device.group != -1 and device.kind not in ("node", "leaf"):
            yield violation(
                "unit-label", device.id, -1, device.group, "belongs to no unit of servers"
            )


def _rails(record: Record) -> Iterator[Violation]:
    by_group: dict[int, list[int]] = defaultdict(list)
    for leaf in record.of_kind("leaf"):
        by_group[leaf.group].append(leaf.rail)
    for group, rails in by_group.items():
        if sorted(rails) != list(range(min(rails), min(rails) + len(rails))) or min(rails) < 0:
            yield violation(
                "rail-numbers", "$.devices", f"each rail of unit {group} once",
                sorted(rails), "the leafs of a unit do not serve one rail each",
            )  # fmt: skip
    ports: dict[int, Counter[str]] = defaultdict(Counter)
    for leaf in record.of_kind("leaf"):
        for end in record.ends.get(leaf.id, []):
            if end.cable.tier == "node_leaf":
                far = end.cable.a_port if end.cable.a != leaf.id else end.cable.b_port
                ports[leaf.rail][far] += 1
    for rail, seen in ports.items():
        if len(seen) > 1:
            yield violation(
                "rail-ports", f"rail {rail}", seen.most_common(1)[0][0],
                ", ".join(sorted(seen)), "servers join one rail with different NIC ports",
            )  # fmt: skip


def _oversubscription(record: Record, fabric: Fabric, pairs: Pairs) -> Iterator[Violation]:
    ratios = {1.0}
    leafs, spines = record.of_kind("leaf"), record.of_kind("spine")
    uplinks = sum(1 for c in record.links if c.tier == "leaf_spine")
    if spines and uplinks and leafs and pairs:
        each = max(pairs.values())
        down = each * (fabric.servers_per_unit + fabric.kept_slots_per_unit)
        ratio = down * len(leafs) / uplinks
        ratios = {ratio, max(1.0, ratio)}
    yield from _capacity(record, fabric, pairs)
    yield from _kept_slots(record, fabric)
    yield from _reserve(record, fabric)
    if not any(same(fabric.oversubscription, ratio) for ratio in ratios):
        yield violation(
            "oversubscription", "$.design.fabric.oversubscription", max(ratios),
            fabric.oversubscription, "down over up links of a full leaf",
        )  # fmt: skip


def _capacity(record: Record, fabric: Fabric, pairs: Pairs) -> Iterator[Violation]:
    """Yield leafs whose model has too few ports for a full unit and its uplinks."""
    each = max(pairs.values(), default=0)
    uplinks: Counter[str] = Counter()
    for (below, _), count in _pairs(record, "leaf_spine", "leaf").items():
        uplinks[below] += count
    for (one, other), count in _pairs(record, "leaf_leaf", "leaf").items():
        uplinks.update({one: count, other: count})
    for leaf in record.of_kind("leaf"):
        switch = record.catalog.switches.get(leaf.part)
        ports = switch.ports_at(fabric.link_gbps) if switch else None
        slots = fabric.servers_per_unit + fabric.kept_slots_per_unit
        needed = slots * each + uplinks[leaf.id]
        if ports is not None and needed > ports:
            yield violation(
                "unit-capacity", leaf.id, f"at most {ports} ports", needed,
                f"a unit of {slots} servers with its uplinks does not fit",
            )  # fmt: skip


def _kept_slots(record: Record, fabric: Fabric) -> Iterator[Violation]:
    """Yield slots on the ports of leafs that are not those which the racks of all units lack."""
    expected = 0
    if fabric.topology in ("top_of_rack", "rack_rails"):
        reserved = record.solution.instance.fabric.reserved_slots
        units = len({leaf.group for leaf in record.of_kind("leaf")})
        lacking = len(record.of_kind("node")) + reserved - units * fabric.servers_per_unit
        expected = max(0, -(-lacking // max(units, 1)))
    if fabric.kept_slots_per_unit != expected:
        yield violation(
            "kept-slots", "$.design.fabric.kept_slots_per_unit", expected,
            fabric.kept_slots_per_unit, "slots kept free that the racks have no place for",
        )  # fmt: skip


def _reserve(record: Record, fabric: Fabric) -> Iterator[Violation]:
    """Yield spines without the ports that leafs to come need."""
    leafs = record.solution.instance.fabric.reserved_leafs
    uplinks: Counter[str] = Counter()
    for (_, above), count in _pairs(record, "leaf_spine", "leaf").items():
        uplinks[above] += count
    for spine in record.of_kind("spine"):
        switch = record.catalog.switches.get(spine.part)
        ports = switch.ports_at(fabric.link_gbps) if switch else None
        needed = uplinks[spine.id] + leafs * fabric.links_per_leaf_spine
        if ports is not None and leafs and needed > ports:
            yield violation(
                "spine-reserve", spine.id, f"at most {ports} ports", needed,
                f"ports kept free for {leafs} leafs to come do not fit",
            )  # fmt: skip
