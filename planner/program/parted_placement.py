"""Places a parted fabric: servers fill racks in order, every switch goes where it costs least.

For pods below cores and planes with spines, whose leafs do not meet every spine. Servers fill the
racks one after another with some racks left free in the middle; leafs, spines, cores and
out-of-band switches then take the rack that adds least, and move while that saves. Good, not proved
best: the bound of `parted_bound_cents` gives the gap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt

from planner.program.box import Box, Load, load_in, load_of, rack_load, rack_load_in
from planner.program.link_prices import IMPOSSIBLE
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
Key = tuple[Kind, int]


@dataclass
class PartedLayout:
    """One way to fill the racks of a room with the boxes of a parted fabric."""

    wiring: PartedWiring
    racks: list[int]
    """Racks of the room that may be used."""
    left: dict[int, Load] = field(init=False)
    place: dict[Key, int] = field(default_factory=dict)
    inside: dict[int, int] = field(default_factory=dict)
    """Boxes by rack."""
    unit_racks: list[dict[int, int]] = field(default_factory=list)
    """By unit: servers by rack."""
    _steps: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        room = self.problem.room
        self.left = {rack: rack_load_in(room, rack) for rack in self.racks}

    @property
    def problem(self) -> PlacementProblem:
        """The design to place."""
        return self.wiring.problem

    @cached_property
    def _index(self) -> dict[float, int]:
        return {length: k for k, length in enumerate(self.problem.room.lengths_m)}

    def step(self, rack: int, other: int) -> int:
        """Return the index of the route between two racks."""
        key = (rack, other) if rack < other else (other, rack)
        if key not in self._steps:
            self._steps[key] = self._index[self.problem.room.route_m(*key)]
        return self._steps[key]

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

    @cached_property
    def neighbours(self) -> dict[Key, list[tuple[Key, int, int]]]:
        """By switch: the switches that it is joined to, each with tier and links."""
        found: dict[Key, list[tuple[Key, int, int]]] = {}
        tiers: list[tuple[Kind, Kind, int, list[tuple[int, int, int]]]] = [
            ("leaf", "spine", 1, self.wiring.leaf_spine),
            ("spine", "core", 2, self.wiring.spine_core),
        ]
        for low, high, tier, pairs in tiers:
            for below, above, links in pairs:
                found.setdefault((low, below), []).append(((high, above), tier, links))
                found.setdefault((high, above), []).append(((low, below), tier, links))
        return found

    def fill(self, free: int) -> bool:
        """Put servers in order with `free` racks left in the middle; return whether all fit."""
        first = (len(self.racks) - free) // 2
        order = [*self.racks[:first], *self.racks[first + free :]]
        number = at = 0
        for unit in self.problem.plan.units:
            here: dict[int, int] = {}
            for _ in range(unit.servers):
                while at < len(order) and not self._holds("node", order[at]):
                    at += 1
                if at == len(order):
                    return False
                self._put(("node", number), order[at])
                here[order[at]] = here.get(order[at], 0) + 1
                number += 1
            self.unit_racks.append(here)
        return True

    def add_switches(self) -> bool:
        """Put every switch where it adds least, then move switches; return whether all fit."""
        switches = [
            (kind, number)
            for kind in ("leaf", "spine", "core", "oob")
            if kind in self.boxes
            for number in range(self.boxes[kind][1])
        ]
        for key in switches:
            rack = self._cheapest(key)
            if rack is None:
                return False
            self._put(key, rack)
        for _ in range(PASSES):
            if not sum(self._move(key) for key in switches):
                break
        return True

    def _move(self, key: Key) -> bool:
        before = self.place.pop(key)
        self.left[before] = self.left[before].less(self._load(key[0], before), -1)
        self.inside[before] -= 1
        rack = self._cheapest(key)
        assert rack is not None
        if self._added(key, rack) >= self._added(key, before):
            rack = before
        self._put(key, rack)
        return rack != before

    def _cheapest(self, key: Key) -> int | None:
        fitting = [rack for rack in self.racks if self._holds(key[0], rack)]
        return min(fitting, key=lambda rack: (self._added(key, rack), rack), default=None)

    def _load(self, kind: Kind, rack: int) -> Load:
        return load_in(self.boxes[kind][0], self.problem.room, rack)

    def _holds(self, kind: Kind, rack: int) -> bool:
        return self.left[rack].holds((1, self._load(kind, rack)))

    def _put(self, key: Key, rack: int) -> None:
        self.place[key] = rack
        self.inside[rack] = self.inside.get(rack, 0) + 1
        self.left[rack] = self.left[rack].less(self._load(key[0], rack))

    def _added(self, key: Key, rack: int) -> int:
        """Return what a switch in a rack costs with its links to what is placed already."""
        cents = 0 if self.inside.get(rack) else self.problem.racks_cents([rack])
        if key[0] == "leaf":
            unit = key[1] // self.problem.plan.units[0].leafs
            for other, servers in self.unit_racks[unit].items():
                cents += self.wiring.servers_cents(servers, self.step(rack, other))
        for other_key, tier, links in self.neighbours.get(key, ()):
            there = self.place.get(other_key)
            if there is not None:
                cents += self.wiring.pair_cents(tier, links, self.step(rack, there))
        return cents

    def cost(self) -> int:
        """Return racks, cables and modules, cents; IMPOSSIBLE or more if it cannot be wired."""
        own = self.problem.server.whole_rack
        brought = {rack for racks in self.unit_racks for rack in racks} if own else set()
        used = [rack for rack, count in self.inside.items() if count and rack not in brought]
        total = self.wiring.base_cents + self.problem.racks_cents(used)
        for key, rack in self.place.items():
            if key[0] == "leaf":
                unit = key[1] // self.problem.plan.units[0].leafs
                for other, servers in self.unit_racks[unit].items():
                    total += self.wiring.servers_cents(servers, self.step(rack, other))
        for low, high, tier, pairs in (
            ("leaf", "spine", 1, self.wiring.leaf_spine),
            ("spine", "core", 2, self.wiring.spine_core),
        ):
            for below, above, links in pairs:
                step = self.step(self.place[low, below], self.place[high, above])  # type: ignore[index]
                total += self.wiring.pair_cents(tier, links, step)
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
                        rack=self.place[kind, number],
                        group=unit,
                        rail=rail,
                        pod=pod if plan.pods else -1,
                        plane=plane if plan.planes > 1 else -1,
                    )
                )
        return found


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
                layout = PartedLayout(wiring=wiring, racks=racks)
                if layout.fill(free) and layout.add_switches() and layout.cost() < IMPOSSIBLE:
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
