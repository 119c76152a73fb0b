"""A lower bound on every placement of a large fabric, valid for all positions of all boxes.

Three parts that no placement escapes, added up (see ``models/formulation/placement.md``, "Halls"):

1. *Lengths.* For a slope b, a link over D metres of tray costs at least a + b D. From every server
   the traffic spread over all its uplinks walks to every switch of the top tier, so the routes of
   all tiers together are at least as long as the servers are apart from one place: with s servers
   a rack the nearest racks of the floor around it.
2. *Racks and short links.* Inside a rack a link may cost less than a, but only as many as share a
   rack; and links of switches between near racks, but every rack has only so many racks near it:
   the least sum, over what racks may hold and have near them, of rack cost less savings that covers
   all boxes (a linear program over rack contents, bounded by its dual prices).
3. *Modules* if every link were optical.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

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
JUMP = 0.2
"""Share of the spread of all prices by which one may rise from one length to the next."""
MOST_NEAR = 60
"""Racks within reach of a price above which they are not counted as near."""
NANO = 1e-9


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
        total = float(base + self.problem.fewest_cents(racks))
        for tier in range(self.tiers.count):
            for n, links in self.tiers.pair_links[tier].items():
                total += float(self._prices_of(media, tier, n).min()) * links
        return FORBIDDEN if total >= FORBIDDEN else math.floor(total) - 1

    def bound(self, media: Media, base: int, racks: int, enough: float = math.inf) -> int:
        """Return the bound for given media, cents.

        Parameters
        ----------
        media
            How each tier is built.
        base
            Cost of all modules if every link were optical, cents.
        racks
            Racks that are needed at least.
        enough
            A bound from here on need not be the best.
        """
        best = self.quick(media, base, racks)
        nears = [self._nears(media, tier) for tier in range(self.tiers.count)]
        for near_m in product(*nears):
            if best >= enough:
                break
            best = max(best, base + self._best_slope(media, near_m, enough - base))
        return best

    def _best_slope(self, media: Media, near_m: Sequence[float], enough: float) -> int:
        """Return the best bound over all slopes; it is concave in the slope, so a climb finds it."""
        slopes = self._slopes(media, near_m)
        known: dict[int, int] = {}

        def value(k: int) -> int:
            if k not in known:
                known[k] = self._with_slope(media, slopes[k], near_m)
            return known[k]

        here = max(range(len(slopes)), key=lambda k: self._lengths(media, slopes[k], near_m))
        while value(here) < enough:
            beside = [k for k in (here - 1, here + 1) if 0 <= k < len(slopes)]
            better = max(beside, key=value, default=here)
            if value(better) <= value(here):
                break
            here = better
        return value(here)

    @cached_property
    def _tray_m(self) -> FloatArray:
        """Metres of tray of every length of the room, 0 inside a rack."""
        room = self.problem.room
        metres = np.array(room.lengths_m) - 2 * room.rise_m - room.slack_m
        metres[room.lengths_m.index(room.inside_rack_m)] = 0.0
        return metres

    @cached_property
    def _inside(self) -> int:
        room = self.problem.room
        return room.lengths_m.index(room.inside_rack_m)

    def _prices(self, media: Media, tier: int) -> FloatArray:
        """Return the least cents of a link of the usual pairs at every length of the room."""
        usual = self.tiers.usual(tier)
        return np.asarray(np.min([self._prices_of(media, tier, n) for n in usual], axis=0))

    def _prices_of(self, media: Media, tier: int, links: int) -> FloatArray:
        """Return the least cents of a link of a pair with so many, infinite if none reaches."""
        key = tier, id(media[tier]), links
        if key not in self._known:
            steps = range(len(self.problem.room.lengths_m))
            least = self.tiers.least_link_cents
            cents = np.array([least(media, tier, k, links) for k in steps], dtype=float)
            cents[cents >= IMPOSSIBLE] = np.inf
            self._known[key] = cents
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[int, int, int], FloatArray]:
        return {}

    def _apart(self, media: Media, tier: int, near_m: float) -> tuple[FloatArray, FloatArray]:
        """Return metres of tray and cents between racks further apart than `near_m`."""
        cents = self._prices(media, tier)
        far = (self._tray_m > near_m) & np.isfinite(cents)
        far[self._inside] = False
        return self._tray_m[far], cents[far]

    def _slopes(self, media: Media, near_m: Sequence[float]) -> list[float]:
        """Return slopes where the bound may turn: those of the lower hulls of far prices, and none."""
        found = {0.0}
        for tier, near in enumerate(near_m):
            found.update(_hull_slopes(*self._apart(media, tier, near)))
        return sorted(found)

    def _nears(self, media: Media, tier: int) -> list[float]:
        """Return distances up to which links of switches may count as near: before each jump of price."""
        if not tier:
            return [0.0]
        key = tier, id(media[tier])
        if key not in self._near_known:
            self._near_known[key] = self._jumps(media, tier)
        return self._near_known[key]

    @cached_property
    def _near_known(self) -> dict[tuple[int, int], list[float]]:
        return {}

    def _jumps(self, media: Media, tier: int) -> list[float]:
        metres, cents = self._apart(media, tier, 0.0)
        found = [0.0]
        for k in range(1, len(metres)):
            jump = cents[k] - cents[k - 1]
            if (
                jump > JUMP * abs(cents[-1] - cents[0])
                and self.racks_near(metres[k - 1]) <= MOST_NEAR
            ):
                found.append(float(metres[k - 1]))
        return found

    def racks_near(self, near_m: float) -> int:
        """Return the most other racks that any rack has within so many metres of tray."""
        room = self.problem.room
        rows = min(room.rows, 1 + int((near_m + NANO) / room.row_pitch_m))
        columns = min(room.columns, 1 + int((near_m + NANO) / room.pitch_m))
        cells = {
            (row, column)
            for row in range(1 - rows, rows)
            for column in range(1 - columns, columns)
            if self._apart_m(row, column) <= near_m + NANO
        }
        return len(cells) - 1

    def _apart_m(self, rows: int, columns: int) -> float:
        room = self.problem.room
        return abs(rows) * room.row_pitch_m + abs(columns) * room.pitch_m

    def _intercept(self, media: Media, tier: int, slope: float, near_m: float) -> float:
        """Return a of the line a + slope x metres below the prices of far links."""
        metres, cents = self._apart(media, tier, near_m)
        if not len(cents):
            metres, cents = self._apart(media, tier, 0.0)
        if not len(cents):
            return float(self._prices(media, tier)[self._inside])
        return float((cents - slope * metres).min())

    def _lengths(self, media: Media, slope: float, near_m: Sequence[float]) -> float:
        total = slope * self.walk_m
        for tier, near in enumerate(near_m):
            usual = self.tiers.usual(tier)
            for n, links in self.tiers.pair_links[tier].items():
                if n in usual:
                    total += self._intercept(media, tier, slope, near) * links
                else:
                    # Below the prices of all lengths, those inside a rack too: no savings to add.
                    prices = self._prices_of(media, tier, n) - slope * self._tray_m
                    total += float(prices.min()) * links
        return total

    def _with_slope(self, media: Media, slope: float, near_m: Sequence[float]) -> int:
        """Return the bound without modules for a slope, and what is near by tier, cents."""
        contents, plan = self.contents, self.problem.plan
        costs = np.full(len(contents), float(self.problem.rack_cents))
        costs[contents.sum(axis=1) == 0] = 0.0
        if self.problem.server.whole_rack:
            costs[contents[:, 0] > 0] = 0.0
        kinds = contents.astype(np.float64)
        totals = [float(n) for n in (plan.servers, plan.leafs, plan.spines, plan.cores)]
        nears: list[tuple[FloatArray, FloatArray]] = []
        for tier, near in enumerate(near_m):
            start = self._intercept(media, tier, slope, near)
            costs -= self._saved(media, tier, start)
            if near:
                places, saved, most = self._near(media, tier, start, slope, near)
                nears.append((places, saved))
                totals.append(most)
        own = np.arange(len(contents))
        for k, (places, saved) in enumerate(nears):
            kinds = np.hstack([kinds, np.zeros((len(kinds), 1))])
            useful = saved[own] > 0
            more = kinds[useful]
            more[:, 4 + k] = places[own[useful]]
            kinds, costs = (
                np.vstack([kinds, more]),
                np.concatenate([costs, costs[useful] - saved[own[useful]]]),
            )
            own = np.concatenate([own, own[useful]])
        racks = self.problem.room.racks
        covered = contents_bound(kinds, costs, np.array(totals), racks, limits=len(nears))
        return math.floor(self._lengths(media, slope, near_m) + covered) - 1

    def _near(
        self, media: Media, tier: int, start: float, slope: float, near_m: float
    ) -> tuple[FloatArray, FloatArray, float]:
        """Return what upper switches near a rack may save its lower ones.

        By content of a rack: the most upper switches that stand near it and are joined to one of
        its lower ones, and the cents that they save; and how many such places there are.
        """
        medium, contents, plan = media[tier], self.contents, self.problem.plan
        assert medium is not None
        upper = plan.spines if tier == 1 else plan.cores
        racks = self.racks_near(near_m)
        joined = max(group.spines for group in plan.spine_groups) if tier == 1 else upper
        most = np.minimum(joined, upper - contents[:, tier + 1])
        most = np.minimum(most, racks * int(contents[:, tier + 1].max()))
        cents, metres = self._prices(media, tier), self._tray_m
        near = (metres <= near_m) & np.isfinite(cents)
        near[self._inside] = False
        links = max(self.tiers.usual(tier))
        one = float((start + slope * metres[near] - cents[near]).max(initial=0.0)) * links
        saved = contents[:, tier] * most * one
        return most.astype(np.float64), np.asarray(saved, dtype=np.float64), float(racks * upper)

    def _saved(self, media: Media, tier: int, start: float) -> FloatArray:
        """Return what the links inside a rack save at most below `start` each, shape (n,)."""
        medium, contents = media[tier], self.contents
        assert medium is not None
        plan = self.problem.plan
        if tier:
            one = max(
                n * start - pair_of_switches(medium, n, self._inside)
                for n in self.tiers.usual(tier)
            )
            pairs = contents[:, tier] * contents[:, tier + 1]
            return np.asarray(pairs * max(0.0, one), dtype=np.float64)
        each = plan.links_per_server_leaf
        most = min(int(contents[:, 0].max()), max(unit.servers for unit in plan.units))
        by_servers = [
            x * each * start - (bundle_of_servers(medium, x, each, self._inside) if x else 0)
            for x in range(most + 1)
        ]
        best = np.maximum.accumulate(np.maximum(0.0, np.array(by_servers, dtype=np.float64)))
        table = by_units(best, contents[:, :2].max(axis=0), max(u.leafs for u in plan.units))
        return np.asarray(table[contents[:, 1], contents[:, 0]])


def by_units(one_leaf: FloatArray, most: NDArray[np.int64], leafs: int) -> FloatArray:
    """Return what servers and leafs of a rack save at most, shape (leafs + 1, servers + 1).

    A server is joined only to the leafs of its unit, `leafs` at most: the best split of both into
    units, each of which saves its leafs x `one_leaf[servers]`.
    """
    servers = int(most[0])
    alone = one_leaf[np.minimum(np.arange(servers + 1), len(one_leaf) - 1)]
    table = np.zeros((int(most[1]) + 1, servers + 1))
    for y in range(1, int(most[1]) + 1):
        for here in range(1, min(y, leafs) + 1):
            rest = table[y - here]
            for x in range(servers + 1):
                split = here * alone[: x + 1] + rest[x::-1]
                table[y, x] = max(table[y, x], float(split.max()))
    return table


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
