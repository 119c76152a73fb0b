"""Large rooms: many ways to lay out a hall are priced by bundle, the cheapest is kept.

A search rack by rack does not end in such rooms; the proof is a bound over all positions
(`HallBound`). See ``models/formulation/placement.md``, "Halls".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from planner.program.box import load_of, rack_load
from planner.program.hall_blocks import Routes, blocks
from planner.program.hall_bound import HallBound
from planner.program.hall_cost import Shapes, cheapest_media
from planner.program.hall_layout import HallLayout, Positions, Style
from planner.program.hall_swaps import swapped
from planner.program.hall_tiers import Media, Tiers
from planner.program.link_prices import FORBIDDEN
from planner.program.placement_bound import least_racks
from planner.program.placement_counts import Arrangement
from planner.program.placement_problem import PlacementProblem

START_LINKS = 600
"""Links of the fabric above which the search begins with the layout of a hall."""
HALL_LINKS = 1200
"""Links of the fabric above which a room is only laid out as a hall."""
WIDTHS = (8, 12, 16, 20, 24, 32, 40)
"""Columns of the floor that are tried, beside a whole row."""
CLUSTERS = (1, 2, 4, 8, 16)
"""Units whose switches stand together."""
WIDELY_LINKS = 20_000
"""Links up to which every style is tried on every floor."""
BEST_INSIDE = 3
"""Styles of a very large fabric that are tried on every floor."""
IMPROVED = 4
"""Cheapest layouts whose racks then change places."""
FREE_PLACES = 12
"""Free places that racks may move to."""


class Hall(NamedTuple):
    """The cheapest layout that was found."""

    cents: int
    """Racks, modules, cables and fibres."""
    at: Positions
    media: Media


def starts_as_hall(problem: PlacementProblem) -> bool:
    """Return whether a search begins with the cheapest layout of a hall and its bound."""
    return hall_links(problem) > START_LINKS


def is_hall(problem: PlacementProblem) -> bool:
    """Return whether a design is too large to search rack by rack, and laid out as a hall alone."""
    return hall_links(problem) > HALL_LINKS


def hall_links(problem: PlacementProblem) -> int:
    """Return the links of a fabric that may be laid out as a hall, 0 of any other.

    In a room of equal racks: two tiers with even spread, or pods below cores, of one plane.
    """
    plan = problem.plan
    if not problem.room.alike or plan.planes > 1 or plan.tiers < 2 or plan.leafs_beside:
        return 0
    if plan.tiers == 2 and not problem.even:
        return 0
    return plan.node_leaf_links + plan.leaf_spine_links + plan.spine_core_links


def lay_hall(problem: PlacementProblem) -> Hall | None:
    """Return the cheapest of all layouts, None where none fits and can be wired."""
    pricing = Pricing(problem)
    layout = HallLayout(problem)
    ranked = _ranked(pricing, layout, list(styles(problem)))
    best = ranked[:1]
    for hall in _different(ranked):
        at = swapped(problem, hall.at, hall.media, FREE_PLACES)
        moved = pricing.hall(at)
        if moved is not None and moved.cents < best[0].cents:
            best = [moved]
    return best[0] if best else None


def _ranked(pricing: Pricing, layout: HallLayout, tried: list[Style]) -> list[Hall]:
    """Return layouts by cost; of a very large fabric all styles on two floors, the best on all."""
    found: list[tuple[int, int, Hall]] = []

    def price(some: list[Style]) -> None:
        for style in some:
            at = layout.lay(style)
            hall = pricing.hall(at) if at is not None else None
            if hall is not None:
                found.append((hall.cents, tried.index(style), hall))

    if hall_links(layout.problem) <= WIDELY_LINKS:
        price(tried)
    else:
        floors = sorted({(style.width, style.strip) for style in tried})
        chosen = {floors[-1], floors[len(floors) // 2]}
        price([style for style in tried if (style.width, style.strip) in chosen])
        best = [_inside(tried[number]) for _, number, _ in sorted(found, key=_order)[:BEST_INSIDE]]
        price(
            [
                style
                for style in tried
                if _inside(style) in best and (style.width, style.strip) not in chosen
            ]
        )
    return [hall for _, _, hall in sorted(found, key=_order)]


def _order(item: tuple[int, int, Hall]) -> tuple[int, int]:
    return item[:2]


def _inside(style: Style) -> Style:
    return replace(style, width=0, strip=0)


def _different(ranked: list[Hall]) -> list[Hall]:
    """Return the cheapest layouts that do not cost the same."""
    found: list[Hall] = []
    for hall in ranked:
        if not found or hall.cents > found[-1].cents:
            found.append(hall)
        if len(found) == IMPROVED:
            break
    return found


class Pricing:
    """Prices layouts of one problem with every choice of media."""

    def __init__(self, problem: PlacementProblem) -> None:
        self.problem, self.routes = problem, Routes.of(problem)
        tiers = Tiers(problem=problem)
        self.media = [(chosen, tiers.base_cents(chosen)) for chosen in tiers.media()]

    def hall(self, at: Positions) -> Hall | None:
        """Return a layout with its cost and best media, None where it cannot be wired."""
        links = blocks(self.problem, at, self.routes)
        found = cheapest_media(Shapes.of(list(links)), self.media)
        if found is None:
            return None
        own = self.problem.server.whole_rack
        racks = {r for kind, places in at.items() if not (own and kind == "node") for r in places}
        return Hall(found[0] + self.problem.rack_cents * len(racks), at, found[1])


def hall_bound_cents(problem: PlacementProblem, first: Media | None = None) -> int:
    """Return a lower bound on the cost of every placement, cents, whatever stands where.

    Parameters
    ----------
    problem
        The design and its room of equal racks.
    first
        Media whose bound is likely the least; the others then need not be bounded so well.
    """
    tiers = Tiers(problem=problem)
    bounds, racks = HallBound(tiers=tiers), least_racks(problem)
    media = [(chosen, tiers.base_cents(chosen)) for chosen in tiers.media()]
    ranked = sorted(
        (chosen != first, bounds.quick(chosen, base), k) for k, (chosen, base) in enumerate(media)
    )
    least = FORBIDDEN
    for _, quick, number in ranked:
        if quick < least:
            least = min(least, bounds.bound(*media[number], racks, least))
    return least


def quick_bound_cents(problem: PlacementProblem) -> int:
    """Return a lower bound on the cost of every placement from racks and shortest links, cents."""
    tiers = Tiers(problem=problem)
    bounds, racks = HallBound(tiers=tiers), least_racks(problem)
    costs = (bounds.quick(media, tiers.base_cents(media), racks) for media in tiers.media())
    return min(costs, default=FORBIDDEN)


def styles(problem: PlacementProblem) -> Iterator[Style]:
    """Yield the ways to lay out a hall: floor, clusters of units, places of leafs and spines."""
    room = problem.room
    server = load_of(problem.server, room)
    columns = min(room.racks, room.racks_per_row)
    widths = sorted({min(columns, width) for width in (*WIDTHS, columns)})
    most_units = max(group.units for group in problem.plan.spine_groups)
    clusters = sorted({min(size, most_units) for size in CLUSTERS})
    switches = product(clusters, (False, True), (False, True), (False, True))
    most = max(1, rack_load(room).most(server))
    for width, (cluster, spines, beside, packed) in product(widths, switches):
        for strip in sorted({width, max(1, width // 2)}):
            yield Style(
                width=width,
                strip=strip,
                cluster=cluster,
                spines_in_clusters=spines,
                servers=most,
                leafs_beside=beside,
                packed=packed,
            )


def arrangement(problem: PlacementProblem, at: Positions) -> Arrangement:
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
