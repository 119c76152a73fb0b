"""How many switches and links a fabric has, written again from its published rules.

Shares no code with `planner.physics.fabric`. Ratios are exact fractions of what a person writes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction


@dataclass(frozen=True)
class Unit:
    """Servers that share leafs."""

    servers: int
    leafs: int


@dataclass(frozen=True)
class Sizes:
    """Counts of a fabric."""

    servers: int
    units: tuple[Unit, ...]
    links_per_server: int
    links_per_server_leaf: int
    leafs: int = 0
    spines: int = 0
    uplinks_per_leaf: int = 0
    links_per_leaf_spine: int = 0
    unit_size: int = 1
    uplink_ratio: float = 1.0
    joint_links: int = 0
    leafs_beside: bool = False


def direct(servers: int, links: int) -> Sizes | None:
    """One server needs no switch."""
    if servers != 1:
        return None
    return Sizes(servers, (Unit(1, 0),), links, 0)


def single(servers: int, links: int, ports: int) -> Sizes | None:
    """All links of all servers on one switch."""
    if servers * links > ports:
        return None
    size = ports // links
    return Sizes(servers, (Unit(servers, 1),), links, links, leafs=1, unit_size=size)


def joined_pair(servers: int, links: int, ports: int) -> Sizes | None:
    """Half of the links of all servers on each of two switches, and as many between these."""
    half = links / 2
    if half != int(half) or servers * half + servers * half > ports:
        return None
    size = next(n for n in range(servers, ports + 1) if (n + 1) * half * 2 > ports)
    across = servers * int(half)
    return Sizes(
        servers, (Unit(servers, 2),), links, int(half), leafs=2, unit_size=size,
        uplinks_per_leaf=across, joint_links=across,
    )  # fmt: skip


def most_down(ports: int, ratio: Fraction) -> int:
    """Try every split of a leaf: most down ports with at most `ratio` of them an uplink."""
    good = [
        down
        for down in range(1, ports)
        if any(down <= ratio * up for up in range(1, ports - down + 1))
    ]
    return max(good, default=0)


def two_tiers(
    servers: int, links: int, ports: int, spine_ports: int, oversubscription: float, *, rails: bool
) -> Sizes | None:
    """Leafs that take whole servers, joined by spines with as many links from every leaf.

    With rails a unit has a leaf for each link of a server; else the fewest leafs that share a
    server's links evenly. Sized for whole units.
    """
    ratio = Fraction(str(oversubscription))
    down = most_down(ports, ratio)
    if rails:
        leafs, share = links, 1
    else:
        evenly = [g for g in range(1, links + 1) if links % g == 0 and links // g <= down]
        if not evenly:
            return None
        leafs = min(evenly)
        share = links // leafs
    if down < share:
        return None
    return _units(servers, links, (leafs, down // share), spine_ports, ratio)


def of_units(
    servers: int,
    links: int,
    unit: tuple[int, int],
    ports: tuple[int, int],
    oversubscription: float,
    reserved: int = 0,
) -> Sizes | str | None:
    """Return units of so many leafs and servers; "ports" where a leaf has too few.

    Slots kept free stand in racks, or are ports of every unit alike: fewest switches, then ports.
    """
    leafs, size = unit
    ratio = Fraction(str(oversubscription))

    def taken(slots: int) -> int:
        used = links // leafs * slots
        return used + next(u for u in range(1, used + 1) if used <= ratio * u)

    if taken(size) > ports[0]:
        return "ports"
    units = math.ceil(servers / size)
    found = [_units(servers, links, unit, ports[1], ratio, reserved)]
    kept = next(k for k in range(reserved + 1) if units * (size + k) >= servers + reserved)
    if kept and taken(size + kept) <= ports[0]:
        found.append(_units(servers, links, unit, ports[1], ratio, reserved, kept))
    possible = [sizes for sizes in reversed(found) if sizes is not None]
    best = min(possible, key=lambda s: s.leafs + s.spines, default=None)
    return None if best is None else replace(best, leafs_beside=True)


def _units(
    servers: int,
    links: int,
    unit: tuple[int, int],
    spine_ports: int,
    ratio: Fraction,
    reserved: int = 0,
    kept: int = 0,
) -> Sizes | None:
    leafs, size = unit
    share = links // leafs
    units = math.ceil(servers / size) if kept else math.ceil((servers + reserved) / size)
    total = units * leafs
    if total == 1:
        return None
    if spine_ports < total:
        return None

    def joined(uplinks: int) -> int:
        needed = math.ceil(total * uplinks / spine_ports)
        return next(s for s in range(needed, uplinks + 1) if uplinks % s == 0)

    most = (size + kept) * share
    full = next(u for u in range(1, most + 1) if most <= ratio * u)
    if units == 1:
        size = min(size, servers + reserved)
    used = (size + kept) * share
    wanted = next(u for u in range(1, used + 1) if used <= ratio * u)
    choices = range(wanted, full + 1) if units == 1 else [full]
    spines, uplinks = min((joined(u), u) for u in choices)
    left, sizes = servers, []
    for _ in range(units):
        sizes.append(Unit(min(size, left), leafs))
        left -= min(size, left)
    return Sizes(
        servers, tuple(sizes), links, share,
        leafs=total, spines=spines, uplinks_per_leaf=uplinks,
        links_per_leaf_spine=uplinks // spines, unit_size=size,
        uplink_ratio=min(1.0, uplinks / used),
    )  # fmt: skip
