"""Links of a laid-out hall by block: every device a with every device b, all of one route."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from planner.program.hall_layout import Positions
from planner.program.placement_problem import PlacementProblem
from planner.program.spread import spread_row


class Block(NamedTuple):
    """Links between `a_count` devices from number `a` on and `b_count` from `b` on."""

    tier: int
    a: int
    a_count: int
    b: int
    b_count: int
    each: int
    step: int
    """Index of the route's length in the room."""


class Run(NamedTuple):
    """Devices with consecutive numbers in one rack."""

    first: int
    devices: int
    rack: int


def runs(racks: Sequence[int], start: int, stop: int) -> list[Run]:
    """Return the devices from `start` to `stop` as runs of one rack each."""
    found: list[Run] = []
    for k in range(start, stop):
        if found and found[-1].rack == racks[k]:
            found[-1] = found[-1]._replace(devices=found[-1].devices + 1)
        else:
            found.append(Run(k, 1, racks[k]))
    return found


@dataclass(slots=True)
class Routes:
    """Index of the length between two racks of a room."""

    problem: PlacementProblem
    known: dict[tuple[int, int], int]
    index: dict[float, int]

    @classmethod
    def of(cls, problem: PlacementProblem) -> Routes:
        """Return the routes of a problem's room."""
        lengths = problem.room.lengths_m
        return cls(problem, {}, {length: k for k, length in enumerate(lengths)})

    def step(self, rack: int, other: int) -> int:
        """Return the index of a route's length."""
        room = self.problem.room
        if rack == other:
            return self.index[room.inside_rack_m]
        (row, column), (far_row, far_column) = room.cell(rack), room.cell(other)
        apart = abs(row - far_row), abs(column - far_column)
        if apart not in self.known:
            self.known[apart] = self.index[room.span_m(*apart)]
        return self.known[apart]


def blocks(problem: PlacementProblem, at: Positions, routes: Routes) -> Iterator[Block]:
    """Yield all links of a hall, tier by tier (`cabling_spread`, `cabling_rails`)."""
    plan = problem.plan
    node = leaf = 0
    for unit in plan.units:
        for a in runs(at["node"], node, node + unit.servers):
            for b in runs(at["leaf"], leaf, leaf + unit.leafs):
                step = routes.step(a.rack, b.rack)
                each = plan.links_per_server_leaf
                yield Block(0, a.first, a.devices, b.first, b.devices, each, step)
        node, leaf = node + unit.servers, leaf + unit.leafs
    leaf = spine = 0
    for group in plan.spine_groups if plan.spines else ():
        links = plan.uplinks_per_leaf
        ends = (leaf, leaf + group.leafs), (spine, spine + group.spines)
        yield from _spread(1, at["leaf"], at["spine"], ends, links, routes)
        leaf, spine = leaf + group.leafs, spine + group.spines
    if plan.cores:
        ends = (0, plan.spines), (0, plan.cores)
        yield from _spread(2, at["spine"], at["core"], ends, plan.uplinks_per_spine, routes)


def _spread(
    tier: int,
    lower: Sequence[int],
    upper: Sequence[int],
    ends: tuple[tuple[int, int], tuple[int, int]],
    links: int,
    routes: Routes,
) -> Iterator[Block]:
    """Yield the links of two tiers, `links` of each lower device spread over the upper ones."""
    (start, stop), (first, last) = ends
    above = runs(upper, first, last)
    count = last - first
    if links % count == 0:
        for a in runs(lower, start, stop):
            for b in above:
                step = routes.step(a.rack, b.rack)
                yield Block(tier, a.first, a.devices, b.first, b.devices, links // count, step)
        return
    for k in range(start, stop):
        row = spread_row(k - start, count, links)
        for begin, end, each in row:
            for b in above:
                low, high = max(b.first, first + begin), min(b.first + b.devices, first + end)
                if each and low < high:
                    step = routes.step(lower[k], b.rack)
                    yield Block(tier, k, 1, low, high - low, each, step)
