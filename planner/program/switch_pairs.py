"""Which switches are joined by how many links, by their numbers in the document (`cabling_spread`).

Leafs are numbered by unit and rail, spines by pod and plane, cores by plane. Leafs and spines meet
within their pod and plane, spines and cores within their plane.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from planner.domain.design import FabricPlan
from planner.program.spread import spread_links

Pair = tuple[int, int, int]
"""Number of the lower switch, of the upper one, and the links between them."""


def leaf_pod(plan: FabricPlan, leaf: int) -> int:
    """Return the pod of a leaf, 0 where there are none."""
    unit = leaf // plan.units[0].leafs
    ends = accumulate(pod.units for pod in plan.spine_groups)
    return next(k for k, end in enumerate(ends) if unit < end)


def leaf_plane(plan: FabricPlan, leaf: int) -> int:
    """Return the plane of a leaf."""
    return leaf % plan.units[0].leafs % plan.planes


def spine_places(plan: FabricPlan) -> list[tuple[int, int]]:
    """Return pod and plane of every spine."""
    return [
        (k, plane)
        for k, pod in enumerate(plan.spine_groups)
        for plane in range(plan.planes)
        for _ in range(pod.spines // plan.planes)
    ]


def core_planes(plan: FabricPlan) -> list[int]:
    """Return the plane of every core."""
    return [plane for plane in range(plan.planes) for _ in range(plan.cores // plan.planes)]


def leaf_spine_pairs(plan: FabricPlan) -> Iterator[Pair]:
    """Yield the joined leafs and spines, leaf by leaf."""
    if not plan.spines:
        return
    spines: dict[tuple[int, int], list[int]] = {}
    for number, place in enumerate(spine_places(plan)):
        spines.setdefault(place, []).append(number)
    rows: dict[tuple[int, int], Iterator[list[int]]] = {}
    for leaf in range(plan.leafs):
        place = leaf_pod(plan, leaf), leaf_plane(plan, leaf)
        if place not in rows:
            leafs = plan.spine_groups[place[0]].leafs // plan.planes
            rows[place] = iter(spread_links(leafs, len(spines[place]), plan.uplinks_per_leaf))
        for spine, links in zip(spines[place], next(rows[place]), strict=True):
            if links:
                yield leaf, spine, links


def spine_core_pairs(plan: FabricPlan) -> Iterator[Pair]:
    """Yield the joined spines and cores, spine by spine."""
    if not plan.cores:
        return
    places = spine_places(plan)
    each = plan.cores // plan.planes
    table = spread_links(plan.spines // plan.planes, each, plan.uplinks_per_spine)
    rows = [iter(table) for _ in range(plan.planes)]
    for spine, (_, plane) in enumerate(places):
        for core, links in enumerate(next(rows[plane])):
            if links:
                yield spine, plane * each + core, links
