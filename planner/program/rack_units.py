"""Placement of top-of-rack fabrics: every unit fills a rack of its own, spines stand where it pays.

Links inside a unit have one length, so only the racks of units and spines are open. For given spine
racks the units take the racks that are nearest to them, exactly (`RackUnits.filled`); spine racks
are tried all where they are few, else from every centre and then moved while that saves. The bound
holds for all positions. See ``models/formulation/placement.md``, "Top of rack".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.program.link_prices import FORBIDDEN, IMPOSSIBLE
from planner.program.placement_counts import Arrangement, Counts

MOST_SPREADS = 400
"""Ways to spread the spines over racks that are all tried."""
MOST_CENTRES = 24
"""Racks around which spines are put where they are more."""
MOST_MOVES = 200
"""Moves of a spine that are tried where they are more."""
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


class Content(NamedTuple):
    """What a rack takes beside given spines."""

    full: int
    """Full units, 0 or 1."""
    last: int
    """The last unit, where it has fewer servers."""
    oob: int


@dataclass(frozen=True, kw_only=True)
class RackUnits:
    """One problem with one medium for each tier."""

    counts: Counts
    states: tuple[int, int, int] = field(init=False)
    """One more than full units, smaller last units and out-of-band switches."""

    def __post_init__(self) -> None:
        sizes = self.counts.unit_servers
        last = int(sizes[-1] < sizes[0])
        object.__setattr__(self, "states", (len(sizes) - last + 1, last + 1, self.counts.oob + 1))

    def best(self) -> tuple[int, Arrangement | None, int]:
        """Return the least cost found, its arrangement and a bound on every other, cents."""
        found = [(self.filled(s), self._off_centre(s), s) for s in self._tried()]
        cents, _, spread = min(found, default=(IMPOSSIBLE, 0.0, ()))
        if not self.exhaustive:
            cents, spread = self._moved(cents, spread)
        bound = cents if self.exhaustive else min(cents, self.bound())
        if cents >= IMPOSSIBLE:
            return cents, None, bound
        return cents, self._arrangement(spread), bound

    def bound(self) -> int:
        """Return a lower bound on every arrangement, cents."""
        counts = self.counts
        units, group = len(counts.unit_servers), counts.group
        own = group * np.array(counts.pair_cents, dtype=np.int64)[self._steps]
        spots = [
            (int(np.sort(own[k])[:units].sum()), counts.most_alone[k][2])
            for k in range(counts.racks)
        ]
        left, total = counts.spines, 0
        for cents, most in sorted(spots):
            taken = min(left, most)
            total += taken * cents
            left -= taken
        racks = max(counts.racks_needed, units)
        return self._units_cents + total + counts.problem.fewest_cents(racks)

    @cached_property
    def _steps(self) -> IntArray:
        return np.array(self.counts.steps, dtype=np.int64)

    @cached_property
    def _units_cents(self) -> int:
        """Modules of all links, and the links inside the units, cents."""
        counts = self.counts
        inside = counts.server_cents[counts.inside]
        if max(counts.unit_servers) >= len(inside):
            return FORBIDDEN
        return counts.base + sum(counts.group * inside[n] for n in counts.unit_servers)

    @property
    def exhaustive(self) -> bool:
        """True where every spread of the spines is tried."""
        counts = self.counts
        return comb(counts.spines + counts.racks - 1, counts.spines) <= MOST_SPREADS

    def _tried(self) -> Iterator[tuple[int, ...]]:
        counts = self.counts
        racks = range(counts.racks)
        if self.exhaustive:
            for spines in combinations_with_replacement(racks, counts.spines):
                yield self._spread(spines)
            return
        for beside in (True, False):
            for centre in self._centres():
                near = sorted(racks, key=lambda k: (counts.steps[centre][k], k))
                chosen: list[int] = []
                for k in near:
                    unit = (counts.unit_servers[0], counts.group) if beside else (0, 0)
                    while len(chosen) < counts.spines and self._holds(
                        k, *unit, chosen.count(k) + 1, 0
                    ):
                        chosen.append(k)
                if len(chosen) == counts.spines:
                    yield self._spread(chosen)

    def _centres(self) -> list[int]:
        """Return the racks that are nearest to all others."""
        far = self._metres.sum(axis=1)
        return sorted(range(self.counts.racks), key=lambda k: (far[k], k))[:MOST_CENTRES]

    def _off_centre(self, spread: tuple[int, ...]) -> float:
        """Return how far spines stand from all racks, metres; breaks ties."""
        return round(float(np.array(spread) @ self._metres.sum(axis=1)), 6)

    @cached_property
    def _metres(self) -> FloatArray:
        found: FloatArray = np.array(self.counts.problem.room.lengths_m)[self._steps]
        return found

    def _order(self, spread: tuple[int, ...]) -> list[int]:
        """Return racks with those first that are near the spines: they are filled first on a tie."""
        far = np.round(self._metres @ np.array(spread), 6)
        return sorted(range(self.counts.racks), key=lambda k: (far[k], k))

    def _spread(self, chosen: Sequence[int]) -> tuple[int, ...]:
        spread = [0] * self.counts.racks
        for k in chosen:
            spread[k] += 1
        return tuple(spread)

    def _moved(self, cents: int, spread: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """Return the spread after moves of one spine to another rack, while they save."""
        tried = 0
        better = cents < IMPOSSIBLE
        while better and tried < MOST_MOVES:
            better = False
            for a in [k for k, n in enumerate(spread) if n]:
                for b in sorted(range(len(spread)), key=lambda k: self.counts.steps[a][k]):
                    if a == b or tried >= MOST_MOVES:
                        continue
                    tried += 1
                    other = list(spread)
                    other[a] -= 1
                    other[b] += 1
                    after = self.filled(tuple(other))
                    if after < cents:
                        cents, spread, better = after, tuple(other), True
                        break
                if better:
                    break
        return cents, spread

    def _holds(self, k: int, servers: int, leafs: int, spines: int, oob: int) -> bool:
        counts = self.counts
        server, leaf, spine, out = counts.loads_at(k)
        parts = ((servers, server), (leafs, leaf), (spines, spine), (oob, out))
        return counts.racks_at(k).holds(*parts)

    def _options(self, spread: tuple[int, ...], k: int) -> list[tuple[Content, int]]:
        """Return what a rack may take beside its spines (`placement_together`) with its cost."""
        counts = self.counts
        sizes = counts.unit_servers
        hubs = [(j, n) for j, n in enumerate(spread) if n]
        unit = counts.group * sum(n * counts.pair_cents[counts.steps[k][j]] for j, n in hubs)
        found = []
        for full, last in ((1, 0), (0, 1), (0, 0)):
            if last >= self.states[1]:
                continue
            servers = full * sizes[0] + last * sizes[-1]
            for oob in range(self.states[2]):
                leafs = (full + last) * counts.group
                if self._holds(k, servers, leafs, spread[k], oob):
                    used = full or last or oob or spread[k]
                    cents = (full + last) * unit + bool(used) * counts.rack_cents_at[k]
                    found.append((Content(full, last, oob), cents))
        return found

    def _tables(self, spread: tuple[int, ...]) -> list[IntArray]:
        """Return the least cost of what is left to place from every rack on, and after the last.

        Racks are taken in the order of `_order`.
        """
        after = np.full(self.states, FORBIDDEN, dtype=np.int64)
        after[0, 0, 0] = 0
        tables = [after]
        for k in reversed(self._order(spread)):
            before = np.full(self.states, FORBIDDEN, dtype=np.int64)
            for take, cents in self._options(spread, k):
                into = tuple(slice(t, None) for t in take)
                out = tuple(slice(None, n - t) for n, t in zip(self.states, take, strict=True))
                np.minimum(before[into], after[out] + cents, out=before[into])
            after = np.minimum(before, FORBIDDEN)
            tables.append(after)
        return tables[::-1]

    def filled(self, spread: tuple[int, ...]) -> int:
        """Return the least cost of everything for given spines by rack, cents."""
        return self._units_cents + int(self._tables(spread)[0][-1, -1, -1])

    def _arrangement(self, spread: tuple[int, ...]) -> Arrangement:
        counts = self.counts
        tables = self._tables(spread)
        left = tuple(n - 1 for n in self.states)
        chosen: dict[int, Content] = {}
        for k, table in zip(self._order(spread), tables[1:], strict=True):
            fitting = [
                (cents + int(table[rest]), place, take, rest)
                for place, (take, cents) in enumerate(self._options(spread, k))
                if min(rest := tuple(a - b for a, b in zip(left, take, strict=True))) >= 0
            ]
            _, _, chosen[k], left = min(fitting, key=lambda item: item[:2])
        units = len(counts.unit_servers)
        racks = [k for k, take in sorted(chosen.items()) if take.full]
        racks += [k for k, take in sorted(chosen.items()) if take.last]
        at = {rack: unit for unit, rack in enumerate(racks)}
        return Arrangement(
            servers=self._by_unit(at, counts.unit_servers),
            leafs=self._by_unit(at, (counts.group,) * units),
            spines=spread,
            oob=tuple(chosen[k].oob for k in range(counts.racks)),
        )

    def _by_unit(self, at: dict[int, int], sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        return tuple(
            tuple(size if at.get(k) == unit else 0 for unit, size in enumerate(sizes))
            for k in range(self.counts.racks)
        )
