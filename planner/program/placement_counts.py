"""Placement as integers: identical boxes are counted by rack, links are priced by rack pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from planner.program.box import Load, load_in, load_of, rack_load, rack_load_in
from planner.program.link_prices import FORBIDDEN, Medium
from planner.program.module_base import base_cents
from planner.program.placement_bound import assemblies, extra_links_cents, joint_cents, pair_cents
from planner.program.placement_problem import PlacementProblem
from planner.program.racks_needed import racks_needed


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """How many of each kind stand in each rack; the outer index is the rack."""

    servers: tuple[tuple[int, ...], ...]
    """By unit."""
    leafs: tuple[tuple[int, ...], ...]
    """By unit."""
    spines: tuple[int, ...]
    oob: tuple[int, ...]

    def used(self, rack: int) -> bool:
        """Return whether anything stands in a rack."""
        return bool(
            sum(self.servers[rack]) + sum(self.leafs[rack]) + self.spines[rack] + self.oob[rack]
        )


@dataclass(frozen=True, kw_only=True)
class Counts:
    """One problem with one medium for each tier."""

    problem: PlacementProblem
    down: Medium | None
    up: Medium | None
    places: tuple[int, ...]
    """Racks of the room that may be used; everything here counts racks by their index in it."""
    top: Medium | None = None
    """How spines are joined to cores."""
    unit_servers: tuple[int, ...] = field(init=False)
    group: int = field(init=False)
    """Leafs of each unit."""
    spines: int = field(init=False)
    oob: int = field(init=False)
    racks: int = field(init=False)
    """Number of places."""

    def __post_init__(self) -> None:
        plan = self.problem.plan
        object.__setattr__(self, "unit_servers", tuple(u.servers for u in plan.units))
        object.__setattr__(self, "group", plan.units[0].leafs)
        object.__setattr__(self, "spines", plan.spines)
        object.__setattr__(self, "oob", self.problem.oob_count if self.problem.oob else 0)
        object.__setattr__(self, "racks", len(self.places))

    @cached_property
    def base(self) -> int:
        """Modules of all links if every link were optical, cents; and the least for extra links.

        The links of a joined pair count with their least cost; `joint` adds what a place adds.
        """
        modules = base_cents(self.problem, self.down, self.up) + min(self._joint_cents)
        return modules + extra_links_cents(self.problem, self.up)

    @cached_property
    def _joint_cents(self) -> list[int]:
        return joint_cents(self.problem, self.up)

    def joint(self, leafs: Sequence[tuple[int, ...]]) -> int:
        """Return what the links between the leafs of a pair cost beyond their least, cents.

        Parameters
        ----------
        leafs
            Leafs of every unit by place, all of them.
        """
        if not self.problem.plan.joint_links:
            return 0
        ends = [k for k, row in enumerate(leafs) for _ in range(sum(row))]
        return self._joint_cents[self.steps[ends[0]][ends[-1]]] - min(self._joint_cents)

    @cached_property
    def loads(self) -> tuple[Load, Load, Load, Load]:
        """Load of a server, leaf, spine and out-of-band switch."""
        p = self.problem
        server, leaf, spine, oob = (load_of(b, p.room) for b in (p.server, p.leaf, p.spine, p.oob))
        return server, leaf, spine, oob

    @cached_property
    def rack(self) -> Load:
        """What one rack offers; where racks differ, the most that any offers of each."""
        return rack_load(self.problem.room)

    @cached_property
    def kinds(self) -> list[int]:
        """Kind of every place: racks of one kind offer the same to every box."""
        room = self.problem.room
        if room.alike:
            return [0] * self.racks
        seen: dict[tuple[Load, ...], int] = {}
        return [
            seen.setdefault((self.racks_at(k), *self.loads_at(k)), k) for k in range(self.racks)
        ]

    def racks_at(self, k: int) -> Load:
        """Return what the rack of a place offers."""
        return rack_load_in(self.problem.room, self.places[k])

    def loads_at(self, k: int) -> tuple[Load, Load, Load, Load]:
        """Return the load of a server, leaf, spine and out-of-band switch at a place."""
        p, rack = self.problem, self.places[k]
        server, leaf, spine, oob = (
            load_in(b, p.room, rack) for b in (p.server, p.leaf, p.spine, p.oob)
        )
        return server, leaf, spine, oob

    @cached_property
    def rack_cents_at(self) -> list[int]:
        """Present value of the rack of each place in use, cents."""
        p = self.problem
        return [p.rack_cents_in[k] if p.rack_cents_in else p.rack_cents for k in self.places]

    @cached_property
    def steps(self) -> list[list[int]]:
        """Index into the room's lengths, by pair of places."""
        room = self.problem.room
        if not room.alike:
            index = {length: k for k, length in enumerate(room.lengths_m)}
            routes = room.routes_m
            return [[index[routes[a][b]] for b in self.places] for a in self.places]
        cells = np.array([room.cell(rack) for rack in self.places], dtype=np.int64).reshape(-1, 2)
        rows, columns = cells[:, 0], cells[:, 1]
        table = self._span_steps(int(rows.max()) + 1, int(columns.max()) + 1)
        apart = np.abs(rows[:, None] - rows), np.abs(columns[:, None] - columns)
        steps: list[list[int]] = table[apart].tolist()
        return steps

    def _span_steps(self, rows: int, columns: int) -> NDArray[np.int64]:
        """Return the length index by rows and columns between two racks."""
        room = self.problem.room
        index = {length: k for k, length in enumerate(room.lengths_m)}
        table = [
            [index[room.span_m(r, c)] if r or c else self.inside for c in range(columns)]
            for r in range(rows)
        ]
        return np.array(table, dtype=np.int64)

    @cached_property
    def inside(self) -> int:
        """Index of the length inside a rack."""
        room = self.problem.room
        return room.lengths_m.index(room.inside_rack_m)

    @cached_property
    def nearest(self) -> list[int]:
        """Length indices to other racks, ascending: no rack of the room has any of them nearer."""
        room = self.problem.room
        if not room.alike:
            others = [
                sorted(s for j, s in enumerate(row) if j != k) for k, row in enumerate(self.steps)
            ]
            return [min(each) for each in zip(*others, strict=True)]
        table = self._span_steps(room.rows, room.columns)
        found = [
            step
            for (r, c), step in np.ndenumerate(table)
            if r or c
            for _ in range((1 + (r > 0)) * (1 + (c > 0)))
        ]
        return sorted(int(step) for step in found)

    def step(self, rack: int, other: int) -> int:
        """Return the index of the route between two racks of the room."""
        room = self.problem.room
        return room.lengths_m.index(room.route_m(rack, other))

    def most_servers(self, leafs: int, spines: int = 0, oob: int = 0, at: int | None = None) -> int:
        """Return how many servers fit beside switches; -1 where these do not fit themselves.

        Parameters
        ----------
        leafs, spines, oob
            Switches in the rack.
        at
            Place; without one, the most that any rack could hold.
        """
        place = None if self.problem.room.alike else at
        key = (leafs, spines, oob, place)
        if key not in self._most:
            self._most[key] = self._most_of(leafs, spines, oob, place)
        return self._most[key]

    @cached_property
    def _most(self) -> dict[tuple[int, int, int, int | None], int]:
        return {}

    def _most_of(self, leafs: int, spines: int, oob: int, at: int | None) -> int:
        server, leaf, spine, out = self.loads if at is None else self._loads_of[at]
        rack = self.rack if at is None else self._racks_of[at]
        if not rack.holds((leafs, leaf), (spines, spine), (oob, out)):
            return -1
        left = rack.less(leaf, leafs).less(spine, spines).less(out, oob)
        return min(self.problem.plan.servers, left.most(server))

    @cached_property
    def most_alone(self) -> list[tuple[int, int, int]]:
        """Servers, leafs and spines that the rack of each place holds if nothing else is there."""
        servers = self.problem.plan.servers
        return [
            (min(servers, rack.most(loads[0])), rack.most(loads[1]), rack.most(loads[2]))
            for rack, loads in zip(self._racks_of, self._loads_of, strict=True)
        ]

    @cached_property
    def _loads_of(self) -> list[tuple[Load, Load, Load, Load]]:
        return [self.loads_at(k) for k in range(self.racks)]

    @cached_property
    def _racks_of(self) -> list[Load]:
        return [self.racks_at(k) for k in range(self.racks)]

    @cached_property
    def racks_needed(self) -> int:
        """Fewest racks that hold every box; one more than the room has if it holds not all."""
        return racks_needed(self.problem) or self.problem.room.racks + 1

    @cached_property
    def server_cents(self) -> list[list[int]]:
        """Links of x servers in one rack with one leaf, cents: by length index, then x."""
        if self.down is None:
            return [[0] * (self.most_servers(0) + 1) for _ in self.problem.room.lengths_m]
        each = self.problem.plan.links_per_server_leaf
        down = self.down
        return [
            [
                min(FORBIDDEN, down.bundle_cents(x * each, assemblies(down, x, each), step))
                for x in range(self.most_servers(0) + 1)
            ]
            for step in range(len(self.problem.room.lengths_m))
        ]

    @cached_property
    def pair_cents(self) -> list[int]:
        """Links of one leaf with one spine, cents, by length index.

        Without even spread those that every pair has; `base` holds the least for the others.
        """
        steps = range(len(self.problem.room.lengths_m))
        if self.up is None or not self.spines:
            return [0 for _ in steps]
        return [min(FORBIDDEN, pair_cents(self.problem, self.up, step)) for step in steps]

    def cost(self, at: Arrangement) -> int:
        """Return the cost of an arrangement, cents; FORBIDDEN or more if it cannot be wired.

        Without even spread the pairs of leaf and spine count with their least cost.
        """
        racks = range(self.racks)
        own = self.problem.server.whole_rack
        bought = (k for k in racks if at.used(k) and not (own and any(at.servers[k])))
        total = self.base + sum(self.rack_cents_at[k] for k in bought)
        total += self.joint(at.leafs)
        leaf_racks = [k for k in racks if sum(at.leafs[k])]
        for k in leaf_racks:
            near = self.steps[k]
            leafs = at.leafs[k]
            everyone = sum(leafs)
            for other in racks:
                if at.spines[other]:
                    total += everyone * at.spines[other] * self.pair_cents[near[other]]
                prices = self.server_cents[near[other]]
                for count, servers in zip(leafs, at.servers[other], strict=True):
                    if count and servers:
                        total += count * prices[servers]
        return total
