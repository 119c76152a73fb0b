"""Links of services counted again: how many there are, what they are built of, where modules go."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from planner.domain.services import Services
from planner.domain.services_part import ServiceLinks, ServiceNetworkPart, ServicesPart
from planner.verify.links import carried, fits, nic_option
from planner.verify.record import Record
from planner.verify.violation import Violation, violation

METRE_TOLERANCE = 1e-6
Key = tuple[str, str, str]
"""Network, ends, appliance."""


def check_service_links(
    record: Record, wanted: Services, part: ServicesPart
) -> Iterator[Violation]:
    """Yield kinds of links that are missing, miscounted, or built of parts that do not fit."""
    expected = dict(_expected(record, wanted, part))
    stated: dict[tuple[str, str, str], ServiceLinks] = {}
    for k, lot in enumerate(part.links):
        key: Key = (lot.network, lot.ends, lot.appliance)
        if key in stated or key not in expected:
            yield violation(
                "service-links", f"$.services.links[{k}]", "each kind of link once",
                " ".join(key), "a kind of links that is not there, or there already",
            )  # fmt: skip
            continue
        stated[key] = lot
        yield from _lot(record, part, lot, expected[key], f"$.services.links[{k}]")
    for key in expected:
        if key not in stated:
            yield violation(
                "service-links", "$.services.links", " ".join(key), "missing", "links of services"
            )


class _Kind:
    """What one kind of links joins: rate, cages at both ends, links by device."""

    def __init__(
        self, gbps: float, family: str, a: tuple[str, int], b: tuple[str, int],
        at_a: list[int], at_b: list[int], modules_b: int | None = None,
    ) -> None:  # fmt: skip
        self.gbps, self.family, self.a, self.b = gbps, family, a, b
        self.at_a, self.at_b = at_a, at_b
        self.links = sum(at_b)
        self.modules_b = modules_b


def _expected(record: Record, wanted: Services, part: ServicesPart) -> Iterator[tuple[Key, _Kind]]:
    for network in part.networks:
        yield from _of_network(record, wanted, network)
    manager = wanted.fabric_manager
    design = record.solution.design
    if manager is None or design is None or design.fabric.family != "infiniband":
        return
    leaf = next(iter(record.of_kind("leaf")), None)
    switch = record.catalog.switches.get(leaf.part) if leaf else None
    row = record.catalog.appliances.get(manager.appliance)
    if switch is None or row is None:
        return
    gbps = design.fabric.link_gbps
    each = switch.links_per_cage(gbps)
    taken, added = manager_leafs(record, manager.count * manager.links, each)
    yield (
        ("fabric_manager", "manager", ""),
        _Kind(gbps, "infiniband", (row.connector, 1), (switch.connector, each),
              [1] * sum(taken), taken, added),
    )  # fmt: skip


def _of_network(
    record: Record, wanted: Services, network: ServiceNetworkPart
) -> Iterator[tuple[Key, _Kind]]:
    asked = wanted.networks.get(network.network)
    switch = record.catalog.switches.get(network.switch)
    if asked is None or switch is None:
        return
    name, gbps, family = network.network, asked.link_gbps, switch.family
    at = (switch.connector, switch.links_per_cage(gbps))
    to_servers = [n for row in network.leafs for n in row.server_links if n]
    yield (
        (name, "server", ""),
        _Kind(gbps, family, (asked.server_connector, 1), at, [1] * sum(to_servers), to_servers),
    )
    free = [n for row in network.leafs for n in row.appliance_links]
    for group in asked.appliances:
        row_of = record.catalog.appliances.get(group.appliance)
        links, taken = group.count * group.links, []
        for k, have in enumerate(free):
            take = min(have, links)
            free[k], links = have - take, links - take
            taken += [take] if take else []
        if row_of is not None:
            plug = (row_of.connector, 1)
            yield (
                (name, "appliance", group.appliance),
                _Kind(gbps, family, plug, at, [1] * sum(taken), taken),
            )
    if network.spines:
        below = [row.uplinks for row in network.leafs for _ in range(row.leafs)]
        each, more = divmod(sum(below), network.spines)
        above = [each + (k < more) for k in range(network.spines)]
        yield (name, "uplink", ""), _Kind(gbps, family, at, at, below, above)


def manager_leafs(record: Record, links: int, each: int) -> tuple[list[int], int]:
    """Return the manager's links by leaf, and the modules that leafs need more for them.

    Counted from the servers of every group and the links of every leaf that the document lists.
    """
    design = record.solution.design
    assert design is not None
    servers: dict[int, int] = defaultdict(int)
    for node in record.of_kind("node"):
        servers[node.group] += 1
    leafs = record.of_kind("leaf")
    groups = {leaf.group for leaf in leafs}
    per_leaf = design.fabric.links_per_server * len(groups) // max(1, len(leafs))
    slots = design.fabric.servers_per_unit + design.fabric.kept_slots_per_unit
    free = {leaf.id: (slots - servers[leaf.group]) * per_leaf for leaf in leafs}
    taken = dict.fromkeys((name for name, ports in free.items() if ports > 0), 0)
    left = links
    while left and any(taken[name] < free[name] for name in taken):
        for name in taken:
            if left and taken[name] < free[name]:
                taken[name] += 1
                left -= 1
    added = 0
    for name, count in taken.items():
        ends = record.ends.get(name, [])
        down = sum(end.cable.tier == "node_leaf" for end in ends)
        both = sum(end.cable.tier in ("node_leaf", "leaf_leaf", "leaf_spine") for end in ends)
        added += max(math.ceil((n + count) / each) - math.ceil(n / each) for n in (down, both))
    return [count for count in taken.values() if count], added


def _lot(
    record: Record, part: ServicesPart, lot: ServiceLinks, kind: _Kind, where: str
) -> Iterator[Violation]:
    if lot.links != kind.links:
        yield violation(
            "service-links", f"{where}.links", kind.links, lot.links,
            "links that servers, appliances and leafs give",
        )  # fmt: skip
    fixed = record.catalog.cables.get(lot.part)
    fibre = record.catalog.fibres.get(lot.part)
    length = fixed.length_m if fixed else fibre.length_m if fibre else None
    if length is None or abs(length - lot.length_m) > METRE_TOLERANCE:
        yield violation(
            "service-stock", f"{where}.length_m", length, lot.length_m,
            f"{lot.part} is not sold in this length",
        )  # fmt: skip
    if lot.length_m < part.needed_m - METRE_TOLERANCE:
        yield violation(
            "service-short", f"{where}.length_m", f"at least {part.needed_m:g}", lot.length_m,
            "is shorter than what cables of services must reach",
        )  # fmt: skip
    if fixed is not None:
        yield from _fixed(record, lot, kind, where)
    elif fibre is not None:
        yield from _optical(record, lot, kind, where)


def _fixed(record: Record, lot: ServiceLinks, kind: _Kind, where: str) -> Iterator[Violation]:
    cable = record.catalog.cables[lot.part]
    each = carried(cable, kind.gbps)
    plugs = (cable.connector_a, cable.connector_b)
    joins = any(
        fits(record, kind.a[0], p) and fits(record, kind.b[0], q) for p, q in (plugs, plugs[::-1])
    )
    if not each or kind.family not in cable.families or not joins or each != kind.b[1]:
        yield violation(
            "service-parts", where, f"{kind.family}, {kind.a[0]} to {kind.b[0]}, "
            f"{kind.b[1]} of {kind.gbps:g} Gb/s", lot.part, "the cable does not join these ends",
        )  # fmt: skip
    pairs = len(kind.at_b) * each
    if lot.ends == "uplink" and any(n % max(1, pairs) for n in kind.at_a):
        yield violation(
            "service-parts", where, f"{each} links from a leaf to a spine or a multiple",
            f"{kind.at_a} over {len(kind.at_b)} spines", "a cable of several links joins two switches",
        )  # fmt: skip
    stated = (lot.module_a, lot.modules_a, lot.module_b, lot.modules_b)
    if stated != ("", 0, "", 0):
        yield violation(
            "service-modules", where, "no module", ", ".join(map(str, stated)),
            "a cable with fixed ends takes none",
        )  # fmt: skip
    needed = math.ceil(kind.links / max(1, each))
    if lot.cables != needed:
        yield violation("service-cables", f"{where}.cables", needed, lot.cables, "cables of a kind")


def _optical(record: Record, lot: ServiceLinks, kind: _Kind, where: str) -> Iterator[Violation]:
    fibre = record.catalog.fibres[lot.part]
    a, b = (record.catalog.transceivers.get(m) for m in (lot.module_a, lot.module_b))
    if a is None or b is None:
        yield violation(
            "service-modules", where, "a transceiver at both ends",
            f"{lot.module_a or 'none'} and {lot.module_b or 'none'}", "a fibre needs both",
        )  # fmt: skip
        return
    plugs, cages = (fibre.connector_a, fibre.connector_b), (a.fibre_connector, b.fibre_connector)
    good = (
        all(kind.family in m.families for m in (a, b))
        and (carried(a, kind.gbps), carried(b, kind.gbps)) == (kind.a[1], kind.b[1])
        and fits(record, kind.a[0], a.connector)
        and fits(record, kind.b[0], b.connector)
        and a.optics == b.optics
        and {a.fibre_type, b.fibre_type} == {fibre.fibre_type}
        and cages in (plugs, plugs[::-1])
        and lot.length_m <= min(a.reach_m, b.reach_m) + METRE_TOLERANCE
    )
    if not good:
        yield violation(
            "service-parts", where, f"{kind.family}, {kind.a[0]} to {kind.b[0]}, "
            f"{kind.gbps:g} Gb/s", f"{a.id}, {fibre.id}, {b.id}",
            "modules and fibre do not join these ends",
        )  # fmt: skip
    at_a = sum(math.ceil(n / kind.a[1]) for n in kind.at_a)
    at_b = kind.modules_b
    if at_b is None:
        at_b = sum(math.ceil(n / kind.b[1]) for n in kind.at_b)
    for field, expected, found in (
        ("cables", kind.links, lot.cables),
        ("modules_a", at_a, lot.modules_a),
        ("modules_b", at_b, lot.modules_b),
    ):
        if expected != found:
            yield violation(
                "service-modules" if "modules" in field else "service-cables",
                f"{where}.{field}", expected, found, "cables and modules of a kind of links",
            )  # fmt: skip
    if lot.ends == "manager" and lot.modules_b < lot.links:
        yield from _one_module(record, lot, where)


def _one_module(record: Record, lot: ServiceLinks, where: str) -> Iterator[Violation]:
    """Yield a violation unless leafs have the module whose free halves the manager takes."""
    others = {
        cable.b_module
        for cable in record.links
        if cable.tier == "node_leaf" and cable.b_module and cable.b_module != lot.module_b
    }
    if others and nic_option(record) is not None:
        yield violation(
            "service-half", f"{where}.module_b", lot.module_b, ", ".join(sorted(others)),
            "the manager's links take halves of modules of another kind",
        )  # fmt: skip
