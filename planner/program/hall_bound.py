"""A lower bound on every placement of a large fabric, valid for all positions of all boxes.

Three parts that no placement escapes, added up (see ``models/formulation/placement.md``, "Halls"):

1. *Lengths.* For a slope b, a link over D metres of tray costs at least a + b D. From every server
   the traffic spread over all its uplinks walks to every switch of the top tier, so the routes of
   all tiers together are at least as long as the servers are apart from one place: with s servers
   a rack the nearest racks of the floor around it.
2. *Racks and short links.* Inside a rack a link may cost less than a, but only as many as share a
   rack: the least sum, over what racks may hold, of rack cost less savings that covers all boxes
   (a linear program over rack contents, bounded by its dual prices).
3. *Modules* if every link were optical.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from planner.program.box import Load, load_of, rack_load
from planner.program.hall_tiers import (
    Media,
    Tiers,
    bundle_of_servers,
    pair_of_switches,
)
from planner.program.link_prices import FORBIDDEN, IMPOSSIBLE
from planner.program.placement_problem import PlacementProblem
from planner.program.rack_contents import contents_bound

FloatArray = NDArray[np.float64]
SLOPES = 6
"""Most slopes that are tried for one choice of media."""


@dataclass(frozen=True, kw_only=True)
class HallBound:
    """Bounds of one problem."""

    tiers: Tiers

    @property
    def problem(self) -> PlacementProblem:
        """The problem."""
        return self.tiers.problem

    @cached_property
    def _loads(self) -> tuple[Load, Load, Load, Load, Load]:
        p = self.problem
        boxes = (p.server, p.leaf, p.spine, p.core)
        server, leaf, spine, core = (load_of(box, p.room) for box in boxes)
        return rack_load(p.room), server, leaf, spine, core

    @cached_property
    def _per_rack(self) -> int:
        rack, server = self._loads[:2]
        return max(1, min(self.problem.plan.servers, rack.most(server)))

    @cached_property
    def contents(self) -> NDArray[np.int64]:
        """Every content of a rack that counts: servers, leafs, spines, cores; shape (n, 4)."""
        rack, server, leaf, spine, core = self._loads
        plan = self.problem.plan
        found = []
        for y in range(min(plan.leafs, rack.most(leaf)) + 1 if plan.leafs else 1):
            after_leafs = rack.less(leaf, y)
            for z in range(min(plan.spines, after_leafs.most(spine)) + 1 if plan.spines else 1):
                after_spines = after_leafs.less(spine, z)
                for w in range(min(plan.cores, after_spines.most(core)) + 1 if plan.cores else 1):
                    most = min(plan.servers, after_spines.less(core, w).most(server))
                    found += [(x, y, z, w) for x in range(most + 1)]
        return np.array(found, dtype=np.int64)

    @cached_property
    def walk_m(self) -> float:
        """Metres of tray that the links of all tiers cover at least in sum."""
        return self._share * self._links * self._spread_m

    @property
    def _links(self) -> int:
        return self.problem.plan.links_per_server

    @cached_property
    def _share(self) -> float:
        """Share of every server link that may be led on to each top switch alike, within 0 to 1.

        At most what the uplinks carry at one unit of flow a link; where links do not spread
        evenly, the even part of them.
        """
        plan = self.problem.plan
        if not plan.spines:
            return 1.0
        full = plan.spine_groups[0]
        down = plan.hosts_per_leaf * plan.links_per_server_leaf
        share = min(1.0, plan.uplinks_per_leaf / down)
        share *= _even(plan.uplinks_per_leaf, full.spines)
        if plan.cores:
            into = full.leafs * -(-plan.uplinks_per_leaf // full.spines)
            share *= min(1.0, plan.uplinks_per_spine / into)
            share *= _even(full.spines * plan.uplinks_per_spine, plan.cores)
        return share

    @cached_property
    def _spread_m(self) -> float:
        """Sum over servers of the least distances to one place of the floor, metres."""
        room, plan = self.problem.room, self.problem.plan
        servers = plan.servers
        if plan.pods:
            full = plan.pods[0]
            alike = sum(pod.units for pod in plan.pods if pod == full)
            servers = sum(unit.servers for unit in plan.units[:alike])
        columns = _around(min(room.racks, room.racks_per_row)) * room.pitch_m
        rows = _around(-(-room.racks // room.racks_per_row)) * room.row_pitch_m
        apart = np.sort((columns[:, None] + rows[None, :]).ravel())
        racks, rest = divmod(servers, self._per_rack)
        total = float(apart[:racks].sum()) * self._per_rack
        return total + (float(apart[racks]) * rest if rest and racks < len(apart) else 0.0)

    def quick(self, media: Media, base: int, racks: int = 0) -> int:
        """Return a bound from the shortest links alone, cents."""
        room = self.problem.room
        steps = range(len(room.lengths_m))
        total = float(base + racks * self.problem.rack_cents)
        for tier in range(self.tiers.count):
            least = min(self.tiers.least_link_cents(media, tier, step) for step in steps)
            total += least * self.tiers.links[tier]
        return min(FORBIDDEN, math.floor(total) - 1)

    def bound(self, media: Media, base: int, racks: int) -> int:
        """Return the bound for given media, cents.

        Parameters
        ----------
        media
            How each tier is built.
        base
            Cost of all modules if every link were optical, cents.
        racks
            Racks that are needed at least.
        """
        best = self.quick(media, base, racks)
        for slope in self._slopes(media):
            best = max(best, base + self._with_slope(media, slope))
        return best

    def _prices(self, media: Media, tier: int) -> tuple[FloatArray, FloatArray]:
        """Return metres of tray and least cents of a link between two racks, where it reaches."""
        room = self.problem.room
        metres, cents = [], []
        for step, length in enumerate(room.lengths_m):
            apart = length - 2 * room.rise_m - room.slack_m
            price = self.tiers.least_link_cents(media, tier, step)
            if step != room.lengths_m.index(room.inside_rack_m) and price < IMPOSSIBLE:
                metres.append(apart)
                cents.append(price)
        return np.array(metres), np.array(cents)

    def _slopes(self, media: Media) -> list[float]:
        """Return slopes worth trying: those of the lower hulls of all prices, and none."""
        found = {0.0}
        for tier in range(self.tiers.count):
            metres, cents = self._prices(media, tier)
            found.update(_hull_slopes(metres, cents))
        ranked = sorted(found, key=lambda slope: (-self._lengths(media, slope), slope))
        return ranked[:SLOPES]

    def _intercept(self, media: Media, tier: int, slope: float) -> float | None:
        metres, cents = self._prices(media, tier)
        return float((cents - slope * metres).min()) if len(cents) else None

    def _lengths(self, media: Media, slope: float) -> float:
        total = slope * self.walk_m
        for tier in range(self.tiers.count):
            total += (self._intercept(media, tier, slope) or 0.0) * self.tiers.links[tier]
        return total

    def _with_slope(self, media: Media, slope: float) -> int:
        contents = self.contents
        costs = np.full(len(contents), float(self.problem.rack_cents))
        costs[contents.sum(axis=1) == 0] = 0.0
        lengths = slope * self.walk_m
        for tier in range(self.tiers.count):
            start = self._intercept(media, tier, slope)
            if start is None:
                start = self._inside(media, tier)
            lengths += start * self.tiers.links[tier]
            costs -= self._saved(media, tier, start)
        plan = self.problem.plan
        totals = np.array([plan.servers, plan.leafs, plan.spines, plan.cores], dtype=np.float64)
        covered = contents_bound(
            contents.astype(np.float64), costs, totals, self.problem.room.racks
        )
        return math.floor(lengths + covered) - 1

    def _inside(self, media: Media, tier: int) -> float:
        room = self.problem.room
        inside = room.lengths_m.index(room.inside_rack_m)
        return self.tiers.least_link_cents(media, tier, inside)

    def _saved(self, media: Media, tier: int, start: float) -> FloatArray:
        """Return what the links inside a rack save at most below `start` each, shape (n,)."""
        medium, contents = media[tier], self.contents
        assert medium is not None
        room, plan = self.problem.room, self.problem.plan
        inside = room.lengths_m.index(room.inside_rack_m)
        if tier:
            one = max(
                n * start - pair_of_switches(medium, n, inside) for n in self.tiers.pair_links[tier]
            )
            pairs = contents[:, tier] * contents[:, tier + 1]
            return np.asarray(pairs * max(0.0, one), dtype=np.float64)
        each = plan.links_per_server_leaf
        most = min(int(contents[:, 0].max()), max(unit.servers for unit in plan.units))
        by_servers = [
            x * each * start - (bundle_of_servers(medium, x, each, inside) if x else 0)
            for x in range(most + 1)
        ]
        best = np.maximum.accumulate(np.maximum(0.0, np.array(by_servers, dtype=np.float64)))
        return np.asarray(best[np.minimum(contents[:, 0], most)] * contents[:, 1])


def _even(links: int, over: int) -> float:
    """Return the share of links that spread evenly over so many devices."""
    return links // over * over / links


def _around(count: int) -> FloatArray:
    """Return the distances of a line of places from its middle, in places, shape (count,)."""
    return np.abs(np.arange(count) - count // 2).astype(np.float64)


def _hull_slopes(metres: FloatArray, cents: FloatArray) -> Iterator[float]:
    """Yield the slopes of the lower hull of prices over metres that rise."""
    hull: list[tuple[float, float]] = []
    for point in zip(metres.tolist(), cents.tolist(), strict=True):
        while len(hull) > 1 and _above(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    for (x, y), (far, high) in pairwise(hull):
        if far > x and high > y:
            yield (high - y) / (far - x)


def _above(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (b[1] - a[1]) * (c[0] - a[0]) >= (c[1] - a[1]) * (b[0] - a[0])
