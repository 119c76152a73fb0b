"""Links that move when one fabric grows into another, and cables that are pulled."""

from __future__ import annotations

from collections.abc import Mapping

from planner.domain.design import FabricPlan
from planner.program.columns import Column
from planner.program.owned_fabric import LeafToday, SpineToday, Today, moved_links

PULLED = ("cables",)
"""Components of which a unit that the next phase lacks is a link that is taken out."""


def today_of_plan(plan: FabricPlan) -> Today:
    """Return a plan as a fabric that stands, with its links spread as evenly as they divide."""
    each, rest = divmod(plan.uplinks_per_leaf, plan.spines) if plan.spines else (0, 0)
    up = tuple(each + (k < rest) for k in range(plan.spines))
    leafs = [
        LeafToday(
            name=f"{number}.{k}", ports=None,
            host_links=unit.servers * plan.links_per_server_leaf, up=up, other_links=0,
        )
        for number, unit in enumerate(plan.units)
        for k in range(unit.leafs)
    ]  # fmt: skip
    leafs.sort(key=lambda leaf: (-leaf.host_links, leaf.name))
    return Today(
        leafs=tuple(leafs),
        spines=tuple(
            SpineToday(name=str(k), ports=None, other_links=0) for k in range(plan.spines)
        ),
        hosts=plan.servers,
        gbps=plan.link_gbps,
    )


GROWS = ("direct", "single", "rail_only", "leaf_spine", "rail_optimised")
"""Topologies whose leafs reach every spine: links that stay can be told apart."""


def same_fabric(one: FabricPlan, two: FabricPlan) -> bool:
    """Return whether one plan can grow into another without another kind of switch or wiring."""
    a, b = one.choice, two.choice
    return (
        a.topology in GROWS
        and (a.family, a.topology, a.leaf_switch, a.spine_switch)
        == (b.family, b.topology, b.leaf_switch, b.spine_switch)
        and one.links_per_server == two.links_per_server
        and one.links_per_server_leaf == two.links_per_server_leaf
        and one.link_gbps == two.link_gbps
    )


def links_moved(
    before: Column,
    after: Column,
    needs_before: Mapping[tuple[str, str], int],
    needs_after: Mapping[tuple[str, str], int],
) -> int:
    """Return the links of servers that stay which stand elsewhere in the next phase.

    Where the fabric grows: links beyond what the later plan keeps of each leaf and pair
    (`owned_fabric.moved_links`); where it is replaced, or has pods or planes that change, all links of the servers that stay. At least
    as many as cables of a kind are taken out. Servers of another model are installed anew: nothing
    of theirs moves.
    """
    if before.option.key != after.option.key:
        return 0
    one, two = before.plan, after.plan
    if one == two:
        moved = 0
    elif same_fabric(one, two):
        moved = moved_links(today_of_plan(one), two) if one.leafs else 0
    else:
        moved = min(one.servers, two.servers) * (one.links_per_server if one.leafs else 0)
    pulled = sum(
        max(0, count - needs_after.get(part, 0))
        for part, count in needs_before.items()
        if part[1] in PULLED
    )
    fewer = max(0, one.node_leaf_links - two.node_leaf_links)
    return max(moved, pulled - fewer - max(0, one.leaf_spine_links - two.leaf_spine_links))
