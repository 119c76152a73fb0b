"""Find the cheapest plan over all phases with its proof.

Each phase has its own columns, found by the scan under prices that count a unit at the cheapest way
to hold it in that phase: what a column costs there is at most what any plan pays that runs it. The
program over the columns found gives a plan of cost U. A plan that runs another column in some phase
costs at least that column plus the servers that the other phases need beyond it, so every phase is
scanned up to U by that bound; `models/formulation/growth.md` has the argument.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from planner.domain.growth import Growth
from planner.domain.instance import Instance
from planner.domain.units import cents
from planner.program.bill import quantities
from planner.program.choices import check_choices
from planner.program.engines import EngineOptions
from planner.program.limits import SiteLimits
from planner.program.market import Market
from planner.program.phase_market import PhaseMarket, ServerPlans, fewest_servers
from planner.program.phase_prices import PhaseBook, Timeline
from planner.program.phases import (
    GrowthPlan,
    GrowthProblem,
    Holding,
    Part,
    Phase,
    PhaseColumn,
    solve_growth,
)
from planner.program.placer import Placer
from planner.program.platforms import platform_options
from planner.program.regrow import links_moved
from planner.program.scan import Found, ScanResult, scan
from planner.program.step_inputs import job_of
from planner.program.steps import StepOracle

SCANS = 3
"""Times that the phases are scanned again up to what a better plan may hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidColumn:
    """A column of one phase, laid out, with what it needs."""

    key: int
    phase: int
    reserve: int
    """Leafs for which its spines keep ports free."""
    found: Found
    market: Market
    needs: dict[Part, int]


@dataclass
class PhaseSearch:
    """One phase under one reserve: its market and what was opened of it."""

    phase: int
    reserve: int
    market: PhaseMarket
    upto_cents: int = -1
    """Every column whose plan may cost at most this was opened."""
    open_cents: int | None = None
    """No plan with a column that was not costs less."""
    outcomes: Counter[str] = field(default_factory=Counter)
    result: ScanResult | None = None


@dataclass
class SearchedGrowth:
    """The best plan and what was looked at."""

    plan: GrowthPlan | None
    bound_cents: int | None
    columns: dict[int, LaidColumn]
    searches: list[PhaseSearch]
    timeline: Timeline
    stopped: bool


@dataclass
class GrowthSearch:
    """One search; `market` is that of the whole instance."""

    market: Market
    engine: EngineOptions
    deadline_s: float | None
    say: Callable[[str], None]
    searches: list[PhaseSearch] = field(default_factory=list)
    columns: dict[int, LaidColumn] = field(default_factory=dict)
    stopped: bool = False
    _keys: dict[tuple[object, ...], int] = field(default_factory=dict)
    _moves: dict[tuple[int, int], int] = field(default_factory=dict)
    _oracles: dict[int, StepOracle] = field(default_factory=dict)

    def run(self) -> SearchedGrowth:
        """Return the cheapest plan."""
        timeline = Timeline.of(self.market.instance, self.market.book)
        self.searches = list(self._made(timeline))
        for search in self.searches:
            self.say(f"{self.market.instance.name}: designs of phase {search.phase + 1}")
            self.open(search, 0)
        for phase in range(timeline.phases):
            self.alone(phase)
        plan = self.solve(timeline)
        for _ in range(SCANS):
            if plan is None or self.stopped or not self._extend(plan.cost_cents):
                break
            plan = self.solve(timeline)
        if plan is None and not self.stopped:
            for search in self.searches:
                self.open(search, None)
            plan = self.solve(timeline)
        return SearchedGrowth(
            plan=plan,
            bound_cents=None if plan is None else self._bound(plan),
            columns=self.columns,
            searches=self.searches,
            timeline=timeline,
            stopped=self.stopped,
        )

    def _made(self, timeline: Timeline) -> list[PhaseSearch]:
        growth, last = timeline.growth, timeline.phases - 1
        found = [
            PhaseSearch(k, reserve, self._market_of(timeline, k, reserve))
            for k in range(timeline.phases)
            for reserve in (growth.reserve_leafs if k < last else growth.reserve_leafs[:1])
        ]
        firsts = [next(s for s in found if s.phase == k) for k in range(timeline.phases)]
        plans = ServerPlans(timeline, [fewest_servers(first.market) for first in firsts])
        for search in found:
            search.market.plans = plans
        return found

    def _market_of(self, timeline: Timeline, phase: int, reserve: int) -> PhaseMarket:
        """Return the market of a phase: its demand and limits, the prices of a timeline."""
        whole = self.market
        instance = phase_instance(whole.instance, phase, reserve)
        check_choices(instance, whole.catalog, whole.file)
        book = PhaseBook(instance, whole.catalog, timeline=timeline, phase=phase)
        options, left_out = platform_options(instance, whole.catalog, book)
        return PhaseMarket(
            phase=phase,
            instance=instance,
            file=whole.file,
            calibration=whole.calibration,
            catalog=whole.catalog,
            book=book,
            placer=Placer(instance, whole.catalog, book),
            oracle=self._oracle(instance, phase),
            limits=SiteLimits(instance),
            options=options,
            left_out=left_out,
            asked=whole.instance,
        )

    def _oracle(self, instance: Instance, phase: int) -> StepOracle:
        """Return the step times of a phase; what was computed for equal jobs serves again."""
        if phase not in self._oracles:
            whole, pairs = self.market.oracle, list(zip(self.market.instance.workloads,
                                                        self.market.oracle.networks,
                                                        strict=True))  # fmt: skip
            known = {w.network: network for w, network in pairs}
            jobs = [job_of(w, known[w.network]) if w.network in known else None
                    for w in instance.workloads]  # fmt: skip
            if jobs == list(whole.jobs) and _same_pins(instance, self.market.instance):
                self._oracles[phase] = whole.variant(instance)
            else:
                market = self.market
                self._oracles[phase] = StepOracle.of(
                    instance, market.catalog, market.file, market.calibration, known
                )
        return replace(self._oracles[phase], instance=instance)

    def open(self, search: PhaseSearch, upto_cents: int | None) -> None:
        """Open the columns whose plans may cost that much; the cheapest if it is 0, all if None."""
        if search.result is not None and search.open_cents is None:
            return
        if upto_cents is not None and 0 < upto_cents <= search.upto_cents:
            return
        least = 0 if search.result is None else search.result.bound_cents or 0
        keep = 10**15 if upto_cents is None else max(0, upto_cents - least)
        result = scan(
            search.market,
            deadline_s=self.deadline_s,
            keep_cents=keep if upto_cents != 0 else 0,
            most=self._growth.most_columns,
        )
        self.stopped = self.stopped or (result.stopped and bool(self._late()))
        search.result, search.outcomes = result, result.outcomes
        search.open_cents = result.open_cents
        for found in result.feasible:
            if found.column.plan.spines or search.reserve == self._reserves[0]:
                self.add(search, found)
        best = result.best.placed.cost_cents if result.best else 0
        search.upto_cents = min(best + keep, (result.open_cents or 10**15) - 1)

    def _late(self) -> bool:
        return self.deadline_s is not None and time.monotonic() > self.deadline_s

    @property
    def _reserves(self) -> list[int]:
        """Leafs that may be reserved; without a spine every number is the same column."""
        return self._growth.reserve_leafs

    @property
    def _growth(self) -> Growth:
        return self.market.instance.growth or Growth()

    def add(self, search: PhaseSearch, found: Found) -> int:
        """Keep a column of a phase; return its key."""
        cable_parts = tuple(sorted(found.placed.placement.parts.items()))
        known = (search.phase, search.reserve, found.column.key, cable_parts)
        if known not in self._keys:
            key = self._keys[known] = len(self._keys)
            self.columns[key] = LaidColumn(
                key=key,
                phase=search.phase,
                reserve=search.reserve,
                found=found,
                market=search.market,
                needs=needs_of(search.market, found),
            )
        return self._keys[known]

    def alone(self, phase: int) -> None:
        """Open the cheapest columns of a phase as one sees them who does not look beyond it."""
        if phase == max(s.phase for s in self.searches):
            return
        short = Timeline.of(self.market.instance, self.market.book, phase + 1)
        for search in [s for s in self.searches if s.phase == phase]:
            market = replace(
                search.market,
                plans=None,
                book=(book := replace_book(search.market, short, phase)),
                placer=Placer(search.market.instance, search.market.catalog, book),
                _columns={},
                _laid_bounds={},
                _within={},
                _bounds={}, _placed={}, evaluated={}, _limited={}, _choices={},
            )  # fmt: skip
            for found in scan(market, deadline_s=self.deadline_s).feasible:
                if found.column.plan.spines or search.reserve == self._reserves[0]:
                    self.add(search, found)

    def problem(self, timeline: Timeline) -> GrowthProblem:
        """Return the program over every column found for the phases of a timeline."""
        laid: list[list[LaidColumn]] = [[] for _ in range(timeline.phases)]
        for column in self.columns.values():
            if column.phase < timeline.phases:
                laid[column.phase].append(column)
        parts = sorted({part for columns in laid for c in columns for part in c.needs})
        budgets = budgets_of(self.market)
        phases = tuple(
            Phase(
                columns=tuple(
                    PhaseColumn(key=c.key, needs=c.needs, running_cents=running(timeline, c, k))
                    for c in columns
                ),
                capex_cents={p: cents(timeline.price_usd(*p, k)) for p in parts},
                budget_cents=budgets[k],
            )
            for k, columns in enumerate(laid)
        )
        held: dict[Holding, int] = {
            (*hold, part): timeline.held(*part, hold).total
            for part in parts
            for hold in timeline.holds(part[1])
        }
        moves = {
            (k, a.key, b.key): self.moved(a, b) * move_cents(timeline, k + 1)
            for k, (now, after) in enumerate(pairwise(laid))
            for a in now
            for b in after
        }
        return GrowthProblem(phases=phases, held_cents=held, moves=moves)

    def moved(self, one: LaidColumn, two: LaidColumn) -> int:
        """Return the links that move between two columns."""
        if (one.key, two.key) not in self._moves:
            self._moves[one.key, two.key] = links_moved(
                one.found.column, two.found.column, one.needs, two.needs
            )
        return self._moves[one.key, two.key]

    def solve(self, timeline: Timeline) -> GrowthPlan | None:
        """Return the cheapest plan over the columns found, storage included."""
        self.say(f"{self.market.instance.name}: program over {len(self.columns)} designs")
        plan = solve_growth(self.problem(timeline), self.engine)
        storage = self.market.storage.total
        return plan and replace(
            plan, cost_cents=plan.cost_cents + storage, bound_cents=plan.bound_cents + storage
        )

    def _extend(self, best_cents: int) -> bool:
        """Scan each phase for the columns that a better plan may run."""
        before = len(self.columns)
        for search in self.searches:
            self.open(search, best_cents)
        return len(self.columns) > before

    def _bound(self, plan: GrowthPlan) -> int:
        """Return the proven least: of the program, and of plans with a column not opened."""
        bounds = [s.open_cents for s in self.searches if s.open_cents is not None]
        return min([plan.bound_cents, plan.cost_cents, *bounds])


def phase_instance(instance: Instance, phase: int, reserve: int) -> Instance:
    """Return the instance of one phase whose spines keep ports free for some leafs more."""
    found = instance.phases()[phase]
    rules = found.fabric
    if not reserve:
        return found
    more = rules.model_copy(update={"reserved_leafs": rules.reserved_leafs + reserve})
    return found.model_copy(update={"fabric": more})


def _same_pins(one: Instance, two: Instance) -> bool:
    """Return whether the strategies that workloads may take are the same."""
    return [(w.fix, w.forbid) for w in one.workloads] == [(w.fix, w.forbid) for w in two.workloads]


def replace_book(market: Market, timeline: Timeline, phase: int) -> PhaseBook:
    """Return the prices of a phase under another timeline."""
    return PhaseBook(market.instance, market.catalog, timeline=timeline, phase=phase)


def needs_of(market: Market, found: Found) -> dict[Part, int]:
    """Return the units of every part of a placed column."""
    placement = found.placed.placement
    racks = market.placer.bought(placement.racks)
    needs: Counter[Part] = Counter()
    for part, component, count in quantities(found.column, placement.parts, racks, market.book):
        needs[part, component] += count
    return {part: count for part, count in needs.items() if count}


def running(timeline: Timeline, column: LaidColumn, phase: int) -> int:
    """Return what a column costs to run while a phase lasts, cents."""
    return sum(timeline.running(*part, phase).total * count for part, count in column.needs.items())


def move_cents(timeline: Timeline, phase: int) -> int:
    """Return the present value of moving one link at the start of a phase, cents."""
    rate = timeline.book.rules.discount_rate
    worth = (1 + rate) ** -timeline.starts[phase]
    return cents(timeline.growth.rewire_usd_per_link * worth)


def budgets_of(market: Market) -> list[int | None]:
    """Return what may be bought in each phase, cents; storage is bought in the first."""
    instance = market.instance
    limits = [instance.budget.capex_usd]
    limits += [phase.capex_usd for phase in (instance.growth.phases if instance.growth else ())]
    budgets = [None if limit is None else cents(limit) for limit in limits]
    if budgets[0] is not None:
        budgets[0] -= market.storage.capex
    return budgets
