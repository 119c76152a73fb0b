"""Servers, spines and out-of-band switches for given leaf racks: exact, by dynamic programming.

With the leafs in place every other link has its leaf end fixed, so the cost is a sum over racks
of what stands there. Racks are filled one after another; the state is what is left to place
(servers of each unit, spines, out-of-band switches): `placement_all_servers`,
`placement_all_switches`; a rack takes only what its limits hold: `placement_units`,
`placement_power`, `placement_weight`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from planner.program.link_prices import FORBIDDEN, IMPOSSIBLE
from planner.program.placement_counts import Arrangement, Counts

Leafs = tuple[tuple[int, ...], ...]
"""Leafs by rack, then by unit."""
IntArray = NDArray[np.int64]
AT_ONCE = 200_000
"""Table cells times contents of a rack that are compared in one call."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a rack takes beside its leafs."""

    servers: tuple[int, ...]
    spines: int
    oob: int


class RackFill:
    """Fills racks around given leafs; keeps what depends on the counts only."""

    exact = True

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self.shape = (*(s + 1 for s in counts.unit_servers), counts.spines + 1, counts.oob + 1)
        self.states = prod(self.shape)
        self._contents = lru_cache(maxsize=None)(self._contents_of)
        self._left = lru_cache(maxsize=None)(self._left_of)

    @property
    def work(self) -> int:
        """Table cells that one `solve` touches: states x racks x contents of an empty rack."""
        return self.states * self.counts.racks * self._content_count()

    def _content_count(self) -> int:
        """Return how many contents an empty rack can take, without listing them."""
        counts = self.counts
        total = 0
        for spines, oob in product(range(counts.spines + 1), range(counts.oob + 1)):
            most = counts.most_servers(0, spines, oob)
            ways = [1] + [0] * max(0, most)
            for size in counts.unit_servers:
                ways = [sum(ways[max(0, n - size) : n + 1]) for n in range(len(ways))]
            total += sum(ways) if most >= 0 else 0
        return max(1, total)

    def solve(self, leafs: Leafs, limit: int = IMPOSSIBLE) -> tuple[int, Arrangement] | None:
        """Return the least cost and its arrangement, or None if none is below `limit`.

        Among equal costs the one is taken that fills earlier racks with earlier units first.
        """
        counts = self.counts
        tables: list[IntArray] = []
        after: IntArray = np.full(self.shape, FORBIDDEN, dtype=np.int64)
        after[(0,) * len(self.shape)] = 0
        options = [self._options(k, leafs) for k in range(counts.racks)]
        for k in reversed(range(counts.racks)):
            tables.append(after)
            after = self._step(after, options[k])
        whole = tuple(size - 1 for size in self.shape)
        best = counts.base + counts.joint(leafs) + int(after[whole])
        if best >= min(limit, IMPOSSIBLE):
            return None
        tables.reverse()
        return best, self._trace(tables, options, leafs)

    def _options(self, rack: int, leafs: Leafs) -> list[tuple[Content, int]]:
        """Return what a rack may take with its cost, in the order of preference."""
        counts = self.counts
        steps = counts.steps[rack]
        hubs = [(steps[k], row) for k, row in enumerate(leafs) if any(row)]
        spine = sum(sum(row) * counts.pair_cents[step] for step, row in hubs)
        prices: list[list[int]] = []
        most = max(0, counts.most_servers(0, at=rack))
        for unit in range(len(counts.unit_servers)):
            own = [(counts.server_cents[step], row[unit]) for step, row in hubs if row[unit]]
            prices.append([sum(n * cents[x] for cents, n in own) for x in range(most + 1)])
        here = sum(leafs[rack])
        result = []
        for content in self._contents(here, counts.kinds[rack]):
            cents = content.spines * spine
            cents += sum(prices[u][x] for u, x in enumerate(content.servers) if x)
            servers = any(content.servers) and not counts.problem.server.whole_rack
            if here or content.oob or content.spines or servers:
                cents += counts.rack_cents_at[rack]
            if cents < IMPOSSIBLE:
                result.append((content, cents))
        return result

    def _contents_of(self, leafs: int, kind: int) -> list[Content]:
        """Return everything that fits beside a number of leafs in a kind of rack, fullest first."""
        counts = self.counts
        most = counts.most_servers
        found = [
            Content(servers, spines, oob)
            for spines, oob in product(range(counts.spines + 1), range(counts.oob + 1))
            for servers in _vectors(counts.unit_servers, most(leafs, spines, oob, at=kind))
        ]
        found.sort(key=lambda c: (c.servers, c.spines, c.oob), reverse=True)
        return found

    def _step(self, after: IntArray, options: list[tuple[Content, int]]) -> IntArray:
        """Return the least cost of what is left before a rack, from that after it."""
        if not options or self.states * len(options) > AT_ONCE:
            return _step_by_content(after, options)
        left = np.array([self._left(content) for content, _ in options])
        cents = np.array([cents for _, cents in options], dtype=np.int64)
        known = np.append(after.ravel(), FORBIDDEN)
        least = (known[left] + cents[:, None]).min(axis=0)
        before: IntArray = np.minimum(least, FORBIDDEN).reshape(self.shape)
        return before

    def _left_of(self, content: Content) -> IntArray:
        """Return the state that each state becomes; `states` where there is less than is taken."""
        take = (*content.servers, content.spines, content.oob)
        into = tuple(slice(t, None) for t in take)
        out = tuple(slice(None, size - t) for t, size in zip(take, self.shape, strict=True))
        numbers = np.arange(self.states).reshape(self.shape)
        found = np.full(self.shape, self.states)
        if all(t < size for t, size in zip(take, self.shape, strict=True)):
            found[into] = numbers[out]
        return found.ravel()

    def _trace(
        self, tables: list[IntArray], options: list[list[tuple[Content, int]]], leafs: Leafs
    ) -> Arrangement:
        left = tuple(size - 1 for size in self.shape)
        chosen: list[Content] = []
        for table, choices in zip(tables, options, strict=True):
            best: tuple[int, Content, tuple[int, ...]] | None = None
            for content, cents in choices:
                rest = tuple(
                    have - take
                    for have, take in zip(
                        left, (*content.servers, content.spines, content.oob), strict=True
                    )
                )
                if min(rest) >= 0:
                    total = cents + int(table[rest])
                    if best is None or total < best[0]:
                        best = (total, content, rest)
            assert best is not None
            chosen.append(best[1])
            left = best[2]
        return Arrangement(
            servers=tuple(content.servers for content in chosen),
            leafs=leafs,
            spines=tuple(content.spines for content in chosen),
            oob=tuple(content.oob for content in chosen),
        )


def _vectors(limits: tuple[int, ...], most: int) -> Iterator[tuple[int, ...]]:
    """Yield every vector within the limits whose sum is at most `most`; none if that is below 0."""
    if most < 0:
        return
    if not limits:
        yield ()
        return
    for first in range(min(limits[0], most) + 1):
        for rest in _vectors(limits[1:], most - first):
            yield (first, *rest)


def _step_by_content(after: IntArray, options: list[tuple[Content, int]]) -> IntArray:
    """Return the same for tables too large to look at all contents at once."""
    before = np.full_like(after, FORBIDDEN)
    for content, cents in options:
        take = (*content.servers, content.spines, content.oob)
        into = tuple(slice(t, None) for t in take)
        out = tuple(slice(None, size - t) for t, size in zip(take, after.shape, strict=True))
        np.minimum(before[into], after[out] + cents, out=before[into])
    return before
