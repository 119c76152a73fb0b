"""Exhaustive placement of tiny rooms with its own counting; shares no code with the program.

Every way to spread the devices of each kind over the racks is tried; for each, every pair of
modules a tier and every set of route lengths on which fixed cables are used. Modules are counted
device by device with a ceiling, cables one by one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, combinations, combinations_with_replacement, product
from typing import Any


def cheapest(problem: Any, down_menu: Any, up_menu: Any) -> int | None:
    """Return the least cost over everything, None where nothing fits."""
    best: int | None = None
    for arrangement in arrangements(problem):
        for down, up in product(media(down_menu), media(up_menu)):
            cost = cheapest_wiring(problem, arrangement, down, up)
            if cost is not None and (best is None or cost < best):
                best = cost
    return best


def arrangements(problem: Any) -> Iterator[tuple[Any, ...]]:
    """Yield (servers by unit, leafs by unit, spines, others), each a tuple of racks."""
    plan, racks = problem.plan, range(problem.room.racks)
    kinds = [(problem.server, unit.servers) for unit in plan.units]
    kinds += [(problem.leaf, unit.leafs) for unit in plan.units]
    kinds += [(problem.spine, plan.spines), (problem.oob, problem.oob_count)]
    limits = [rack_limits(problem, rack) for rack in racks]
    choices = [list(combinations_with_replacement(racks, count)) for _, count in kinds]

    def extend(k: int, used: list[list[float]], chosen: list[Any]) -> Iterator[tuple[Any, ...]]:
        if k == len(kinds):
            yield tuple(chosen)
            return
        box = kinds[k][0]
        for racks_of_kind in choices[k]:
            if not all(may_stand(problem, box, rack) for rack in racks_of_kind):
                continue
            after = [list(row) for row in used]
            for rack in racks_of_kind:
                whole = box.whole_rack
                after[rack][0] += limits[rack][0] if whole else box.units
                after[rack][1] += box.max_w
                after[rack][2] += box.weight_kg
            if all(
                have <= limit + 1e-6
                for row, most in zip(after, limits)
                for have, limit in zip(row, most)
            ):
                yield from extend(k + 1, after, [*chosen, racks_of_kind])

    n = len(plan.units)
    for flat in extend(0, [[0.0, 0.0, 0.0] for _ in racks], []):
        if not plan.leafs_beside or in_racks_of_their_own(flat[:n], flat[n : 2 * n]):
            yield flat[:n], flat[n : 2 * n], flat[2 * n], flat[2 * n + 1]


def in_racks_of_their_own(servers: Any, leafs: Any) -> bool:
    """Return whether every unit stands in one rack with its leafs, and no other unit there."""
    where = [set(a) | set(b) for a, b in zip(servers, leafs)]
    return all(len(racks) == 1 for racks in where) and len(set.union(*where)) == len(where)


def rack_limits(problem: Any, rack: int) -> tuple[float, float, float]:
    """Return units, watts and kilograms that a rack has left."""
    room = problem.room
    if not room.stands:
        return room.rack_units, room.rack_w, room.rack_kg
    stand = room.stands[rack]
    return (
        stand.units - stand.taken_units,
        stand.limit_w - stand.taken_w,
        stand.limit_kg - stand.taken_kg,
    )


def may_stand(problem: Any, box: Any, rack: int) -> bool:
    """Return whether a rack has the cooling of a box, and is empty if the box takes all of it."""
    if not problem.room.stands:
        return True
    stand = problem.room.stands[rack]
    if box.cooling == "liquid" and stand.cooling == "air":
        return False
    taken = stand.taken_units or stand.taken_w or stand.taken_kg
    return not (box.whole_rack and taken)


def media(menu: Any) -> list[Any]:
    """Return (menu, optic) for every pair of modules, (menu, None) for fixed cables alone."""
    if menu is None:
        return [None]
    return [(menu, optic) for optic in menu.optics] or [(menu, None)]


def route(problem: Any, a: int, b: int) -> float:
    """Return the length between two racks, metres."""
    room = problem.room
    if a == b:
        return room.inside_rack_m
    if room.stands:
        one, two = room.stands[a], room.stands[b]
        xs = [s.x_m + s.width_m / 2 for s in (one, two)]
        ways = [abs(xs[0] - at) + abs(at - xs[1]) for at in room.cross_m]
        if one.row == two.row or not ways:
            ways = [abs(xs[0] - xs[1])]
        return round(2 * room.rise_m + min(ways) + abs(one.y_m - two.y_m) + room.slack_m, 6)
    rows = abs(a // room.racks_per_row - b // room.racks_per_row)
    columns = abs(a % room.racks_per_row - b % room.racks_per_row)
    over = columns * room.pitch_m + rows * room.row_pitch_m
    return round(2 * room.rise_m + over + room.slack_m, 9)


def cheapest_wiring(problem: Any, arrangement: Any, down: Any, up: Any) -> int | None:
    """Return the least cost of one arrangement with one pair of modules a tier, or None."""
    servers, leafs, spines, others = arrangement
    plan = problem.plan
    bring = problem.server.whole_rack
    rack_set = set(chain(*(() if bring else servers), *leafs, spines, others))
    bundles: list[tuple[int, float, int, int, Any, Any]] = []
    if down is not None:
        bundles += down_bundles(problem, servers, leafs, down)
    if up is not None and plan.joint_links:
        one, two = leafs[0]
        most = plan.joint_links // math.lcm(up[0].links_a, up[0].links_b)
        ends = ("leaf", 0, 0), ("leaf", 0, 1)
        bundles.append((1, route(problem, one, two), plan.joint_links, most, *ends))
    elif up is not None:
        flat = [(u, r, rack) for u, racks in enumerate(leafs) for r, rack in enumerate(racks)]
        for (u, r, leaf_rack), (j, spine_rack) in product(flat, enumerate(spines)):
            links = plan.links_per_leaf_spine
            most = links // math.lcm(up[0].links_a, up[0].links_b)
            metres = route(problem, leaf_rack, spine_rack)
            bundles.append((1, metres, links, most, ("leaf", u, r), ("spine", j)))
    routes = sorted({(tier, metres) for tier, metres, *_ in bundles})
    best: int | None = None
    for size in range(len(routes) + 1):
        for copper in combinations(routes, size):
            cost = price(problem, bundles, set(copper), (down, up))
            if cost is not None and (best is None or cost < best):
                best = cost
    if best is None:
        return None
    prices = problem.rack_cents_in or [problem.rack_cents] * problem.room.racks
    return best + sum(prices[rack] for rack in rack_set)


def down_bundles(problem: Any, servers: Any, leafs: Any, down: Any) -> list[Any]:
    """Return the bundles between servers of one rack and one leaf."""
    menu = down[0]
    each = problem.plan.links_per_server_leaf
    size = math.lcm(menu.links_a, menu.links_b)
    found = []
    for u, racks in enumerate(servers):
        for rack in sorted(set(racks)):
            names = [("server", u, k) for k, where in enumerate(racks) if where == rack]
            whole = len(names) * (each // menu.links_a) * menu.links_a
            for r, leaf_rack in enumerate(leafs[u]):
                metres = route(problem, rack, leaf_rack)
                bundle = (0, metres, len(names) * each, whole // size, names, ("leaf", u, r))
                found.append(bundle)
    return found


def price(problem: Any, bundles: Any, copper: set[Any], media_pair: Any) -> int | None:
    """Return cables, fibres and modules of all bundles, cents; None if something cannot reach."""
    cents = problem.unit_cents
    total = 0
    optical: dict[tuple[Any, str, int], int] = defaultdict(int)
    cages: dict[Any, int] = defaultdict(int)
    for tier, metres, links, most, a, b in bundles:
        menu, optic = media_pair[tier]
        fixed = most if (tier, metres) in copper else 0
        if fixed:
            reaching = [cents[c.part] for c in menu.fixed if c.length_m >= metres]
            if not reaching:
                return None
            total += fixed * min(reaching)
            for end, per_cage in ((a, menu.links_a), (b, menu.links_b)):
                if end[0] == "leaf":
                    cages[end] += fixed * math.lcm(menu.links_a, menu.links_b) // per_cage
        size = math.lcm(menu.links_a, menu.links_b)
        rest = links - fixed * size
        if rest:
            if optic is None:
                return None
            reaching = [cents[f.part] for f in optic.fibres if f.length_m >= metres]
            if not reaching:
                return None
            total += rest * min(reaching)
            optical[b, optic.module_b, optic.links_b] += rest
        if tier == 1:
            if rest:
                optical[a, optic.module_a, optic.links_a] += rest
        else:
            add_servers(optical, a, links, fixed * size, menu, optic)
    for (device, module, per_module), links in optical.items():
        modules = -(-links // per_module)
        total += modules * cents[module]
        cages[device] += modules
    leafs = [count for device, count in cages.items() if device[0] == "leaf"]
    return None if max(leafs, default=0) > problem.leaf_cages else total


def add_servers(
    optical: Any, names: list[Any], links: int, fixed: int, menu: Any, optic: Any
) -> None:
    """Count the optical links of each server of a bundle: fixed plugs fill servers in order."""
    each = links // len(names)
    whole = each // menu.links_a * menu.links_a
    for name in names:
        copper = min(fixed, whole)
        fixed -= copper
        if each - copper:
            optical[name, optic.module_a, optic.links_a] += each - copper
