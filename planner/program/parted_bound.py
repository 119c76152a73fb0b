"""Lower bound on every placement of a parted fabric: pods below cores, or planes with spines.

Few boxes that are joined can share a rack, and a rack has few others near it, so most links take
routes between racks. See ``models/formulation/placement.md``, "Fabrics in parts". Links of servers,
each tier of switches, racks and modules are bounded apart; their sum holds for every placement.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from planner.program.box import Box, load_of, rack_load
from planner.program.link_prices import FORBIDDEN
from planner.program.parted_wiring import PartedWiring, wirings
from planner.program.placement_bound import least_racks
from planner.program.placement_problem import PlacementProblem
from planner.program.room import Room


class Joined(NamedTuple):
    """One kind of box that is joined to another: how many there are, and how many one meets."""

    box: Box | None
    boxes: int
    met: int
    """Of this kind that a box of the other kind is joined to."""


def parted_bound_cents(problem: PlacementProblem) -> int:
    """Return a lower bound on the cost of every placement, cents; FORBIDDEN where none is wired."""
    return min(map(wiring_bound_cents, wirings(problem)), default=FORBIDDEN)


def wiring_bound_cents(wiring: PartedWiring) -> int:
    """Return a lower bound on the cost of every placement with these media, cents."""
    return wiring.base_cents + racks_and_servers_cents(wiring) + switches_cents(wiring)


@lru_cache(maxsize=32)
def nearest_steps(room: Room) -> tuple[int, ...]:
    """Return length indices to other racks, ascending: no rack has any of them nearer."""
    if room.nearest_m is None:
        return ()
    if not room.alike:
        return (room.lengths_m.index(room.nearest_m),) * (room.racks - 1)
    index = {length: k for k, length in enumerate(room.lengths_m)}
    found = [
        index[room.span_m(row, column)]
        for row in range(room.rows)
        for column in range(room.columns)
        if row or column
        for _ in range((1 + (row > 0)) * (1 + (column > 0)))
    ]
    return tuple(sorted(found)[: room.racks - 1])


def racks_and_servers_cents(wiring: PartedWiring) -> int:
    """Return a bound on racks and server links, beyond modules (`placement_parted_servers`)."""
    problem = wiring.problem
    racks = least_racks(problem)
    apart = problem.fewest_cents(racks) + _servers_cents(wiring)
    plan = problem.plan
    if not problem.server.whole_rack or any(unit.servers > 1 for unit in plan.units):
        return apart
    most = len(nearest_steps(problem.room)) + 1 - plan.servers
    known = [
        problem.fewest_cents(plan.servers + count) + _around_cents(wiring, count)
        for count in range(max(1, racks - plan.servers), min(plan.leafs, most) + 1)
    ]
    return max(apart, min(known, default=FORBIDDEN))


def _servers_cents(wiring: PartedWiring) -> int:
    """Return a bound on what server links cost: few servers share the rack of a leaf."""
    problem = wiring.problem
    plan = problem.plan
    rack = rack_load(problem.room)
    server, leaf = load_of(problem.server, problem.room), load_of(problem.leaf, problem.room)
    held = max(1, rack.most(server))
    beside = rack.less(leaf).most(server) if rack.holds((1, leaf)) else 0
    total, least, saved = 0, 0, Fraction(0)
    for unit in plan.units:
        own = _own(wiring, unit.servers, held, beside)
        total += unit.leafs * own[0]
        least += unit.leafs * min(own)
        each = (Fraction(own[0] - cents, x) for x, cents in enumerate(own) if x)
        saved = max(saved, max(each, default=Fraction(0)))
    pairs = inside_pairs(
        problem,
        Joined(problem.leaf, plan.leafs, plan.units[0].leafs),
        Joined(problem.server, plan.servers, max(unit.servers for unit in plan.units)),
    )
    return max(least, total - int(pairs * saved))


def _own(wiring: PartedWiring, servers: int, held: int, beside: int) -> list[int]:
    """Return the least cost of a leaf's links by the number of servers in its own rack, cents."""
    outside = [0] + [FORBIDDEN] * servers
    prices = [wiring.servers_row(x) for x in range(min(held, servers) + 1)]
    for step in nearest_steps(wiring.problem.room)[:servers]:
        outside = [
            min(outside[n - x] + int(prices[x][step]) for x in range(min(n, held) + 1))
            for n in range(servers + 1)
        ]
    room = wiring.problem.room
    inside = room.lengths_m.index(room.inside_rack_m)
    return [
        int(wiring.servers_row(x)[inside]) + outside[servers - x]
        for x in range(min(servers, beside) + 1)
    ]


def _around_cents(wiring: PartedWiring, racks: int) -> int:
    """Return a bound on links of servers that are racks to leafs in so many racks.

    The servers of a rack's leafs stand in different racks around it, one after another as near as
    any has them; leafs share the racks evenly, since each further one is no nearer to its server.
    """
    problem = wiring.problem
    leaf = load_of(problem.leaf, problem.room)
    most = rack_load(problem.room).most(leaf)
    group = problem.plan.units[0].leafs
    each, more = divmod(sum(u.leafs for u in problem.plan.units if u.servers), racks)
    if each + (more > 0) > most:
        return FORBIDDEN
    near, row = nearest_steps(problem.room), wiring.servers_row(1)
    ahead = [int(row[near[k // group]]) for k in range(each + (more > 0))]
    return racks * sum(ahead[:each]) + more * sum(ahead[each:])


def switches_cents(wiring: PartedWiring) -> int:
    """Return a bound on the links between switches, beyond modules (`placement_parted_switches`)."""
    problem = wiring.problem
    plan, room = problem.plan, problem.room
    groups = plan.spine_groups
    leafs = Joined(problem.leaf, plan.leafs, max(g.leafs for g in groups) // plan.planes)
    spines = Joined(problem.spine, plan.spines, max(g.spines for g in groups) // plan.planes)
    cores = Joined(problem.core, plan.cores, plan.cores // plan.planes)
    above = Joined(problem.spine, plan.spines, plan.spines // plan.planes)
    inside, near = room.lengths_m.index(room.inside_rack_m), nearest_steps(room)
    total = 0
    for (tier, _, _, found), low, high in zip(
        wiring.tiers, (leafs, above), (spines, cores), strict=True
    ):
        here = there = saved = 0
        for links, pairs in Counter(pair[2] for pair in found).items():
            row = wiring.pair_row(tier, links)
            within = int(row[inside])
            apart = int(row[near[0]]) if near else FORBIDDEN
            here += pairs * min(within, apart)
            there += pairs * apart
            saved = max(saved, apart - within)
        total += max(here, there - inside_pairs(problem, low, high) * saved)
    return total


def inside_pairs(problem: PlacementProblem, low: Joined, high: Joined) -> int:
    """Return the most joined pairs of two kinds of box in one rack each (`placement_parted_pairs`).

    A rack with y of one kind and z of the other has at most min(y h, z min(y, l)) of them, where a
    box meets h or l of the other kind; so all racks together have at most the largest such share
    of y + z times all boxes. For a given y the share is largest where both are equal, or where the
    rack ends.
    """
    if low.box is None or high.box is None:
        return 0
    rack = rack_load(problem.room)
    one, two = load_of(low.box, problem.room), load_of(high.box, problem.room)
    best = Fraction(0)
    for y in range(1, min(low.boxes, rack.most(one)) + 1):
        most = min(high.boxes, rack.less(one, y).most(two))
        equal = y * high.met // max(1, min(y, low.met))
        for z in {min(most, equal), min(most, equal + 1)} - {0}:
            pairs = min(y * high.met, z * min(y, low.met))
            best = max(best, Fraction(pairs, y + z))
    together = int(best * (low.boxes + high.boxes))
    return min(together, low.boxes * high.met, high.boxes * low.met)
