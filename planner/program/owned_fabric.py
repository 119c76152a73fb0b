"""How a fabric plan joins the fabric that exists: ports that are free, links that must move.

Leafs and spines that exist keep their place; a plan of the same switches, family and rate takes
the fullest of them first. `owned_leaf_ports` and `owned_spine_ports` count what other devices
leave free; links that the plan does not find where they are cost work, or are refused under
`owned_wiring`. A plan of other switches is a new fabric: `owned_fabric`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from planner.domain.catalog import Catalog
from planner.domain.design import FabricPlan
from planner.domain.existing_fabric import ExistingFabric
from planner.domain.owned import Owned
from planner.physics.refusal import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafToday:
    """One leaf as it is wired."""

    name: str
    ports: int | None
    host_links: int
    """To hosts that have as many links as a server of the plan."""
    up: tuple[int, ...]
    """Links to each spine, in the order of the spines."""
    other_links: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpineToday:
    """One spine as it is wired."""

    name: str
    ports: int | None
    other_links: int
    """To devices that are neither leafs nor cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """The fabric that exists, as far as a plan looks at it."""

    leafs: tuple[LeafToday, ...]
    spines: tuple[SpineToday, ...]
    hosts: int
    """Hosts with as many links as a server of the plan; all where none has."""
    gbps: float | None
    """Rate of the links of hosts; None where the source does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining:
    """What becomes of the fabric that exists."""

    kept: bool
    """False where a new fabric takes its place."""
    moved_links: int


def today_of(fabric: ExistingFabric, links_per_server: int) -> Today:
    """Return how a fabric is wired, seen by servers with a number of links."""
    tier = {switch.name: switch.tier for switch in fabric.switches}
    links: Counter[str] = Counter()
    for link in fabric.links:
        for end, other in ((link.a, link.b), (link.b, link.a)):
            if end not in tier:
                links[end] += 1 if other in tier else 0
    same = {host.name for host in fabric.hosts if links[host.name] == links_per_server}
    servers = {host.name for host in fabric.hosts} if fabric.logical or not same else same
    pairs: Counter[tuple[str, str]] = Counter()
    rates: Counter[float] = Counter()
    for link in fabric.links:
        pairs[link.a, link.b] += 1
        pairs[link.b, link.a] += 1
        if link.gbps and (link.a in servers or link.b in servers):
            rates[link.gbps] += 1
    around: dict[str, Counter[str]] = {}
    for (a, b), count in pairs.items():
        around.setdefault(a, Counter())[b] += count
    spines = sorted(
        (s for s in fabric.switches if s.tier == 2),
        key=lambda s: (
            -sum(n for d, n in around.get(s.name, {}).items() if tier.get(d) == 1),
            s.name,
        ),
    )
    leafs = []
    for switch in fabric.switches:
        if switch.tier != 1:
            continue
        near = around.get(switch.name, Counter())
        host_links = sum(n for d, n in near.items() if d in servers)
        up = tuple(near[s.name] for s in spines)
        leafs.append(
            LeafToday(
                name=switch.name,
                ports=switch.ports,
                host_links=host_links,
                up=up,
                other_links=sum(near.values()) - host_links - sum(up),
            )
        )
    leafs.sort(key=lambda leaf: (-leaf.host_links - sum(leaf.up), leaf.name))
    return Today(
        leafs=tuple(leafs),
        spines=tuple(
            SpineToday(
                name=s.name,
                ports=s.ports,
                other_links=sum(
                    n for d, n in around.get(s.name, {}).items() if tier.get(d) not in (1, 3)
                ),
            )
            for s in spines
        ),
        hosts=len(servers),
        gbps=max(rates, key=lambda r: (rates[r], r)) if rates else None,
    )


def join(
    owned: Owned, catalog: Catalog, plan: FabricPlan, server: str, speaks: str
) -> Joining | Refusal | None:
    """Return how a plan joins the fabric that exists; None where none is given.

    Parameters
    ----------
    owned
        What exists.
    catalog
        Ports of the switches, where the fabric does not count them.
    plan
        Fabric of a column.
    server
        Catalogue id of the column's server.
    speaks
        infiniband or ethernet; empty without a switch.
    """
    fabric = owned.existing
    if fabric is None:
        return None
    today = today_of(fabric, plan.links_per_server)
    why = _other_fabric(owned, fabric, today, plan, speaks)
    if why:
        if not owned.new_fabric:
            return Refusal(limit="owned_fabric", reason=f"{why}, and no new fabric may be bought")
        own = sum(row.count for row in owned.servers if row.server == server)
        moved = min(plan.servers, own, today.hosts) * (plan.links_per_server if plan.leafs else 0)
        return Joining(kept=False, moved_links=moved)
    refusal = _leaf_ports(today, plan, catalog) or _spine_ports(today, plan, catalog)
    if refusal is not None:
        return refusal
    moved = 0 if fabric.logical else moved_links(today, plan)
    if moved and not owned.rewire:
        reason = f"{moved} links of the fabric that exists would have to move to other ports"
        return Refusal(limit="owned_wiring", reason=reason)
    return Joining(kept=True, moved_links=moved)


def _other_fabric(
    owned: Owned, fabric: ExistingFabric, today: Today, plan: FabricPlan, speaks: str
) -> str:
    """Return why a plan is another fabric than the one that exists; empty where it joins it."""
    choice = plan.choice
    if not plan.leafs:
        return "servers without a switch do not join the fabric that exists"
    if plan.joint_links:
        return "two switches with links of their own are not the fabric that exists"
    if fabric.family not in ("unknown", speaks):
        return f"{choice.family} servers do not join the {fabric.family} fabric that exists"
    models: dict[str, set[str]] = {"leaf": set(), "spine": set()}
    for row in owned.switches:
        if row.tier in models:
            models[row.tier].add(row.switch)
    if models["leaf"] and choice.leaf_switch not in models["leaf"]:
        return f"{choice.leaf_switch} leafs are not those that exist"
    if plan.spines and models["spine"] and choice.spine_switch not in models["spine"]:
        return f"{choice.spine_switch} spines are not those that exist"
    if today.gbps is not None and today.gbps != plan.link_gbps:
        return (
            f"links of {plan.link_gbps:g} Gb/s do not join the fabric of {today.gbps:g} Gb/s "
            "that exists"
        )
    return ""


def moved_links(today: Today, plan: FabricPlan) -> int:
    """Return the links that stand where the plan has none.

    A leaf keeps as many server links as the plan gives a full leaf. Of its links to spines those
    beyond what the plan gives a pair move to spines that lack some; what no spine lacks may stay.
    The fullest leafs and spines are kept.
    """
    most = plan.hosts_per_leaf * plan.links_per_server_leaf
    pair = -(-plan.uplinks_per_leaf // plan.spines) if plan.spines else 0
    hosts = up = 0
    for rank, leaf in enumerate(today.leafs):
        stays = most if rank < plan.leafs else 0
        hosts += max(0, leaf.host_links - stays)
        if rank < plan.leafs and plan.spines:
            padded = (*leaf.up, *(0,) * max(0, plan.spines - len(leaf.up)))
            wanted = [pair if spine < plan.spines else 0 for spine in range(len(padded))]
            beyond = sum(max(0, n - m) for n, m in zip(padded, wanted, strict=True))
            lacking = sum(max(0, m - n) for n, m in zip(padded, wanted, strict=True))
            up += min(beyond, lacking)
    return min(hosts, plan.servers * plan.links_per_server) + up


def _leaf_ports(today: Today, plan: FabricPlan, catalog: Catalog) -> Refusal | None:
    """Check `owned_leaf_ports`: servers fit beside the other devices of the leafs that exist."""
    known = catalog.switch(plan.choice.leaf_switch).ports_at(plan.link_gbps)
    each = plan.links_per_server_leaf
    room = [plan.hosts_per_leaf] * max(0, plan.leafs - len(today.leafs))
    for leaf in today.leafs[: plan.leafs]:
        ports = known if leaf.ports is None else leaf.ports
        free = ports - plan.uplinks_per_leaf - leaf.other_links
        room.append(max(0, min(plan.hosts_per_leaf, free // each)))
    room.sort(reverse=True)
    group = plan.units[0].leafs
    fits = sum(min(room[k : k + group]) for k in range(0, len(room) - group + 1, group))
    if fits >= plan.servers:
        return None
    others = sum(leaf.other_links for leaf in today.leafs)
    return Refusal(
        limit="owned_leaf_ports",
        reason=f"{plan.servers} servers do not fit the leafs: beside {others} links of other "
        f"devices there is room for {fits}",
    )


def _spine_ports(today: Today, plan: FabricPlan, catalog: Catalog) -> Refusal | None:
    """Check `owned_spine_ports`: every leaf finds its ports on the spines that exist."""
    if not plan.spines:
        return None
    known = catalog.switch(plan.choice.spine_switch).ports_at(plan.link_gbps)
    pair = -(-plan.uplinks_per_leaf // plan.spines)
    leafs = max(group.leafs for group in plan.spine_groups)
    needed = leafs * pair + (plan.uplinks_per_spine if plan.cores else 0)
    for spine in today.spines[: plan.spines]:
        ports = known if spine.ports is None else spine.ports
        if needed + spine.other_links > ports:
            return Refusal(
                limit="owned_spine_ports",
                reason=f"{leafs} leafs need {needed} ports of {spine.name}, which has {ports}"
                + (f", {spine.other_links} of them taken" if spine.other_links else ""),
            )
    return None
