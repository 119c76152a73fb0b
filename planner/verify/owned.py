"""What is owned, counted again: units that the bill takes from the stock, links that move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from planner.domain.existing_fabric import ExistingFabric
from planner.domain.owned import stock_of
from planner.domain.solution import BomLine, Fabric
from planner.domain.units import cents
from planner.verify.record import Record
from planner.verify.violation import Violation, violation

REWIRING = "rewiring"


def check_owned(record: Record) -> Iterator[Violation]:
    """Yield units bought beside an idle stock, owned beyond it or priced, and wrong moves."""
    if record.solution.design is None:
        return
    stock = stock_of(record.solution.instance.owned, record.catalog)
    needed: Counter[tuple[str, str]] = Counter()
    taken: Counter[tuple[str, str]] = Counter()
    for line in record.solution.bill_of_materials:
        key = line.part, line.component
        needed[key] += line.quantity
        taken[key] += line.quantity if line.owned else 0
    for part, component in sorted(needed):
        key = part, component
        expected = min(needed[key], stock.get(key, 0))
        if taken[key] != expected:
            yield violation(
                "owned-quantity", f"$.bill_of_materials ({part})", expected, taken[key],
                f"{part} in {component}: units that are owned and needed",
            )  # fmt: skip
    yield from _inventory(record, stock, needed)
    yield from _rewiring(record)


def _inventory(
    record: Record, stock: dict[tuple[str, str], int], needed: Counter[tuple[str, str]]
) -> Iterator[Violation]:
    """Yield rows of the inventory that the bill contradicts, missing and surplus ones."""
    stated = record.solution.inventory
    rows = (
        {(u.part, u.component): (u.owned, u.used, u.bought) for u in stated.uses} if stated else {}
    )
    for key in sorted(set(rows) | set(stock)):
        owned = stock.get(key, 0)
        counted = (owned, min(owned, needed[key]), max(0, needed[key] - owned))
        if rows.get(key) != counted:
            yield violation(
                "owned-inventory", f"$.inventory ({key[0]})", counted, rows.get(key),
                f"{key[0]} in {key[1]}: owned, used and bought",
            )  # fmt: skip
    moved, joining = moved_links(record), _joining(record)
    found = (stated.moved_links, stated.joining) if stated else (0, "")
    if found != (moved, joining):
        yield violation(
            "owned-inventory", "$.inventory", (moved, joining), found,
            "links that move, and whether the fabric that exists is kept",
        )  # fmt: skip


def _joining(record: Record) -> str:
    owned = record.solution.instance.owned
    if owned is None or owned.existing is None:
        return ""
    return "joined" if joins(record) else "replaced"


def _rewiring(record: Record) -> Iterator[Violation]:
    lines = [line for line in record.solution.bill_of_materials if line.component == REWIRING]
    moved = moved_links(record)
    stated = sum(line.quantity for line in lines)
    if stated != moved:
        yield violation(
            "owned-rewiring", "$.bill_of_materials (rewiring)", moved, stated,
            "links of the fabric that exists that the design moves",
        )  # fmt: skip
    owned = record.solution.instance.owned
    for line in lines:
        if owned is None or cents(line.unit_price_usd) != cents(owned.rewire_usd_per_link):
            yield violation(
                "owned-rewiring", "$.bill_of_materials (rewiring)",
                "owned.rewire_usd_per_link", line.unit_price_usd, "price of moving one link",
            )  # fmt: skip
    if owned is not None and not owned.rewire and moved and joins(record):
        yield violation(
            "owned-rewiring", "$.instance.owned.rewire", 0, moved, "no link may be moved"
        )


def is_rewiring(line: BomLine) -> bool:
    """Return whether a line of the bill is work on links that exist."""
    return line.component == REWIRING


def joins(record: Record) -> bool:
    """Return whether the design grows the fabric that exists instead of replacing it."""
    owned, design = record.solution.instance.owned, record.solution.design
    if owned is None or owned.existing is None or design is None:
        return False
    fabric, today = design.fabric, owned.existing
    speaks = "infiniband" if fabric.family == "infiniband" else "ethernet"
    if not fabric.tiers or today.family not in ("unknown", speaks):
        return False
    for tier in fabric.tiers:
        known = {row.switch for row in owned.switches if row.tier == tier.tier}
        if tier.tier != "core" and known and tier.switch not in known:
            return False
    rates = _host_rates(today, fabric.links_per_server)
    return not rates or _usual(rates) == fabric.link_gbps


def _usual(rates: Counter[float]) -> float:
    most = max(rates.values())
    return max(rate for rate, count in rates.items() if count == most)


def _servers(today: ExistingFabric, links: int) -> set[str]:
    """Return the hosts with as many links as a server; all where none has."""
    ends: Counter[str] = Counter()
    switches = {switch.name for switch in today.switches}
    for link in today.links:
        for end, other in ((link.a, link.b), (link.b, link.a)):
            if end not in switches and other in switches:
                ends[end] += 1
    hosts = {host.name for host in today.hosts}
    same = {name for name in hosts if ends[name] == links}
    return hosts if today.logical or not same else same


def _host_rates(today: ExistingFabric, links: int) -> Counter[float]:
    servers = _servers(today, links)
    return Counter(link.gbps for link in today.links if link.gbps and {link.a, link.b} & servers)


def moved_links(record: Record) -> int:
    """Return the links of the fabric that exists that have no place in the design."""
    owned, design = record.solution.instance.owned, record.solution.design
    if owned is None or owned.existing is None or design is None:
        return 0
    today, fabric = owned.existing, design.fabric
    nodes = len(record.of_kind("node"))
    if not joins(record):
        own = sum(row.count for row in owned.servers if row.server == design.platform.server)
        hosts = len(_servers(today, fabric.links_per_server or design.platform.nics))
        return min(nodes, own, hosts) * fabric.links_per_server
    return 0 if today.logical else _moved_inside(record, today, fabric, nodes)


def _moved_inside(record: Record, today: ExistingFabric, fabric: Fabric, nodes: int) -> int:
    servers = _servers(today, fabric.links_per_server)
    tier = {switch.name: switch.tier for switch in today.switches}
    pairs: Counter[tuple[str, str]] = Counter()
    served: Counter[str] = Counter()
    for link in today.links:
        ends = sorted((link.a, link.b), key=lambda name: tier.get(name) or 0)
        if tier.get(ends[0]) == 1 and tier.get(ends[1]) == 2:
            pairs[ends[0], ends[1]] += 1
        elif ends[0] in servers and tier.get(ends[1]) == 1:
            served[ends[1]] += 1
    size: Counter[str] = Counter(served)
    for (leaf, spine), count in pairs.items():
        size[leaf] += count
        size[spine] += count
    by_size = sorted(tier, key=lambda name: (-size[name], name))
    leafs, spines = len(record.of_kind("leaf")), len(record.of_kind("spine"))
    kept = set([name for name in by_size if tier[name] == 1][:leafs])
    above = set([name for name in by_size if tier[name] == 2][:spines])
    group = leafs // fabric.units
    down = fabric.servers_per_unit * (fabric.links_per_server // group)
    hosts = sum(max(0, n - (down if leaf in kept else 0)) for leaf, n in served.items())
    up = 0
    if spines:
        uplinks = fabric.cables.leaf_spine // leafs
        pair = -(-uplinks // spines)
        for leaf in kept:
            stay = sum(min(pair, pairs[leaf, spine]) for spine in above)
            whole = sum(n for (one, _), n in pairs.items() if one == leaf)
            up += min(whole - stay, pair * spines - stay)
    return min(hosts, nodes * fabric.links_per_server) + up
