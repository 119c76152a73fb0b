"""Find the cheapest portfolio with its proof: pools for subsets of workloads, and rented servers.

Every subset of the workloads may be a pool. Its columns are scanned by cost, cheapest first, so
that what was not opened is bounded. A first portfolio gives an upper bound U; a better one can
hold a pool for a subset S only if that pool costs at most U less the least cost of the other
workloads. So every subset is scanned again up to there, and the program over all those pools is
exact. `models/formulation/portfolio.md` has the argument.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from planner.domain.instance import Instance
from planner.program import interrupt
from planner.program.engines import EngineOptions
from planner.program.limits import WATTS_PER_KW
from planner.program.market import Market, open_market
from planner.program.portfolio import Block, Portfolio, SharedLimits, solve_portfolio
from planner.program.rent import RentOption, RentStoppedError, Reservation, rent_options
from planner.program.scan import Found, scan

ALL = 10**15
"""Cents above every cost: a scan up to there opens all columns."""


@dataclass
class Subset:
    """Workloads that might share a pool, and the columns found for them."""

    jobs: frozenset[int]
    place: str
    market: Market
    found: list[Found] = field(default_factory=list)
    bound_cents: int | None = None
    """No pool for these workloads costs less; None if there is none at all."""
    upto_cents: int = -1
    """Every column that costs at most this is among `found`."""
    outcomes: dict[str, int] = field(default_factory=dict)


@dataclass
class SearchResult:
    """The best portfolio and what was looked at."""

    best: Portfolio | None
    bound_cents: int | None
    subsets: list[Subset]
    pools: list[tuple[Subset, Found]]
    """The pools of the best portfolio."""
    rents: list[RentOption]
    reservations: list[Reservation]
    stopped: bool
    limits: SharedLimits


def sub_instance(instance: Instance, jobs: list[int]) -> Instance:
    """Return the instance of one pool: some workloads, nothing to rent, storage bought outside."""
    section = instance.goodput
    if section is not None and section.storage_gbytes_per_s is None and instance.storage:
        rate = instance.storage.gbytes_per_s
        section = section.model_copy(update={"storage_gbytes_per_s": rate})
    changes = {
        "workloads": [instance.workloads[k].model_copy(update={"pool": None}) for k in jobs],
        "pools": 1,
        "colocation": None,
        "cloud": None,
        "storage": None,
        "goodput": section,
    }
    return instance.model_copy(update=changes)


def subsets_of(instance: Instance) -> Iterator[frozenset[int]]:
    """Yield the subsets that may share a pool: workloads pinned to one pool stay together."""
    jobs = range(len(instance.workloads))
    pins = [w.pool for w in instance.workloads]
    for size in range(1, len(jobs) + 1):
        for chosen in combinations(jobs, size):
            named = {pins[k] for k in chosen} - {None}
            whole = all(pins[k] not in named or k in chosen for k in jobs)
            if len(named) <= 1 and whole:
                yield frozenset(chosen)


def places_of(market: Market) -> dict[str, Market]:
    """Return the market of each place where pools may stand; step times are shared."""
    hall = market.instance.colocation
    if hall is None:
        return {"room": market}
    instance = market.instance.model_copy(update={"site": hall})
    other = open_market(instance, market.file, market.calibration)
    return {"room": market, "colocation": replace(other, oracle=market.oracle.variant(instance))}


@dataclass
class Search:
    """One search; `market` is that of the whole instance."""

    market: Market
    engine: EngineOptions
    deadline_s: float | None
    say: Callable[[str], None]
    places: dict[str, Market] = field(default_factory=dict)
    """The market of the room and that of the colocation hall, if there is one."""
    subsets: list[Subset] = field(default_factory=list)
    keys: dict[int, tuple[Subset, Found]] = field(default_factory=dict)
    _least: dict[tuple[frozenset[int], int], int | None] = field(default_factory=dict)
    stopped: bool = False

    def run(self) -> SearchResult:
        """Return the cheapest portfolio."""
        instance = self.market.instance
        self.places = places_of(self.market)
        limits = self._limits()
        try:
            rents, reservations = rent_options(self.market, self.late)
        except RentStoppedError:
            return SearchResult(
                best=None, bound_cents=None, subsets=[], pools=[], rents=[], reservations=[],
                stopped=True, limits=limits,
            )  # fmt: skip
        best, singles = None, len(instance.workloads) * len(self.places)
        for jobs, place in product(subsets_of(instance), self.places):
            self.say(f"{instance.name}: pools for {len(jobs)} of {len(instance.workloads)} jobs")
            subset = self._made(jobs, place)
            self.subsets.append(subset)
            late = self.late()
            if subset.bound_cents is None or (
                not late and self._too_dear(subset, best, rents, reservations)
            ):
                continue
            self.open(subset, 0)
            if not late and (len(jobs) > 1 or len(self.subsets) >= singles):
                best = self._solve(rents, reservations, limits)
        for _ in range(2):
            if not self.late():
                self._extend(best, rents, reservations, limits)
            best = self._solve(rents, reservations, limits)
            if self.late():
                self.stopped = True
                break
        bound = None if best is None else self._bound(best, rents, reservations, limits)
        pools = [] if best is None else [self.keys[b.key] for b in best.blocks]
        return SearchResult(
            best=best, bound_cents=bound, subsets=self.subsets, pools=pools, rents=rents,
            reservations=reservations, stopped=self.stopped, limits=limits,
        )  # fmt: skip

    def late(self) -> bool:
        """Return whether the time has ended, or the user asks to stop."""
        deadline = self.deadline_s
        return interrupt.asked() or (deadline is not None and time.monotonic() > deadline)

    def _limits(self) -> SharedLimits:
        market, hall = self.market, self.places.get("colocation")
        budget = market.instance.budget.power_kw
        storage_w = market.storage_kw * WATTS_PER_KW
        return SharedLimits(
            pools=market.instance.pools,
            capex_cents=None if market.limits.capex_cents is None
            else market.limits.capex_cents - market.storage.capex,
            power_w=market.limits.power_w - storage_w,
            racks=market.instance.site.usable_racks,
            hall_power_w=None if hall is None else hall.limits.power_w,
            hall_racks=None if hall is None else hall.instance.site.usable_racks,
            budget_power_w=None if hall is None or budget is None
            else budget * WATTS_PER_KW - storage_w,
            gpus=market.instance.budget.gpus,
            storage_cents=market.storage.total,
        )  # fmt: skip

    def _made(self, jobs: frozenset[int], place: str) -> Subset:
        """Return a subset, bounded by its parts: more workloads never make a column cheaper."""
        order = sorted(jobs)
        whole = self.places[place]
        instance = sub_instance(whole.instance, order)
        market = replace(
            whole,
            instance=instance,
            book=replace(whole.book, instance=instance),
            oracle=whole.oracle.subset(instance, order),
            evaluated={},
            _limited={},
        )
        smaller = [s for s in self.subsets if s.jobs < jobs and s.place == place]
        bound: int | None = max((s.bound_cents or 0 for s in smaller), default=0)
        if any(s.bound_cents is None for s in smaller):
            bound = None
        return Subset(jobs=jobs, place=place, market=market, bound_cents=bound)

    def _too_dear(
        self,
        subset: Subset,
        best: Portfolio | None,
        rents: list[RentOption],
        reservations: list[Reservation],
    ) -> bool:
        """Return whether no better portfolio can hold a pool for these workloads.

        The others cost at least what any one of them costs alone.
        """
        if best is None or subset.bound_cents is None:
            return False
        others = set(range(len(self.market.instance.workloads))) - subset.jobs
        alone = [self.least(frozenset({k}), 1, rents, reservations) for k in others]
        rest = max((cents for cents in alone if cents is not None), default=0)
        return subset.bound_cents + rest > best.cost_cents

    def open(self, subset: Subset, upto_cents: int) -> None:
        """Open the columns of a subset up to a cost; up to its cheapest if that is 0."""
        known = subset.bound_cents
        if known is None or upto_cents <= subset.upto_cents or 0 < upto_cents < known:
            return
        keep = max(0, upto_cents - known) if upto_cents else 0
        result = scan(subset.market, deadline_s=self.deadline_s, keep_cents=keep)
        self.stopped = self.stopped or result.stopped
        subset.found = sorted(result.feasible, key=lambda f: f.order)
        subset.bound_cents = max(known, result.bound_cents or 0)
        if result.best is None and not result.stopped:
            subset.bound_cents = None
        subset.outcomes = dict(result.outcomes)
        if result.best is not None:
            subset.upto_cents = result.best.placed.cost_cents + keep

    def _solve(
        self, rents: list[RentOption], reservations: list[Reservation], limits: SharedLimits
    ) -> Portfolio | None:
        blocks = self.blocks()
        jobs = range(len(self.market.instance.workloads))
        return solve_portfolio(jobs, blocks, rents, reservations, limits, self.engine)

    def blocks(self) -> list[Block]:
        """Return all columns found, without those that cost more and use no less of anything."""
        self.keys.clear()
        blocks: list[Block] = []
        for subset in self.subsets:
            kept: list[Block] = []
            for found in subset.found:
                block = self._block(len(blocks) + len(kept), subset, found)
                if not any(dominates(other, block) for other in kept):
                    kept.append(block)
                    self.keys[block.key] = (subset, found)
            blocks += kept
        return blocks

    def _block(self, key: int, subset: Subset, found: Found) -> Block:
        return Block(
            key=key,
            jobs=subset.jobs,
            cost_cents=found.placed.cost_cents,
            capex_cents=found.placed.capex_cents,
            power_w=found.column.max_power_w,
            racks=len(found.placed.placement.racks),
            gpus=found.column.gpus,
            place=subset.place,
        )

    def _extend(
        self,
        best: Portfolio | None,
        rents: list[RentOption],
        reservations: list[Reservation],
        limits: SharedLimits,
    ) -> None:
        """Scan every subset up to the most that its pool may cost in a better portfolio."""
        self._least.clear()
        everyone = frozenset(range(len(self.market.instance.workloads)))
        for subset in self.subsets:
            if subset.bound_cents is None or not limits.pools:
                continue
            if self.late():
                return
            if best is None:
                self.open(subset, ALL)
                continue
            rest = self.least(everyone - subset.jobs, limits.pools - 1, rents, reservations)
            if rest is not None:
                self.open(subset, best.cost_cents - rest)

    def least(
        self,
        jobs: frozenset[int],
        pools: int,
        rents: list[RentOption],
        reservations: list[Reservation],
    ) -> int | None:
        """Return the least that some workloads cost without shared limits; None if impossible."""
        key = (jobs, pools)
        if key not in self._least:
            blocks = [
                Block(key=k, jobs=s.jobs, cost_cents=s.bound_cents, capex_cents=0, power_w=0.0,
                      racks=0, gpus=0)
                for k, s in enumerate(self.subsets)
                if s.bound_cents is not None and s.jobs <= jobs and pools > 0
            ]  # fmt: skip
            found = solve_portfolio(
                sorted(jobs), blocks, [o for o in rents if o.job in jobs], reservations,
                SharedLimits(pools=pools), self.engine,
            )  # fmt: skip
            self._least[key] = None if found is None else found.cost_cents
        return self._least[key]

    def _bound(
        self,
        best: Portfolio,
        rents: list[RentOption],
        reservations: list[Reservation],
        limits: SharedLimits,
    ) -> int:
        """Return the proven least: the program is exact up to what bounds of columns leave open.

        A column may cost up to its placement's gap less than it was placed for, and a scan that
        was stopped may have left a cheaper one unopened.
        """
        open_cents = 0
        for subset in self.subsets:
            gaps = [f.placed.cost_cents - f.placed.bound_cents for f in subset.found]
            open_cents = max([open_cents, *gaps])
        bound = best.cost_cents - open_cents * limits.pools
        if self.stopped:
            everyone = frozenset(range(len(self.market.instance.workloads)))
            relaxed = self.least(everyone, limits.pools, rents, reservations)
            bound = min(bound, best.cost_cents if relaxed is None else relaxed)
        return bound


def dominates(one: Block, other: Block) -> bool:
    """Return whether a block of the same workloads is no worse in anything."""
    fields = ("cost_cents", "capex_cents", "power_w", "racks", "gpus")
    return all(getattr(one, f) <= getattr(other, f) for f in fields)


def search_portfolio(
    market: Market,
    engine: EngineOptions,
    *,
    deadline_s: float | None,
    say: Callable[[str], None],
) -> SearchResult:
    """Return the cheapest portfolio of a market with several pools or a cloud."""
    return Search(market=market, engine=engine, deadline_s=deadline_s, say=say).run()
