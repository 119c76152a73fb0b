"""Scan the table of columns, least cost bound first: exact for jobs that share one pool in time.

A column's cost is servers, NICs, switches and out-of-band network (exact) plus its placement,
which is bounded before it is solved. Columns are opened in the order of their bound, so that the
first bound above the incumbent ends the scan and bounds everything that was not opened. Columns
are discarded, cheapest test first: limits on counts, a step time with a free network, the full
step time, the placement. What became of every column is counted: that is the certificate.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from planner.domain.design import FabricChoice
from planner.physics.refusal import Refusal
from planner.program import interrupt
from planner.program.columns import Column
from planner.program.platforms import PlatformOption
from planner.program.work import Work


class StepTimes(NamedTuple):
    """Fastest step of every workload on a column, and whether all limits hold."""

    steps: tuple[Any, ...]
    """One `BestStep` a workload, None where no strategy fits the memory."""
    failed: str
    """Id of the first constraint that fails, empty if none: step_time_w0, memory_w0, hours."""
    broken: frozenset[str] = frozenset()
    """Ids of all step times and hours that are known to fail."""


class PlacedCost(NamedTuple):
    """A placed column: what it costs in all, and the proven least."""

    cost_cents: int
    bound_cents: int
    capex_cents: int
    placement: Any
    services: Any = None
    """Cables of services as laid, where there are any."""


class Market(Protocol):
    """What the scan asks of an instance; see `program/market.py`."""

    options: list[PlatformOption]

    def node_range(self, option: PlatformOption) -> range:
        """Return the numbers of servers of the declared grid."""
        ...

    def choices(self, option: PlatformOption) -> list[FabricChoice]:
        """Return the fabrics of a platform."""
        ...

    def least_cents(self, option: PlatformOption, nodes: int) -> int:
        """Return a bound on the cost of any column of a platform and number of servers."""
        ...

    def known_slow(self, option: PlatformOption) -> int:
        """Return up to how many servers a free network was already found to be too slow."""
        ...

    def server_limit(self, option: PlatformOption, nodes: int) -> Refusal | None:
        """Return a limit that this many servers break whatever the fabric."""
        ...

    def beyond_reach(self, option: PlatformOption, nodes: int) -> Refusal | None:
        """Return why no fabric joins this many servers or more, None where one may."""
        ...

    def column(self, option: PlatformOption, nodes: int, choice: FabricChoice) -> Column | Refusal:
        """Return a column or why it cannot be built."""
        ...

    def column_limit(self, column: Column) -> Refusal | None:
        """Return a limit that a column breaks before it is placed."""
        ...

    def column_cheap_bound_cents(self, column: Column) -> int:
        """Return a bound that needs no look at cables."""
        ...

    def column_bound_cents(self, column: Column) -> int | Refusal:
        """Return a bound on the cost of a column over all placements, or why it cannot stand."""
        ...

    def free_steps(self, option: PlatformOption, nodes: int) -> StepTimes:
        """Return step times that no fabric can beat."""
        ...

    def ideal_steps(self, option: PlatformOption, nodes: int) -> StepTimes:
        """Return step times on a fabric that none of the allowed ones can beat."""
        ...

    def steps(self, column: Column) -> StepTimes:
        """Return the step times on a column's fabric with its shortest links."""
        ...

    def place(self, column: Column) -> PlacedCost | Refusal:
        """Return the column placed at least cost, or why it cannot be placed."""
        ...

    def settle(self, column: Column, placed: PlacedCost) -> StepTimes:
        """Return the step times with the links as long as they were laid."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A column that meets every limit, placed."""

    column: Column
    placed: PlacedCost
    steps: StepTimes

    @property
    def order(self) -> tuple[int, tuple[Any, ...]]:
        """Cost, then attributes: the order of preference."""
        return self.placed.cost_cents, self.column.key


@dataclass(slots=True)
class ScanResult:
    """What the scan found and what became of every column."""

    best: Found | None = None
    bound_cents: int | None = None
    """Least bound of all columns that are still open; the best's cost when proved."""
    open_cents: int | None = None
    """Least bound of the columns that were not opened; None where all were."""
    feasible: list[Found] = field(default_factory=list)
    tried: list[tuple[Column, StepTimes, int]] = field(default_factory=list)
    """Columns whose step times were evaluated but failed, with their cost bound."""
    outcomes: Counter[str] = field(default_factory=Counter)
    refusals: dict[str, str] = field(default_factory=dict)
    """First sentence for each limit that refused something."""
    conflicts: set[frozenset[str]] = field(default_factory=set)
    """Limits of time and memory that columns broke together."""
    nearest: dict[str, tuple[float, str]] = field(default_factory=dict)
    """By failed constraint: the smallest step time seen and the design that has it."""
    evaluated: int = 0
    """Columns whose step times were computed; `numbers` of servers that were opened."""
    numbers: int = 0
    undecided: list[int] = field(default_factory=list)
    """Bounds of columns for which a limit of work ended the search before any placement."""
    proved: bool = False
    stopped: bool = False


Progress = Callable[[int, int | None, int], None]
"""Called with columns opened, incumbent cents and bound cents."""


class _Entry(NamedTuple):
    bound: int
    order: tuple[Any, ...]
    """Attributes that break ties of the bound."""
    column: Column | None
    """None for a platform and number of servers whose fabrics are not yet opened."""
    cabled: bool
    """True where the bound counts cables."""
    option: PlatformOption
    nodes: int


def scan(
    market: Market,
    *,
    deadline_s: float | None = None,
    progress: Progress | None = None,
    keep_cents: int = 0,
    gap: float = 0.0,
    skip_slow: bool = False,
    without: tuple[Any, ...] | None = None,
    most: int | None = None,
    work: Work | None = None,
) -> ScanResult:
    """Return the best column of a market with its proof.

    Parameters
    ----------
    market
        The instance's columns, limits and physics.
    deadline_s
        `time.monotonic()` at which to stop with what was found; None to run to the proof.
    progress
        Called about once a column.
    keep_cents
        Columns up to this much above the best are opened too (0: only ties).
    gap
        Relative gap that is enough: the scan ends once the open bounds prove it.
    skip_slow
        Begin above the numbers of servers that an earlier scan found too slow. The proof is the
        same, but what became of every column is not counted: numbers of servers are.
    without
        Key of a column to leave out.
    most
        Feasible columns after which it ends; None for no limit.
    work
        Limit after which it stops.
    """
    result = ScanResult()
    heap: list[_Entry] = []
    for option in market.options:
        nodes = market.node_range(option)
        first = _past_slow(market, option, nodes, result) if skip_slow else 0
        if first < len(nodes):
            heap.append(_server_entry(market, option, nodes[first]))
    heapq.heapify(heap)
    opened = 0
    while heap:
        entry = heapq.heappop(heap)
        if result.best and entry.bound > _ceiling(result.best, keep_cents, gap):
            heapq.heappush(heap, entry)
            break
        if entry.column is not None and entry.column.key == without:
            continue
        late = deadline_s is not None and time.monotonic() > deadline_s
        late = late or (work is not None and work.spent(result, entry))
        if late or interrupt.asked() or not _open(market, entry, heap, result):
            heapq.heappush(heap, entry)
            result.stopped = True
            break
        if most is not None and len(result.feasible) >= most:
            heapq.heappush(heap, entry)
            break
        opened += 1
        if progress is not None:
            incumbent = result.best.placed.cost_cents if result.best else None
            progress(opened, incumbent, entry.bound)
    _close(market, heap, result, columns=not skip_slow)
    return result


def _open(market: Market, entry: _Entry, heap: list[_Entry], result: ScanResult) -> bool:
    """Open an entry; returns False, with nothing changed, if the user stops the search meanwhile."""
    try:
        if entry.column is None:
            _open_servers(market, entry, heap, result)
        else:
            _open_column(market, entry, entry.column, heap, result)
    except interrupt.InterruptedSearchError:
        return False
    return True


def _past_slow(market: Market, option: PlatformOption, nodes: range, result: ScanResult) -> int:
    """Return the place in the grid after the numbers of servers that are known to be too slow.

    Nothing is skipped where some of them break another limit: the scan then says so itself.
    """
    slow = market.known_slow(option)
    first = sum(1 for n in nodes if n <= slow)
    if not first or market.server_limit(option, nodes[first - 1]) is not None:
        return 0
    free = market.free_steps(option, nodes[first - 1])
    _fail(result, free, first, "free_network_")
    return first


def _ceiling(best: Found, keep_cents: int, gap: float) -> float:
    """Return the bound above which nothing needs to be opened."""
    return best.placed.cost_cents * (1 - gap) + keep_cents


def _server_entry(market: Market, option: PlatformOption, nodes: int) -> _Entry:
    bound = market.least_cents(option, nodes)
    return _Entry(bound, (option.key, nodes, 0, 0), None, False, option, nodes)


def _open_servers(market: Market, entry: _Entry, heap: list[_Entry], result: ScanResult) -> None:
    """Open a platform and number of servers: push its columns and the next number."""
    option, nodes = entry.option, entry.nodes
    result.numbers += 1
    choices = market.choices(option)
    grid = market.node_range(option)
    refusal = market.server_limit(option, nodes) or market.beyond_reach(option, nodes)
    if refusal is not None:
        rest = sum(1 for n in grid if n >= nodes)
        _refuse(result, refusal, rest * len(choices))
        return
    free = interrupt.long(market.free_steps, option, nodes)
    columns = (market.column(option, nodes, choice) for choice in choices)
    built = not free.failed and any(not isinstance(column, Refusal) for column in columns)
    ideal = interrupt.long(market.ideal_steps, option, nodes) if built else free
    if nodes + grid.step in grid:
        heapq.heappush(heap, _server_entry(market, option, nodes + grid.step))
    if free.failed:
        _fail(result, free, len(choices), "free_network_")
        return
    if ideal.failed:
        _fail(result, ideal, len(choices), "ideal_network_")
        _note_nearest(result, ideal, f"{nodes} x {option.server.model} on an ideal fabric")
        return
    for rank, choice in enumerate(choices):
        column = market.column(option, nodes, choice)
        if isinstance(column, Refusal):
            _refuse(result, column, 1)
            continue
        bound = market.column_cheap_bound_cents(column)
        order = (option.key, nodes, 1, rank)
        heapq.heappush(heap, _Entry(bound, order, column, False, option, nodes))


def _open_column(
    market: Market, entry: _Entry, column: Column, heap: list[_Entry], result: ScanResult
) -> None:
    """Open a column: cable bound, step times, then the placement; keep it if every limit holds."""
    bound = entry.bound
    if not entry.cabled:
        refusal = market.column_limit(column)
        if refusal is not None:
            _refuse(result, refusal, 1)
            return
        cabled = interrupt.long(market.column_bound_cents, column)
        if isinstance(cabled, Refusal):
            _refuse(result, cabled, 1)
            return
        heapq.heappush(heap, entry._replace(bound=max(bound, cabled), cabled=True))
        return
    result.evaluated += 1
    steps = interrupt.long(market.steps, column)
    if steps.failed:
        _fail(result, steps, 1)
        result.tried.append((column, steps, bound))
        _note_nearest(result, steps, describe(column))
        return
    placed = interrupt.long(market.place, column)
    if isinstance(placed, Refusal):
        _refuse(result, placed, 1)
        if placed.limit == "work_limit":
            result.undecided.append(bound)
        return
    settled = market.settle(column, placed)
    if settled.failed:
        _fail(result, settled, 1)
        result.tried.append((column, settled, bound))
        _note_nearest(result, settled, describe(column))
        return
    found = Found(column=column, placed=placed, steps=settled)
    result.outcomes["feasible"] += 1
    result.feasible.append(found)
    if result.best is None or found.order < result.best.order:
        result.best = found


def _fail(result: ScanResult, steps: StepTimes, count: int, how: str = "") -> None:
    """Count columns that fail, and note which limits of time and memory they break together."""
    result.outcomes[f"{how}{steps.failed}"] += count
    result.conflicts.add(steps.broken or frozenset({steps.failed}))


def _refuse(result: ScanResult, refusal: Refusal, count: int) -> None:
    limit = refusal.limit or "fabric"
    result.outcomes[limit] += count
    result.refusals.setdefault(limit, refusal.reason)


def _note_nearest(result: ScanResult, steps: StepTimes, design: str) -> None:
    """Remember the design that came closest to each failed step time."""
    kind, _, index = steps.failed.rpartition("_w")
    if kind != "step_time" or not steps.steps:
        return
    seconds = steps.steps[int(index)].wall_s
    seen = result.nearest.get(steps.failed)
    if seen is None or seconds < seen[0]:
        result.nearest[steps.failed] = (seconds, design)


def _close(market: Market, heap: list[_Entry], result: ScanResult, *, columns: bool) -> None:
    """Count what the cost bound left unopened; set bound and proof."""
    for entry in heap:
        if entry.column is not None:
            result.outcomes["cost_bound"] += 1
            continue
        rest = sum(1 for n in market.node_range(entry.option) if n >= entry.nodes)
        each = len(market.choices(entry.option)) if columns else 1
        result.outcomes["cost_bound"] += rest * each
    bounds = [entry.bound for entry in heap]
    result.open_cents = min([*bounds, *result.undecided], default=None)
    bounds += [found.placed.bound_cents for found in result.feasible]
    bounds += result.undecided
    result.bound_cents = min(bounds) if bounds else None
    best = result.best
    if best is not None and result.bound_cents is not None:
        result.bound_cents = min(result.bound_cents, best.placed.cost_cents)
        result.proved = result.bound_cents == best.placed.cost_cents
    else:
        result.stopped = result.stopped or bool(result.undecided)
        result.proved = not result.stopped


def describe(column: Column) -> str:
    """Return a column in a buyer's words."""
    plan, choice = column.plan, column.plan.choice
    text = f"{column.nodes} x {column.option.server.model}"
    if not plan.leafs:
        return f"{text}, no switch"
    shape = f"{plan.leafs} x {choice.leaf_switch}"
    if plan.spines:
        shape += f" + {plan.spines} x {choice.spine_switch}"
        if plan.cores:
            shape += f" + {plan.cores} x {choice.core_switch}"
        ratio = 1 / plan.uplink_ratio
        shape += f", {choice.topology.replace('_', ' ')} {ratio:.3g}:1"
    elif plan.planes > 1 or choice.topology == "joined_pair":
        shape += f", {choice.topology.replace('_', ' ')}"
    return f"{text}, {choice.family} {column.option.platform.link_gbps:g}G, {shape}"
