"""What joins two cages, and what a set of links costs at least: every choice is tried.

Shares no code with the program. The links of a tier on one length are built alike: all optics, or
as many of one fixed cable as fit. Modules are counted by device.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any, NamedTuple

Cents = tuple[int, ...]
"""(present value, purchase price, units of each part that is owned in part)."""


class Optics(NamedTuple):
    """Two modules and their fibres as (length, part)."""

    a: str
    b: str
    fibres: list[tuple[float, str]]


class Menu(NamedTuple):
    """What joins cages of `links_a` links with cages of `links_b`."""

    links_a: int
    links_b: int
    cables: list[tuple[float, str]]
    optics: list[Optics]

    @property
    def size(self) -> int:
        """Links of one fixed cable, which fills whole cages at both ends."""
        return math.lcm(self.links_a, self.links_b)


def links_of(part: Any, gbps: float) -> int:
    """Return the links of a rate that a cable or module carries."""
    return sum(mode.links for mode in part.modes if mode.link_gbps == gbps)


def menu(purse: Any, protocol: str, gbps: float, a: tuple[str, int], b: tuple[str, int]) -> Menu:
    """Return what can be bought to join two cages, each (connector, links)."""
    catalog = purse.catalog
    accepts_a, accepts_b = (catalog.connectors[c].accepts for c, _ in (a, b))
    cables = []
    for part in catalog.cables.values():
        links = links_of(part, gbps)
        if protocol not in part.families or not links or not purse.can_buy(part.id):
            continue
        whole = (part.connector_a, links)
        split = (part.connector_b, links / part.ends_b)
        for (plug_a, per_a), (plug_b, per_b) in ((whole, split), (split, whole)):
            if plug_a in accepts_a and plug_b in accepts_b and (per_a, per_b) == (a[1], b[1]):
                cables.append((part.length_m, part.id))
                break
    modules = [
        t for t in catalog.transceivers.values() if protocol in t.families and purse.can_buy(t.id)
    ]
    left = [t for t in modules if t.connector in accepts_a and fills(t, gbps, a[1])]
    right = [t for t in modules if t.connector in accepts_b and fills(t, gbps, b[1])]
    optics = []
    for one, two in product(left, right):
        fibres = jumpers(purse, one, two)
        if fibres:
            optics.append(Optics(one.id, two.id, fibres))
    return Menu(a[1], b[1], cables, optics)


def fills(module: Any, gbps: float, links: int) -> bool:
    """Return whether a module carries as many links as its cage, a jumper each."""
    return links_of(module, gbps) == links == module.jumpers


def jumpers(purse: Any, one: Any, two: Any) -> list[tuple[float, str]]:
    """Return the fibres between two modules that understand each other."""
    if (one.optics, one.fibre_type) != (two.optics, two.fibre_type):
        return []
    ends = {one.fibre_connector, two.fibre_connector}
    reach = min(one.reach_m, two.reach_m)
    return [
        (f.length_m, f.id)
        for f in purse.catalog.fibres.values()
        if f.ends_b == 1 and f.fibre_type == one.fibre_type and f.length_m <= reach
        and {f.connector_a, f.connector_b} == ends and purse.can_buy(f.id)
    ]  # fmt: skip


class Signature(NamedTuple):
    """All that the cost of an arrangement depends on."""

    racks: int
    down: tuple[tuple[float, int, int], ...]
    """(length, links, most fixed cables that the bundles hold) of servers and leafs."""
    up: tuple[tuple[float, int, int], ...]


def modules(sizes: Any, down: tuple[Menu, Any] | None, up: tuple[Menu, Any] | None) -> Any:
    """Return [(part, count)] if all links are optical, and the cages that the fullest leaf needs."""
    found: list[tuple[str, int]] = []
    cages = [0]
    for unit in sizes.units:
        on_leaf: dict[str, int] = {}
        if down and down[1] and unit.servers:
            part = down[1].b
            on_leaf[part] = on_leaf.get(part, 0) + unit.servers * sizes.links_per_server_leaf
        if up and up[1]:
            on_leaf[up[1].a] = on_leaf.get(up[1].a, 0) + sizes.uplinks_per_leaf
        per = down[0].links_b if down else 1
        counts = [(part, math.ceil(links / per)) for part, links in on_leaf.items()]
        cages.append(sum(count for _, count in counts))
        found += [(part, count * unit.leafs) for part, count in counts]
    if down and down[1]:
        each = math.ceil(sizes.links_per_server / down[0].links_a)
        found.append((down[1].a, each * sizes.servers))
    if up and up[1]:
        each = math.ceil(sizes.leafs * sizes.links_per_leaf_spine / up[0].links_b)
        found.append((up[1].b, each * sizes.spines))
    return found, max(cages)


def ways(purse: Any, way: tuple[Menu, Any], length: float, links: int, most: int) -> list[Cents]:
    """Return what a tier's links of one length can cost beside its modules, in every way."""
    menu_, optic = way
    fibre = None
    if optic:
        reaching = [purse.vector(f) for m, f in optic.fibres if m >= length]
        fibre = min(reaching, default=None)
    found = [] if fibre is None else [tuple(x * links for x in fibre)]
    rest = links - most * menu_.size
    if most and (fibre or not rest):
        saved_a = saved_b = purse.nothing
        if optic:
            saved_a, saved_b = purse.vector(optic.a), purse.vector(optic.b)
        at_a, at_b = menu_.size // menu_.links_a, menu_.size // menu_.links_b
        for part in [c for m, c in menu_.cables if m >= length]:
            cable = purse.vector(part)
            money = [
                most * (cable[k] - at_a * saved_a[k] - at_b * saved_b[k])
                + (rest * fibre[k] if fibre else 0)
                for k in range(len(cable))
            ]
            found.append(tuple(money))
    return found


def front(points: list[Cents]) -> list[Cents]:
    """Return the points that no other with the same owned parts beats in both sums."""
    kept: dict[Cents, list[Cents]] = {}
    for point in sorted(points):
        same = kept.setdefault(point[2:], [])
        if not same or point[1] < same[-1][1]:
            same.append(point)
    return sorted(point for same in kept.values() for point in same)


def costs(
    purse: Any, sizes: Any, menus: tuple[Menu | None, Menu | None], cages: int, what: Signature
) -> list[Cents]:
    """Return the undominated costs of cables, modules and racks of a signature."""
    best: list[Cents] = []
    for down, up in product(*(choices(m) for m in menus)):
        parts, needed = modules(sizes, down, up)
        if needed > cages:
            continue
        start = purse.nothing
        for part, count in parts:
            start = tuple(s + x * count for s, x in zip(start, purse.vector(part), strict=True))
        points = [start]
        for way, tier in ((down, what.down), (up, what.up)):
            for length, links, most in tier:
                options = front(ways(purse, way, length, links, most)) if way else []
                points = front(
                    [
                        tuple(a + b for a, b in zip(p, o, strict=True))
                        for p in points
                        for o in options
                    ]
                )
        best = front(best + points)
    racks = purse.racks(what.racks)
    found = []
    for point in best:
        less = purse.spared(point[2:])
        found.append((point[0] + racks[0] - less[0], point[1] + racks[1] - less[1]))
    return found


def choices(menu_: Menu | None) -> list[Any]:
    """Return the pairs of modules of a tier; fixed cables alone where there are none."""
    if menu_ is None:
        return [None]
    return [(menu_, optic) for optic in menu_.optics] or [(menu_, None)] * bool(menu_.cables)
