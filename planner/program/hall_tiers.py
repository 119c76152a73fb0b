"""The tiers of links of a large fabric: who is joined to whom how often, and by which media.

A *hall* is a room too large to search rack by rack; see ``models/formulation/placement.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from planner.program.link_prices import FORBIDDEN, Medium, undominated
from planner.program.module_base import leaf_modules
from planner.program.placement_bound import assemblies
from planner.program.placement_problem import PlacementProblem

TIERS = ("node_leaf", "leaf_spine", "spine_core")
RARE = 0.05
"""Share of the links of a tier below which pairs with so many links are bounded coarsely."""
Media = tuple[Medium | None, Medium | None, Medium | None]
"""By tier; None where the fabric has no such tier."""


def bundle_of_servers(medium: Medium, servers: int, each: int, step: int) -> int:
    """Return the cost of the links of servers of one rack with one leaf beyond all optics, cents."""
    return medium.bundle_cents(servers * each, assemblies(medium, servers, each), step)


def pair_of_switches(medium: Medium, links: int, step: int) -> int:
    """Return the cost of the links of two switches beyond all optics, cents."""
    return medium.bundle_cents(links, links // medium.assembly_links, step)


@dataclass(frozen=True, kw_only=True)
class Tiers:
    """Counts of links by tier of one problem."""

    problem: PlacementProblem

    @property
    def count(self) -> int:
        """Tiers of switches."""
        return self.problem.plan.tiers

    @cached_property
    def links(self) -> tuple[int, int, int]:
        """Links of each tier."""
        plan = self.problem.plan
        return plan.node_leaf_links, plan.leaf_spine_links, plan.spine_core_links

    @cached_property
    def pair_links(self) -> tuple[Counter[int], Counter[int], Counter[int]]:
        """By tier: links of all pairs of devices that are joined by so many links."""
        plan = self.problem.plan
        first = Counter({plan.links_per_server_leaf: plan.node_leaf_links})
        second: Counter[int] = Counter()
        for group in plan.spine_groups if plan.spines else ():
            _add_pairs(second, group.leafs, plan.uplinks_per_leaf, group.spines)
        third: Counter[int] = Counter()
        if plan.cores:
            _add_pairs(third, plan.spines, plan.uplinks_per_spine, plan.cores)
        return first, second, third

    def usual(self, tier: int) -> list[int]:
        """Return the numbers of links of a pair that are not rare."""
        counts = self.pair_links[tier]
        return [n for n, links in sorted(counts.items()) if links >= RARE * self.links[tier]]

    @cached_property
    def menus(self) -> tuple[tuple[Medium, ...], ...]:
        """Media of each tier; where two tiers meet in cages only equal modules are compared."""
        problem, plan = self.problem, self.problem.plan
        menus = (problem.node_leaf, problem.leaf_spine, problem.spine_core)[: self.count]
        return menus if plan.spines else tuple(undominated(menu) for menu in menus)

    def media(self) -> Iterator[Media]:
        """Yield the media of all tiers that the cages of leafs and spines hold."""
        for chosen in product(*self.menus):
            down, up, top = (*chosen, None, None, None)[:3]
            if self._cages_hold(down, up, top):
                yield down, up, top

    @cached_property
    def _devices(self) -> Counter[tuple[str, int, int]]:
        """Switches by kind, links below and links above."""
        plan = self.problem.plan
        found: Counter[tuple[str, int, int]] = Counter()
        for unit in plan.units:
            below = unit.servers * plan.links_per_server_leaf
            found["leaf", below, plan.uplinks_per_leaf if plan.spines else 0] += unit.leafs
        above = plan.uplinks_per_spine if plan.cores else 0
        for group in plan.spine_groups if plan.spines else ():
            few, more = divmod(group.leafs * plan.uplinks_per_leaf, group.spines)
            found["spine", few + 1, above] += more
            found["spine", few, above] += group.spines - more
        if plan.cores:
            few, more = divmod(plan.spine_core_links, plan.cores)
            found["core", few + 1, 0] += more
            found["core", few, 0] += plan.cores - more
        return found

    def _modules(
        self, down: Medium | None, up: Medium | None, top: Medium | None
    ) -> Iterator[tuple[str, int, list[tuple[str, int, int]]]]:
        between = {"leaf": (down, up), "spine": (up, top), "core": (top, None)}
        for (kind, below, above), count in self._devices.items():
            if count:
                yield kind, count, leaf_modules(below, above, *between[kind])

    def _cages_hold(self, down: Medium | None, up: Medium | None, top: Medium | None) -> bool:
        cages = {"leaf": self.problem.leaf_cages, "spine": self.problem.spine_cages}
        return all(
            sum(n for _, n, _ in modules) <= cages[kind]
            for kind, _, modules in self._modules(down, up, top)
            if kind in cages and (kind == "leaf" or top is not None)
        )

    def base_cents(self, media: Media) -> int:
        """Return the cost of all modules if every link were optical, cents (`cabling_modules`)."""
        plan, down = self.problem.plan, media[0]
        total = sum(
            count * sum(n * cents for _, n, cents in modules)
            for _, count, modules in self._modules(*media)
        )
        if down is not None and down.optic:
            each = -(-plan.links_per_server // down.links_a)
            total += plan.servers * each * down.module_a_cents
        return total

    def least_link_cents(self, media: Media, tier: int, step: int, links: int) -> float:
        """Return the least that a link of a pair with so many costs beyond all optics, cents."""
        medium = media[tier]
        assert medium is not None
        if tier:
            return min(FORBIDDEN, pair_of_switches(medium, links, step) / links)
        most = max(unit.servers for unit in self.problem.plan.units)
        cents = [
            bundle_of_servers(medium, x, links, step) / (x * links)
            for x in range(1, min(most, 2 * medium.assembly_links) + 1)
        ]
        return min(FORBIDDEN, *cents)


def _add_pairs(counts: Counter[int], lower: int, uplinks: int, upper: int) -> None:
    few, rest = divmod(uplinks, upper)
    for links, others in ((few, upper - rest), (few + 1, rest)):
        if links and others:
            counts[links] += lower * others * links
