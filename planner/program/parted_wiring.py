"""What the links of a parted fabric cost by length: pods below cores, or planes with spines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from planner.program.link_prices import FORBIDDEN, Medium, undominated
from planner.program.module_base import leaf_cages_hold, leaf_modules
from planner.program.placement_bound import assemblies
from planner.program.placement_problem import PlacementProblem
from planner.program.rack_layout import Kind
from planner.program.switch_pairs import Pair, leaf_spine_pairs, spine_core_pairs

Media = tuple[Medium, Medium, Medium | None]
"""Of the links below leafs, below spines, below cores (None without these)."""
Switch = tuple[Kind, int]
"""Kind and number."""


@dataclass(frozen=True, kw_only=True)
class PartedWiring:
    """The links of one parted fabric, with the media of every tier."""

    problem: PlacementProblem
    media: Media

    @cached_property
    def leaf_spine(self) -> list[Pair]:
        """Joined leafs and spines with their links."""
        return list(leaf_spine_pairs(self.problem.plan))

    @cached_property
    def spine_core(self) -> list[Pair]:
        """Joined spines and cores with their links."""
        return list(spine_core_pairs(self.problem.plan))

    @cached_property
    def tiers(self) -> list[tuple[int, Kind, Kind, list[Pair]]]:
        """Tier, kind below, kind above and the joined pairs of each."""
        return [(1, "leaf", "spine", self.leaf_spine), (2, "spine", "core", self.spine_core)]

    @cached_property
    def neighbours(self) -> dict[Switch, list[tuple[Switch, int, int]]]:
        """By switch: the switches that it is joined to, each with tier and links."""
        found: dict[Switch, list[tuple[Switch, int, int]]] = {}
        for tier, low, high, pairs in self.tiers:
            for below, above, links in pairs:
                found.setdefault((low, below), []).append(((high, above), tier, links))
                found.setdefault((high, above), []).append(((low, below), tier, links))
        return found

    @cached_property
    def _rows(self) -> dict[tuple[int, int], NDArray[np.int64]]:
        return {}

    def servers_row(self, servers: int) -> NDArray[np.int64]:
        """Return `servers_cents` by length of the room."""
        if (0, servers) not in self._rows:
            cents = [self.servers_cents(servers, step) for step in self._steps]
            self._rows[0, servers] = np.array(cents, dtype=np.int64)
        return self._rows[0, servers]

    def pair_row(self, tier: int, links: int) -> NDArray[np.int64]:
        """Return `pair_cents` by length of the room."""
        if (tier, links) not in self._rows:
            cents = [self.pair_cents(tier, links, step) for step in self._steps]
            self._rows[tier, links] = np.array(cents, dtype=np.int64)
        return self._rows[tier, links]

    @property
    def _steps(self) -> range:
        return range(len(self.problem.room.lengths_m))

    @cached_property
    def base_cents(self) -> int:
        """Modules of all links if every link were optical, cents (`cabling_modules`)."""
        plan, (down, up, top) = self.problem.plan, self.media
        total = 0
        for unit in plan.units:
            links = unit.servers * plan.links_per_server_leaf
            total += unit.leafs * _cents(leaf_modules(links, plan.uplinks_per_leaf, down, up))
        if down.optic:
            total += plan.servers * -(-plan.links_per_server // down.links_a) * down.module_a_cents
        below = _loads(self.leaf_spine)
        above = plan.uplinks_per_spine if plan.cores else 0
        for links, spines in Counter(below.values()).items():
            total += spines * _cents(leaf_modules(links, above, up, top))
        for links, cores in Counter(_loads(self.spine_core).values()).items():
            total += cores * _cents(leaf_modules(links, 0, top, None))
        return total

    @cached_property
    def spine_cages_hold(self) -> bool:
        """Whether the modules of both tiers fit the cages of every spine (`cabling_cages`)."""
        plan, (_, up, top) = self.problem.plan, self.media
        if top is None:
            return True
        most = max(_loads(self.leaf_spine).values())
        modules = leaf_modules(most, plan.uplinks_per_spine, up, top)
        return sum(count for _, count, _ in modules) <= self.problem.spine_cages

    @cached_property
    def short_saves(self) -> bool:
        """Whether links of leafs and spines in one rack cost less than between racks."""
        room = self.problem.room
        if room.nearest_m is None or not self.leaf_spine:
            return False
        row = self.pair_row(1, self.leaf_spine[0][2])
        inside, near = (room.lengths_m.index(m) for m in (room.inside_rack_m, room.nearest_m))
        return bool(row[inside] < row[near])

    def servers_cents(self, servers: int, step: int) -> int:
        """Return the links of servers of one rack with one leaf of their unit, cents."""
        each = self.problem.plan.links_per_server_leaf
        down = self.media[0]
        count = assemblies(down, servers, each)
        return min(FORBIDDEN, down.bundle_cents(servers * each, count, step))

    def pair_cents(self, tier: int, links: int, step: int) -> int:
        """Return the links of two switches, cents; tier 1 is below spines, 2 below cores."""
        medium = self.media[tier]
        assert medium is not None
        cents = medium.bundle_cents(links, links // medium.assembly_links, step)
        return min(FORBIDDEN, cents)


def wirings(problem: PlacementProblem) -> Iterator[PartedWiring]:
    """Yield the fabric with every choice of media that may be best and that the cages hold."""
    tops: tuple[Medium | None, ...] = (None,)
    if problem.plan.cores:
        tops = undominated(problem.spine_core)
    for down, up, top in product(problem.node_leaf, problem.leaf_spine, tops):
        wiring = PartedWiring(problem=problem, media=(down, up, top))
        if leaf_cages_hold(problem, down, up) and wiring.spine_cages_hold:
            yield wiring


def _cents(modules: list[tuple[str, int, int]]) -> int:
    return sum(count * cents for _, count, cents in modules)


def _loads(pairs: list[Pair]) -> Counter[int]:
    """Return the links of every upper switch."""
    loads: Counter[int] = Counter()
    for _, above, links in pairs:
        loads[above] += links
    return loads
