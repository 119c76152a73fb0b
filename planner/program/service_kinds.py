"""Who is joined to whom in the networks of services: the ends of every link, by name.

`service_ends`: link j of a server goes to leaf j, modulo the links of a server, of the leafs of
servers; servers fill these leafs in their order. The links of appliances of one model take what the
leafs have for them in turn, so that those of one appliance are far apart. Uplinks go to the spines
by turns. Managers take the free ports of leafs by turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.domain.design import FabricPlan
from planner.domain.services import ServiceNetwork
from planner.physics.service_network import ServicePlan
from planner.program.rack_layout import names
from planner.program.service_manager import Taken

Joins = tuple[tuple[str, str], ...]


def server_joins(plan: ServicePlan, links: int, servers: Sequence[str], word: str) -> Joins:
    """Return the links between servers and leafs, server by server."""
    leafs = names(f"{word}-leaf", plan.leafs, 2)
    counts = plan.rows[0].server_links
    if len(counts) == 1:
        return tuple((server, leafs[0]) for server in servers for _ in range(links))
    found = []
    sets = [k for k, count in enumerate(counts[::links]) for _ in range(count)]
    for server, k in zip(servers, sets, strict=True):
        found += [(server, leafs[k * links + j]) for j in range(links)]
    return tuple(found)


def appliance_joins(
    plan: ServicePlan, wanted: ServiceNetwork, word: str
) -> Iterator[tuple[str, Joins]]:
    """Yield each model of appliance with the links of its appliances."""
    leafs = names(f"{word}-leaf", plan.leafs, 2)
    slots = [
        leaf
        for leaf, count in zip(
            leafs, (n for row in plan.rows for n in row.appliance_links), strict=True
        )
        for _ in range(count)
    ]
    ids = iter(names(f"{word}-node", sum(g.count for g in wanted.appliances), 2))
    for group in wanted.appliances:
        mine, slots = slots[: group.count * group.links], slots[group.count * group.links :]
        members = [next(ids) for _ in range(group.count)]
        yield (
            group.appliance,
            tuple(
                (name, mine[j * group.count + i])
                for i, name in enumerate(members)
                for j in range(group.links)
            ),
        )


def uplink_joins(plan: ServicePlan, word: str) -> Joins:
    """Return the links between leafs and spines, pair by pair."""
    leafs = names(f"{word}-leaf", plan.leafs, 2)
    spines = names(f"{word}-spine", plan.spines, 2)
    found: list[tuple[str, str]] = []
    for leaf, ups in zip(
        leafs, (row.uplinks for row in plan.rows for _ in range(row.leafs)), strict=True
    ):
        first = len(found)
        turns = [spines[(first + k) % plan.spines] for k in range(ups)]
        found += [(leaf, spine) for spine in sorted(turns)]
    return tuple(found)


def manager_joins(plan: FabricPlan, taken: Taken, managers: int, links: int) -> Joins:
    """Return the links between managers and leafs of the fabric, manager by manager."""
    leafs = names("leaf", plan.leafs, 2)
    before = [sum(unit.leafs for unit in plan.units[:k]) for k in range(len(plan.units))]
    left = {leafs[before[unit] + leaf]: count for (unit, leaf), count in taken.items()}
    turns: list[str] = []
    while any(left.values()):
        for leaf, count in left.items():
            if count:
                turns.append(leaf)
                left[leaf] -= 1
    ids = names("manager", managers, 1)
    return tuple((ids[k // links], leaf) for k, leaf in enumerate(turns))
