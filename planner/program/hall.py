"""Large rooms: many ways to lay out a hall are priced by bundle, the cheapest is kept.

A search rack by rack does not end in such rooms; the proof is a bound over all positions
(`HallBound`). See ``models/formulation/placement.md``, "Halls".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from planner.program.box import load_of, rack_load
from planner.program.hall_blocks import Routes, blocks
from planner.program.hall_bound import HallBound
from planner.program.hall_cost import Shapes, cheapest_media
from planner.program.hall_layout import HallLayout, Positions, Style
from planner.program.hall_tiers import Media, Tiers
from planner.program.link_prices import FORBIDDEN
from planner.program.placement_bound import least_racks
from planner.program.placement_counts import Arrangement
from planner.program.placement_problem import PlacementProblem

HALL_LINKS = 3000
"""Links of the fabric above which a room is laid out as a hall."""
WIDTHS = (8, 12, 16, 20, 24, 32, 40)
"""Columns of the floor that are tried, beside a whole row."""
CLUSTERS = (1, 2, 4, 8, 16)
"""Units whose switches stand together."""


class Hall(NamedTuple):
    """The cheapest layout that was found."""

    cents: int
    """Racks, modules, cables and fibres."""
    at: Arrangement
    media: Media


def is_hall(problem: PlacementProblem) -> bool:
    """Return whether a design is too large to search rack by rack, and laid out as a hall."""
    plan = problem.plan
    links = plan.node_leaf_links + plan.leaf_spine_links
    return links > HALL_LINKS and problem.room.alike and problem.even and plan.tiers == 2


def lay_hall(problem: PlacementProblem) -> Hall | None:
    """Return the cheapest of all layouts, None where none fits and can be wired."""
    tiers, layout, routes = Tiers(problem=problem), HallLayout(problem), Routes.of(problem)
    media = [(chosen, tiers.base_cents(chosen)) for chosen in tiers.media()]
    best: tuple[int, Positions, Media] | None = None
    for style in styles(problem):
        at = layout.lay(style)
        if at is None:
            continue
        found = cheapest_media(Shapes.of(list(blocks(problem, at, routes))), media)
        if found is None:
            continue
        racks = {rack for places in at.values() for rack in places}
        cents = found[0] + problem.rack_cents * len(racks)
        if best is None or cents < best[0]:
            best = cents, at, found[1]
    if best is None:
        return None
    return Hall(best[0], _arrangement(problem, best[1]), best[2])


def hall_bound_cents(problem: PlacementProblem) -> int:
    """Return a lower bound on the cost of every placement, cents, whatever stands where."""
    tiers = Tiers(problem=problem)
    bounds, racks = HallBound(tiers=tiers), least_racks(problem)
    media = [(chosen, tiers.base_cents(chosen)) for chosen in tiers.media()]
    least = FORBIDDEN
    for quick, number in sorted((bounds.quick(m, base), k) for k, (m, base) in enumerate(media)):
        if quick >= least:
            break
        least = min(least, bounds.bound(*media[number], racks))
    return least


def styles(problem: PlacementProblem) -> Iterator[Style]:
    """Yield the ways to lay out a hall: floor, clusters of units, places of leafs and spines."""
    room = problem.room
    server = load_of(problem.server, room)
    columns = min(room.racks, room.racks_per_row)
    widths = sorted({min(columns, width) for width in (*WIDTHS, columns)})
    switches = product(CLUSTERS, (False, True), (False, True))
    most = max(1, rack_load(room).most(server))
    for width, (cluster, spines, beside) in product(widths, switches):
        for strip in sorted({width, max(1, width // 2)}):
            yield Style(
                width=width,
                strip=strip,
                cluster=cluster,
                spines_in_clusters=spines,
                servers=most,
                leafs_beside=beside,
            )


def _arrangement(problem: PlacementProblem, at: Positions) -> Arrangement:
    """Return the counts of boxes by rack of the room."""
    plan, racks = problem.plan, range(problem.room.racks)
    servers: Counter[tuple[int, int]] = Counter()
    leafs: Counter[tuple[int, int]] = Counter()
    node = leaf = 0
    for k, unit in enumerate(plan.units):
        servers.update((rack, k) for rack in at["node"][node : node + unit.servers])
        leafs.update((rack, k) for rack in at["leaf"][leaf : leaf + unit.leafs])
        node, leaf = node + unit.servers, leaf + unit.leafs
    units = range(len(plan.units))
    spines, oob = Counter(at["spine"]), Counter(at["oob"])
    return Arrangement(
        servers=tuple(tuple(servers[rack, k] for k in units) for rack in racks),
        leafs=tuple(tuple(leafs[rack, k] for k in units) for rack in racks),
        spines=tuple(spines[rack] for rack in racks),
        oob=tuple(oob[rack] for rack in racks),
    )
