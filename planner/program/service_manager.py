"""Links of fabric managers on the slots that the fabric keeps free."""

from __future__ import annotations

from planner.domain.design import FabricPlan
from planner.physics.refusal import Refusal

Taken = dict[tuple[int, int], int]
"""Links by (unit, leaf of the unit)."""


def manager_links(plan: FabricPlan, links: int) -> Taken | Refusal:
    """Return how many links each leaf with a free slot takes: one each by turns (`service_manager`).

    Where planes are apart every one of them needs a link of its own.
    """
    if not plan.leafs:
        return Refusal(limit="service_manager", reason="a fabric without switches has no manager")
    if links < plan.planes:
        return Refusal(
            limit="service_manager",
            reason=f"{plan.planes} fabrics side by side need a manager's link each; there are {links}",
        )
    slots = plan.hosts_per_leaf + plan.kept_slots
    free = {
        (k, leaf): (slots - unit.servers) * plan.links_per_server_leaf
        for k, unit in enumerate(plan.units)
        for leaf in range(unit.leafs)
        if unit.servers < slots
    }
    if links > sum(free.values()):
        return Refusal(
            limit="service_manager",
            reason=f"{links} links of fabric managers exceed the {sum(free.values())} ports of the "
            "slots kept free; raise fabric.reserved_slots",
        )
    taken = dict.fromkeys(free, 0)
    while links:
        for leaf, most in free.items():
            if links and taken[leaf] < most:
                taken[leaf] += 1
                links -= 1
    return {leaf: count for leaf, count in taken.items() if count}


def modules_added(plan: FabricPlan, taken: Taken, each: int, cages: int) -> int | Refusal:
    """Return the modules that leafs need beyond those of servers and uplinks.

    A link takes the free half of a module where there is one. Whether servers and uplinks share
    modules is decided by placement; these are as many as are needed in the better case of each leaf
    (`service_manager_modules`).

    Parameters
    ----------
    plan, taken
        The fabric, and the manager's links by leaf.
    each, cages
        Links of one cage of a leaf, and its cages.
    """
    added, up = 0, plan.links_beyond_leaf
    for (unit, _), links in taken.items():
        down = plan.units[unit].servers * plan.links_per_server_leaf
        if -(-(down + links) // each) + -(-up // each) > cages:
            return Refusal(
                limit="service_manager",
                reason=f"a leaf of {cages} cages has none left for a fabric manager",
            )
        added += min(-(-(below + links) // each) - -(-below // each) for below in (down, down + up))
    return added
