"""A placement from decided positions and media: devices, cables, parts and exact cost."""

from __future__ import annotations

from planner.program.cabling import cable
from planner.program.link_prices import Medium
from planner.program.placement import Lengths, Placement
from planner.program.placement_counts import Arrangement, Counts
from planner.program.placement_problem import PlacementProblem
from planner.program.rack_layout import devices_of, racks_of, spots_of


def lay(
    problem: PlacementProblem,
    at: Arrangement,
    media: tuple[Medium | None, Medium | None],
    lower_bound_cents: int | None = None,
) -> Placement:
    """Return the placement of an arrangement over all racks of the room.

    Parameters
    ----------
    problem
        The design; prices are those of its `unit_cents`.
    at
        Boxes by rack.
    media
        How each tier is built.
    lower_bound_cents
        Proven bound; the placement's own cost if absent.
    """
    down, up = media
    counts = Counts(problem=problem, down=down, up=up, places=tuple(range(problem.room.racks)))
    spots = spots_of(counts, at)
    harness = cable(counts, spots)
    racks = racks_of(problem.room, spots)
    cents = problem.racks_cents(s.rack for s in spots if not s.box.whole_rack)
    cents += sum(problem.unit_cents[part] * n for part, n in harness.parts.items())
    routes: dict[str, list[float]] = {}
    for one in harness.cables:
        routes.setdefault(one.tier, []).append(one.needed_m)
    return Placement(
        cost_cents=cents,
        lower_bound_cents=cents if lower_bound_cents is None else min(cents, lower_bound_cents),
        racks=racks,
        devices=devices_of(problem.room, spots),
        cables=harness.cables,
        parts=harness.parts,
        lengths={
            tier: Lengths(links=len(m), max_m=max(m), mean_m=sum(m) / len(m))
            for tier, m in routes.items()
        },
    )
