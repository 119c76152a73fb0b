"""Servers, spines and out-of-band switches for given leaf racks of a very large design.

Spines go where their links cost least, out-of-band switches where places are left, servers by a
minimum-cost flow between units and racks with the average price of a server in a full rack. Good,
not provably best: the search counts such a node as open.
"""

from __future__ import annotations

from planner.program.link_prices import IMPOSSIBLE
from planner.program.placement_counts import Arrangement, Counts

Leafs = tuple[tuple[int, ...], ...]


class RackFillFlow:
    """Fills racks around given leafs by `ortools.graph`."""

    exact = False

    def __init__(self, counts: Counts) -> None:
        self.counts = counts

    @property
    def work(self) -> int:
        """What one `solve` counts against the work limit of the search."""
        return 2000 * self.counts.racks * (len(self.counts.unit_servers) + 20)

    def solve(self, leafs: Leafs, limit: int = IMPOSSIBLE) -> tuple[int, Arrangement] | None:
        """Return a cost and its arrangement, or None if none below `limit` was found."""
        counts = self.counts
        here = [sum(row) for row in leafs]
        spines = self._spines(here)
        oob = self._oob(here, spines) if spines is not None else None
        if spines is None or oob is None:
            return None
        held = zip(here, spines, oob, strict=True)
        places = [counts.most_servers(*switches, at=k) for k, switches in enumerate(held)]
        servers = self._servers(leafs, places)
        if servers is None:
            return None
        at = Arrangement(servers=servers, leafs=leafs, spines=tuple(spines), oob=tuple(oob))
        cents = counts.cost(at)
        return (cents, at) if cents < min(limit, IMPOSSIBLE) else None

    def _spines(self, here: list[int]) -> list[int] | None:
        """Return spines by rack, each where its links cost least; None where they do not fit."""
        counts = self.counts
        hubs = [(k, n) for k, n in enumerate(here) if n]
        cost = [
            sum(n * counts.pair_cents[counts.steps[k][hub]] for hub, n in hubs)
            for k in range(counts.racks)
        ]
        result = [0] * counts.racks
        left = counts.spines
        for k in sorted(range(counts.racks), key=lambda k: (cost[k], k)):
            while left and counts.most_servers(here[k], result[k] + 1, at=k) >= 0:
                result[k] += 1
                left -= 1
        return None if left else result

    def _oob(self, here: list[int], spines: list[int]) -> list[int] | None:
        """Return out-of-band switches by rack: where they take no place of a server, if possible."""
        counts = self.counts
        result = [0] * counts.racks
        for _ in range(counts.oob):
            best: tuple[int, int] | None = None
            for k in range(counts.racks):
                after = counts.most_servers(here[k], spines[k], result[k] + 1, at=k)
                if after >= 0:
                    lost = counts.most_servers(here[k], spines[k], result[k], at=k) - after
                    best = min(best or (lost, k), (lost, k))
            if best is None:
                return None
            result[best[1]] += 1
        return result

    def _servers(self, leafs: Leafs, places: list[int]) -> tuple[tuple[int, ...], ...] | None:
        """Return servers by rack and unit from a minimum-cost flow, None where they do not fit."""
        from ortools.graph.python import min_cost_flow

        counts = self.counts
        units = len(counts.unit_servers)
        flow = min_cost_flow.SimpleMinCostFlow()
        arcs: list[tuple[int, int, int]] = []
        for unit, size in enumerate(counts.unit_servers):
            flow.set_node_supply(unit, size)
            hubs = [(k, row[unit]) for k, row in enumerate(leafs) if row[unit]]
            for k, room in enumerate(places):
                most = min(size, room)
                if most:
                    cents = sum(n * counts.server_cents[counts.steps[k][h]][most] for h, n in hubs)
                    if cents < IMPOSSIBLE:
                        arc = flow.add_arc_with_capacity_and_unit_cost(
                            unit, units + k, most, cents // most
                        )
                        arcs.append((arc, unit, k))
        sink = units + counts.racks
        for k, room in enumerate(places):
            flow.add_arc_with_capacity_and_unit_cost(units + k, sink, room, 0)
        flow.set_node_supply(sink, -sum(counts.unit_servers))
        if flow.solve() != flow.OPTIMAL:
            return None
        result = [[0] * units for _ in range(counts.racks)]
        for arc, unit, k in arcs:
            result[k][unit] = int(flow.flow(arc))
        return tuple(tuple(row) for row in result)
