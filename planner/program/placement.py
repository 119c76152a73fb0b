"""Place a design: where every box stands, how every link is built, what that costs at least.

For each pair of media the racks of the leafs are searched with bounds (`LeafSearch`); servers,
spines and out-of-band switches follow exactly. The answer carries a proven lower bound over all
positions and media. The mathematics stands in ``models/formulation/placement.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from planner.domain.cable_groups import expand
from planner.domain.solution import Cable, CableGroup, Device, RackUse
from planner.physics.refusal import Refusal
from planner.program.cabling import cable
from planner.program.hall import (
    Hall,
    arrangement,
    hall_bound_cents,
    hall_links,
    is_hall,
    lay_hall,
    quick_bound_cents,
    starts_as_hall,
)
from planner.program.hall_documents import hall_spots, hall_wires
from planner.program.leaf_racks import Incumbent
from planner.program.link_prices import Medium
from planner.program.media_search import MediaSearch
from planner.program.module_base import media_pairs
from planner.program.parted_bound import parted_bound_cents, wiring_bound_cents
from planner.program.parted_placement import PartedLayout, layouts
from planner.program.parted_wiring import wirings
from planner.program.placement_bound import fits, placement_lower_bound_cents
from planner.program.placement_counts import Arrangement, Counts
from planner.program.placement_problem import PlacementProblem
from planner.program.rack_layout import Spot, devices_of, racks_of, spots_of
from planner.program.rack_units import RackUnits
from planner.program.racks_needed import all_fit, racks_needed

MOST_CABLES = 20_000
"""Links above which they are grouped instead of named one by one."""
WORK_LIMIT = 300_000_000
"""Table cells that a search may touch before it stops with a bound; about half a second."""
MOST_KEPT = 64
"""Problems whose answers are kept: alternatives and other prices of switches ask them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Routes of one tier, metres."""

    links: int
    max_m: float
    mean_m: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """A placed design."""

    cost_cents: int
    """Racks in use, cables, fibres and modules."""
    lower_bound_cents: int
    """No placement of this design costs less."""
    racks: list[RackUse]
    devices: list[Device]
    cables: list[Cable]
    parts: dict[str, int]
    """Cables, fibres and transceivers by catalogue id."""
    lengths: dict[str, Lengths]
    """By tier."""
    cable_groups: list[CableGroup] = field(default_factory=list)
    """Of a large fabric, instead of single cables."""

    @property
    def proved(self) -> bool:
        """True where nothing cheaper exists."""
        return self.cost_cents == self.lower_bound_cents


def place(problem: PlacementProblem, work_limit: int = WORK_LIMIT) -> Placement | Refusal:
    """Return the cheapest placement found with its bound, or why there is none.

    Parameters
    ----------
    problem
        The design, its room and what its links can be built of.
    work_limit
        Deterministic limit of the search; below it the answer is proved optimal.
    """
    refusal = fits(problem)
    if refusal is not None:
        return refusal
    if problem.plan.parted and not is_hall(problem):
        return _parted(problem)
    found = _found(problem.nameless(), work_limit)
    if isinstance(found, Refusal):
        return found
    if isinstance(found, LaidHall):
        return _hall(problem, found.hall, found.bound) if found.hall else _parted(problem)
    down, up = found.media
    counts = Counts(problem=problem, down=down, up=up, places=found.places)
    return _built(counts, spots_of(counts, found.at), found.bound)


class LaidHall(NamedTuple):
    """A large room laid out, or None where no layout fits, and its bound."""

    hall: Hall | None
    bound: int


class Searched(NamedTuple):
    """What the search rack by rack found, and its bound."""

    media: tuple[Medium | None, Medium | None]
    places: tuple[int, ...]
    at: Arrangement
    bound: int


@lru_cache(maxsize=MOST_KEPT)
def _found(problem: PlacementProblem, work_limit: int) -> LaidHall | Searched | Refusal:
    """Return where the boxes of a problem stand; of equal problems only the first is searched."""
    if problem.plan.parted:
        hall = lay_hall(problem)
        return LaidHall(hall, hall_bound_cents(problem, hall.media) if hall else 0)
    needed = racks_needed(problem)
    if needed is None:
        return _no_place(problem)
    if problem.plan.leafs_beside:
        return _in_racks(problem)
    incumbent, hall_bound = Incumbent(), 0
    if starts_as_hall(problem):
        hall = lay_hall(problem)
        if hall is not None:
            hall_bound = hall_bound_cents(problem, hall.media)
            if is_hall(problem):
                return LaidHall(hall, max(hall_bound, placement_lower_bound_cents(problem)))
            incumbent = _laid(problem, hall)
    searches = [MediaSearch(problem, pair, incumbent, work_limit) for pair in media_pairs(problem)]
    searches.sort(key=lambda search: search.root)
    bound = min(search.run(needed) for search in searches)
    if incumbent.at is None or incumbent.counts is None:
        stopped = any(search.stopped for search in searches)
        wired = problem.room.alike or all_fit(problem)
        return _no_place(problem, stopped=stopped and wired, wired=wired)
    counts = incumbent.counts
    least = max(bound, hall_bound, placement_lower_bound_cents(problem))
    return Searched((counts.down, counts.up), counts.places, incumbent.at, least)


def _in_racks(problem: PlacementProblem) -> Searched | Refusal:
    """Return where units that fill a rack each stand at least cost, with its bound."""
    places = tuple(range(problem.room.racks))
    searches = [
        RackUnits(counts=Counts(problem=problem, down=down, up=up, places=places))
        for down, up in media_pairs(problem)
    ]
    found = [(*search.best(), k) for k, search in enumerate(searches)]
    _, at, _, number = min(found, key=lambda item: (item[0], item[3]))
    if at is None:
        return _no_place(problem, stopped=not searches[number].exhaustive)
    counts = searches[number].counts
    bound = max(min(item[2] for item in found), placement_lower_bound_cents(problem))
    return Searched((counts.down, counts.up), counts.places, at, bound)


def _hall(problem: PlacementProblem, hall: Hall, bound: int) -> Placement:
    """Return the documents of a laid-out hall; above `MOST_CABLES` links they are only grouped."""
    spots = hall_spots(problem, hall.at)
    wires = hall_wires(problem, hall.at, hall.media, spots)
    cents = problem.racks_cents(s.rack for s in spots if not s.box.whole_rack)
    cents += sum(problem.unit_cents[part] * n for part, n in wires.parts.items())
    groups = wires.groups
    single = hall_links(problem) <= MOST_CABLES
    return Placement(
        cost_cents=cents,
        lower_bound_cents=min(bound, cents),
        racks=racks_of(problem.room, spots),
        devices=devices_of(problem.room, spots),
        cables=list(expand(groups, [spot.id for spot in spots])) if single else [],
        parts=wires.parts,
        lengths=_group_lengths(groups),
        cable_groups=[] if single else groups,
    )


def _group_lengths(groups: list[CableGroup]) -> dict[str, Lengths]:
    tiers: dict[str, list[CableGroup]] = {}
    for group in groups:
        tiers.setdefault(group.tier, []).append(group)
    found = {}
    for tier, members in tiers.items():
        links = sum(group.links for group in members)
        metres = sum(group.links * group.needed_m for group in members)
        longest = max(group.needed_m for group in members)
        found[tier] = Lengths(links=links, max_m=longest, mean_m=metres / links)
    return found


def _laid(problem: PlacementProblem, hall: Hall) -> Incumbent:
    """Return a laid-out hall as what a search has found so far."""
    down, up, _ = hall.media
    places = tuple(range(problem.room.racks))
    counts = Counts(problem=problem, down=down, up=up, places=places)
    return Incumbent(hall.cents, arrangement(problem, hall.at), counts)


def _no_place(problem: PlacementProblem, *, stopped: bool = False, wired: bool = False) -> Refusal:
    servers, racks = problem.plan.servers, problem.room.racks
    if stopped:
        reason = f"no place found for {servers} servers and their switches within the work limit"
        return Refusal(reason=reason, limit="work_limit")
    if wired:
        reason = f"{servers} servers and their switches fit the racks, but no arrangement lets "
        return Refusal(reason=f"{reason}cables reach everywhere", limit="cabling_length")
    return Refusal(
        reason=f"{servers} servers and their switches do not fit together into {racks} racks, "
        "whatever stands where",
        limit="placement_racks",
    )


def _parted(problem: PlacementProblem) -> Placement | Refusal:
    """Return the cheapest layout of pods or planes that is found, with its bound.

    Media are tried in the order of their bounds, as long as one may still beat the best layout.
    """
    bounds = sorted((wiring_bound_cents(w), number, w) for number, w in enumerate(wirings(problem)))
    found: list[tuple[int, int, int, PartedLayout]] = []
    for bound, number, wiring in bounds:
        if found and bound > min(found)[0]:
            break
        found += [(x.cost(), k, number, x) for k, x in enumerate(layouts(wiring))]
    if not found:
        return _no_place(problem, stopped=True)
    best = min(found)[3]
    down, up, top = best.wiring.media
    places = tuple(range(problem.room.racks))
    counts = Counts(problem=problem, down=down, up=up, top=top, places=places)
    return _built(counts, best.spots(), bounds[0][0])


def bound_cents(problem: PlacementProblem) -> int:
    """Return a quick lower bound on the cost of every placement, whole cents."""
    if problem.plan.parted:
        return quick_bound_cents(problem) if is_hall(problem) else parted_bound_cents(problem)
    return placement_lower_bound_cents(problem)


def _built(counts: Counts, spots: list[Spot], bound: int) -> Placement:
    problem = counts.problem
    harness = cable(counts, spots)
    racks = racks_of(problem.room, spots)
    cents = problem.racks_cents(s.rack for s in spots if not s.box.whole_rack)
    cents += sum(problem.unit_cents[part] * n for part, n in harness.parts.items())
    return Placement(
        cost_cents=cents,
        lower_bound_cents=min(bound, cents),
        racks=racks,
        devices=devices_of(problem.room, spots),
        cables=harness.cables,
        parts=harness.parts,
        lengths=_lengths(harness.cables),
    )


def _lengths(cables: list[Cable]) -> dict[str, Lengths]:
    routes: dict[str, list[float]] = {}
    for one in cables:
        routes.setdefault(one.tier, []).append(one.needed_m)
    return {
        tier: Lengths(links=len(m), max_m=max(m), mean_m=sum(m) / len(m))
        for tier, m in routes.items()
    }
