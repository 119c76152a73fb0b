"""Which racks the leafs stand in: branch and bound over counted leafs, exact up to a work limit.

A node has placed some leafs (by unit, in rising racks). Its bound adds, for every placed leaf,
the least cost of its own links given how many leafs share its rack, and for the others the least
over all racks (`bound`). At a full node everything else follows exactly (`RackFill`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, repeat

import numpy as np

from planner.program.floor_region import mirrors
from planner.program.leaf_bounds import IntArray, LeafBounds, Row, add
from planner.program.leaf_starts import Rows, leaf_starts
from planner.program.link_prices import FORBIDDEN, IMPOSSIBLE
from planner.program.placement_counts import Arrangement, Counts
from planner.program.rack_fill import RackFill
from planner.program.rack_fill_flow import RackFillFlow
from planner.program.rack_fill_mip import RackFillMip

NODE_WORK = 100_000
"""What one node counts against the work limit, in table cells of `RackFill`."""
MOST_TABLE_WORK = 20_000_000
"""Table cells beyond which an integer program fills the racks instead."""
MOST_PROGRAM_BINARIES = 4000
"""Binaries beyond which a flow fills the racks, well but not provably best."""
MOST_STARTS = 6
MOST_ROWS = 2000
"""Ways to fill one rack with leafs beyond which a node is not split, only bounded."""


@dataclass
class Incumbent:
    """The best arrangement so far, shared by the searches of all media."""

    cents: int = IMPOSSIBLE
    at: Arrangement | None = None
    counts: Counts | None = None

    def offer(self, cents: int, at: Arrangement, counts: Counts) -> None:
        """Keep an arrangement if it costs less."""
        if cents < self.cents:
            self.cents, self.at, self.counts = cents, at, counts


@dataclass
class LeafSearch:
    """Searches the leaf racks of one pair of media."""

    counts: Counts
    incumbent: Incumbent
    work_limit: int
    """Table cells that `RackFill` may touch, nodes counted too, before the search stops."""
    work: int = 0
    nodes: int = 0
    open_bound: int = IMPOSSIBLE
    """Least bound of what was left unexplored."""
    bounds: LeafBounds = field(init=False)
    fill: RackFill | RackFillMip | RackFillFlow = field(init=False)
    most_leafs: int = field(init=False)
    """Leafs that one rack holds."""
    mirrored: bool = field(init=False)

    def __post_init__(self) -> None:
        self.bounds = LeafBounds(self.counts)
        self.fill = _fill(self.counts)
        self.most_leafs = self.counts.rack.most(self.counts.loads[1])
        room = self.counts.problem.room
        self.mirrored = room.alike and mirrors(room, self.counts.places)

    def root(self, used: int = 0) -> int:
        """Return a lower bound on every arrangement that uses at least so many racks, cents."""
        counts = self.counts
        racks = np.maximum(self.bounds.rack_cents, counts.problem.fewest_cents(used))
        if not counts.group:
            return counts.base + int(racks[0])
        units = zip(counts.unit_servers, repeat(counts.group))
        least = sum(leafs * self.bounds.least_own[size] for size, leafs in units)
        excess = self.bounds.excess[counts.group * len(counts.unit_servers)]
        return counts.base + least + int((excess + racks).min())

    def likely_racks(self) -> int:
        """Return how many racks the arrangement behind the root bound uses."""
        counts = self.counts
        if not counts.group or not counts.problem.rack_cents:
            return counts.racks_needed
        excess = self.bounds.excess[counts.group * len(counts.unit_servers)]
        lost = int((excess + self.bounds.rack_cents).min(axis=0).argmin())
        bought = int(self.bounds.rack_cents[lost]) // counts.problem.rack_cents
        return bought + counts.problem.own_racks

    @property
    def stopped(self) -> bool:
        """True where the work limit left something unexplored."""
        return self.open_bound < IMPOSSIBLE

    def run(self) -> int:
        """Search to the end or to the work limit; return the proven lower bound, cents."""
        counts = self.counts
        empty = [(0,) * len(counts.unit_servers)] * counts.racks
        left = (counts.group,) * len(counts.unit_servers)
        if not counts.group:
            self._evaluate(empty)
        else:
            self._begin()
            root = self.root()
            if root < self.incumbent.cents:
                self._place(0, left, self._tied_at_start(), empty, root)
        return min(self.open_bound, self.incumbent.cents)

    def _begin(self) -> None:
        """Try a few plain ways to put the leafs, the most promising first."""
        none_left = (0,) * len(self.counts.unit_servers)
        starts = [(self.bound(list(rows), none_left), rows) for rows in leaf_starts(self.counts)]
        starts = sorted(starts)[:MOST_STARTS]
        if not isinstance(self.fill, RackFill):
            starts = self._by_flow(starts)
        for bound, rows in starts:
            if bound < self.incumbent.cents and self.work < self.work_limit:
                self._evaluate(list(rows))

    def _by_flow(self, starts: list[tuple[int, Rows]]) -> list[tuple[int, Rows]]:
        """Fill the starts by a flow, which is quick; return the best of them."""
        flow = RackFillFlow(self.counts)
        found = []
        for bound, rows in starts:
            filled = flow.solve(rows)
            self.work += flow.work
            if filled is not None:
                self.incumbent.offer(*filled, self.counts)
                found.append((filled[0], bound, rows))
        return [(bound, rows) for _, bound, rows in sorted(found)[:1]] or starts

    def _tied_at_start(self) -> tuple[bool, ...]:
        """Return, for each unit, whether it is still the same as the unit before it."""
        sizes = self.counts.unit_servers
        return tuple(k > 0 and sizes[k] == sizes[k - 1] for k in range(len(sizes)))

    def bound(self, leafs: list[Row], left: Row) -> int:
        """Return a lower bound on every arrangement with these leaf racks and `left` in others."""
        hubs = [(rack, row) for rack, row in enumerate(leafs) if any(row)]
        apart = int((self._shared(hubs, left) + self.bounds.rack_cents).min())
        return self._bound(leafs, left, apart)

    def _shared(self, hubs: list[tuple[int, Row]], left: Row) -> IntArray:
        """Return the least cost of all leafs' links, each rack alone, shape (spines + 1, lost).

        `left` leafs have no rack yet. Spines and lost places are at most those that share racks
        with leafs, and those that switches take there.
        """
        bounds = self.bounds
        units = zip(self.counts.unit_servers, left, strict=True)
        rest = sum(count * bounds.least_own[size] for size, count in units)
        shared: IntArray = bounds.excess[sum(left)] + rest
        for rack, row in hubs:
            here = sum(row)
            table = np.full_like(shared, FORBIDDEN)
            for spines, cents in enumerate(bounds.rack(rack, row)):
                add(table, shared, spines, bounds.lost(here, spines), cents)
            shared = table
        return shared

    def _beside(self, shared: IntArray, here: int) -> list[int]:
        """Return what one more rack with so many leafs leaves as least, racks counted, by its spines.

        The same as `add` with no cost, and the least over its table: `shared` costs before.
        """
        racks, size = self.bounds.rack_cents, self.counts.spines + 1
        found = []
        for spines in range(size):
            lost = self.bounds.lost(here, spines)
            before = shared[: size - spines]
            least = int(before[:, -1].min() + racks[-1])
            columns = len(racks) - lost
            if columns > 0:
                least = min(least, int((before[:, :columns] + racks[lost:]).min()))
            found.append(least)
        return found

    def _bound(self, leafs: list[Row], left: Row, apart: int) -> int:
        apart += self.counts.base + (0 if any(left) else self.counts.joint(leafs))
        if not self.counts.spines or apart >= self.incumbent.cents:
            return apart
        return max(apart, self.counts.base + self._together(leafs, left))

    def _together(self, leafs: list[Row], left: Row) -> int:
        """Return a bound in which all leafs see each spine at one place, but servers are free."""
        bounds, counts = self.bounds, self.counts
        hubs = [(rack, sum(row)) for rack, row in enumerate(leafs) if any(row)]
        start = hubs[-1][0] + 1 if hubs else 0
        spots = bounds.spine_spots(hubs, start, sum(left))
        shared = np.full((counts.spines + 1, len(bounds.rack_cents)), FORBIDDEN, dtype=np.int64)
        units = zip(counts.unit_servers, left, strict=True)
        shared[0] = sum(count * bounds.least_own[size] for size, count in units)
        for rack, here in hubs:
            table = np.full_like(shared, FORBIDDEN)
            for spines, cents in enumerate(bounds.servers(rack, leafs[rack])):
                total = cents + spines * spots[rack]
                add(table, shared, spines, bounds.lost(here, spines), total)
            shared = table
        others = bounds.spines_apart(spots, {rack for rack, _ in hubs})
        rest = np.array(others[::-1], dtype=np.int64)[:, None]
        return int((shared + rest + bounds.rack_cents).min())

    def _place(
        self, start: int, left: Row, tied: tuple[bool, ...], leafs: list[Row], bound: int
    ) -> None:
        """Choose the next rack with leafs, from `start` on, and its leafs; then go on.

        Ends when every unit has all its leafs (`placement_all_leafs`).
        """
        if not any(left):
            self._evaluate(leafs)
            return
        children = []
        end = self._end(leafs)
        rows = list(_rows(left, tied, self.most_leafs, MOST_ROWS))
        self.nodes += len(rows) * (end - start)
        self.work += NODE_WORK * len(rows) * (end - start)
        if len(rows) == MOST_ROWS or self.work > self.work_limit:
            self.open_bound = min(self.open_bound, bound)
            return
        hubs = [(rack, row) for rack, row in enumerate(leafs) if any(row)]
        for row in rows:
            rest = tuple(a - b for a, b in zip(left, row, strict=True))
            beside = self._beside(self._shared(hubs, rest), sum(row))
            for rack in range(start, end):
                leafs[rack] = row
                # fewer entries where fewer spines fit
                both = zip(self.bounds.rack(rack, row), beside, strict=False)
                apart = min((a + b for a, b in both), default=FORBIDDEN)
                child = self._bound(leafs, rest, min(apart, FORBIDDEN))
                children.append((child, rack, tuple(-n for n in row)))
                leafs[rack] = (0,) * len(left)
        for child, rack, negative in sorted(children):
            if child >= self.incumbent.cents:
                return
            if self.work > self.work_limit:
                self.open_bound = min(self.open_bound, child)
                return
            row = tuple(-n for n in negative)
            leafs[rack] = row
            rest = tuple(a - b for a, b in zip(left, row, strict=True))
            still = tuple(t and row[k] == row[k - 1] for k, t in enumerate(tied))
            self._place(rack + 1, rest, still, leafs, child)
            leafs[rack] = (0,) * len(left)

    def _end(self, leafs: list[Row]) -> int:
        """Return the rack before which the next leafs stand.

        One row of racks reads the same from either end: the leafs are no farther from the first
        rack than from the last (`placement_mirror`).
        """
        if not self.mirrored:
            return self.counts.racks
        first = next((rack for rack, row in enumerate(leafs) if any(row)), None)
        return (self.counts.racks + 1) // 2 if first is None else self.counts.racks - first

    def _evaluate(self, leafs: list[Row]) -> None:
        counts = self.counts
        self.work += self.fill.work
        found = self.fill.solve(tuple(leafs), self.incumbent.cents)
        if not self.fill.exact:
            none_left = (0,) * len(counts.unit_servers)
            self.open_bound = min(self.open_bound, self.bound(leafs, none_left))
        if found is not None:
            self.incumbent.offer(*found, counts)


def _fill(counts: Counts) -> RackFill | RackFillMip | RackFillFlow:
    """Return the way to place the rest that the size of the design allows."""
    table = RackFill(counts)
    if table.work <= MOST_TABLE_WORK:
        return table
    program = RackFillMip(counts)
    return program if program.binaries <= MOST_PROGRAM_BINARIES else RackFillFlow(counts)


def _rows(left: Row, tied: tuple[bool, ...], most: int, limit: int) -> Iterator[Row]:
    """Yield rows of a rack's leafs by unit, not all zero, at most `limit` of them.

    Equal units keep one order (`placement_equal_units`): while two have the same racks so far,
    the later one has no more leafs here. A row has at most `most` leafs.
    """

    def extend(row: Row, room: int) -> Iterator[Row]:
        unit = len(row)
        if unit == len(left):
            if any(row):
                yield row
            return
        here = min(left[unit], room, row[-1] if tied[unit] else room)
        for count in range(here + 1):
            yield from extend((*row, count), room - count)

    yield from islice(extend((), most), limit)
