"""Links of services counted again, cable by cable: whom they join, in which number, of which parts.

Ends, ports, cages, routes and parts of every cable are held by the checks of all cables; here the
schedule is held against what the instance asks for and what the document says of its networks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from planner.domain.services import Services
from planner.domain.services_part import ServiceLinks, ServiceNetworkPart, ServicesPart
from planner.domain.solution import Cable
from planner.verify.plugs import cage_name
from planner.verify.record import SERVICES, Record, same
from planner.verify.violation import Violation, violation

METRE_TOLERANCE = 1e-6
Key = tuple[str, str, str]
"""Network, ends, appliance."""
PREFIX = {"storage_network": "st", "in_band_network": "ib", "fabric_manager": "fm"}
MANAGER = "fabric_manager"


def check_service_links(
    record: Record, wanted: Services, part: ServicesPart
) -> Iterator[Violation]:
    """Yield cables of services that are missing, surplus or misled, and sums that are not theirs."""
    cables = [cable for cable in record.links if cable.tier in SERVICES]
    yield from _names(cables)
    yield from _shortest(cables, wanted)
    longest = max((cable.needed_m for cable in cables), default=0.0)
    if not same(part.needed_m, longest, METRE_TOLERANCE):
        yield violation(
            "service-length", "$.services.needed_m", longest, part.needed_m,
            "is not the longest route of the cables of services",
        )  # fmt: skip
    for network in part.networks:
        mine = [cable for cable in cables if cable.tier == network.network]
        yield from _servers(record, wanted, network, mine)
        yield from _leafs(record, network, mine)
    yield from _appliances(record, wanted, cables)
    yield from _managers(record, wanted, cables)
    yield from _sums(record, part, cables)


def _names(cables: list[Cable]) -> Iterator[Violation]:
    """Yield cables whose names are not numbered network by network."""
    counted: Counter[str] = Counter()
    for cable in cables:
        counted[cable.tier] += 1
        expected = f"{PREFIX[cable.tier]}-{counted[cable.tier]:04d}"
        if cable.id != expected:
            yield violation(
                "service-names", cable.id, expected, cable.id, "cables of a network in order"
            )


def _shortest(cables: list[Cable], wanted: Services) -> Iterator[Violation]:
    least = wanted.cable_m or 0.0
    for cable in cables:
        if cable.length_m < least - METRE_TOLERANCE:
            yield violation(
                "service-short", cable.id, f"at least {least:g} m", cable.length_m,
                "is shorter than the instance asks of cables of services",
            )  # fmt: skip


def _servers(
    record: Record, wanted: Services, network: ServiceNetworkPart, cables: list[Cable]
) -> Iterator[Violation]:
    """Yield servers without their links, or with two to one leaf where there are several."""
    asked = wanted.networks.get(network.network)
    if asked is None:
        return
    met: dict[str, Counter[str]] = defaultdict(Counter)
    for cable in cables:
        met[cable.a][cable.b] += 1
    several = network.leaf_count > 1
    for node in record.of_kind("node"):
        leafs = met.get(node.id, Counter())
        if sum(leafs.values()) != asked.links_per_server or (several and max(leafs.values()) > 1):
            yield violation(
                "service-server", f"{node.id} ({network.network})",
                f"{asked.links_per_server} links, each to another leaf",
                ", ".join(f"{n} to {leaf}" for leaf, n in leafs.items()) or "none",
                "links of a server on a network of services",
            )  # fmt: skip


def _leafs(record: Record, network: ServiceNetworkPart, cables: list[Cable]) -> Iterator[Violation]:
    """Yield switches whose links are not those that the document states of its leafs and spines."""
    below: Counter[tuple[str, str]] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for cable in cables:
        kind = record.kind(cable.a)
        if kind in ("node", "appliance"):
            below[cable.b, kind] += 1
        else:
            pairs[cable.a, cable.b] += 1
    kind = {"storage_network": "storage_switch"}.get(network.network, "in_band_switch")
    switches = [device.id for device in record.of_kind(kind)]
    leafs, spines = switches[: network.leaf_count], switches[network.leaf_count :]
    rows = [
        (row.server_links[k], row.appliance_links[k], row.uplinks if network.spines else 0)
        for row in network.leafs
        for k in range(min(len(row.server_links), len(row.appliance_links)))
    ]
    for leaf, stated in zip(leafs, rows, strict=False):
        up = {spine: pairs[leaf, spine] for spine in spines}
        found = (below[leaf, "node"], below[leaf, "appliance"], sum(up.values()))
        if found != stated or (up and max(up.values()) - min(up.values()) > 1):
            yield violation(
                "service-leaf-links", leaf, f"{stated} to servers, appliances and, evenly, spines",
                f"{found}; {min(up.values(), default=0)} to {max(up.values(), default=0)} a spine",
                "links of a leaf of services",
            )  # fmt: skip
    known = {(leaf, spine) for leaf in leafs for spine in spines}
    stray = [pair for pair in pairs if pair not in known]
    stray += [(leaf, kind) for leaf, kind in below if leaf not in leafs]
    loads = Counter(dict.fromkeys(spines, 0))
    for (_, spine), count in pairs.items():
        loads[spine] += count
    if stray or max(loads.values(), default=0) - min(loads.values(), default=0) > 1:
        yield violation(
            "service-leaf-links", network.network, "leafs to spines, each spine alike",
            f"{stray[:1]} {dict(loads)}", "links of the switches of services",
        )  # fmt: skip


def _appliances(record: Record, wanted: Services, cables: list[Cable]) -> Iterator[Violation]:
    """Yield appliances that have not the links of their group."""
    links: Counter[tuple[str, str]] = Counter((cable.tier, cable.a) for cable in cables)
    for name, network in wanted.networks.items():
        for group in network.appliances:
            members = [
                device.id
                for device in record.of_kind("appliance")
                if device.part == group.appliance and links[name, device.id]
            ]
            counts = sorted({links[name, device] for device in members})
            asked = sum(g.count for g in network.appliances if g.appliance == group.appliance)
            allowed = sorted(
                {g.links for g in network.appliances if g.appliance == group.appliance}
            )
            if len(members) != asked or counts != allowed:
                yield violation(
                    "service-appliance", f"{group.appliance} ({name})",
                    f"{asked} with {allowed} links", f"{len(members)} with {counts}",
                    "links of appliances",
                )  # fmt: skip


def _managers(record: Record, wanted: Services, cables: list[Cable]) -> Iterator[Violation]:
    """Yield managers without their links, and leafs that give more than the slots kept free."""
    design, asked = record.solution.design, wanted.fabric_manager
    links = Counter(cable.a for cable in cables if cable.tier == MANAGER)
    if asked is not None:
        for device in record.of_kind(MANAGER):
            if links[device.id] != asked.links:
                yield violation(
                    "service-manager", device.id, asked.links, links[device.id],
                    "links of a fabric manager",
                )  # fmt: skip
    if design is None:
        return
    servers = Counter(node.group for node in record.of_kind("node"))
    leafs = record.of_kind("leaf")
    per_leaf = design.fabric.links_per_server * len({x.group for x in leafs}) // max(1, len(leafs))
    taken = Counter(cable.b for cable in cables if cable.tier == MANAGER)
    slots = design.fabric.servers_per_unit + design.fabric.kept_slots_per_unit
    free = {x.id: (slots - servers[x.group]) * per_leaf for x in leafs}
    open_leafs = [taken[name] for name, ports in free.items() if taken[name] < ports]
    most = max(taken.values(), default=0)
    for name, count in taken.items():
        if count > free.get(name, 0) or (open_leafs and most > min(open_leafs) + 1):
            yield violation(
                "service-manager", name, f"at most {free.get(name, 0)}, leafs by turns", count,
                "links of fabric managers on the slots kept free",
            )  # fmt: skip


def _sums(record: Record, part: ServicesPart, cables: list[Cable]) -> Iterator[Violation]:
    """Yield kinds of links whose sums are not those of the cable schedule."""
    stated: dict[Key, ServiceLinks] = {}
    for k, lot in enumerate(part.links):
        key: Key = (lot.network, lot.ends, lot.appliance)
        if key in stated:
            yield violation(
                "service-links", f"$.services.links[{k}]", "each kind once", " ".join(key), "twice"
            )
        stated[key] = lot
    expected = _summed(record, cables)
    for key in sorted({*stated, *expected}):
        found, right = stated.get(key), expected.get(key)
        if found != right:
            yield violation(
                "service-links", f"$.services.links ({' '.join(key).strip()})",
                right.model_dump(exclude_defaults=True) if right else "none",
                found.model_dump(exclude_defaults=True) if found else "none",
                "what the cable schedule has of this kind of links",
            )  # fmt: skip


def _summed(record: Record, cables: list[Cable]) -> dict[Key, ServiceLinks]:
    """Return the sums of every kind of links, from the cables and the ports that they take."""
    kinds: dict[Key, list[Cable]] = defaultdict(list)
    for cable in cables:
        device = record.devices.get(cable.a)
        kind = device.kind if device else ""
        ends = {"node": "server", "appliance": "appliance", MANAGER: "manager"}.get(kind, "uplink")
        part = device.part if device and kind == "appliance" else ""
        kinds[cable.tier, ends, part].append(cable)
    fabric = {
        (name, cage_name(end.port))
        for name, ends_of in record.ends.items()
        for end in ends_of
        if end.cable.tier not in SERVICES
    }
    found = {}
    for key, links in kinds.items():
        modules_a = {(c.a, cage_name(c.a_port)) for c in links if c.a_module}
        modules_b = {(c.b, cage_name(c.b_port)) for c in links if c.b_module} - fabric
        parts = Counter({c.assembly: c.part for c in links}.values())
        names = [next((m for m in ms if m), "") for ms in (
            [c.a_module for c in links], [c.b_module for c in links],
        )]  # fmt: skip
        found[key] = ServiceLinks.model_validate(
            {
                "network": key[0],
                "ends": key[1],
                "appliance": key[2],
                "links": len(links),
                "cables": len({c.assembly for c in links}),
                "parts": dict(sorted(parts.items())),
                "module_a": names[0],
                "modules_a": len(modules_a),
                "module_b": names[1],
                "modules_b": len(modules_b),
            }
        )
    return found
