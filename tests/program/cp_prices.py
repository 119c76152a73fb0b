"""What links and modules of a placement problem cost, counted from its media alone."""

from __future__ import annotations

from itertools import product
from typing import Any


def media_of(problem: Any) -> list[tuple[Any, Any]]:
    """Return every pair of media of the two tiers whose modules have cages enough on a leaf."""
    ups = problem.leaf_spine if problem.plan.spines else (None,)
    downs = problem.node_leaf if problem.plan.leafs else (None,)
    return [
        (down, up) for down, up in product(downs, ups) if down is None or _fits(problem, down, up)
    ]


def _modules(problem: Any, unit: Any, down: Any, up: Any) -> dict[str, tuple[int, int, int]]:
    """Return, by module of one leaf, links, links of a cage, and cents of one module."""
    plan = problem.plan
    found: dict[str, tuple[int, int, int]] = {}
    if down.optic:
        links = unit.servers * plan.links_per_server_leaf
        found[down.module_b] = (links, down.links_b, down.module_b_cents)
    if up is not None and up.optic:
        links = found.get(up.module_a, (0, 0, 0))[0] + plan.uplinks_per_leaf
        found[up.module_a] = (links, up.links_a, up.module_a_cents)
    return found


def _fits(problem: Any, down: Any, up: Any) -> bool:
    return all(
        sum(-(-n // q) for n, q, _ in _modules(problem, unit, down, up).values())
        <= problem.leaf_cages
        for unit in problem.plan.units
    )


def optics(problem: Any, down: Any, up: Any) -> int:
    """Return the cost of all modules if every link were optical."""
    plan, total = problem.plan, 0
    if down is None:
        return 0
    for unit in plan.units:
        modules = _modules(problem, unit, down, up).values()
        total += unit.leafs * sum(-(-n // q) * cents for n, q, cents in modules)
    if down.optic:
        total += plan.servers * -(-plan.links_per_server // down.links_a) * down.module_a_cents
    if up is not None and up.optic:
        each = plan.leafs * plan.uplinks_per_leaf // plan.spines
        total += plan.spines * -(-each // up.links_b) * up.module_b_cents
    return total


def server_links(problem: Any, down: Any, servers: int, step: int) -> int | None:
    """Return the cost of the links between so many servers of a rack and one leaf of theirs."""
    each = problem.plan.links_per_server_leaf
    fixed = servers * (each // down.links_a * down.links_a) // down.assembly_links
    return _wire(down, servers * each, fixed, step)


def spine_links(problem: Any, up: Any, step: int) -> int | None:
    """Return the cost of the links between one leaf and one spine."""
    links = problem.plan.links_per_leaf_spine
    return _wire(up, links, links // up.assembly_links, step)


def _wire(medium: Any, links: int, fixed: int, step: int) -> int | None:
    """Return the least cost of links of one route beyond their modules, None if none reaches.

    At most `fixed` assemblies carry some of them; each spares the modules at both its ends.
    """
    fibre, copper = medium.fibre[step], medium.fixed[step]
    ways = [links * fibre.cents] if fibre else []
    if copper and fixed:
        n = medium.assembly_links
        spared = n // medium.links_a * medium.module_a_cents
        spared += n // medium.links_b * medium.module_b_cents
        rest = links - fixed * n
        if not rest or fibre:
            ways.append(fixed * (copper.cents - spared) + (rest * fibre.cents if rest else 0))
    return min(ways, default=None) if links else 0
