"""Places a parted fabric: servers fill racks in order, every switch goes where it costs least.

For pods below cores and planes with spines, whose leafs do not meet every spine. Servers fill the
racks one after another with some racks left free in the middle; leafs, spines, cores and
out-of-band switches then take the rack that adds least, and move while that saves. Where links
inside a rack are cheaper, leafs and spines that are joined also start together in one rack. Good, not proved
best: the bound of `parted_bound_cents` gives the gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from planner.domain.design import FabricPlan
from planner.program.box import Box, Load, load_in, load_of, rack_load, rack_load_in
from planner.program.link_prices import FORBIDDEN, IMPOSSIBLE
from planner.program.parted_wiring import PartedWiring
from planner.program.placement_bound import least_racks
from planner.program.placement_problem import PlacementProblem
from planner.program.rack_layout import DIGITS, Kind, Spot, names
from planner.program.room import Room
from planner.program.switch_pairs import core_planes, leaf_plane, leaf_pod, spine_places

MOST_TRIED = 200
"""Servers beyond which only a few layouts are tried."""
PASSES = 8
"""Most times that every switch is tried in every rack."""
FULL = np.iinfo(np.int64).max
"""Cost of a rack that does not hold a box."""
Key = tuple[Kind, int]
Indices = NDArray[np.int64]


@lru_cache(maxsize=32)
def _routes(room: Room, racks: tuple[int, ...]) -> Indices:
    """Return the index of the route's length between every two of some racks."""
    index = {length: k for k, length in enumerate(room.lengths_m)}
    if room.stands:
        steps = [[index[room.routes_m[rack][other]] for other in racks] for rack in racks]
        return np.array(steps, dtype=np.int64)
    spans = np.array(
        [
            [
                index[room.span_m(row, column)] if row or column else 0
                for column in range(room.columns)
            ]
            for row in range(room.rows)
        ],
        dtype=np.int64,
    )
    rows, columns = (np.array(part) for part in zip(*map(room.cell, racks), strict=True))
    found: Indices = spans[abs(rows[:, None] - rows), abs(columns[:, None] - columns)]
    np.fill_diagonal(found, index[room.inside_rack_m])
    return found


@dataclass
class PartedLayout:
    """One way to fill the racks of a room with the boxes of a parted fabric.

    Arrays are by place in `racks`.
    """

    wiring: PartedWiring
    racks: list[int]
    """Racks of the room that may be used, ascending."""
    place: dict[Key, int] = field(default_factory=dict)
    """Place of every box."""
    unit_racks: list[dict[int, int]] = field(default_factory=list)
    """By unit: servers by place."""

    def __post_init__(self) -> None:
        room, problem = self.problem.room, self.problem
        self._routes = _routes(room, tuple(self.racks))
        self._left = _loads(rack_load_in(room, rack) for rack in self.racks)
        self._load = {
            kind: _loads(load_in(box, room, rack) for rack in self.racks)
            for kind, (box, _) in self.boxes.items()
        }
        self._inside = np.zeros(len(self.racks), dtype=np.int64)
        self._empty = np.array([problem.racks_cents([rack]) for rack in self.racks], dtype=np.int64)

    @property
    def problem(self) -> PlacementProblem:
        """The design to place."""
        return self.wiring.problem

    @cached_property
    def boxes(self) -> dict[Kind, tuple[Box, int]]:
        """Box and count of every kind there is."""
        p, plan = self.problem, self.problem.plan
        kinds: list[tuple[Kind, Box | None, int]] = [
            ("node", p.server, plan.servers), ("leaf", p.leaf, plan.leafs),
            ("spine", p.spine, plan.spines), ("core", p.core, plan.cores),
            ("oob", p.oob, p.oob_count),
        ]  # fmt: skip
        return {k: (box, n) for k, box, n in kinds if box is not None and n}

    def fill(self, free: int) -> bool:
        """Put servers in order with `free` racks left in the middle; return whether all fit."""
        count = len(self.racks)
        first = (count - free) // 2
        order = [*range(first), *range(first + free, count)]
        number = at = 0
        for unit in self.problem.plan.units:
            here: dict[int, int] = {}
            left = unit.servers
            while left:
                if at == len(order):
                    return False
                taken = min(left, self._most("node", order[at]))
                if taken:
                    here[order[at]] = taken
                for _ in range(taken):
                    self._put(("node", number), order[at])
                    number += 1
                left -= taken
                at += left > 0
            self.unit_racks.append(here)
        return True

    def add_switches(self, *, together: bool = False) -> bool:
        """Put every switch where it adds least, then move switches; return whether all fit.

        Parameters
        ----------
        together
            Whether leafs and spines that are joined first take a rack together where one holds them.
        """
        switches = [
            (kind, number)
            for kind in ("leaf", "spine", "core", "oob")
            if kind in self.boxes
            for number in range(self.boxes[kind][1])
        ]
        if together:
            for group in joined_switches(self.problem.plan):
                self._put_group(group)
        for key in switches:
            if key in self.place:
                continue
            fitting = self._holds(key[0])
            if not fitting.any():
                return False
            self._put(key, int(np.where(fitting, self._added(key), FULL).argmin()))
        for _ in range(PASSES):
            if not sum(self._move(key) for key in switches):
                break
        return True

    def _put_group(self, group: list[Key]) -> None:
        """Put switches into the rack that holds them all and adds least, if there is one."""
        load = sum((self._load[kind] for kind, _ in group), np.zeros_like(self._left))
        fitting = (load <= self._left).all(axis=0)
        if fitting.any():
            bought = np.where(self._inside > 0, 0, self._empty)
            added = bought + sum(
                (self._added(key) - bought for key in group), np.zeros_like(bought)
            )
            at = int(np.where(fitting, added, FULL).argmin())
            for key in group:
                self._put(key, at)

    def _move(self, key: Key) -> bool:
        before = self.place.pop(key)
        self._left[:, before] += self._load[key[0]][:, before]
        self._inside[before] -= 1
        added = self._added(key)
        best = int(np.where(self._holds(key[0]), added, FULL).argmin())
        if added[best] >= added[before]:
            best = before
        self._put(key, best)
        return best != before

    def _holds(self, kind: Kind) -> NDArray[np.bool_]:
        units, power, weight = self._load[kind] <= self._left
        held: NDArray[np.bool_] = units & power & weight
        return held

    def _most(self, kind: Kind, at: int) -> int:
        load, left = self._load[kind][:, at], self._left[:, at]
        return max(0, min(int(have) // int(n) for have, n in zip(left, load, strict=True) if n))

    def _put(self, key: Key, at: int) -> None:
        self.place[key] = at
        self._inside[at] += 1
        self._left[:, at] -= self._load[key[0]][:, at]

    def _added(self, key: Key) -> Indices:
        """Return what a switch costs in every rack with its links to what is placed already."""
        cents = np.where(self._inside > 0, 0, self._empty)
        if key[0] == "leaf":
            unit = key[1] // self.problem.plan.units[0].leafs
            for other, servers in self.unit_racks[unit].items():
                cents += self.wiring.servers_row(servers)[self._routes[other]]
        for other_key, tier, links in self.wiring.neighbours.get(key, ()):
            there = self.place.get(other_key)
            if there is not None:
                cents += self.wiring.pair_row(tier, links)[self._routes[there]]
        return cents

    def cost(self) -> int:
        """Return racks, cables and modules, cents; IMPOSSIBLE or more if it cannot be wired."""
        own = self.problem.server.whole_rack
        brought = {at for racks in self.unit_racks for at in racks} if own else set()
        used = [k for k, n in enumerate(self._inside) if n and k not in brought]
        total = self.wiring.base_cents + int(self._empty[used].sum())
        group = self.problem.plan.units[0].leafs
        for number in range(self.boxes["leaf"][1]):
            routes = self._routes[self.place["leaf", number]]
            for other, servers in self.unit_racks[number // group].items():
                total += int(self.wiring.servers_row(servers)[routes[other]])
        for tier, low, high, pairs in self.wiring.tiers:
            for links in {pair[2] for pair in pairs}:
                below, above = (
                    [self.place[kind, pair[end]] for pair in pairs if pair[2] == links]
                    for end, kind in enumerate((low, high))
                )
                cents = self.wiring.pair_row(tier, links)[self._routes[below, above]]
                total += FORBIDDEN if (cents >= IMPOSSIBLE).any() else int(cents.sum())
        return total

    def spots(self) -> list[Spot]:
        """Return every device with its name, by kind and number."""
        plan = self.problem.plan
        unit_of = [u for u, unit in enumerate(plan.units) for _ in range(unit.servers)]
        group, spines, cores = plan.units[0].leafs, spine_places(plan), core_planes(plan)
        rails = group > 1 and plan.links_per_server_leaf == 1
        found = []
        for kind, (box, count) in self.boxes.items():
            for number, name in enumerate(names(kind, count, DIGITS[kind])):
                unit = rail = pod = plane = -1
                if kind == "node":
                    unit = unit_of[number]
                elif kind == "leaf":
                    unit, pod, plane = (
                        number // group,
                        leaf_pod(plan, number),
                        leaf_plane(plan, number),
                    )
                    rail = number % group if rails else -1
                elif kind == "spine":
                    pod, plane = spines[number]
                elif kind == "core":
                    plane = cores[number]
                found.append(
                    Spot(
                        id=name,
                        kind=kind,
                        box=box,
                        rack=self.racks[self.place[kind, number]],
                        group=unit,
                        rail=rail,
                        pod=pod if plan.pods else -1,
                        plane=plane if plan.planes > 1 else -1,
                    )
                )
        return found


def _loads(loads: Iterable[Load]) -> Indices:
    """Return units, milliwatts and grams by rack, an array of shape (3, racks)."""
    rows = [(load.units, load.milliwatts, load.grams) for load in loads]
    return np.array(rows, dtype=np.int64).T.copy()


def joined_switches(plan: FabricPlan) -> list[list[Key]]:
    """Return the leafs and spines of each plane of each pod: every one meets all of the others."""
    found: dict[tuple[int, int], list[Key]] = {}
    for leaf in range(plan.leafs):
        found.setdefault((leaf_pod(plan, leaf), leaf_plane(plan, leaf)), []).append(("leaf", leaf))
    for spine, place in enumerate(spine_places(plan)):
        found[place].append(("spine", spine))
    return list(found.values())


def layouts(wiring: PartedWiring) -> Iterator[PartedLayout]:
    """Yield complete layouts: blocks of racks of different shape and size, middle racks left free."""
    problem = wiring.problem
    room = problem.room
    needed = least_racks(problem)
    free_most = _network_racks(problem)
    if problem.plan.servers > MOST_TRIED:
        free_most = min(free_most, 1)
    for used in range(needed, min(room.racks, needed + free_most + 1) + 1):
        for racks in _blocks(room, used):
            for free in range(free_most + 1):
                for together in (False, True) if wiring.short_saves else (False,):
                    layout = PartedLayout(wiring=wiring, racks=racks)
                    placed = layout.fill(free) and layout.add_switches(together=together)
                    if placed and layout.cost() < IMPOSSIBLE:
                        yield layout


def _network_racks(problem: PlacementProblem) -> int:
    """Return the racks that all switches together would fill."""
    rack = rack_load(problem.room)
    plan = problem.plan
    boxes = ((problem.leaf, plan.leafs), (problem.spine, plan.spines), (problem.core, plan.cores))
    return sum(-(-n // max(1, rack.most(load_of(box, problem.room)))) for box, n in boxes if n)


def _blocks(room: Room, used: int) -> list[list[int]]:
    """Return blocks of so many racks: along the rows, and about as deep as wide."""
    row = min(room.racks_per_row, room.racks)
    square = max(1, min(row, round(sqrt(used * room.row_pitch_m / room.pitch_m))))
    found: list[list[int]] = []
    for width in sorted({row, square}):
        racks = [rack for rack in range(room.racks) if room.cell(rack)[1] < width]
        if len(racks) >= used and racks[:used] not in found:
            found.append(racks[:used])
    return found
