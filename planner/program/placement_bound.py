"""Quick necessary checks and a quick true lower bound of a placement; no solver, no search."""

from __future__ import annotations

from planner.physics.refusal import Refusal
from planner.program.box import NOTHING, Box, Load, load_of, rack_load, rack_load_in
from planner.program.link_prices import FORBIDDEN, Medium
from planner.program.module_base import base_cents, media_pairs
from planner.program.placement_problem import PlacementProblem

KILO = 1000.0


def counted_boxes(problem: PlacementProblem) -> list[tuple[str, Box, int]]:
    """Return the boxes to place as (what they are called, box, count), without empty kinds."""
    plan = problem.plan
    kinds = [
        ("server", problem.server, plan.servers),
        ("leaf switch", problem.leaf, plan.leafs),
        ("spine switch", problem.spine, plan.spines),
        ("core switch", problem.core, plan.cores),
        ("out-of-band switch", problem.oob, problem.oob_count),
    ]
    return [(name, box, count) for name, box, count in kinds if box is not None and count]


def least_racks(problem: PlacementProblem) -> int:
    """Return racks that are needed at least, from watts, units, weight and racks of one kind."""
    room, rack = problem.room, rack_load(problem.room)
    loads = [(count, load_of(box, room)) for _, box, count in counted_boxes(problem)]
    totals = (
        (sum(n * load.units for n, load in loads), rack.units),
        (sum(n * load.milliwatts for n, load in loads), rack.milliwatts),
        (sum(n * load.grams for n, load in loads), rack.grams),
    )
    kinds = (-(-n // max(1, rack.most(load))) for n, load in loads)
    racks = max(*(-(-need // have) for need, have in totals), *kinds)
    if problem.server.whole_rack:
        others = [(n, load) for n, load in loads[1:]]
        racks = max(racks, problem.plan.servers + (1 if others else 0))
    return racks


def fits(problem: PlacementProblem) -> Refusal | None:
    """Return the first limit of the room that the boxes cannot meet, or None.

    Necessary, not sufficient: `place` decides. Checks cooling, each box in an empty rack, each
    kind alone, and the sums of watts, rack units and weight.
    """
    for check in (_cooling, _each_box, _each_kind, _sums, _links):
        refusal = check(problem)
        if refusal is not None:
            return refusal
    return None


def _cooling(problem: PlacementProblem) -> Refusal | None:
    for name, box, _ in counted_boxes(problem):
        if box.cooling == "liquid" and problem.room.cooling != "liquid":
            reason = f"{name} {box.part} is liquid-cooled; the room's racks have air only"
            return Refusal(reason=reason, limit="placement_cooling")
    return None


def _each_box(problem: PlacementProblem) -> Refusal | None:
    room = problem.room
    for name, box, _ in counted_boxes(problem):
        one = f"one {name} {box.part}"
        if box.max_w > room.rack_w:
            return _power(f"{one} draws {_kw(box.max_w)}; a rack has {_kw(room.rack_w)}")
        if box.units > room.rack_units:
            reason = f"{one} is {box.units} units high; a rack has {room.rack_units}"
            return Refusal(reason=reason, limit="placement_units")
        if box.weight_kg > room.rack_kg:
            reason = f"{one} weighs {box.weight_kg:g} kg; a rack carries {room.rack_kg:g} kg"
            return Refusal(reason=reason, limit="placement_weight")
    return None


def _each_kind(problem: PlacementProblem) -> Refusal | None:
    room, rack = problem.room, rack_load(problem.room)
    for name, box, count in counted_boxes(problem):
        load = load_of(box, room)
        most = rack.most(load)
        racks = -(-count // most)
        if racks <= room.racks:
            continue
        if rack.milliwatts // max(1, load.milliwatts) == most:
            limit, size, has = "placement_power", f"at {_kw(box.max_w)}", _kw(room.rack_w)
        elif rack.units // max(1, load.units) == most:
            limit, size = "placement_units", f"of {load.units} units"
            has = f"{room.rack_units} units"
        else:
            limit, size = "placement_weight", f"of {box.weight_kg:g} kg"
            has = f"{room.rack_kg:g} kg"
        plural = name if count == 1 else (name + "es" if name.endswith("ch") else name + "s")
        reason = f"{count} {plural} {size} need {racks} racks of {has}; the room has {room.racks}"
        return Refusal(reason=reason, limit=limit)
    return None


def _sums(problem: PlacementProblem) -> Refusal | None:
    room = problem.room
    boxes = counted_boxes(problem)
    watts = sum(count * box.max_w for _, box, count in boxes)
    units = sum(count * load_of(box, room).units for _, box, count in boxes)
    kilos = sum(count * box.weight_kg for _, box, count in boxes)
    what = f"{problem.plan.servers} servers with their switches"
    loads = [rack_load_in(room, k) for k in range(room.racks)] if room.stands else []
    rack = rack_load(room)
    all_milliwatts = sum(s.milliwatts for s in loads) or room.racks * rack.milliwatts
    all_units = sum(s.units for s in loads) or room.racks * rack.units
    all_grams = sum(s.grams for s in loads) or room.racks * rack.grams
    if load_of_sum(watts) > all_milliwatts:
        return _power(
            f"{what} draw {_kw(watts)}; {room.racks} racks have {_kw(all_milliwatts / KILO)}"
        )
    if not problem.server.whole_rack and units > all_units:
        reason = f"{what} fill {units} units; {room.racks} racks have {all_units}"
        return Refusal(reason=reason, limit="placement_units")
    if load_of_sum(kilos) > all_grams:
        carried = all_grams / KILO
        reason = f"{what} weigh {kilos:,.0f} kg; {room.racks} racks carry {carried:,.0f} kg"
        return Refusal(reason=reason, limit="placement_weight")
    needed = least_racks(problem)
    if needed > room.racks:
        reason = f"{what} need {needed} racks; the room has {room.racks}"
        return Refusal(reason=reason, limit="placement_racks")
    return None


def _links(problem: PlacementProblem) -> Refusal | None:
    plan = problem.plan
    rate = f"at {plan.link_gbps:g} Gb/s"
    if plan.leafs and not problem.node_leaf:
        reason = f"no cable or module that can be bought joins server and leaf {rate}"
        return Refusal(reason=reason, limit="cabling_menu")
    if plan.joint_links and not problem.leaf_spine:
        reason = f"no cable or module that can be bought joins leaf and leaf {rate}"
        return Refusal(reason=reason, limit="cabling_menu")
    if plan.spines and not problem.leaf_spine:
        reason = f"no cable or module that can be bought joins leaf and spine {rate}"
        return Refusal(reason=reason, limit="cabling_menu")
    if plan.cores and not problem.spine_core:
        reason = f"no cable or module that can be bought joins spine and core {rate}"
        return Refusal(reason=reason, limit="cabling_menu")
    if not plan.parted and not media_pairs(problem):
        reason = f"the modules of both tiers need more cages than a leaf has {rate}"
        return Refusal(reason=reason, limit="cabling_cages")
    return None


def unwired(servers: int) -> Refusal:
    """Return the refusal of a design whose links no part in stock can be, wherever boxes stand."""
    reason = f"no cable or module reaches from rack to rack between {servers} servers and switches"
    return Refusal(reason=reason, limit="cabling_length")


def _power(reason: str) -> Refusal:
    return Refusal(reason=reason, limit="placement_power")


def _kw(watts: float) -> str:
    return f"{watts / KILO:,.4g} kW"


def load_of_sum(amount: float) -> int:
    """Return watts or kilograms in thousandths, as loads count them."""
    return round(amount * KILO)


def assemblies(medium: Medium, servers: int, links_each: int) -> int:
    """Return how many fixed assemblies the links of servers to one leaf can fill.

    Rule `cabling_assembly`.
    An end at a server fills a cage of that server, so only whole cages of each server count.
    """
    whole = links_each // medium.links_a * medium.links_a
    return servers * whole // medium.assembly_links


def pair_cents(problem: PlacementProblem, medium: Medium, length: int) -> int:
    """Return the cost of the links that every leaf has to every spine, at a length."""
    few = problem.plan.links_per_leaf_spine
    if _extra_wired_apart(problem, medium):
        return min(_links_cents(medium, n, length) for n in (few, few + 1))
    return _links_cents(medium, few, length)


def extra_links_cents(problem: PlacementProblem, medium: Medium | None) -> int:
    """Return the least that the links beyond an even share add, cents; 0 with even spread."""
    plan = problem.plan
    if medium is None or problem.even or _extra_wired_apart(problem, medium):
        return 0
    few = plan.links_per_leaf_spine
    added = [
        _links_cents(medium, few + 1, k) - _links_cents(medium, few, k)
        for k in range(len(medium.fibre))
        if _links_cents(medium, few + 1, k) < FORBIDDEN
    ]
    extra = plan.leafs * (plan.uplinks_per_leaf - few * plan.spines)
    return extra * min(added, default=0)


def _extra_wired_apart(problem: PlacementProblem, medium: Medium) -> bool:
    """Return whether at some length only one of both numbers of links can be built."""
    if problem.even:
        return False
    few = problem.plan.links_per_leaf_spine
    return any(
        (_links_cents(medium, few, k) < FORBIDDEN) != (_links_cents(medium, few + 1, k) < FORBIDDEN)
        for k in range(len(medium.fibre))
    )


def joint_cents(problem: PlacementProblem, medium: Medium | None) -> list[int]:
    """Return the cost of the links between the two leafs of a pair, cents, by length index.

    Rule `placement_joint`; nothing for other fabrics.
    """
    steps = range(len(problem.room.lengths_m))
    links = problem.plan.joint_links
    if medium is None or not links:
        return [0 for _ in steps]
    return [min(FORBIDDEN, _links_cents(medium, links, step)) for step in steps]


def _links_cents(medium: Medium, links: int, length: int) -> int:
    return medium.bundle_cents(links, links // medium.assembly_links, length)


def placement_lower_bound_cents(problem: PlacementProblem) -> int:
    """Return a lower bound on the cost of every placement, whole cents.

    Every leaf stands at best in a rack with as many servers of its unit and spines as fit beside
    it, and reaches all others over the shortest route between racks. FORBIDDEN where nothing can
    join the devices.
    """
    racks = problem.fewest_cents(least_racks(problem))
    costs = (_links_bound(problem, down, up) for down, up in media_pairs(problem))
    return racks + min(costs, default=FORBIDDEN)


def _links_bound(problem: PlacementProblem, down: Medium | None, up: Medium | None) -> int:
    plan, room = problem.plan, problem.room
    base = base_cents(problem, down, up) + extra_links_cents(problem, up)
    base += min(joint_cents(problem, up))
    if not plan.spines:
        up = None
    if down is None:
        return base
    inside = room.lengths_m.index(room.inside_rack_m)
    near = None if room.nearest_m is None else room.lengths_m.index(room.nearest_m)
    rack = rack_load(room)
    server, leaf, spine = (load_of(b, room) for b in (problem.server, problem.leaf, problem.spine))
    beside = _beside(rack.less(leaf), server, spine, plan.spines)
    pair_in = pair_cents(problem, up, inside) if up else 0
    pair_near = pair_cents(problem, up, near) if up and near is not None else FORBIDDEN
    pairs_only = _pairs_bound(problem, rack, leaf, spine, pair_in, pair_near) if up else 0
    joint = 0
    alone = pairs_only
    for unit in plan.units:
        most = min(unit.servers, len(beside) - 1)
        servers = [
            _unit_links(down, plan.links_per_server_leaf, unit.servers, x, inside, near)
            for x in range(most + 1)
        ]
        alone += unit.leafs * min(servers)
        joint += unit.leafs * min(
            servers[x] + z * pair_in + (plan.spines - z) * pair_near
            if z < plan.spines
            else servers[x] + z * pair_in
            for x in range(most + 1)
            for z in ({0, beside[x]} if up else {0})
        )
    return base + max(joint, alone)


def _beside(left: Load, server: Load, spine: Load, spines: int) -> list[int]:
    """Return, by number of servers beside one leaf, the most spines in the same rack."""
    most = left.most(server) if server != NOTHING else 0
    if not spines:
        return [0] * (most + 1)
    return [min(spines, left.less(server, count).most(spine)) for count in range(most + 1)]


def _unit_links(
    down: Medium, links_each: int, servers: int, inside_count: int, inside: int, near: int | None
) -> int:
    """Return the least cost of the links of one leaf with some servers in its own rack."""
    own = down.bundle_cents(
        inside_count * links_each, assemblies(down, inside_count, links_each), inside
    )
    others = servers - inside_count
    if not others:
        return own
    if near is None:
        return FORBIDDEN
    return own + down.bundle_cents(others * links_each, assemblies(down, others, links_each), near)


def _pairs_bound(
    problem: PlacementProblem, rack: Load, leaf: Load, spine: Load, pair_in: int, pair_near: int
) -> int:
    """Return the least cost of all leaf-spine links: few pairs share a rack."""
    leafs, spines = problem.plan.leafs, problem.plan.spines
    if pair_in >= pair_near:
        return leafs * spines * pair_near
    most_spines = [
        min(spines, rack.less(leaf, y).most(spine)) for y in range(min(leafs, rack.most(leaf)) + 1)
    ]
    together = max(
        (y * z * (leafs + spines) // (y + z) for y, z in enumerate(most_spines) if y and z),
        default=0,
    )
    by_leaf = leafs * (most_spines[1] if len(most_spines) > 1 else 0)
    by_spine = spines * max((y for y, z in enumerate(most_spines) if z), default=0)
    pairs = leafs * spines
    close = min(together, by_leaf, by_spine, pairs)
    apart = (pairs - close) * pair_near if close < pairs else 0
    return close * pair_in + apart
