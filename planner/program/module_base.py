"""Modules of a fabric if every link were optical: the part of the cost that no position changes.

A fixed assembly fills whole cages, so with T links in cages of q it leaves
ceil((T - n A) / q) = ceil(T / q) - A n / q modules: base less what the assemblies replace
(`cabling_modules`).
"""

from __future__ import annotations

from planner.program.link_prices import Medium, undominated
from planner.program.placement_problem import PlacementProblem


def leaf_modules(
    down_links: int, up_links: int, down: Medium | None, up: Medium | None
) -> list[tuple[str, int, int]]:
    """Return modules of one leaf as (id, count, cents of one) if every link were optical.

    Both tiers share a cage only where they use the same module.
    """
    result: list[tuple[str, int, int]] = []
    below = down if down is not None and down.optic and down_links else None
    above = up if up is not None and up.optic and up_links else None
    if below and above and below.module_b == above.module_a:
        count = -(-(down_links + up_links) // below.links_b)
        return [(below.module_b, count, below.module_b_cents)]
    if below:
        result.append((below.module_b, -(-down_links // below.links_b), below.module_b_cents))
    if above:
        result.append((above.module_a, -(-up_links // above.links_a), above.module_a_cents))
    return result


def base_cents(problem: PlacementProblem, down: Medium | None, up: Medium | None) -> int:
    """Return the cost of all modules if every link were optical, cents."""
    plan = problem.plan
    total = 0
    for unit in plan.units:
        links = unit.servers * plan.links_per_server_leaf
        modules = leaf_modules(links, plan.links_beyond_leaf, down, up)
        total += unit.leafs * sum(count * cents for _, count, cents in modules)
    if down is not None and down.optic:
        total += plan.servers * -(-plan.links_per_server // down.links_a) * down.module_a_cents
    if up is not None and up.optic:
        total += sum(-(-links // up.links_b) for links in spine_links(problem)) * up.module_b_cents
    return total


def spine_links(problem: PlacementProblem) -> list[int]:
    """Return the links of every spine; without even spread they differ by at most one round."""
    plan = problem.plan
    total, spines = plan.leaf_spine_links, plan.spines
    return [total // spines + (k < total % spines) for k in range(spines)]


def leaf_cages_hold(problem: PlacementProblem, down: Medium | None, up: Medium | None) -> bool:
    """Return whether modules of both tiers fit the cages of every leaf (`cabling_cages`)."""
    plan = problem.plan
    for unit in plan.units:
        links = unit.servers * plan.links_per_server_leaf
        up_links = plan.uplinks_per_leaf if plan.spines else 0
        modules = leaf_modules(links, up_links, down, up)
        if sum(count for _, count, _ in modules) > problem.leaf_cages:
            return False
    return True


def media_pairs(problem: PlacementProblem) -> list[tuple[Medium | None, Medium | None]]:
    """Return the pairs of media for both tiers that may be best and that the leafs' cages hold."""
    plan = problem.plan
    down, up = problem.node_leaf, problem.leaf_spine
    if plan.links_beyond_leaf and not _cages_shared_by_odd_links(problem):
        down, up = undominated(down), undominated(up)
    if not plan.links_beyond_leaf:
        down = undominated(down)
    downs: tuple[Medium | None, ...] = down if plan.leafs else (None,)
    ups: tuple[Medium | None, ...] = up if plan.links_beyond_leaf else (None,)
    return [(a, b) for a in downs for b in ups if leaf_cages_hold(problem, a, b)]


def _cages_shared_by_odd_links(problem: PlacementProblem) -> bool:
    """Return whether on some leaf both tiers leave a module partly filled."""
    plan = problem.plan
    q = problem.node_leaf[0].links_b if problem.node_leaf else 1
    odd_up = plan.links_beyond_leaf % q != 0
    return odd_up and any(u.servers * plan.links_per_server_leaf % q for u in plan.units)
