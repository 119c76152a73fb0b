"""Every way to spread identical boxes over racks, summed up by the lengths of their links.

Shares no code with the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.program.brute_cables import Menu, Signature


class Box(NamedTuple):
    """Rack units, watts and kilograms of one box."""

    units: float
    watts: float
    kilos: float


class Floor:
    """The room of a site."""

    def __init__(self, site: Any, rack: Any) -> None:
        self.site = site
        self.pitch = rack.width_mm / 1000
        self.limits = (rack.rack_units, site.rack_kw * 1000, site.rack_weight_kg)
        self.height = rack.rack_units

    def lengths(self) -> list[float]:
        """Return every length that a cable can have."""
        racks = range(self.site.racks)
        return sorted({self.metres(a, b) for a in racks for b in racks})

    def metres(self, a: int, b: int) -> float:
        """Return the length of a cable between two racks."""
        site, row = self.site, self.site.racks_per_row
        if a == b:
            return float(site.inside_rack_m)
        over = abs(a % row - b % row) * self.pitch + abs(a // row - b // row) * site.row_pitch_m
        return round(2 * site.rise_m + over + site.slack_m, 6)


def spreads(count: int, racks: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to put identical boxes into racks."""
    if racks == 1:
        yield (count,)
        return
    for here in range(count + 1):
        for rest in spreads(count - here, racks - 1):
            yield (here, *rest)


def signatures(
    floor: Floor,
    sizes: Any,
    boxes: dict[str, Box],
    oob: int,
    menus: tuple[Menu | None, Menu | None],
    *,
    bring: bool = False,
) -> set[Signature]:
    """Return what all arrangements that the racks hold come down to; servers may bring racks."""
    racks = floor.site.racks
    kinds = [("leaf", u.leafs) for u in sizes.units] + [("spine", sizes.spines), ("oob", oob)]
    kinds += [("server", u.servers) for u in sizes.units]
    found: set[Signature] = set()
    empty = [(0.0, 0.0, 0.0)] * racks
    for at in _fill(floor, boxes, kinds, 0, empty, []):
        n = len(sizes.units)
        leafs, spines, servers = at[:n], at[n], at[n + 2 :]
        if sizes.leafs_beside and not _apart(servers, leafs):
            continue
        bought = at[: n + 2] if bring else at
        used = sum(any(column) for column in zip(*bought, strict=True))
        down = _down(floor, sizes, menus[0], servers, leafs) if menus[0] else {}
        up = _up(floor, sizes, menus[1], leafs, spines) if menus[1] else {}
        found.add(Signature(used, _flat(down), _flat(up)))
    return found


def _apart(servers: Any, leafs: Any) -> bool:
    """Return whether every unit has one rack for its servers and leafs, another than the others."""
    taken = []
    for by_rack, leafs_by_rack in zip(servers, leafs, strict=True):
        racks = {k for k, n in enumerate(by_rack) if n} | {
            k for k, n in enumerate(leafs_by_rack) if n
        }
        if len(racks) > 1:
            return False
        taken += racks
    return len(set(taken)) == len(taken)


def _flat(sums: dict[float, list[int]]) -> tuple[tuple[float, int, int], ...]:
    return tuple((m, links, most) for m, (links, most) in sorted(sums.items()))


def _fill(
    floor: Floor,
    boxes: dict[str, Box],
    kinds: list[tuple[str, int]],
    k: int,
    load: list[tuple[float, ...]],
    chosen: list[tuple[int, ...]],
) -> Iterator[list[tuple[int, ...]]]:
    """Yield every way to place the kinds from the k-th on that the racks hold."""
    if k == len(kinds):
        yield chosen
        return
    name, count = kinds[k]
    for spread in spreads(count, floor.site.racks):
        after = [_with(row, boxes[name], n) for row, n in zip(load, spread, strict=True)]
        if all(_carries(floor.limits, row) for row in after):
            yield from _fill(floor, boxes, kinds, k + 1, after, [*chosen, spread])


def _with(load: tuple[float, ...], box: Box, count: int) -> tuple[float, ...]:
    return (
        (load[0] + count * box[0], load[1] + count * box[1], load[2] + count * box[2])
        if count
        else load
    )


def _carries(limits: tuple[float, ...], load: tuple[float, ...]) -> bool:
    return (
        load[0] <= limits[0] + 1e-6 and load[1] <= limits[1] + 1e-6 and load[2] <= limits[2] + 1e-6
    )


def _down(floor: Floor, sizes: Any, menu: Menu, servers: Any, leafs: Any) -> dict[float, list[int]]:
    """Sum links and fixed cables between the servers of a rack and each leaf of their unit.

    A fixed cable fills whole cages of a server.
    """
    sums: dict[float, list[int]] = {}
    each = sizes.links_per_server_leaf
    whole = each - each % menu.links_a
    for by_rack, leafs_by_rack in zip(servers, leafs, strict=True):
        for a, count in enumerate(by_rack):
            for b, number in enumerate(leafs_by_rack):
                if count and number:
                    entry = sums.setdefault(floor.metres(a, b), [0, 0])
                    entry[0] += number * count * each
                    entry[1] += number * (count * whole // menu.size)
    return sums


def _up(floor: Floor, sizes: Any, menu: Menu, leafs: Any, spines: Any) -> dict[float, list[int]]:
    """Sum links and fixed cables between every leaf and every spine, or between the two leafs."""
    sums: dict[float, list[int]] = {}
    if sizes.joint_links:
        one, two = (k for k, count in enumerate(leafs[0]) for _ in range(count))
        return {floor.metres(one, two): [sizes.joint_links, sizes.joint_links // menu.size]}
    each = sizes.links_per_leaf_spine
    for a in range(floor.site.racks):
        number = sum(row[a] for row in leafs)
        for b, count in enumerate(spines):
            if count and number:
                entry = sums.setdefault(floor.metres(a, b), [0, 0])
                entry[0] += number * count * each
                entry[1] += number * count * (each // menu.size)
    return sums
