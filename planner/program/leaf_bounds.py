"""Lower bounds for given, or not yet given, leaf racks: each rack alone, spines shared out.

Every link's cost is counted at its leaf. In one rack, servers and spines compete with the leafs
for the rack's limits; over all racks the spines add up (`placement_all_switches`). What is
relaxed: servers and spines of other racks stand wherever suits each leaf best.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from planner.program.link_prices import FORBIDDEN
from planner.program.placement_counts import Counts

IntArray = NDArray[np.int64]
MOST_LOST = 40
"""Server places lost to switches that the bounds tell apart."""
ANYWHERE = -1
"""A rack that has every distance as short as any rack of the room has it."""
MOST_RACKS_APART = 40
"""Racks up to which the bounds look at each alone."""
Row = tuple[int, ...]
"""Leafs of one rack by unit."""


class LeafBounds:
    """Bounds of one problem with one pair of media; every table is filled once, when asked for."""

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self._outside: dict[tuple[int, int], list[int]] = {}
        self._own: dict[tuple[int, int], list[int]] = {}
        self._racks: dict[tuple[int, Row], list[int]] = {}
        self._spines: dict[int, list[int]] = {}
        self._servers: dict[tuple[int, Row], list[int]] = {}
        self._leafs_near: dict[tuple[int, int], list[int]] = {}

    def _others(self, rack: int) -> list[tuple[int, int]]:
        """Return the length index to every other rack, ascending, with the rack's place.

        Without a rack, each distance as short as any has it, at no place.
        """
        if rack == ANYWHERE:
            return [(step, ANYWHERE) for step in self.counts.nearest]
        return sorted((s, k) for k, s in enumerate(self.counts.steps[rack]) if k != rack)

    def _most(self, place: int, box: int) -> int:
        """Return how many boxes of a kind a place holds alone: 0 servers, 1 leafs, 2 spines."""
        counts = self.counts
        if place == ANYWHERE or counts.problem.room.alike:
            return counts.rack.most(counts.loads[box])
        return counts.most_alone[place][box]

    def outside(self, size: int, rack: int) -> list[int]:
        """Return the least cost of a leaf's links to 0..size servers outside its rack, cents."""
        key = (size, rack)
        if key not in self._outside:
            counts = self.counts
            best = [0] + [FORBIDDEN] * size
            others = ((s, min(size, self._most(k, 0))) for s, k in self._others(rack))
            for step, most in islice((other for other in others if other[1]), size):
                prices = counts.server_cents[step]
                best = [
                    min(best[n - x] + prices[x] for x in range(min(n, most) + 1))
                    for n in range(size + 1)
                ]
            self._outside[key] = best
        return self._outside[key]

    def own(self, size: int, rack: int) -> list[int]:
        """Return the least server-link cost of a leaf by number of servers in its own rack."""
        key = (size, rack)
        if key not in self._own:
            counts = self.counts
            here = counts.server_cents[counts.inside]
            rest = self.outside(size, rack)
            most = min(size, counts.most_servers(1))
            self._own[key] = [here[x] + rest[size - x] for x in range(most + 1)]
        return self._own[key]

    def spines_outside(self, rack: int) -> list[int]:
        """Return the least cost of a leaf's links to 0..all spines outside its rack, cents."""
        if rack not in self._spines:
            counts = self.counts
            costs: list[int] = []
            for step, k in self._others(rack) if counts.spines else ():
                costs += [counts.pair_cents[step]] * min(counts.spines, self._most(k, 2))
                if len(costs) >= counts.spines:
                    break
            costs += [FORBIDDEN] * counts.spines
            total = [0]
            for cents in costs[: counts.spines]:
                total.append(total[-1] + cents)
            self._spines[rack] = total
        return self._spines[rack]

    def rack(self, rack: int, row: Row) -> list[int]:
        """Return the least cost of all links of a rack's leafs, by spines beside them (0..all).

        Shorter where fewer spines fit; the cost of servers is the least over how the units share
        the places beside the switches.
        """
        key = (rack, row)
        if key not in self._racks:
            counts = self.counts
            leafs = sum(row)
            shared = self._shared(rack, row)
            inside = counts.pair_cents[counts.inside]
            far = self.spines_outside(rack)
            table = []
            for spines in range(counts.spines + 1):
                most = counts.most_servers(leafs, spines, at=rack)
                if most < 0:
                    break
                links = spines * inside + far[counts.spines - spines]
                table.append(min(shared[: most + 1]) + leafs * links)
            self._racks[key] = table
        return self._racks[key]

    def servers(self, rack: int, row: Row) -> list[int]:
        """Return the least server-link cost of a rack's leafs by spines beside them, cents."""
        key = (rack, row)
        if key not in self._servers:
            counts = self.counts
            shared = self._shared(rack, row)
            beside = (counts.most_servers(sum(row), z, at=rack) for z in range(counts.spines + 1))
            self._servers[key] = [min(shared[: most + 1]) for most in beside if most >= 0]
        return self._servers[key]

    def spine_spots(self, hubs: list[tuple[int, int]], start: int, left: int) -> list[int]:
        """Return the least cost of one spine's links by its rack, cents.

        Parameters
        ----------
        hubs
            Racks with leafs and how many.
        start
            First rack in which the others may stand.
        left
            Leafs without a rack: each as near to the spine as racks from `start` on have room.
        """
        counts = self.counts
        spots = []
        for rack in range(counts.racks):
            near = counts.steps[rack]
            cents = sum(n * counts.pair_cents[near[k]] for k, n in hubs)
            spots.append(cents + (self._nearest_leafs(rack, start)[left] if left else 0))
        return spots

    def spines_apart(self, spots: list[int], hubs: set[int]) -> list[int]:
        """Return the least cost of 0..all spines in racks without (known) leafs, cents."""
        counts = self.counts
        costs = sorted((cents, rack) for rack, cents in enumerate(spots) if rack not in hubs)
        most = ((cents, min(counts.spines, self._most(k, 2))) for cents, k in costs)
        each = [cents for cents, room in most for _ in range(room)][: counts.spines]
        total = [0]
        for cents in each + [FORBIDDEN] * (counts.spines - len(each)):
            total.append(total[-1] + cents)
        return total

    def _nearest_leafs(self, rack: int, start: int) -> list[int]:
        """Return the least cost of one spine's links to 0..all leafs in racks from `start` on."""
        key = (rack, start)
        if key not in self._leafs_near:
            counts = self.counts
            leafs = counts.group * len(counts.unit_servers)
            costs: list[int] = []
            for step, k in sorted((counts.steps[rack][k], k) for k in range(start, counts.racks)):
                costs += [counts.pair_cents[step]] * min(leafs, self._most(k, 1))
                if len(costs) >= leafs:
                    break
            costs += [FORBIDDEN] * leafs
            total = [0]
            for cents in costs[:leafs]:
                total.append(total[-1] + cents)
            self._leafs_near[key] = total
        return self._leafs_near[key]

    def _shared(self, rack: int, row: Row) -> list[int]:
        """Return the least server-link cost of a rack's leafs by servers beside them."""
        most = max(0, self.counts.most_servers(sum(row)))
        best = [0] + [FORBIDDEN * sum(row)] * most
        for size, leafs in zip(self.counts.unit_servers, row, strict=True):
            if leafs:
                own = [leafs * cents for cents in self.own(size, rack)]
                best = [
                    min(best[n - x] + own[x] for x in range(min(n + 1, len(own))))
                    for n in range(most + 1)
                ]
        return best

    @cached_property
    def least_own(self) -> dict[int, int]:
        """By unit size, the least server-link cost of one leaf anywhere."""
        racks = self._distinct_racks()
        return {
            size: min(min(self.own(size, k)) for k in racks)
            for size in set(self.counts.unit_servers)
        }

    @cached_property
    def places(self) -> int:
        """Servers that an otherwise empty rack holds."""
        return max(1, self.counts.most_servers(0))

    def lost(self, leafs: int, spines: int) -> int:
        """Return the server places that switches take from a rack."""
        return self.places - max(0, self.counts.most_servers(leafs, spines))

    @cached_property
    def rack_cents(self) -> IntArray:
        """Least cost of all racks in use by server places lost to switches, shape (lost,).

        With n servers, p places a rack and l places lost, at least ceil((n + l) / p) racks; the
        last entry stands for all higher losses.
        """
        problem = self.counts.problem
        lost = np.arange(min(MOST_LOST, self.places * self.counts.racks) + 1)
        racks = -(-(problem.plan.servers + lost) // self.places)
        needed = np.maximum(racks, self.counts.racks_needed)
        if not problem.rack_cents_in:
            bought: IntArray = np.maximum(needed - problem.own_racks, 0) * problem.rack_cents
            return bought
        return np.array([problem.fewest_cents(int(n)) for n in needed], dtype=np.int64)

    @cached_property
    def excess(self) -> list[IntArray]:
        """Least cost of 0..all leafs beyond `least_own`, shape (spines + 1, lost) for each.

        Spines are those that share racks with these leafs, lost the server places that these
        switches take, both "at most". Racks are filled one after another with what is best for
        each alone, wherever it stands; unit sizes are mixed freely.
        """
        counts = self.counts
        leafs = counts.group * len(counts.unit_servers)
        contents = self._contents(leafs)
        shape = (counts.spines + 1, len(self.rack_cents))
        best = [np.zeros(shape, dtype=np.int64)]
        for n in range(1, leafs + 1):
            table = np.full(shape, FORBIDDEN, dtype=np.int64)
            for y, z, cents in contents:
                if y <= n:
                    add(table, best[n - y], z, self.lost(y, z), cents)
            best.append(table)
        return best

    def _contents(self, leafs: int) -> list[tuple[int, int, int]]:
        """Return (leafs, spines, least excess) of every content of one rack."""
        racks = self._distinct_racks()
        result: list[tuple[int, int, int]] = []
        for y in range(1, leafs + 1):
            tables = [self._mixed(rack, y) for rack in racks]
            fitting = range(min((len(table) for table in tables), default=0))
            result += [(y, z, min(table[z] for table in tables)) for z in fitting]
        return result

    def _distinct_racks(self) -> list[int]:
        """Return one rack of each set that sees the same distances; in a large room, ANYWHERE."""
        if self.counts.racks > MOST_RACKS_APART:
            return [ANYWHERE]
        seen: dict[tuple[int, ...], int] = {}
        for rack, steps in enumerate(self.counts.steps):
            seen.setdefault(tuple(sorted(steps)), rack)
        return list(seen.values())

    def _mixed(self, rack: int, leafs: int) -> list[int]:
        """Return the least excess of so many leafs of any units in a rack, by spines beside."""
        counts = self.counts
        most = counts.most_servers(leafs)
        if most < 0:
            return []
        shared = self._mixed_servers(rack, leafs, most)
        inside = counts.pair_cents[counts.inside]
        far = self.spines_outside(rack)
        table = []
        for spines in range(counts.spines + 1):
            servers = counts.most_servers(leafs, spines)
            if servers < 0:
                break
            links = spines * inside + far[counts.spines - spines]
            table.append(min(shared[: servers + 1]) + leafs * links)
        return table

    def _mixed_servers(self, rack: int, leafs: int, most: int) -> list[int]:
        """Return the least excess of server links of leafs of any units, by servers beside them."""
        group = self.counts.group
        by_size = [
            [cents - self.least_own[size] for cents in self.own(size, rack)]
            for size in sorted(set(self.counts.unit_servers))
        ]
        longest = max(len(own) for own in by_size)
        one = [min(own[x] for own in by_size if x < len(own)) for x in range(longest)]
        best = [[FORBIDDEN] * (most + 1) for _ in range(leafs + 1)]
        best[0] = [0] * (most + 1)
        for n in range(1, leafs + 1):
            for servers in range(most + 1):
                best[n][servers] = min(
                    best[n - y][servers - x] + y * one[x]
                    for y in range(1, min(group, n) + 1)
                    for x in range(min(servers, longest - 1) + 1)
                )
        return best[leafs]


def add(into: IntArray, table: IntArray, spines: int, lost: int, cents: int) -> None:
    """Lower `into` to the costs of `table` with one more content, shapes (spines + 1, lost)."""
    rows = table.shape[0] - spines
    if rows <= 0:
        return
    columns = table.shape[1] - lost
    if columns > 0:
        target = into[spines:, lost:]
        np.minimum(target, table[:rows, :columns] + cents, out=target)
    last = into[spines:, -1]
    np.minimum(last, table[:rows, -1] + cents, out=last)
